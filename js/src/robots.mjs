import { compile, load } from "#load";
import { Engine, compiled, encodeSurrogates, hasLoneSurrogate } from "./engine.mjs";
import { EngineObject, agentOf, urlText } from "./objects.mjs";

let wasm;
let current;
/** The names of the dialects, each with its index in the engine's list. */
let indices;

/** Returns the instance of the engine; a new one after a trap. */
function engine() {
  if (!current || current.isBroken) current = new Engine((wasm ??= compiled(load, "init")));
  return current;
}

/** Compiles the engine asynchronously, or takes a compiled module. Does nothing if the engine is loaded. */
async function init(given) {
  wasm ??= given ?? (await compile());
}

function dialectIndices() {
  if (!indices) {
    const names = engine().json(engine().call("dialects"));
    indices = new Map(names.map((name, index) => [name, index]));
  }
  return indices;
}

/** Returns the names of all dialects, the default first. */
function dialects() {
  return [...dialectIndices().keys()];
}

/** Returns the index of a dialect in the engine's list. */
function dialectIndex(name) {
  const index = dialectIndices().get(name ?? "rfc9309");
  if (index === undefined) throw new TypeError(`unknown dialect \`${name}\`; must be one of: ${dialects().join(", ")}`);
  return index;
}

/** Writes a body to the input; returns its length, and whether it is text. */
function writeBody(owner, body, dialect) {
  if (typeof body === "string") {
    const length = owner.write(body);
    // If a text has one byte for each unit, it is ASCII and has no surrogates.
    if (length !== body.length && dialect === "robots-parser" && hasLoneSurrogate(body)) {
      return [owner.writeBytes(encodeSurrogates(body)), false];
    }
    return [length, true];
  }
  if (ArrayBuffer.isView(body)) {
    return [owner.writeBytes(new Uint8Array(body.buffer, body.byteOffset, body.byteLength)), false];
  }
  if (body instanceof ArrayBuffer) return [owner.writeBytes(new Uint8Array(body)), false];
  throw new TypeError("a robots.txt is a text, an ArrayBuffer or a view of one");
}

/** A parsed robots.txt. */
class RobotsTxt extends EngineObject {
  #dialect;
  #sitemaps;

  static parse(body, { dialect = "rfc9309" } = {}) {
    const owner = engine();
    const index = dialectIndex(dialect);
    const [length, isText] = writeBody(owner, body, dialect);
    const handle = owner.call("parse", length, isText, index);
    owner.afterReading();
    return new RobotsTxt(owner, handle, "free_file", dialect);
  }

  constructor(owner, handle, free, dialect) {
    super(owner, handle, free);
    this.#dialect = dialect;
  }

  get dialect() {
    return this.#dialect;
  }

  rulesFor(agent) {
    const owner = this._owner;
    const [names, kind] = agentOf(agent);
    const handle = owner.call("rules_for", this._handle, owner.write(names), kind);
    if (handle < 0) owner.fail(handle);
    return new Rules(owner, handle, "free_rules");
  }

  get sitemaps() {
    this.#sitemaps ??= this._owner.json(this._owner.call("sitemaps", this._handle));
    return [...this.#sitemaps];
  }

  get isTruncated() {
    const result = this._owner.call("is_truncated", this._handle);
    if (result < 0) this._owner.fail(result);
    return result === 1;
  }
}

/** The rules of a robots.txt for one crawler. */
class Rules extends EngineObject {
  #facts;

  isAllowed(url) {
    const owner = this._owner;
    const result = owner.call("is_allowed", this._handle, owner.write(urlText(url)));
    if (result === 0 || result === 1) return result === 1;
    return owner.fail(result);
  }

  areAllowed(urls) {
    if (typeof urls === "string" || urls instanceof URL) {
      throw new TypeError("pass several URLs, such as an array; for one URL, call isAllowed");
    }
    const texts = [];
    for (const url of urls) texts.push(urlText(url));
    if (texts.length === 0) return [];
    const owner = this._owner;
    const count = owner.call("are_allowed", this._handle, owner.write(texts.join("\n")));
    if (count < 0) owner.fail(count);
    if (count !== texts.length) return texts.map((url) => this.#answer(url));
    const answers = [];
    for (const byte of owner.output(count)) answers.push(answerOf(byte));
    return answers;
  }

  /** Answers for one URL of several. */
  #answer(url) {
    const owner = this._owner;
    const result = owner.call("is_allowed", this._handle, owner.write(url));
    if (result < 0) owner.fail(result);
    return answerOf(result);
  }

  decide(url) {
    const owner = this._owner;
    return owner.json(owner.call("decide", this._handle, owner.write(urlText(url))));
  }

  get group() {
    return this.#described()[0];
  }

  get crawlDelay() {
    return this.#described()[1];
  }

  get length() {
    return this.#described()[2];
  }

  #described() {
    this.#facts ??= this._owner.json(this._owner.call("describe", this._handle));
    return this.#facts;
  }
}

/** Returns the answer of a byte: null for a text that is not a URL. */
function answerOf(byte) {
  return byte < 2 ? byte === 1 : null;
}

export { RobotsTxt, Rules, dialectIndex, dialects, engine, init, writeBody };
