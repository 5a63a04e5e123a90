// The back end of the static page: the operations of its WebAssembly module.

import { initOperations, operation } from './operations.mjs';
import { Problem } from './problem.js';

export const canLoad = false;
export const keepToken = () => {};

const isReady = initOperations();

// The page allows one policy of Trusted Types, by this name. A second policy cannot have the same name.
const trusted = globalThis.trustedTypes?.createPolicy('offline', { createScriptURL: () => 'offline.js' });
isReady.then(() => navigator.serviceWorker?.register(trusted?.createScriptURL('') ?? 'offline.js'));

export async function send(path, question, signal) {
  await isReady;
  // During this pause, a newer request can cancel this one, so that it is not computed.
  await new Promise((resume) => setTimeout(resume));
  signal.throwIfAborted();
  if (!question) return { answer: await (await fetch(path, { signal })).json() };
  try {
    return { answer: operation(path.replace('v1/', ''), question) };
  } catch ({ message }) {
    return { problem: new Problem({ kind: 'invalid', status: 400, title: message }) };
  }
}
