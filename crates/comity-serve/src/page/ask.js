// Requests to the back end (`service.js`).
//
// A slot is the name of a kind of request. A new request cancels the unfinished request in its slot, whose answer is outdated.

import { Problem } from './problem.js';
import { send } from './service.js';

const running = new Map();
const events = new EventTarget();

/** Calls `act` when the service requires a token. */
export const onTokenWanted = (act) => events.addEventListener('token', act);

/** Calls `act` with true after an answer of the service, and with false if it could not be reached. */
export const onReach = (act) => events.addEventListener('reach', (event) => act(event.detail));

/** Cancels the request in a slot. */
export function cancel(slot) {
  running.get(slot)?.abort();
  running.delete(slot);
}

/**
 * Sends a request: a POST with `question` as the body, or a GET without a question. Returns `{ answer }`, `{ problem }`, or null
 * if a newer request has cancelled this one. `path` is relative, so that a proxy can serve the page below a prefix.
 */
export async function ask(slot, path, question) {
  cancel(slot);
  const controller = new AbortController();
  running.set(slot, controller);
  const isCurrent = () => running.get(slot) === controller;
  try {
    const reply = await send(path, question, controller.signal);
    if (!isCurrent()) return null;
    events.dispatchEvent(new CustomEvent('reach', { detail: true }));
    if (reply.problem?.status === 401) events.dispatchEvent(new Event('token'));
    return reply;
  } catch {
    if (!isCurrent()) return null;
    events.dispatchEvent(new CustomEvent('reach', { detail: false }));
    return { problem: new Problem({ kind: 'gone', title: 'the service does not answer' }) };
  }
}
