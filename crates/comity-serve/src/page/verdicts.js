// The view "Verdicts": a grid of verdicts by crawler and URL, and the reasons for the selected verdict.

import { ask, cancel } from './ask.js';
import { $, count, fill, h, rove } from './dom.js';
import { problemBox } from './problem.js';
import { explain } from './why.js';
import { isHeader, linesOf, whoOf, wordOf } from './words.js';

/** Maximum number of crawlers, and of verdicts. */
const AGENTS = 100;
const ROWS = 2_000;

export class Verdicts {
  #page;
  #agents = [];
  #selected = null;
  #columns = 0;

  constructor(page) {
    this.#page = page;
    const input = $('agent');
    const add = () => {
      const name = input.value.trim();
      if (!name) return;
      input.value = '';
      if (this.#agents.length < AGENTS && !this.#agents.some((one) => one.toLowerCase() === name.toLowerCase())) {
        this.agents = [...this.#agents, name];
        page.changed();
      }
    };
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') {
        event.preventDefault();
        add();
      } else if (event.key === 'Backspace' && !input.value && this.#agents.length) {
        this.#remove(this.#agents.length - 1);
      }
    });
    input.addEventListener('change', add);
    $('urls').addEventListener('input', page.changedSoon);
    rove($('grid'), 'button.verdict', () => this.#columns);
  }

  get agents() {
    return this.#agents;
  }

  set agents(agents) {
    this.#agents = [...new Set(agents.map((name) => name.trim()).filter(Boolean))].slice(0, AGENTS);
    // The service returns product tokens before User-Agent headers.
    this.#agents.sort((a, b) => isHeader(a) - isHeader(b));
    fill(
      $('agents'),
      this.#agents.map((name, index) =>
        h('li', {}, h('span', { class: 'token' }, name), h('button', { type: 'button', 'aria-label': `Remove ${name}`, onclick: () => this.#remove(index) }, '×')),
      ),
    );
  }

  get urls() {
    return linesOf($('urls').value);
  }

  get selected() {
    return this.#selected;
  }

  set selected(selected) {
    this.#selected = selected;
  }

  #remove(index) {
    this.agents = this.#agents.filter((_, other) => other !== index);
    $('agent').focus();
    this.#page.changed();
  }

  async ask() {
    const { robots, dialect } = this.#page;
    const [agents, urls] = [this.#agents, this.urls];
    if (!agents.length || !urls.length) {
      cancel('check');
      this.#rest();
      fill($('grid'), h('p', { class: 'empty' }, agents.length ? 'Write a URL or a path to see what may be fetched.' : 'Add a crawler to see what it may fetch.'));
      return;
    }
    if (agents.length * urls.length > ROWS) {
      cancel('check');
      this.#rest();
      fill($('grid'), h('p', { class: 'empty' }, `${count(agents.length * urls.length, 'verdict')} are too many for this page; comity check has no limit.`));
      return;
    }
    const reply = await ask('check', 'v1/check', { robots, dialect, urls, ...whoOf(agents) });
    if (!reply) return;
    if (reply.problem) {
      this.#rest();
      fill($('grid'), problemBox(reply.problem, () => this.ask()));
      return;
    }
    this.#grid(agents, urls, reply.answer.rows);
  }

  /** Hides the reasons. */
  #rest() {
    cancel('explain');
    fill($('why'));
    this.#page.editor.mark([]);
  }

  #grid(agents, urls, rows) {
    const focused = document.activeElement?.closest?.('button.verdict')?.dataset.at;
    const isThere = this.#selected && agents.includes(this.#selected.agent) && urls.includes(this.#selected.url);
    if (!isThere) this.#selected = { agent: agents[0], url: urls[0] };
    this.#columns = agents.length;
    const cell = (row, agent, url, at) => {
      const { word, mark, kind } = wordOf(row);
      const isChosen = agent === this.#selected.agent && url === this.#selected.url;
      const line = row.rule?.line;
      const said = row.error ?? (line ? `by line ${line}` : 'by no rule');
      return h(
        'td',
        {},
        h(
          'button',
          {
            type: 'button',
            class: `verdict ${kind}`,
            'data-at': at,
            'aria-pressed': String(isChosen),
            'aria-label': `${agent}, ${url}: ${word}, ${said}`,
            tabindex: isChosen ? '0' : '-1',
            title: row.error,
            onclick: (event) => this.#choose(event.currentTarget, { agent, url }),
          },
          h('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
          h('span', { class: 'word' }, word),
          // The style sheet draws the number. The accessible name already contains it.
          line && h('span', { class: 'line', 'data-line': line }),
        ),
      );
    };
    const table = h(
      'table',
      {},
      h('caption', { class: 'heard' }, 'Verdicts, with a row for each URL and a column for each crawler. The reasons for the selected verdict are below.'),
      h('thead', {}, h('tr', {}, h('td', {}), agents.map((agent) => h('th', { scope: 'col', title: agent }, agent)))),
      h(
        'tbody',
        {},
        urls.map((url, y) =>
          h('tr', {}, h('th', { scope: 'row', title: url }, h('code', {}, url)), agents.map((agent, x) => cell(rows[y * agents.length + x] ?? {}, agent, url, y * agents.length + x))),
        ),
      ),
    );
    fill($('grid'), table);
    if (focused) table.querySelector(`[data-at="${focused}"]`)?.focus({ preventScroll: true });
    this.#explain(false);
  }

  #choose(button, selected) {
    this.#selected = selected;
    for (const one of $('grid').querySelectorAll('button.verdict')) {
      one.setAttribute('aria-pressed', String(one === button));
      one.tabIndex = one === button ? 0 : -1;
    }
    this.#explain(true);
  }

  #explain(isAsked) {
    explain(this.#page, this.#selected, isAsked);
  }
}
