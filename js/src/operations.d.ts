import { Agent, Decision, Dialect } from "./index.mjs";

/** A named set of policy choices: the dialect, and the treatment of each kind of answer. */
// <!-- presets -->
export type Preset =
  | "rfc9309"
  | "google"
  | "webcanon"
  | "ladon"
  | "gym2008"
  | "strict";
// <!-- end of presets -->

/** Header fields: a `Headers` of `fetch`, an object, or lines of text. */
export type HeaderFields = Headers | Record<string, string> | string;

/** A robots.txt: its text, or bytes in UTF-8. */
export type RobotsBody = string | ArrayBuffer | ArrayBufferView;

/** A report about a place in a document. `docs/reference/schema/finding.json` describes all fields. */
export interface Finding {
  /** The kind of the finding, such as `misspelt-directive`. */
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  /** The advice. */
  help: string;
  /** The place. The line and the column count from 1; null if the finding is about the whole document. */
  place: { line: number | null; column: number | null; [field: string]: unknown };
  [field: string]: unknown;
}

/** A decision with the answer that it is based on. The schema `docs/reference/schema/decision.json` describes all fields. */
export interface PolicyDecision extends Omit<Decision, "verdict"> {
  verdict: Decision["verdict"] | "unknown_unreachable" | "unknown_parse_error" | "skipped_by_user_policy";
  preset: Preset;
  mode: "respect" | "report_only" | "ignore";
  treatment: string | null;
  failed_open: boolean;
  stale: boolean | null;
  evidence: Record<string, unknown> | null;
  outage: Record<string, unknown> | null;
  [field: string]: unknown;
}

/**
 * Compiles the module of operations asynchronously. Only needed where a platform does not compile synchronously.
 *
 * @param module the compiled `dist/operations.wasm`, on platforms that must not compile
 * @throws WebAssembly.CompileError if the platform forbids WebAssembly, as by a Content-Security-Policy
 */
export function initOperations(module?: WebAssembly.Module): Promise<void>;

/**
 * Returns the problems of a robots.txt or an RSL document, in the order of the file.
 *
 * @throws TypeError if the argument is neither text nor bytes
 * @throws ComityError `not_compiled`, `too_large` or `engine_failed`
 */
export function lint(robots: RobotsBody): Finding[];

/**
 * Returns the reasons for a decision: every rule that matches, with its role, and the decisions of other groups.
 *
 * @throws TypeError if the agent, the URL or the dialect is invalid, and for `ignoresStar`
 * @throws ComityError `not_compiled`, `too_large` or `engine_failed`
 */
export function explain(
  robots: RobotsBody,
  agent: Agent,
  url: string | URL,
  options?: { dialect?: Dialect },
): Record<string, unknown>;

/**
 * Returns the permitted uses of a page: AIPREF, Content-Signal, RSL, TDMRep, control tokens and `noai`.
 *
 * @throws TypeError if the agent, the URL or the dialect is invalid, and for `ignoresStar`
 * @throws ComityError `not_compiled`, `too_large` or `engine_failed`
 */
export function usage(documents: {
  url: string | URL;
  agent: Agent;
  robots?: RobotsBody;
  headers?: HeaderFields;
  html?: string;
  /** The site's `/.well-known/tdmrep.json`. */
  tdmrep?: string;
  /** RSL documents. */
  rsl?: string[];
  dialect?: Dialect;
}): Record<string, unknown>;

/**
 * Returns the directives of a page (`X-Robots-Tag`, `<meta name=robots>`), and their effect for a crawler.
 *
 * @throws TypeError if the agent, the profile or the time is invalid
 * @throws ComityError `not_compiled`, `too_large` or `engine_failed`
 */
export function pageDirectives(page: {
  headers?: HeaderFields;
  html?: string;
  /** The product token of the crawler; `*` by default. */
  agent?: string;
  /** The profile of one search engine; all profiles by default. */
  profile?: string;
  /** The time in seconds since 1970, which is compared with `unavailable_after`. */
  now?: number;
}): Record<string, unknown>;

/**
 * Answers a request for an operation, with the request and the answer of the service (`comity serve`) as JSON. The operations
 * are `explain`, `usage`, `lint` and `page`.
 *
 * @param now the time in seconds since 1970
 * @throws TypeError if the name, the request or the time is invalid; the message is that of the service
 * @throws ComityError `not_compiled`, `too_large` or `engine_failed`
 */
export function operation(name: string, request?: object, now?: number): any;

/** The choices for a policy. */
export interface PolicyOptions {
  agent: Agent;
  /** `rfc9309` by default. */
  preset?: Preset;
  /** The mode of the preset by default. */
  mode?: "respect" | "report_only" | "ignore";
}

/**
 * Decides what one crawler may fetch from one origin, given the answers to requests for its robots.txt.
 *
 * ```js
 * const policy = await Policy.fromResponse(await fetch("https://example.com/robots.txt"), { agent: "examplebot" });
 * policy.isAllowed("https://example.com/a");
 * ```
 */
export class Policy {
  /**
   * Makes a policy from the answer to a request.
   *
   * @param options.now the time of the answer in seconds since 1970
   * @throws TypeError if a choice is invalid, or the body of the response was already read
   * @throws ComityError `not_compiled`, `too_large` or `engine_failed`
   */
  static fromResponse(response: Response, options: PolicyOptions & { now?: number }): Promise<Policy>;

  /**
   * Makes a policy without an answer. It disallows everything, unless the preset allows during failures.
   *
   * @throws TypeError if the agent, the preset or the mode is invalid
   * @throws ComityError `not_compiled`, `too_large` or `engine_failed`
   */
  constructor(options: PolicyOptions);

  /**
   * Applies another answer. After a failure, the last good copy may apply. Returns the part of the body that was read: at most
   * 1 MiB.
   *
   * @param options.now the time in seconds since 1970
   * @throws TypeError if the body of the response was already read, or the time is invalid
   * @throws ComityError `freed`, `too_large` or `engine_failed`
   */
  update(response: Response, options?: { now?: number }): Promise<Uint8Array>;

  /**
   * Applies a request without an answer.
   *
   * @throws TypeError if the kind of failure or the time is invalid
   * @throws ComityError `freed`, `too_large` or `engine_failed`
   */
  updateFailure(
    failure?: "redirects" | "timeout" | "dns" | "tls" | "connection" | "protocol" | "guard" | "oversize" | "local",
    options?: { now?: number },
  ): void;

  /**
   * Decides a URL, with the rule, the line and the answer.
   *
   * @throws TypeError if the text is neither an absolute URL nor a path, or the time is invalid
   * @throws ComityError `freed`, `too_large` or `engine_failed`
   */
  decide(url: string | URL, options?: { now?: number }): PolicyDecision;

  /**
   * Returns true if the URL may be fetched: `decide(url).blocked` is false.
   *
   * @throws TypeError if the text is neither an absolute URL nor a path, or the time is invalid
   * @throws ComityError `freed`, `too_large` or `engine_failed`
   */
  isAllowed(url: string | URL, options?: { now?: number }): boolean;

  /**
   * The time at which robots.txt has to be requested again, in seconds since 1970; null before the first answer or failure, and
   * for one that does not expire.
   *
   * @throws ComityError `freed`, `too_large` or `engine_failed`
   */
  readonly freshUntil: number | null;

  free(): void;
  [Symbol.dispose](): void;
}
