// The view "Compare": differences in meaning between an older version and the text in the editor.

import { ask, cancel } from './ask.js';
import { $, fill, h } from './dom.js';
import { problemBox } from './problem.js';
import { fromEditor, toEditor } from './text.js';
import { ruleText, wordOf } from './words.js';

const LISTED = 100;

export class Compare {
  #page;

  constructor(page) {
    this.#page = page;
    const old = $('old');
    old.addEventListener('input', page.changedSoon);
    old.addEventListener('change', () => (this.old = this.old));
    $('keep').addEventListener('click', () => {
      this.old = page.robots;
      page.changed();
    });
    $('swap').addEventListener('click', () => {
      const robots = page.robots;
      page.editor.set(this.old);
      this.old = robots;
      page.changed();
    });
  }

  get old() {
    return fromEditor($('old').value);
  }

  set old(text) {
    const value = toEditor(text);
    if ($('old').value !== value) $('old').value = value;
  }

  async ask() {
    const { robots, dialect, verdicts } = this.#page;
    if (!this.old.trim()) {
      cancel('diff');
      fill($('difference'), h('p', { class: 'empty' }, 'Paste the older version, or copy the text of the editor and continue to edit. Changes in meaning are listed here.'));
      return;
    }
    const reply = await ask('diff', 'v1/diff', { old: { robots: this.old }, new: { robots }, dialect, urls: verdicts.urls.slice(0, LISTED) });
    if (!reply) return;
    if (reply.problem) fill($('difference'), problemBox(reply.problem, () => this.ask()));
    else this.#show(reply.answer);
  }

  #show({ agents, sitemaps, other, urls }) {
    const listed = (title, { lost, gained }) => lost.length + gained.length > 0 && h('section', { class: 'change' }, h('h3', {}, title), lines(lost, gained));
    const changes = agents.map((change) => {
      const pacing = change.pacing.map(({ kind, old, new: now }) => h('p', {}, `${kind.replaceAll('_', '-')}: ${pace(old)}, now ${pace(now)}`));
      const group = change.old_group === change.new_group ? null : h('p', { class: 'faint' }, `Its group changed from ${change.old_group ?? 'no group'} to ${change.new_group ?? 'no group'}.`);
      const names = change.agents.map((name) => (name === '*' ? 'Everyone else' : name));
      return h(
        'section',
        { class: 'change' },
        h('h3', {}, names.slice(0, 8).join(', '), names.length > 8 && ` and ${names.length - 8} more`),
        group,
        lines(change.lost.map(ruleText), change.gained.map(ruleText)),
        change.reordered && h('p', {}, 'The rules are equal, but their order differs. In this dialect, the order of rules matters.'),
        pacing,
      );
    });
    const turns = urls.map(({ url, agent, old, new: now }) =>
      h('tr', {}, h('th', { scope: 'row' }, h('code', {}, url)), h('td', {}, agent), h('td', { class: wordOf(old).kind }, wordOf(old).word), h('td', { class: wordOf(now).kind }, wordOf(now).word)),
    );
    const isSame = !changes.length && !turns.length && ![sitemaps, other].some(({ lost, gained }) => lost.length + gained.length);
    fill(
      $('difference'),
      isSame && h('p', { class: 'empty' }, 'Both have the same meaning: decisions, delays, sitemaps and other lines are equal.'),
      turns.length > 0 &&
        h(
          'section',
          { class: 'change' },
          h('h3', {}, 'Your URLs'),
          h('table', {}, h('thead', {}, h('tr', {}, ['URL', 'Crawler', 'Before', 'Now'].map((text) => h('th', { scope: 'col' }, text)))), h('tbody', {}, turns)),
        ),
      changes,
      listed('Sitemaps', sitemaps),
      listed('Other lines', other),
    );
  }
}

const pace = (value) => (value === null ? 'nothing' : typeof value === 'number' ? `${value} s` : JSON.stringify(value));

function lines(lost, gained) {
  const item = (sign, word, kind) => (text) => h('li', { class: kind }, h('span', { 'aria-hidden': 'true' }, sign), h('span', { class: 'heard' }, word), h('code', {}, text));
  const all = [...lost.map(item('−', 'removed: ', 'lost')), ...gained.map(item('+', 'added: ', 'gained'))];
  const rest = all.length - LISTED;
  return h('ul', { class: 'lines' }, all.slice(0, LISTED), rest > 0 && h('li', { class: 'faint' }, `and ${rest} more`));
}
