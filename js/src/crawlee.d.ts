import { Agent } from "./index.mjs";
import { Preset, PolicyDecision } from "./operations.mjs";

/** The parts of Crawlee's class `RobotsTxtFile` that list sitemaps. */
interface SitemapLists {
  getSitemaps(options?: any): string[];
  parseSitemaps(options?: any): Promise<any>;
  parseUrlsFromSitemaps(options?: any): Promise<string[]>;
}

/** The choices for a crawler. */
export interface CrawleeOptions {
  /** The class `RobotsTxtFile` of the package `crawlee` or `@crawlee/utils`, which lists and reads sitemaps. */
  RobotsTxtFile: { from(url: string, content: string): SitemapLists };
  /** The crawler. By default `respectRobotsTxtFile.userAgent` of the crawler's options, or `*`. */
  agent?: Agent;
  /** The header `User-Agent` of requests for robots.txt. By default that of `fetch`. */
  userAgent?: string;
  /** The treatment of answers; with the default `rfc9309`, status codes from 500 on and failures disallow everything. */
  preset?: Preset;
  /** Requests robots.txt; `fetch` by default. Pass a function for a proxy. */
  fetch?: typeof fetch;
  /** Maximum time for an answer, in milliseconds; 30,000 by default. */
  timeoutMillis?: number;
  /**
   * A running `comity serve`, which keeps one pace for several crawlers. Before each navigation, the crawler reserves a slot
   * (`/v1/admit`) and waits for it; afterwards it reports the status (`/v1/report`). Only for crawlers with
   * `preNavigationHooks`, which are all except `BasicCrawler`. The service's own rules apply, too: those for its `--agent`.
   * A navigation fails with a `ComityError`: `not_admitted` if the service refuses the URL, which is not retried unless the
   * reason is temporary, and `service_failed` if the service does not answer.
   */
  service?: {
    /** The address, such as `http://127.0.0.1:7273`. */
    url: string | URL;
    /** The token, if the service needs one. */
    token?: string;
  };
  /** Maximum number of origins whose robots.txt is kept; 10,000 by default. */
  maxOrigins?: number;
}

/** The robots.txt of one origin, as Crawlee uses it. */
export class ComityRobotsTxtFile implements SitemapLists {
  private constructor();
  /**
   * Returns true if the URL may be crawled. As in Crawlee, true for URLs of other origins.
   *
   * @throws TypeError if the text is not an absolute URL
   */
  isAllowed(url: string): boolean;
  /**
   * Decides a URL, with the rule, the line and the answer of the site.
   *
   * @throws TypeError if the text is neither an absolute URL nor a path
   */
  decide(url: string): PolicyDecision;
  /** Returns the crawl delay in seconds. */
  getCrawlDelay(): number | undefined;
  getSitemaps(options?: any): string[];
  parseSitemaps(options?: any): Promise<any>;
  parseUrlsFromSitemaps(options?: any): Promise<string[]>;
}

/**
 * Returns a class of crawlers for which Comity decides whether a URL may be crawled, if `respectRobotsTxtFile` is set.
 * Answers are kept until they expire. After a failed request, the preset decides: the site is disallowed, or its last good
 * copy applies.
 *
 * ```js
 * import { CheerioCrawler, RobotsTxtFile } from "crawlee";
 * import { withComity } from "comity/crawlee";
 *
 * const Crawler = withComity(CheerioCrawler, { RobotsTxtFile });
 * const crawler = new Crawler({ respectRobotsTxtFile: { userAgent: "examplebot" } });
 * ```
 *
 * @throws TypeError if `RobotsTxtFile` is missing
 */
export function withComity<C extends new (...args: any[]) => any>(Crawler: C, options: CrawleeOptions): C;
