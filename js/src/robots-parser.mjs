import { FAILED, IGNORES_STAR, IS_HEADER, hasLoneSurrogate, lines } from "./engine.mjs";
import { dialectIndex, engine, writeBody } from "./robots.mjs";

/** The base of relative URLs, as in robots-parser. They have the origin of this URL. */
const BASE = "http://robots-relative.samclarke.com/";

/** Maximum length of all files with rules in the engine, in UTF-16 units. */
const MAX_UNITS = 1 << 25;
/** Maximum number of sets of rules in the engine. */
const MAX_RULES = 1 << 14;
/** Maximum number of agents of a file with rules in the engine. */
const MAX_AGENTS = 16;

/**
 * The rules in the engine, oldest first: robots-parser has no method that frees an object, and garbage collection does not
 * run `FinalizationRegistry` while a program is busy. So the oldest rules are freed, and compiled again when they are used.
 */
const kept = new Map();
let keptUnits = 0;

function keep(rules) {
  kept.set(rules, undefined);
  keptUnits += rules.units;
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_RULES && keptUnits <= MAX_UNITS) return;
    if (oldest !== rules) drop(oldest);
    else return;
  }
}

function drop(rules) {
  if (!kept.delete(rules)) return;
  keptUnits -= rules.units;
  if (!rules.owner.isBroken) rules.owner.call("free_rules", rules.handle);
  rules.handle = FAILED;
}

/** An agent that is a product token, or `*`. */
const PLAIN_TOKEN = /^[\w.*-]+$/;

/** Returns an agent as the engine reads it. */
function agentText(ua) {
  const agent = ua || "*";
  if (typeof agent !== "string") throw new TypeError("the user agent is a text");
  // No name has a lone surrogate, which the engine would read as U+FFFD.
  if (PLAIN_TOKEN.test(agent)) return agent;
  if (hasLoneSurrogate(agent)) return "*";
  // A line end would begin another name.
  return agent.replaceAll("\n", " ");
}

/** Returns the parts of a URL that make its origin, or `undefined` for an invalid URL. */
function originOf(url) {
  try {
    const { protocol, hostname, port, href } = new URL(url, BASE);
    return { protocol, hostname, port: port || (protocol === "https:" ? "443" : "80"), href };
  } catch {
    return undefined;
  }
}

/** Returns true if two URLs have the same origin. `originOf` has replaced a missing port by the default. */
function isSameOrigin(a, b) {
  return a.protocol === b.protocol && a.hostname === b.hostname && a.port === b.port;
}

/**
 * The beginning of a valid URL whose host needs no normalization. The last label begins with a letter, so the host is not an
 * IPv4 address.
 */
const PLAIN_ORIGIN = /^https?:\/\/(?!.*xn--)(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*(?::\d{1,4})?\//;

/** A parsed robots.txt with the interface of robots-parser. */
class Robots {
  #url;
  #origin;
  /** The beginning of the URL up to its path, if it is a `PLAIN_ORIGIN`. URLs that begin with it have the same origin. */
  #prefix;
  #contents;
  #dialect;
  #rules;
  #sitemaps;
  #host;
  /** Many programs ask one question about a file, so the first one is answered without storing rules. */
  #wasAsked = false;

  constructor(url, contents, options) {
    this.#url = url;
    this.#prefix = typeof url === "string" ? PLAIN_ORIGIN.exec(url)?.[0] : undefined;
    if (contents && typeof contents !== "string") throw new TypeError("the contents of a robots.txt are a text");
    this.#contents = contents || "";
    this.#dialect = options?.dialect ?? "robots-parser";
    dialectIndex(this.#dialect);
  }

  /** Writes the file to the input of an engine; returns its length, and whether it is text. */
  #write(owner) {
    return writeBody(owner, this.#contents, this.#dialect);
  }

  /** Returns the kind of an agent: a header for dialects that look for product tokens in it. */
  #kindOf(agent) {
    return this.#dialect === "robots-parser" || PLAIN_TOKEN.test(agent) ? 0 : IS_HEADER;
  }

  /** Returns the rules in the engine for an agent. */
  #rulesFor(ua, flags = 0) {
    const key = flags === 0 ? ua : `${flags}\n${ua}`;
    this.#rules ??= new Map();
    let rules = this.#rules.get(key);
    if (rules && rules.handle !== FAILED && !rules.owner.isBroken) return rules;
    const agent = agentText(ua);
    const owner = engine();
    const [length, isText] = this.#write(owner);
    const agentLength = owner.write(agent, length);
    const kind = this.#kindOf(agent) | flags;
    const handle = owner.call("read_rules", length, agentLength, isText, dialectIndex(this.#dialect), kind);
    owner.afterReading();
    if (handle < 0) owner.fail(handle);
    if (rules) drop(rules);
    rules = { owner, handle, units: this.#contents.length };
    if (this.#rules.size >= MAX_AGENTS) {
      const [first, oldest] = this.#rules.entries().next().value;
      this.#rules.delete(first);
      drop(oldest);
    }
    this.#rules.set(key, rules);
    keep(rules);
    return rules;
  }

  /** Asks the engine about a URL, or returns `undefined` for a URL of another origin. */
  #ask(question, url, ua, flags) {
    // This dialect reads relative URLs and dot segments itself.
    const isRead = this.#dialect === "robots-parser";
    let asked = url;
    if (!isRead || this.#prefix === undefined || typeof url !== "string" || !url.startsWith(this.#prefix)) {
      this.#origin ??= originOf(this.#url);
      const origin = originOf(url);
      if (!origin || !this.#origin || !isSameOrigin(origin, this.#origin)) return undefined;
      asked = isRead ? String(url) : origin.href;
    }
    if (!this.#wasAsked && question === "is_allowed" && flags === undefined) {
      this.#wasAsked = true;
      return this.#askOnce(asked, agentText(ua));
    }
    const rules = this.#rulesFor(ua, flags);
    return rules.owner.call(question, rules.handle, rules.owner.write(asked));
  }

  /** Asks whether a URL is allowed, without storing the rules. */
  #askOnce(url, agent) {
    const owner = engine();
    const [length, isText] = this.#write(owner);
    const agentLength = owner.write(agent, length);
    const urlLength = owner.write(url, length + agentLength);
    const [dialect, kind] = [dialectIndex(this.#dialect), this.#kindOf(agent)];
    const answer = owner.call("ask_once", length, agentLength, urlLength, isText, dialect, kind);
    owner.afterReading();
    if (answer < 0) owner.fail(answer);
    return answer;
  }

  isAllowed(url, ua) {
    const answer = this.#ask("is_allowed", url, ua);
    return answer === 1 ? true : answer === 0 ? false : undefined;
  }

  isDisallowed(url, ua) {
    return !this.isAllowed(url, ua);
  }

  isExplicitlyDisallowed(url, ua) {
    const answer = this.#ask("is_allowed", url, ua, IGNORES_STAR);
    return answer === 1 ? false : answer === 0 ? true : undefined;
  }

  getMatchingLineNumber(url, ua) {
    const line = this.#ask("deciding_line", url, ua);
    return line > 0 ? line : -1;
  }

  getCrawlDelay(ua) {
    const agent = agentText(ua);
    const delays = this.#withFile((owner, file) => {
      return owner.call("delays", file, owner.write(agent), this.#kindOf(agent));
    });
    return delays.map(Number).findLast((delay) => !Number.isNaN(delay));
  }

  getSitemaps() {
    this.#sitemaps ??= this.#values("sitemap");
    return [...this.#sitemaps];
  }

  getPreferredHost() {
    this.#host ??= { name: this.#values("host").at(-1)?.toLowerCase() ?? null };
    return this.#host.name;
  }

  /** Returns the values of a kind of record that are not empty. */
  #values(kind) {
    const values = this.#withFile((owner, file) => owner.call("values", file, owner.write(kind)));
    return values.filter((value) => value !== "");
  }

  /** Reads the file for one call, and returns the lines of the output. */
  #withFile(call) {
    const owner = engine();
    const [length, isText] = this.#write(owner);
    const file = owner.call("parse", length, isText, dialectIndex(this.#dialect));
    owner.afterReading();
    try {
      const size = call(owner, file);
      if (size < 0) owner.fail(size);
      return lines(owner.output(size));
    } finally {
      if (!owner.isBroken) owner.call("free_file", file);
    }
  }
}

/** Reads a robots.txt. `new` makes no difference. */
function robotsParser(url, contents, options) {
  return new Robots(url, contents, options);
}

export default robotsParser;
