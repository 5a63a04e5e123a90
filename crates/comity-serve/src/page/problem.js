// Shows a problem in place of an answer.

import { h, prose } from './dom.js';

/** Creates a box with the problem, and a button to retry if that may help. */
export function problemBox(problem, again) {
  const helps = problem.status !== 413 && problem.status !== 400;
  return h(
    'div',
    { class: 'problem', role: 'alert' },
    h('p', {}, prose(problem.sentence)),
    helps && again && h('button', { type: 'button', onclick: again }, 'Try again'),
  );
}
