// The list of findings in the text, with their fixes.

import { ask } from './ask.js';
import { $, count, fill, h, prose } from './dom.js';
import { problemBox } from './problem.js';

const LISTED = 200;
const WORDS = { error: 'Error', warning: 'Warning', note: 'Note' };

export class FindingList {
  #editor;
  #found = [];

  constructor(editor) {
    this.#editor = editor;
    $('fix-all').addEventListener('click', () => {
      const safe = this.#safe();
      this.#editor().apply(safe.map((finding) => finding.fix));
      $('findings-title').focus();
    });
  }

  #safe() {
    return this.#found.filter((finding) => finding.fix?.safe);
  }

  /** Applies the edits of a finding, unless the text has changed since the request. */
  fix(finding) {
    if (!this.#found.includes(finding)) return;
    this.#editor().apply([finding.fix]);
  }

  /** Moves the cursor to the next line with a finding, or to the previous one if `step` is negative. */
  next(line, step) {
    const lines = [...new Set(this.#found.map((finding) => finding.line ?? 1))].sort((a, b) => a - b);
    const target = step > 0 ? (lines.find((one) => one > line) ?? lines[0]) : (lines.findLast((one) => one < line) ?? lines.at(-1));
    if (target) this.#editor().reveal(target, { focus: true });
  }

  /** Disables the fixes after a change of the text. The next answer of the service enables them again. */
  outdated() {
    this.#found = [];
    for (const button of [$('fix-all'), ...this.#buttons()]) button.setAttribute('aria-disabled', 'true');
  }

  #buttons() {
    return [...$('findings').querySelectorAll('button.fix')];
  }

  async ask(robots) {
    const reply = await ask('lint', 'v1/lint', { robots });
    if (!reply) return;
    fill($('findings-problem'), reply.problem && problemBox(reply.problem, () => this.ask(robots)));
    if (reply.problem) {
      this.#list([]);
      $('findings-count').textContent = '';
      return;
    }
    this.#list(this.#editor().show(reply.answer.findings));
  }

  #list(found) {
    this.#found = found;
    const of = (severity) => found.filter((finding) => finding.severity === severity).length;
    const counts = ['error', 'warning', 'note'].map((severity) => [of(severity), severity]).filter(([number]) => number);
    $('findings-count').textContent = counts.length ? counts.map(([number, noun]) => count(number, noun)).join(', ') : 'no findings';
    const safe = this.#safe();
    const button = $('fix-all');
    button.hidden = safe.length < 2;
    button.textContent = `Make ${safe.length} fixes that change no decision`;
    button.removeAttribute('aria-disabled');
    const focused = this.#buttons().indexOf(document.activeElement);
    const items = found.slice(0, LISTED).map((finding) => this.#item(finding));
    const rest = found.length - items.length;
    fill($('findings'), items, rest > 0 && h('li', { class: 'faint' }, `and ${count(rest, 'more finding')}`));
    // The focus stays in the list, so that keyboard users can fix several findings in sequence.
    if (focused >= 0) (this.#buttons()[focused] ?? this.#buttons().at(-1) ?? $('findings-title')).focus();
  }

  #item(finding) {
    const { severity, line, message, help, fix, code } = finding;
    const jump = line && h('button', { type: 'button', class: 'place', onclick: () => this.#editor().reveal(line, { focus: true }) }, `line ${line}`);
    return h(
      'li',
      { class: severity },
      h('span', { class: 'severity' }, WORDS[severity] ?? severity),
      h('div', { class: 'what' }, h('p', {}, jump, ' ', prose(message)), h('p', { class: 'faint' }, prose(help), ' · ', h('span', { class: 'code' }, code))),
      fix &&
        h(
          'button',
          {
            type: 'button',
            class: 'fix',
            'aria-label': `Fix line ${line}: ${message.replaceAll('`', '')}`,
            title: fix.safe ? 'Changes no decision' : 'Changes decisions; see the finding',
            onclick: () => this.fix(finding),
          },
          'Fix',
        ),
    );
  }
}
