import { ComityError } from "./errors.mjs";
import { Policy } from "./operations.mjs";

/** Default maximum number of origins whose robots.txt is kept. */
const MAX_ORIGINS = 10_000;
/** Default maximum time for the answer of a site, in milliseconds. */
const TIMEOUT = 30_000;

/** Maximum time that a request waits for slots that the service postpones, in seconds. */
const MAX_POSTPONED = 60;

/** The robots.txt of one origin, as Crawlee uses it. Crawlee's own object lists sitemaps. */
class ComityRobotsTxtFile {
  #policy;
  #origin;
  #sitemaps;

  constructor(policy, origin, sitemaps) {
    this.#policy = policy;
    this.#origin = origin;
    this.#sitemaps = sitemaps;
  }

  /** As in Crawlee, links to other origins are allowed here; their own robots.txt decides before they are crawled. */
  isAllowed(url) {
    return new URL(url).origin !== this.#origin || this.#policy.isAllowed(url);
  }

  decide(url) {
    return this.#policy.decide(url);
  }

  getCrawlDelay() {
    return this.#policy.decide("/").crawl_delay_seconds ?? undefined;
  }

  getSitemaps(options) {
    return this.#sitemaps.getSitemaps(options);
  }

  parseSitemaps(options) {
    return this.#sitemaps.parseSitemaps(options);
  }

  parseUrlsFromSitemaps(options) {
    return this.#sitemaps.parseUrlsFromSitemaps(options);
  }
}

/** Keeps each robots.txt until it expires. Concurrent questions about an origin share one request. */
class RobotsFiles {
  #choices;
  #entries = new Map();

  constructor(choices) {
    this.#choices = choices;
  }

  async fileFor(url) {
    const { origin } = new URL(url);
    const now = Date.now() / 1000;
    let entry = this.#entries.get(origin);
    if (entry && (entry.isPending || entry.freshUntil > now)) return entry.file;
    entry = { isPending: true, policy: entry?.policy, text: entry?.text ?? "", file: undefined };
    entry.file = this.#read(origin, entry);
    this.#entries.delete(origin);
    this.#entries.set(origin, entry);
    const { maxOrigins = MAX_ORIGINS } = this.#choices;
    if (this.#entries.size > maxOrigins) this.#entries.delete(this.#entries.keys().next().value);
    try {
      return await entry.file;
    } catch (error) {
      this.#entries.delete(origin);
      throw error;
    }
  }

  /** Requests the robots.txt of an origin. After a failure, the policy uses its last good copy. */
  async #read(origin, entry) {
    const { agent, userAgent, preset, RobotsTxtFile, timeoutMillis = TIMEOUT } = this.#choices;
    const request = this.#choices.fetch ?? fetch;
    const url = `${origin}/robots.txt`;
    const policy = entry.policy ?? new Policy({ agent, preset });
    try {
      const headers = userAgent ? { "user-agent": userAgent } : {};
      const response = await request(url, { headers, signal: AbortSignal.timeout(timeoutMillis) });
      const body = await policy.update(response);
      // During an outage the last good copy applies, so its sitemaps remain, too.
      if (policy.decide("/").outage === null) entry.text = response.ok ? new TextDecoder().decode(body) : "";
    } catch (error) {
      policy.updateFailure(error.name === "TimeoutError" ? "timeout" : "connection");
    }
    entry.policy = policy;
    // If the answer or the failure does not expire, the file is requested once.
    entry.freshUntil = policy.freshUntil ?? Infinity;
    entry.isPending = false;
    return new ComityRobotsTxtFile(policy, origin, RobotsTxtFile.from(url, entry.text));
  }
}

const sleep = (seconds) => new Promise((resume) => setTimeout(resume, seconds * 1000));

/** Reserves a slot of a running `comity serve` for each request, and reports the status of its answer. */
class Pace {
  #url;
  #token;

  constructor({ url, token }) {
    // A relative URL replaces what follows the last slash.
    this.#url = new URL(String(url).replace(/\/*$/, "/"));
    this.#token = token;
  }

  async #ask(question, body) {
    const headers = { "content-type": "application/json" };
    if (this.#token !== undefined) headers.authorization = `Bearer ${this.#token}`;
    try {
      const signal = AbortSignal.timeout(TIMEOUT);
      const response = await fetch(new URL(`v1/${question}`, this.#url), { method: "POST", headers, body: JSON.stringify(body), signal });
      return await response.json();
    } catch (cause) {
      throw new ComityError("service_failed", `the service at ${this.#url} does not answer: ${cause.message}`, { cause });
    }
  }

  /** Waits for a slot. A refusal that is not temporary ends the retries of the request. */
  async admit(request) {
    let postponed = 0;
    for (;;) {
      const answer = await this.#ask("admit", { url: request.url });
      if (answer.admitted) return sleep(answer.wait_seconds);
      const wait = answer.retry_after_seconds ?? undefined;
      // A busy service has no outcome.
      const isPostponed = wait !== undefined && (answer.outcome ?? "wait_too_long") === "wait_too_long";
      postponed += wait ?? 0;
      if (isPostponed && postponed <= MAX_POSTPONED) {
        await sleep(wait);
        continue;
      }
      const isRefused = answer.admitted === false;
      const reason = [answer.outcome, answer.title, answer.detail].filter(Boolean).join(": ");
      if (isRefused && wait === undefined) request.noRetry = true;
      const code = isRefused ? "not_admitted" : "service_failed";
      throw new ComityError(code, `the service did not admit ${request.url}: ${reason}`);
    }
  }

  /** Reports the status of an answer. The page was fetched, so a failed report is only a warning. */
  async report({ request, response, log }) {
    if (!response) return;
    // Responses of Crawlee's HTTP clients, of `fetch` and of browsers.
    const of = (value) => (typeof value === "function" ? value.call(response) : value);
    const headers = of(response.headers) ?? {};
    const retryAfter = typeof headers.get === "function" ? headers.get("retry-after") : headers["retry-after"];
    const status = response.statusCode ?? of(response.status);
    try {
      await this.#ask("report", { url: request.url, status, retry_after: retryAfter ?? null });
    } catch (error) {
      log?.warning(error.message);
    }
  }
}

/** Returns the options of a crawler with hooks that keep the pace of a service. */
function withPace(options, service) {
  const pace = new Pace(service);
  return {
    ...options,
    // A slot is short, so the program's own hooks run before it is reserved.
    preNavigationHooks: [...(options.preNavigationHooks ?? []), ({ request }) => pace.admit(request)],
    postNavigationHooks: [(context) => pace.report(context), ...(options.postNavigationHooks ?? [])],
  };
}

/** Returns a class of crawlers for which Comity decides whether a URL may be crawled. */
function withComity(Crawler, choices) {
  if (typeof choices?.RobotsTxtFile?.from !== "function") {
    throw new TypeError("pass the class `RobotsTxtFile` of the package crawlee");
  }
  return class extends Crawler {
    #files;

    constructor(options = {}, ...others) {
      super(choices.service ? withPace(options, choices.service) : options, ...others);
    }

    async getRobotsTxtFileForUrl(url) {
      const { respectRobotsTxtFile } = this;
      if (!respectRobotsTxtFile) return undefined;
      this.#files ??= new RobotsFiles({ ...choices, agent: choices.agent ?? respectRobotsTxtFile.userAgent ?? "*" });
      return this.#files.fileFor(url);
    }
  };
}

export { ComityRobotsTxtFile, withComity };
