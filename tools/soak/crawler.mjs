// A crawler that uses only Node.js, and requests a slot from a service of Comity before each fetch. The soak test starts it
// beside `crawler.py`, with the same arguments.
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const text = { type: "string" };
const { values: given } = parseArgs({
  options: { service: text, port: text, origins: text, seed: text, "max-wait": text, jobs: { ...text, default: "16" } },
});

// Sends a question. Returns the status and the answer. The status is undefined if the service does not answer.
async function ask(path, question) {
  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
    signal: AbortSignal.timeout(40_000),
  };
  try {
    const response = await fetch(`http://127.0.0.1:${given.service}${path}`, request);
    return { status: response.status, answer: await response.json() };
  } catch {
    return {};
  }
}

// Fetches a page from the checked address. Returns the status and `Retry-After`.
function get(url, address) {
  const { host, pathname } = new URL(url);
  const options = { host: address, port: given.port, path: pathname, headers: { "User-Agent": "SoakBot", Host: host }, timeout: 5_000 };
  return new Promise((done) => {
    const request = http.get(options, (response) => {
      response.on("error", () => done({})).on("end", () => done({ status: response.statusCode, after: response.headers["retry-after"] }));
      response.resume();
    });
    request.on("error", () => done({})).on("timeout", () => request.destroy());
  });
}

// Reserves a slot for a page, fetches the page in this slot, and reports the answer.
async function visit(url) {
  const start = performance.now();
  const { status, answer } = await ask("/v1/admit", { url, max_wait_seconds: Number(given["max-wait"]) });
  if (status !== 200) {
    // The service or its store does not answer. Without a slot, the crawler sends no request.
    await sleep(200);
    return;
  }
  if (!answer.admitted) return;
  await sleep(1000 * answer.wait_seconds);
  // The slot is valid at least until this time. A later request needs a new slot.
  if (performance.now() - start > 1000 * (answer.wait_seconds + answer.window_seconds)) return;
  const page = await get(answer.url, answer.addresses[0]);
  if (page.status !== undefined) {
    await ask("/v1/report", { url: answer.url, status: page.status, retry_after: page.after ?? null });
  }
}

// Returns a generator of random integers below a limit (mulberry32), so that a seed repeats a run.
function generator(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

// Fetches pages of random origins until the process is killed.
async function crawl(number) {
  const random = generator(Number(BigInt.asUintN(32, BigInt(given.seed) * 1_000n + BigInt(number))));
  for (;;) {
    const origin = (127 << 24) + (1 << 16) + random(Number(given.origins)) + 1;
    const address = [24, 16, 8, 0].map((shift) => (origin >> shift) & 255).join(".");
    const folder = random(10) < 3 ? "closed" : "open";
    const url = `http://${address}:${given.port}/${folder}/${random(65_536)}`;
    // A few pages in a row, to test the pace.
    for (let page = 0; page < 3; page += 1) await visit(url);
  }
}

await Promise.all(Array.from({ length: Number(given.jobs) }, (_, number) => crawl(number)));
