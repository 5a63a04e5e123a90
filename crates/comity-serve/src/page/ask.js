// Questions to the service: the same `/v1` as everybody asks.
//
// A question has a slot. A newer one in the same slot cancels the older, whose answer nobody wants any more.

import { shown } from './text.js';

const TOKEN = 'comity-token';
const running = new Map();
const events = new EventTarget();

/** Calls `act` whenever the service has asked for a token. */
export const onTokenWanted = (act) => events.addEventListener('token', act);

/** Calls `act` with true when the service has answered, and with false when it could not be reached. */
export const onReach = (act) => events.addEventListener('reach', (event) => act(event.detail));

/** Keeps a token for as long as the tab is open. It goes into a header alone, never into a URL. */
export const keepToken = (token) => sessionStorage.setItem(TOKEN, token);

/** Something that kept the service from answering. */
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

  /** Returns it as a sentence for people, who did not write the question in JSON. */
  get sentence() {
    switch (this.kind) {
      case 'gone':
        return 'The service does not answer. It may have been stopped; `comity serve` starts it again.';
      case 'too_large':
        return `That is more than the service takes at once: ${this.detail}.`;
      case 'no_token':
        return 'The service asks for a token.';
      case 'too_many_origins':
      case 'busy':
        return `The service has enough to do: ${this.detail}. ${this.retryAfter ? `Ask again in ${this.retryAfter} s.` : ''}`;
      case 'too_late':
        return 'The answer took too long, and was given up.';
      case 'refused':
        return `The service does not go there: ${this.detail}.`;
      default:
        return `${capital(this.title)}${this.detail ? `: ${this.detail}` : ''}.`;
    }
  }
}

const capital = (text) => shown(text.charAt(0).toUpperCase() + text.slice(1));

/** Cancels the question in a slot. */
export function cancel(slot) {
  running.get(slot)?.abort();
  running.delete(slot);
}

/**
 * Asks. Returns `{ answer }` or `{ problem }`, or null if a newer question has taken the slot. Without a question it is a GET.
 * `path` is relative, so that a proxy may put the service below a path of its own.
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
