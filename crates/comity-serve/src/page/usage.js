// The view "Usage": the usage preferences in the file. A signal is a standard that expresses preferences, such as Content-Signal.

import { ask, cancel } from './ask.js';
import { $, fill, h, prose } from './dom.js';
import { problemBox } from './problem.js';
import { whoOf } from './words.js';

const STANCES = { allow: ['Yes', 'allowed'], disallow: ['No', 'disallowed'] };
const SIGNALS = { content_usage: 'Content-Usage', content_signal: 'Content-Signal', rsl: 'RSL', tdmrep: 'TDMRep', control_token: 'Control tokens' };
const words = (text) => text.replaceAll('_', ' ').replace(/\bai\b/g, 'AI');
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the name of a signal, followed by the interpretation if the signal has two of them. */
function nameOf({ signal, interpretation }) {
  const name = SIGNALS[signal] ?? capital(words(signal));
  return interpretation ? [name, h('small', {}, interpretation === 'group' ? 'by its group' : 'by the whole file')] : name;
}

export class Usage {
  #page;

  constructor(page) {
    this.#page = page;
    $('usage-agent').addEventListener('change', page.changed);
    $('usage-url').addEventListener('change', page.changed);
  }

  /** Fills the lists of crawlers and URLs from the view "Verdicts", and keeps the selection. */
  #offer() {
    const { agents, urls } = this.#page.verdicts;
    for (const [select, names] of [[$('usage-agent'), agents.length ? agents : ['*']], [$('usage-url'), urls.length ? urls : ['/']]]) {
      const chosen = names.includes(select.value) ? select.value : names[0];
      fill(select, names.map((name) => h('option', { value: name }, name)));
      select.value = chosen;
    }
  }

  async ask() {
    this.#offer();
    const { robots, dialect } = this.#page;
    cancel('usage');
    const question = { robots, dialect, urls: [$('usage-url').value], ...whoOf([$('usage-agent').value]) };
    const reply = await ask('usage', 'v1/usage', question);
    if (!reply) return;
    if (reply.problem) fill($('signals'), problemBox(reply.problem, () => this.ask()));
    else this.#show(reply.answer.rows[0]);
  }

  #show(row) {
    if (row.error) {
      fill($('signals'), h('p', { class: 'problem' }, row.error));
      return;
    }
    const jump = (line) => h('button', { type: 'button', class: 'place', onclick: () => this.#page.editor.reveal(line, { focus: true }) }, `line ${line}`);
    const key = ({ signal, interpretation }) => `${signal}/${interpretation ?? ''}`;
    const columns = row.signals.filter((signal) => row.summary.some(({ stances }) => stances.some((one) => key(one) === key(signal))));
    const cell = (stances, signal) => {
      const found = stances.find((one) => key(one) === key(signal));
      const [word, kind] = STANCES[found?.stance] ?? [found ? '–' : '', 'none'];
      return h('td', { class: kind }, found?.stance === 'unknown' ? [h('span', { 'aria-hidden': 'true' }, word), h('span', { class: 'heard' }, 'no preference')] : word);
    };
    const statement = ({ line, text }) => h('li', {}, line && [jump(line), ' '], h('code', {}, text));
    const bySignal = new Map();
    for (const signal of row.signals) bySignal.set(signal.signal, [...(bySignal.get(signal.signal) ?? []), signal]);
    const details = [...bySignal.values()].map((readings) => {
      const [signal] = readings;
      const said = readings.flatMap((one) => [...one.preferences.flatMap(({ evidence }) => evidence), ...(one.licenses ?? []).map(({ evidence }) => evidence)]);
      const lines = [...new Map(said.map((one) => [`${one.line} ${one.text}`, one])).values()];
      if (!lines.length) return null;
      const stop = readings.find((one) => one.disallowed_by)?.disallowed_by;
      const notes = (signal.not_in_force ?? []).map(({ at, statement, checked }) => h('p', { class: 'faint' }, `Not supported by ${at}: `, prose(statement), ` (looked up ${checked}).`));
      return h(
        'section',
        { class: 'signal' },
        h('h3', {}, SIGNALS[signal.signal] ?? capital(words(signal.signal))),
        h('ul', {}, lines.map(statement)),
        stop && h('p', {}, 'The URL may not be fetched: ', stop.line && [jump(stop.line), ' '], h('code', {}, stop.text)),
        h('p', { class: 'faint' }, signal.specification),
        notes,
      );
    });
    fill(
      $('signals'),
      h(
        'div',
        { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Uses by signals' },
        h(
          'table',
          { class: 'uses' },
          h('caption', { class: 'heard' }, 'The preference of each signal for each use'),
          h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Use'), columns.map((signal) => h('th', { scope: 'col' }, nameOf(signal))))),
          h('tbody', {}, row.summary.map(({ use, stances }) => h('tr', {}, h('th', { scope: 'row' }, capital(words(use))), columns.map((signal) => cell(stances, signal))))),
        ),
      ),
      details.some(Boolean) ? details : h('p', { class: 'empty' }, 'The file has no usage preferences for this crawler.'),
      row.findings.length > 0 && h('ul', {}, row.findings.map((finding) => h('li', {}, prose(finding.message)))),
    );
  }
}
