// The reasons for a verdict: the deciding rule, the other matching rules, the groups, and the decisions in other dialects.

import { ask } from './ask.js';
import { $, fill, h } from './dom.js';
import { problemBox } from './problem.js';
import { ruleText, whoOf, wordOf } from './words.js';

const BASIS = {
  no_rule: 'No rule of its group matches, so the URL is allowed.',
  no_group: 'The file has neither a group for this crawler nor a group *.',
  robots_txt: 'robots.txt itself may always be fetched.',
};
const LISTED = 40;

/** Requests the reasons and shows them. `isAsked` is true if the user has just selected the verdict. */
export async function explain(page, { agent, url }, isAsked) {
  const { robots, dialect } = page;
  const question = { robots, urls: [url], ...whoOf([agent]) };
  const reply = await ask('explain', 'v1/explain', { ...question, dialect });
  if (!reply) return;
  if (reply.problem) {
    fill($('why'), problemBox(reply.problem, () => explain(page, { agent, url }, isAsked)));
    return;
  }
  const row = reply.answer.rows[0];
  const beside = h('div', { class: 'dialects' });
  show(page, row, beside);
  if (isAsked && row.rule) page.editor.reveal(row.rule.line);
  await sideBySide(page, row, question, beside);
}

function show(page, row, beside) {
  const { word, mark, kind } = wordOf(row);
  const jump = (line, text = `line ${line}`) => h('button', { type: 'button', class: 'place', onclick: () => page.editor.reveal(line, { focus: true }) }, text);
  const contenders = row.contenders ?? [];
  const marks = new Map();
  for (const group of row.groups ?? []) for (const line of group.named_on) marks.set(line, 'group');
  for (const { rule, outcome } of contenders) marks.set(rule.line, outcome === 'decides' ? `decides ${rule.allows ? 'allowed' : 'disallowed'}` : 'loses');
  page.editor.mark(marks);

  const headline = row.error
    ? h('p', {}, row.error)
    : row.rule
      ? h('p', { class: 'decides' }, jump(row.rule.line), ' ', h('code', {}, ruleText(row.rule)), ' decides.')
      : h('p', { class: 'decides' }, BASIS[row.basis] ?? 'No rule decides.');
  const groups = (row.groups ?? []).map((group) => {
    const lines = group.named_on.flatMap((line, index) => [index ? ', ' : '', jump(line)]);
    return h('p', {}, 'Its group: ', h('code', {}, group.agents.slice(0, 12).join(', ')), group.agents.length > 12 && ' and others', lines.length > 0 && [', ', lines]);
  });
  const losers = contenders.filter((one) => one.outcome !== 'decides');
  const isOther = ({ name, found_in: where }) => (where === 'catalogue' ? `No known crawler has this name; ${name} is a known crawler.` : `No group has this name; a group has the name ${name}.`);
  fill(
    $('why'),
    h('h3', { class: kind }, h('span', { 'aria-hidden': 'true' }, `${mark} `), word, h('span', { class: 'of' }, ' ', row.agent, ' ', h('code', {}, row.url))),
    headline,
    groups,
    row.near_miss && h('p', { class: 'partly' }, isOther(row.near_miss)),
    losers.length > 0 &&
      h(
        'table',
        { class: 'losers' },
        h('caption', {}, 'Rules that match and lose'),
        h(
          'tbody',
          {},
          losers.slice(0, LISTED).map(({ rule, reason }) => h('tr', {}, h('td', {}, jump(rule.line)), h('th', { scope: 'row' }, h('code', {}, ruleText(rule))), h('td', { class: 'faint' }, reason))),
          losers.length > LISTED && h('tr', {}, h('td', { colspan: '3', class: 'faint' }, `and ${losers.length - LISTED} more`)),
        ),
      ),
    (row.other_groups ?? []).length > 0 &&
      h(
        'details',
        {},
        h('summary', {}, 'Decisions of other groups'),
        h(
          'ul',
          {},
          row.other_groups.map(({ agents, line, decision }) =>
            h('li', {}, jump(line), ' ', h('code', {}, agents.slice(0, 6).join(', ')), ': ', h('span', { class: wordOf(decision).kind }, wordOf(decision).word.toLowerCase()), decision.rule && [', ', jump(decision.rule.line)]),
          ),
        ),
      ),
    beside,
  );
}

/** Requests the decision in every dialect. The requests are sequential, because the service parses the file for each of them. */
async function sideBySide(page, row, question, beside) {
  const rows = [];
  for (const dialect of page.dialects) {
    const reply = await ask('dialects', 'v1/check', { ...question, dialect });
    if (!reply || reply.problem || !beside.isConnected) return;
    rows.push([dialect, reply.answer.rows[0]]);
  }
  const isSame = (other) => wordOf(other).kind === wordOf(row).kind;
  const differing = rows.filter(([, other]) => !isSame(other)).length;
  const said = differing === 0 ? `All ${rows.length} dialects agree` : `${differing} of ${rows.length} dialects decide otherwise`;
  fill(
    beside,
    rows.length > 0 &&
      h(
        'details',
        { open: differing > 0 },
        h('summary', {}, said),
        h(
          'ul',
          { class: 'sides' },
          rows.map(([dialect, other]) => {
            const { word, mark, kind } = wordOf(other);
            return h(
              'li',
              { class: isSame(other) ? null : 'differs' },
              h('code', {}, dialect),
              h('span', { class: kind }, h('span', { 'aria-hidden': 'true' }, `${mark} `), word),
              h('span', { class: 'faint' }, other.error ? 'no answer' : other.rule ? `line ${other.rule.line}` : 'no rule'),
            );
          }),
        ),
      ),
  );
}
