import { Dialect } from "./index.mjs";

/** A parsed robots.txt, with the interface of robots-parser. */
export interface Robot {
  /** Returns true if the URL may be fetched, and undefined for a URL of another origin and for an invalid URL. */
  isAllowed(url: string, ua?: string): boolean | undefined;
  /** Returns the opposite of `isAllowed`: as in robots-parser, true where that returns undefined. */
  isDisallowed(url: string, ua?: string): boolean;
  /** Returns true if a group that names the agent disallows the URL; the group of `*` does not count. */
  isExplicitlyDisallowed(url: string, ua: string): boolean | undefined;
  /** Returns the line of the rule that decides, from 1, or -1 if no rule does. */
  getMatchingLineNumber(url: string, ua?: string): number;
  /** Returns the crawl delay in seconds. */
  getCrawlDelay(ua?: string): number | undefined;
  /** Returns the sitemaps, as written. */
  getSitemaps(): string[];
  /** Returns the last `Host`, in lower case. */
  getPreferredHost(): string | null;
}

/** Options that robots-parser does not have. */
export interface RobotOptions {
  /** The dialect; `robots-parser` by default. With `rfc9309`, agents may be whole `User-Agent` headers. */
  dialect?: Dialect;
}

/**
 * Reads a robots.txt.
 *
 * @param url the URL of the robots.txt
 * @param robotstxt its text
 */
declare function robotsParser(url: string, robotstxt: string, options?: RobotOptions): Robot;

export default robotsParser;
