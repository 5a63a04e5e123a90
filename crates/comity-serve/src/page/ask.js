// Requests to the routes of the service.
//
// A slot is the name of a kind of request. A new request cancels the unfinished request in its slot, whose answer is outdated.

import { shown } from './text.js';

const TOKEN = 'comity-token';
const running = new Map();
const events = new EventTarget();

/** Calls `act` when the service requires a token. */
export const onTokenWanted = (act) => events.addEventListener('token', act);

/** Calls `act` with true after an answer of the service, and with false if it could not be reached. */
export const onReach = (act) => events.addEventListener('reach', (event) => act(event.detail));

/** Stores a token while the tab is open. It is sent only in a header, never in a URL. */
export const keepToken = (token) => sessionStorage.setItem(TOKEN, token);

/** The reason why the service did not answer a request. */
class Problem {
  constructor({ kind, status = 0, title, detail, retryAfter = null }) {
    Object.assign(this, { kind, status, title, detail, retryAfter });
  }

  static async of(response) {
    const body = await response.json().catch(() => ({}));
    const text = (value) => (typeof value === 'string' ? value : '');
    const seconds = Number(body.retry_after_seconds ?? response.headers.get('retry-after'));
    return new Problem({
      kind: text(body.type).split('/').pop() || 'unknown',
      status: response.status,
      title: text(body.title) || `the service answered ${response.status}`,
      detail: text(body.detail),
      retryAfter: Number.isFinite(seconds) && seconds > 0 ? seconds : null,
    });
  }

  /** Returns the problem as a sentence for users, who do not know JSON. */
  get sentence() {
    switch (this.kind) {
      case 'gone':
        return 'The service does not answer. It may have been stopped; start it with `comity serve`.';
      case 'too_large':
        return `The question is too large for the service: ${this.detail}.`;
      case 'no_token':
        return 'The service requires a token.';
      case 'too_many_origins':
      case 'busy':
        return `The service is busy: ${this.detail}. ${this.retryAfter ? `Try again in ${this.retryAfter} s.` : ''}`;
      case 'too_late':
        return 'The answer took too long and was cancelled.';
      case 'refused':
        return `The service refuses this address: ${this.detail}.`;
      default:
        return `${capital(this.title)}${this.detail ? `: ${this.detail}` : ''}.`;
    }
  }
}

const capital = (text) => shown(text.charAt(0).toUpperCase() + text.slice(1));

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
  const headers = {};
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.authorization = `Bearer ${token}`;
  if (question) headers['content-type'] = 'application/json';
  try {
    const response = await fetch(path, {
      method: question ? 'POST' : 'GET',
      headers,
      body: question && JSON.stringify(question),
      signal: controller.signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
    if (!isCurrent()) return null;
    events.dispatchEvent(new CustomEvent('reach', { detail: true }));
    if (response.ok) {
      const answer = await response.json();
      return isCurrent() ? { answer } : null;
    }
    const problem = await Problem.of(response);
    if (problem.status === 401) events.dispatchEvent(new Event('token'));
    return isCurrent() ? { problem } : null;
  } catch {
    if (controller.signal.aborted || !isCurrent()) return null;
    events.dispatchEvent(new CustomEvent('reach', { detail: false }));
    return { problem: new Problem({ kind: 'gone', title: 'the service does not answer', detail: '' }) };
  }
}
