// Functions that create elements. No function parses HTML, so text cannot become markup.

import { shown } from './text.js';

/** Returns the element with this id. */
export const $ = (id) => document.getElementById(id);

/**
 * Creates an element. A property whose name begins with `on` adds a listener. `value` and `checked` set properties of the
 * element, any other sets an attribute. Children are elements or text. Invisible characters in text are replaced by their names.
 * Children that are null or false are skipped.
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') element[name] = value;
    else element.setAttribute(name, value === true ? '' : name === 'class' ? value : shown(String(value)));
  }
  put(element, children);
  return element;
}

function put(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : shown(String(child)));
  }
}

/** Replaces the content of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  put(element, children);
}

/** Converts a sentence to nodes; text between backticks becomes a code element. */
export function prose(text) {
  return String(text)
    .split('`')
    .map((piece, index) => (index % 2 ? h('code', {}, piece) : piece));
}

/** Returns a number with its noun in the singular or the plural. */
export const count = (number, noun) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

/** Returns a function that calls `act` when `wait()` milliseconds have passed since its last call. */
export function debounce(wait, act) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, wait());
  };
}

/** Lets the arrow keys, Home and End move the focus between elements, of which only one is reached by the tab key. */
export function rove(container, selector, columns = () => 0) {
  container.addEventListener('keydown', (event) => {
    const all = [...container.querySelectorAll(selector)];
    const at = all.indexOf(event.target);
    const width = columns();
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: width, ArrowUp: -width, Home: -at, End: all.length - 1 - at };
    const step = steps[event.key];
    if (at < 0 || step === undefined || (step === 0 && !['Home', 'End'].includes(event.key))) return;
    event.preventDefault();
    const next = all[at + step];
    if (!next) return;
    for (const one of all) one.tabIndex = one === next ? 0 : -1;
    next.focus();
  });
}
