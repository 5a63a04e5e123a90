// Creates elements from code. There is no HTML in strings.

import { shown } from './text.js';

/** Returns the element with this id. */
export const $ = (id) => document.getElementById(id);

/**
 * Creates an element. Properties whose names begin with `on` add listeners; `class` and attributes are set. Children are
 * elements or text; control characters in text are shown by name. Null and false are omitted.
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

/** Returns a sentence in which the text between backticks is code. */
export function prose(text) {
  return String(text)
    .split('`')
    .map((piece, index) => (index % 2 ? h('code', {}, piece) : piece));
}

/** Returns a number with its noun. */
export const count = (number, noun) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

/** Returns a function that runs after a pause in its calls. `wait` returns the length of the pause in milliseconds. */
export function debounce(wait, act) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, wait());
  };
}

/** Makes arrow keys, Home and End move through buttons, of which the tab key reaches one. */
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
