// The back end of the page: the routes of the service. The static page has another back end with the same exports
// (`js/play/service.js`).

import { Problem } from './problem.js';

const TOKEN = 'comity-token';

/** True if the back end can load the robots.txt of a site. */
export const canLoad = true;

/** Stores a token while the tab is open. It is sent only in a header, never in a URL. */
export const keepToken = (token) => sessionStorage.setItem(TOKEN, token);

async function problemOf(response) {
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

/** Returns `{ answer }` or `{ problem }`. Throws if the service cannot be reached, or if the request was cancelled. */
export async function send(path, question, signal) {
  const headers = {};
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.authorization = `Bearer ${token}`;
  if (question) headers['content-type'] = 'application/json';
  const response = await fetch(path, {
    method: question ? 'POST' : 'GET',
    headers,
    body: question && JSON.stringify(question),
    signal,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  });
  return response.ok ? { answer: await response.json() } : { problem: await problemOf(response) };
}
