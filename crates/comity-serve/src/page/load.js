// Loads the robots.txt of a site into the editor and shows its provenance. Nothing else on the page makes the service contact a
// site.

import { ask } from './ask.js';
import { $, count, fill, h } from './dom.js';
import { problemBox } from './problem.js';

const TREATMENTS = {
  read_rules: 'its rules apply',
  last_good: 'the last good copy applies',
  allow_all: 'all URLs are allowed',
  disallow_all: 'all URLs are disallowed',
  stop: 'all URLs are disallowed until the site answers',
  warn: 'all URLs are allowed, with a warning',
  fail_open: 'the preset allows all URLs although the rules are unknown',
  fail_open_unwarned: 'the preset allows all URLs although the rules are unknown',
  hand_to_caller: 'the caller decides',
};

function age(seconds) {
  if (seconds === null) return null;
  if (seconds < 60) return 'fetched just now';
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `fetched ${count(minutes, 'minute')} ago` : `fetched ${Math.round(minutes / 60)} hours ago`;
}

export class Load {
  #page;

  constructor(page) {
    this.#page = page;
    $('load').addEventListener('submit', (event) => {
      event.preventDefault();
      this.ask();
    });
  }

  get site() {
    return $('site').value.trim();
  }

  set site(site) {
    $('site').value = site;
  }

  /** Clears the provenance, because it does not describe the text in the editor any more. */
  forget() {
    fill($('came'));
  }

  async ask() {
    const named = this.site;
    if (!named) {
      $('site').focus();
      return;
    }
    const origin = /^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `https://${named}`;
    fill($('came'), h('p', { class: 'faint' }, `Loading from ${origin} …`));
    const reply = await ask('robots', `v1/robots?origin=${encodeURIComponent(origin)}`);
    if (!reply) return;
    if (reply.problem) {
      fill($('came'), problemBox(reply.problem, () => this.ask()));
      return;
    }
    this.#show(reply.answer);
  }

  #show({ robots_txt: from, redirects, treatment, preset, dialect, charset, text }) {
    const isThere = text !== null || treatment === 'allow_all';
    if (isThere) this.#page.editor.set(text ?? '');
    const status = from.status === null ? (from.failure ?? 'not requested') : `status ${from.status}`;
    const facts = [status, age(from.age_seconds), TREATMENTS[treatment] ?? treatment, `preset ${preset}, dialect ${dialect}`, charset && `charset ${charset}`];
    fill(
      $('came'),
      h('p', {}, h('code', {}, from.url ?? ''), ' ', h('span', { class: isThere ? 'faint' : 'disallowed' }, facts.filter(Boolean).join(' · '))),
      redirects.length > 0 && h('p', { class: 'faint' }, 'Redirected to ', redirects.map((url, n) => [n > 0 && ', then ', h('code', {}, url)])),
      !isThere && h('p', {}, 'There is no file to show; the text in the editor is unchanged.'),
      from.digest && h('p', { class: 'digest faint' }, from.digest),
    );
    this.#page.loaded();
  }
}
