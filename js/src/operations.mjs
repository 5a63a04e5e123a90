import { compile, load } from "#load-operations";
import { Engine, FAILED, UNKNOWN_HANDLE, compiled } from "./engine.mjs";
import { EngineObject, agentOf, urlText } from "./objects.mjs";

// The second module. It is compiled by the first call.

/** Largest part of a robots.txt that is read, in bytes; `rfc9309` uses 512,000. */
const MAX_BODY = 1 << 20;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

let wasm;
let current;

function engine() {
  if (!current || current.isBroken) current = new Engine((wasm ??= compiled(load, "initOperations")));
  return current;
}

/** Compiles the module of operations asynchronously, or takes a compiled one. Does nothing if the module is loaded. */
async function initOperations(given) {
  wasm ??= given ?? (await compile());
}

/** Answers a request for an operation, in the form of the service's JSON. */
function operation(name, request = {}, now = Date.now() / 1000) {
  const owner = engine();
  const question = JSON.stringify({ operation: name, request, now });
  return owner.json(owner.call("operation", owner.write(question)));
}

function textOf(body) {
  if (typeof body === "string") return body;
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return decoder.decode(body);
  throw new TypeError("a robots.txt is a text, an ArrayBuffer or a view of one");
}

/** Returns header fields as lines of text. */
function headerText(headers) {
  if (headers === undefined || headers === null || typeof headers === "string") return headers ?? null;
  const fields = typeof headers.entries === "function" ? headers.entries() : Object.entries(headers);
  return Array.from(fields, ([name, value]) => `${name}: ${value}\n`).join("");
}

function lint(robots) {
  const { findings } = operation("lint", { robots: textOf(robots) });
  return findings.map(({ file, ...finding }) => finding);
}

function explain(robots, agent, url, { dialect } = {}) {
  const request = { robots: textOf(robots), urls: [urlText(url)], dialect, ...requestOf(agent) };
  return operation("explain", request).rows[0];
}

function usage({ url, agent, robots, headers, html, tdmrep, rsl, dialect }) {
  const request = {
    urls: [urlText(url)],
    robots: robots === undefined ? "" : textOf(robots),
    headers: headerText(headers),
    html,
    tdmrep,
    rsl,
    dialect,
    ...requestOf(agent),
  };
  return operation("usage", request).rows[0];
}

/** Returns the fields of a request that name an agent. */
function requestOf(agent) {
  if (typeof agent === "string") return { agents: [agent] };
  agentOf(agent);
  const { token, userAgent, fallbacks, ignoresStar } = agent;
  if (ignoresStar) throw new TypeError("`ignoresStar` is not supported here; `rulesFor` and `Policy` support it");
  return { agents: token === undefined ? [] : [token], user_agents: userAgent === undefined ? [] : [userAgent], fallbacks };
}

function pageDirectives({ headers, html, agent = "*", profile, now }) {
  return operation("page", { headers: headerText(headers), html, agent, profile }, now);
}

/** The presets with dialects that match characters instead of bytes. */
const MATCHES_CHARACTERS = new Set(["gym2008", "ladon", "webcanon"]);
/** The charsets that the module reads. */
const OWN_CHARSET = /^(utf-?8|iso-?8859-1|latin-?1|l1)$/i;

/**
 * Encodes a body in UTF-8 if a preset reads characters in a charset that the module does not have, and returns it with the
 * `Content-Type`. `gym2008` rejects invalid bytes, so they stay as they are.
 */
function inUtf8(bytes, type, preset) {
  const label = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1];
  if (!label || !MATCHES_CHARACTERS.has(preset) || OWN_CHARSET.test(label)) return { bytes, type };
  try {
    const text = new TextDecoder(label, { fatal: preset === "gym2008", ignoreBOM: true }).decode(bytes);
    return { bytes: new TextEncoder().encode(text), type: type.replace(/;.*$/s, "; charset=utf-8") };
  } catch {
    return { bytes, type };
  }
}

/** Reads the beginning of the body of a response; the rest is not requested. */
async function readBody(response) {
  const parts = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader && length <= MAX_BODY) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
  }
  const isCut = length > MAX_BODY;
  if (isCut) await reader.cancel();
  const bytes = new Uint8Array(length);
  let start = 0;
  for (const part of parts) {
    bytes.set(part, start);
    start += part.length;
  }
  return { bytes: bytes.subarray(0, MAX_BODY), isCut };
}

/** Decides what one crawler may fetch from one origin, given the answers to requests for its robots.txt. */
class Policy extends EngineObject {
  #preset;

  static async fromResponse(response, options) {
    const policy = new Policy(options);
    await policy.update(response, options);
    return policy;
  }

  constructor({ agent, preset = "rfc9309", mode } = {}) {
    const owner = engine();
    const [names, kind] = agentOf(agent);
    const choices = JSON.stringify({ preset, mode: mode ?? null, agent: names, kind });
    const handle = owner.call("policy_new", owner.write(choices));
    if (handle < 0) owner.fail(handle);
    super(owner, handle, "policy_free");
    this.#preset = preset;
  }

  async update(response, { now } = {}) {
    if (response.bodyUsed || response.body?.locked) {
      throw new TypeError("the body of the response was already read: pass the response first, or its `clone()`");
    }
    let body;
    try {
      body = await readBody(response);
    } catch {
      // The connection ended before the body.
    }
    // An opaque response has no status that JavaScript may see.
    if (response.status === 0 || !body) {
      this.updateFailure("connection", { now });
      return new Uint8Array(0);
    }
    const headers = new Headers(response.headers);
    const { bytes, type } = inUtf8(body.bytes, headers.get("content-type") ?? "", this.#preset);
    if (type) headers.set("content-type", type);
    this.#apply({
      status: response.status,
      headers: [...headers],
      redirects: response.redirected ? [response.url] : [],
      bytes,
      isCut: body.isCut,
      now,
    });
    return body.bytes;
  }

  updateFailure(failure = "connection", { now } = {}) {
    this.#apply({ failure, now });
  }

  #apply({ status = null, failure = null, headers = [], redirects = [], bytes, isCut = false, now }) {
    const owner = this._owner;
    const length = owner.writeBytes(bytes ?? new Uint8Array(0));
    const at = now ?? Date.now() / 1000;
    const facts = JSON.stringify({ status, failure, headers, redirects, at, is_cut: isCut });
    const result = owner.call("policy_update", this._handle, length, owner.write(facts, length));
    if (result < 0) owner.fail(result);
  }

  decide(url, { now } = {}) {
    const owner = this._owner;
    const at = now ?? Date.now() / 1000;
    return owner.json(owner.call("policy_decide", this._handle, owner.write(urlText(url)), at));
  }

  isAllowed(url, options) {
    return !this.decide(url, options).blocked;
  }

  get freshUntil() {
    if (this._handle === FAILED) this._owner.fail(UNKNOWN_HANDLE);
    const seconds = this._owner.call("policy_fresh_until", this._handle);
    return Number.isNaN(seconds) ? null : seconds;
  }
}

export { Policy, explain, initOperations, lint, operation, pageDirectives, usage };
