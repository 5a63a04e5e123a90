import { Engine, FAILED, IGNORES_STAR, IS_HEADER } from "./engine.mjs";

const dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

/** Frees the engine's data of collected objects. */
const registry = new FinalizationRegistry(({ owner, free, handle }) => {
  if (!owner.isBroken) owner.call(free, handle);
});

/** An object of an engine: it is freed by `free()`, by `using`, or by garbage collection. */
class EngineObject {
  #owner;
  #handle;
  #free;

  constructor(owner, handle, free) {
    if (!(owner instanceof Engine)) throw new TypeError("create objects with `RobotsTxt.parse` and `rulesFor`");
    this.#owner = owner;
    this.#handle = handle;
    this.#free = free;
    registry.register(this, { owner, free, handle }, this);
  }

  get _owner() {
    return this.#owner;
  }

  get _handle() {
    return this.#handle;
  }

  free() {
    if (this.#handle === FAILED) return;
    registry.unregister(this);
    if (!this.#owner.isBroken) this.#owner.call(this.#free, this.#handle);
    this.#handle = FAILED;
  }

  [dispose]() {
    this.free();
  }
}

/** A character that no product token has. */
const NOT_IN_TOKENS = /[/(;,]|\p{Cc}/u;

/** Returns a text that can be a product token, or throws. */
function checkedToken(token) {
  const advice = "a whole User-Agent header is `{ userAgent: … }`";
  if (token.trim() === "") throw new TypeError(`an empty text is not a product token; ${advice}`);
  const found = token.match(NOT_IN_TOKENS)?.[0];
  if (found === undefined) return token;
  const problem = /\p{Cc}/u.test(found) ? "a control character" : `\`${found}\``;
  throw new TypeError(`\`${token.slice(0, 120)}\` is not a product token: it contains ${problem}; ${advice}`);
}

/** Returns the names of an agent, one per line, and its kind. */
function agentOf(agent) {
  if (typeof agent === "string") return [checkedToken(agent), 0];
  if (agent === null || typeof agent !== "object") {
    throw new TypeError("the agent is a product token, or an object with `token` or `userAgent`");
  }
  const { token, userAgent, fallbacks = [], ignoresStar = false } = agent;
  const names = [token ?? userAgent, ...fallbacks];
  if ((token === undefined) === (userAgent === undefined) || names.some((name) => typeof name !== "string")) {
    throw new TypeError("the agent has either `token` or `userAgent`; they and the `fallbacks` are texts");
  }
  if (names.some((name) => name.includes("\n"))) throw new TypeError("the name of an agent has no line ends");
  if (token !== undefined) checkedToken(token);
  return [names.join("\n"), (userAgent === undefined ? 0 : IS_HEADER) | (ignoresStar ? IGNORES_STAR : 0)];
}

/** Returns a URL as text. */
function urlText(url) {
  if (typeof url === "string") return url;
  if (url instanceof URL) return url.href;
  throw new TypeError("a URL is a text or a `URL`");
}

export { EngineObject, agentOf, urlText };
