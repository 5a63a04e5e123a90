// The view "Crawlers": the known crawlers, and how much of the site the file allows each of them.

import { ask } from './ask.js';
import { $, count, fill, h } from './dom.js';
import { problemBox } from './problem.js';
import { ruleText, titleOf } from './words.js';

const KINDS = ['allowed', 'partly', 'disallowed'];

export class Crawlers {
  #page;

  constructor(page) {
    this.#page = page;
    $('purpose').addEventListener('change', page.changed);
    $('obscure').addEventListener('change', page.changed);
  }

  async ask() {
    const { robots, dialect } = this.#page;
    const purpose = $('purpose').value;
    const question = { robots, dialect, all: $('obscure').checked, purposes: purpose ? [purpose] : [] };
    const reply = await ask('matrix', 'v1/matrix', question);
    if (!reply) return;
    if (reply.problem) fill($('matrix'), problemBox(reply.problem, () => this.ask()));
    else this.#show(reply.answer);
  }

  #show({ summary, crawlers, names_left_out: leftOut }) {
    const everyone = crawlers.find((row) => row.agent === '*');
    const sections = summary.map((part) => {
      const rows = crawlers.filter((row) => row !== everyone && (row.known?.purpose ?? null) === part.purpose);
      return h(
        'section',
        { class: 'purpose' },
        h('h3', {}, titleOf(part.purpose), ' ', bar(part)),
        table(titleOf(part.purpose), alike(rows).map((same) => this.#row(same))),
      );
    });
    fill(
      $('matrix'),
      everyone && table('Everyone else', this.#row([everyone])),
      sections,
      leftOut > 0 && h('p', { class: 'faint' }, `Not listed: ${count(leftOut, 'further name')} in the file.`),
    );
  }

  /** Creates the row of crawlers with equal access. */
  #row(rows) {
    const [row] = rows;
    const { access } = row;
    const line = (rule) => h('button', { type: 'button', class: 'place', onclick: () => this.#page.editor.reveal(rule.line, { focus: true }) }, rule.line);
    const shown = row.exceptions_listed.slice(0, 3);
    const rest = row.exceptions - shown.length;
    const reason =
      access === 'partly'
        ? [row.is_open ? 'all but ' : 'only ', shown.map((one, index) => [index > 0 && ' ', h('span', { class: 'rule' }, h('code', {}, one.pattern), ' ', line(one), index + 1 < shown.length && ',')]), rest > 0 && ` and ${rest} more`]
        : row.rule
          ? h('span', { class: 'rule' }, h('code', {}, ruleText(row.rule)), ' ', line(row.rule))
          : row.matched_by === 'nobody'
            ? 'no group applies to it'
            : 'no rule forbids it';
    const pace = row.crawl_delay_seconds === null ? null : `Crawl-delay: ${row.crawl_delay_seconds} s`;
    const names = rows.map(({ agent, known }, index) => [index > 0 && ', ', h('span', { class: 'name', title: known?.operator }, agent === '*' ? 'Everyone else' : agent)]);
    const operators = [...new Set(rows.map(({ known }) => known?.operator).filter((operator) => operator && operator !== 'unknown'))];
    const about = operators.length ? operators.slice(0, 8).join(', ') + (operators.length > 8 ? ` and ${operators.length - 8} more` : '') : row.agent === '*' ? 'all other crawlers' : row.known ? 'operator unknown' : 'named in the file';
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, names, h('small', {}, about)),
      h('td', { class: access }, access),
      h('td', {}, reason, [pace, heed(row)].filter(Boolean).map((text) => h('small', {}, text))),
    );
  }
}

/** Returns the operator's statement about a crawler that ignores, or may ignore, robots.txt. */
const heed = ({ known }) => ({ ignores: 'its operator says that it ignores robots.txt', may_ignore: 'its operator says that it may ignore robots.txt' })[known?.robots_txt];

/** Groups the rows of crawlers with equal access. */
function alike(rows) {
  const groups = new Map();
  for (const row of rows) {
    const key = JSON.stringify([row.access, row.group_line, row.rule, row.exceptions, row.exceptions_listed, row.crawl_delay_seconds, heed(row)]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
}

function table(title, rows) {
  const columns = ['Crawlers', 'Access', 'Because'];
  return h(
    'table',
    { class: 'crawlers' },
    h('caption', { class: 'heard' }, title),
    h('colgroup', {}, columns.map(() => h('col', {}))),
    h('thead', { class: 'heard' }, h('tr', {}, columns.map((text) => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, rows),
  );
}

/** Creates a bar with the numbers of allowed, partly allowed and disallowed crawlers. */
function bar(part) {
  const pieces = KINDS.filter((kind) => part[kind] > 0).map((kind) => {
    const piece = h('span', { class: kind });
    piece.style.flexGrow = part[kind];
    return piece;
  });
  const words = KINDS.filter((kind) => part[kind] > 0).map((kind) => `${part[kind]} ${kind}`);
  return [h('span', { class: 'share', 'aria-hidden': 'true' }, pieces), h('span', { class: 'faint' }, words.join(', '))];
}
