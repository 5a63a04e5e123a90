// The view "Write": a form from whose choices the service writes a robots.txt.

import { ask } from './ask.js';
import { $, debounce, fill, h, prose } from './dom.js';
import { problemBox } from './problem.js';
import { linesOf, titleOf } from './words.js';

// The purposes that site owners allow or block most often. The form lists them first.
const FIRST = ['training', 'control_only', 'ai_search', 'user_triggered', 'search'];
const SIGNALS = [
  ['search', 'Search results'],
  ['ai-input', 'Answers by AI'],
  ['ai-train', 'Training of AI'],
];
const USAGE = [
  ['train-ai', 'Training of AI'],
  ['ai-use', 'Use by AI'],
  ['search', 'Search'],
];

export class Write {
  #page;
  #text = '';

  constructor(page) {
    this.#page = page;
    const soon = debounce(() => 200, () => this.ask());
    $('wishes').addEventListener('input', soon);
    $('wishes').addEventListener('submit', (event) => {
      event.preventDefault();
      this.ask();
    });
  }

  /** Creates the form with a choice for each purpose of the catalogue. */
  build(purposes) {
    const ordered = [...FIRST.filter((purpose) => purposes.includes(purpose)), ...purposes.filter((purpose) => !FIRST.includes(purpose))];
    const choice = (name, value, text, isChosen) => h('label', {}, h('input', { type: 'radio', name, value, checked: isChosen }), h('span', {}, text));
    const purpose = (word) =>
      h('fieldset', { class: 'choice' }, h('legend', {}, titleOf(word)), h('div', { class: 'switch' }, choice(`purpose-${word}`, '', 'As all others', true), choice(`purpose-${word}`, 'block', 'Keep out'), choice(`purpose-${word}`, 'allow', 'Let in')));
    const terms = (name, list, yes, no) =>
      list.map(([term, title]) => h('fieldset', { class: 'choice' }, h('legend', {}, title), h('div', { class: 'switch' }, choice(`${name}-${term}`, '', 'No preference', true), choice(`${name}-${term}`, yes, 'Yes'), choice(`${name}-${term}`, no, 'No'))));
    const text = (name, title, placeholder) => h('div', { class: 'field' }, h('label', { for: `wish-${name}` }, title), h('textarea', { id: `wish-${name}`, name, rows: '2', wrap: 'off', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', placeholder }));
    fill(
      $('wishes'),
      h('fieldset', { class: 'part' }, h('legend', {}, 'Crawlers by purpose'), ordered.map(purpose)),
      h('fieldset', { class: 'part' }, h('legend', {}, 'Crawlers by name'), h('div', { class: 'pair' }, text('block', 'Keep out', 'GPTBot'), text('allow', 'Let in', 'Googlebot'))),
      h(
        'fieldset',
        { class: 'part' },
        h('legend', {}, 'Everyone else'),
        h('fieldset', { class: 'choice' }, h('legend', {}, 'Crawlers not named above'), h('div', { class: 'switch' }, choice('everyone', '', 'Let in', true), choice('everyone', 'block', 'Keep out'))),
        h('div', { class: 'pair' }, text('disallow', 'Paths that no crawler may fetch', '/cart'), text('sitemaps', 'Sitemaps', 'https://example.com/sitemap.xml')),
      ),
      h('details', { class: 'part' }, h('summary', {}, 'Permitted uses of the content'), h('h3', {}, 'Content-Signal'), terms('signal', SIGNALS, 'yes', 'no'), h('h3', {}, 'Content-Usage (AIPREF)'), terms('usage', USAGE, 'y', 'n')),
    );
  }

  #question() {
    const form = new FormData($('wishes'));
    const purposes = (wish) => [...form].filter(([name, value]) => name.startsWith('purpose-') && value === wish).map(([name]) => name.slice('purpose-'.length));
    const names = (field) => (form.get(field) ?? '').split(/[\n,]/).map((name) => name.trim()).filter(Boolean);
    const terms = (field, list, join) => {
      const chosen = list.map(([term]) => [term, form.get(`${field}-${term}`)]).filter(([, value]) => value);
      return chosen.length ? chosen.map(([term, value]) => `${term}=${value}`).join(join) : null;
    };
    return {
      block_purposes: purposes('block'),
      allow_purposes: purposes('allow'),
      block: names('block'),
      allow: names('allow'),
      block_everyone: form.get('everyone') === 'block',
      disallow: linesOf(form.get('disallow') ?? ''),
      sitemaps: linesOf(form.get('sitemaps') ?? ''),
      content_signal: terms('signal', SIGNALS, ', '),
      content_usage: terms('usage', USAGE, ', '),
    };
  }

  async ask() {
    const reply = await ask('new', 'v1/new', this.#question());
    if (!reply) return;
    if (reply.problem) {
      fill($('written'), problemBox(reply.problem, () => this.ask()));
      return;
    }
    const { robots, notes, findings } = reply.answer;
    this.#text = robots;
    fill(
      $('written'),
      h('div', { class: 'head' }, h('h3', {}, 'The file'), h('button', { type: 'button', class: 'primary', onclick: () => this.#take() }, 'Put it into the editor')),
      notes.map((note) => h('p', { class: 'hint' }, prose(note))),
      findings.filter(({ severity }) => severity !== 'note').map((finding) => h('p', { class: 'hint' }, `Line ${finding.place.line}: `, prose(finding.message))),
      h('pre', { tabindex: '0', role: 'region', 'aria-label': 'The file' }, h('code', {}, robots)),
    );
  }

  #take() {
    this.#page.editor.set(this.#text);
    this.#page.show('verdicts');
    this.#page.editor.focus();
  }
}
