// Problems, and the element that shows one.

import { h, prose } from './dom.js';
import { shown } from './text.js';

/** The reason why there is no answer to a request. */
export class Problem {
  constructor({ kind, status = 0, title, detail = '', retryAfter = null }) {
    Object.assign(this, { kind, status, title, detail, retryAfter });
  }

  /** Returns the problem as text for users. */
  get sentence() {
    switch (this.kind) {
      case 'gone':
        return 'The service does not answer. It may have been stopped; start it with `comity serve`.';
      case 'too_large':
        return ended(`The question or its answer is too large for the service: ${this.detail}`);
      case 'no_token':
        return 'The service requires a token.';
      case 'too_many_origins':
      case 'busy':
        return `${ended(`The service is busy: ${this.detail}`)} ${this.retryAfter ? `Try again in ${this.retryAfter} s.` : ''}`;
      case 'too_late':
        return 'The answer took too long and was cancelled.';
      case 'refused':
        return ended(`The service refuses this address: ${this.detail}`);
      default:
        return ended(`${capital(this.title)}${this.detail ? `: ${this.detail}` : ''}`);
    }
  }
}

/** Adds a full stop to a text, unless it is a sentence already. */
const ended = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);

const capital = (text) => shown(text.charAt(0).toUpperCase() + text.slice(1));

/** Creates a box with a problem. If a retry can succeed, the box has a button that calls `again`. */
export function problemBox(problem, again) {
  const helps = problem.status !== 413 && problem.status !== 400;
  return h(
    'div',
    { class: 'problem', role: 'alert' },
    h('p', {}, prose(problem.sentence)),
    helps && again && h('button', { type: 'button', onclick: again }, 'Try again'),
  );
}
