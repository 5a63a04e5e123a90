// The element that shows a problem.

import { h, prose } from './dom.js';

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
