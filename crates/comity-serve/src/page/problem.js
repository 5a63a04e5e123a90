// How a problem is shown where the answer would stand.

import { h, prose } from './dom.js';

/** Makes a box that says what went wrong, and asks again if that may help. */
export function problemBox(problem, again) {
  const helps = problem.status !== 413 && problem.status !== 400;
  return h(
    'div',
    { class: 'problem', role: 'alert' },
    h('p', {}, prose(problem.sentence)),
    helps && again && h('button', { type: 'button', onclick: again }, 'Ask again'),
  );
}
