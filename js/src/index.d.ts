export { ComityError, ComityErrorCode } from "./errors.mjs";

/** A way to read and match robots.txt, named after the standard or the program that it reproduces. */
// <!-- dialects -->
export type Dialect =
  | "rfc9309"
  | "google"
  | "gym2008"
  | "mk1996"
  | "robotstxt-gem"
  | "webcanon"
  | "urllib"
  | "urllib-2026"
  | "protego"
  | "robots-parser"
  | "yandex";
// <!-- end of dialects -->

/** Returns the names of all dialects, the default (`rfc9309`) first. */
export function dialects(): Dialect[];

/**
 * Compiles the engine asynchronously. Only needed where a platform does not compile WebAssembly synchronously; elsewhere the
 * first call compiles it.
 *
 * @param module the compiled `dist/engine.wasm`, on platforms that must not compile
 */
export function init(module?: WebAssembly.Module): Promise<void>;

/**
 * A crawler: its product token (`examplebot`), or an object.
 *
 * A string is a product token, without `/`, `(`, `;`, `,` and control characters. Pass a whole `User-Agent` header as
 * `{ userAgent }`; the group with the longest name in the header applies.
 */
export type Agent =
  | string
  | {
      /** The product token. */
      token: string;
      userAgent?: undefined;
      /** Tokens that are tried before `*` if no group names the crawler, such as `googlebot` for `googlebot-image`. */
      fallbacks?: readonly string[];
      /** True if the crawler does not follow the group of `*`, as Google's `AdsBot-Google`. */
      ignoresStar?: boolean;
    }
  | {
      /** The value of the `User-Agent` header. */
      userAgent: string;
      token?: undefined;
      fallbacks?: readonly string[];
      ignoresStar?: boolean;
    };

/** The rule of a robots.txt that decided. */
export interface Rule {
  /** The key of the rule. */
  kind: "allow" | "disallow";
  /** The path pattern as written in the file. */
  pattern: string;
  /** The line of the rule, from 1. */
  line: number;
  /** True if the rule allows what it matches. In some dialects an empty `Disallow` allows. */
  allows: boolean;
}

/** A decision about one URL. The fields have the names of the JSON of the command `comity check`. */
export interface Decision {
  /** The result of the rules for the URL. */
  verdict: "allowed_explicit" | "allowed_implicit" | "disallowed_explicit";
  /** The recommendation to a well-behaved program. */
  recommendation: string;
  /** True if the URL must not be fetched. */
  blocked: boolean;
  /** The rule that decided, or null if no rule matches. */
  rule: Rule | null;
  /** The name by which the crawler's group was chosen, such as its own, a fallback's, or `*`; null if no group applies. */
  group: string | null;
  /** The reason for the verdict. */
  basis: string;
  /** The time between two requests that the file sets, in seconds: the longer of `Crawl-delay` and `Request-rate`. */
  crawl_delay_seconds: number | null;
  /** The kind of record that sets this time. */
  crawl_delay_source: "crawl_delay" | "request_rate" | null;
  /** The dialect. */
  dialect: Dialect;
}

declare global {
  interface SymbolConstructor {
    /** As in `lib.esnext.disposable`, which not every program includes. */
    readonly dispose: unique symbol;
  }
}

/** An object of the engine. Garbage collection frees it; `free()` and `using` free it at once. */
interface EngineObject {
  /** Frees the object. Later questions throw a `ComityError` with the code `freed`. */
  free(): void;
  [Symbol.dispose](): void;
}

/**
 * A parsed robots.txt.
 *
 * ```js
 * const robots = RobotsTxt.parse("User-agent: *\nDisallow: /private\n");
 * const rules = robots.rulesFor("examplebot");
 * rules.isAllowed("https://example.com/private/a"); // false
 * ```
 */
export class RobotsTxt implements EngineObject {
  private constructor();

  /**
   * Reads a robots.txt. Reading never fails: a text without any valid line has no rules.
   *
   * @param body the text, or the bytes that the server sent
   * @throws TypeError if the dialect is unknown, or the body is neither text nor bytes
   */
  static parse(body: string | ArrayBuffer | ArrayBufferView, options?: { dialect?: Dialect }): RobotsTxt;

  /** The dialect in which the file was read. */
  readonly dialect: Dialect;
  /** The values of the `Sitemap` records, in the order of the file. */
  readonly sitemaps: string[];
  /** True if the end of the file was not read: `rfc9309` and `yandex` read 512,000 bytes (RFC 9309 §2.5). */
  readonly isTruncated: boolean;

  /**
   * Returns the rules for a crawler. The rules do not need the file, so a crawler can free it.
   *
   * @throws TypeError if the agent is not an {@link Agent}
   */
  rulesFor(agent: Agent): Rules;

  free(): void;
  [Symbol.dispose](): void;
}

/** The rules of a robots.txt for one crawler. */
export class Rules implements EngineObject {
  private constructor();

  /** The name by which the group was chosen: the crawler's own, a fallback's, or `*`; null if no group applies. */
  readonly group: string | null;
  /** The `Crawl-delay` in seconds, or null without one. `decide` also considers `Request-rate`. */
  readonly crawlDelay: number | null;
  /** The number of rules. */
  readonly length: number;

  /**
   * Returns true if the URL may be fetched.
   *
   * @param url an absolute URL, or a path that begins with `/`
   * @throws TypeError if the text is neither
   */
  isAllowed(url: string | URL): boolean;

  /**
   * Decides several URLs in one call of the engine, such as the links of a page. The answer is null for a text that is
   * neither an absolute URL nor a path.
   */
  areAllowed(urls: Iterable<string | URL>): (boolean | null)[];

  /**
   * Decides one URL, with the rule and the line.
   *
   * @throws TypeError if the text is neither an absolute URL nor a path
   */
  decide(url: string | URL): Decision;

  free(): void;
  [Symbol.dispose](): void;
}
