// A polite crawler: node crawler.mjs < urls.txt, next to a running `comity serve --agent ExampleBot`. Details: docs/guide/serve.md.
import http from "node:http";
import https from "node:https";
import { isIPv6 } from "node:net";
import { createInterface } from "node:readline";

const service = process.env.COMITY ?? "http://127.0.0.1:7273";
const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

async function ask(question, body) {
  const headers = { "Content-Type": "application/json" };
  return (await fetch(`${service}/v1/${question}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

function get(url, address) {
  // Connects to the checked address. A new DNS lookup could return another address.
  const found = { address, family: isIPv6(address) ? 6 : 4 };
  const lookup = (_, options, done) => (options.all ? done(null, [found]) : done(null, address, found.family));
  return new Promise((done, failed) => {
    const client = url.startsWith("https:") ? https : http;
    client.get(url, { lookup, headers: { "User-Agent": "ExampleBot" } }, done).on("error", failed);
  });
}

for await (const url of createInterface({ input: process.stdin })) {
  let admitted = await ask("admit", { url });
  // Waits only for the pace and for a busy service. Other refusals skip the URL.
  while (admitted.retry_after_seconds && (admitted.outcome ?? "wait_too_long") === "wait_too_long") {
    await sleep(admitted.retry_after_seconds);
    admitted = await ask("admit", { url });
  }
  if (!admitted.admitted) {
    console.log(`${admitted.outcome ?? admitted.title} ${url}`);
    continue;
  }
  await sleep(admitted.wait_seconds);
  const answer = await get(admitted.url, admitted.addresses[0]);
  await ask("report", { url, status: answer.statusCode, retry_after: answer.headers["retry-after"] ?? null });
  answer.resume();
  console.log(`${answer.statusCode} ${url}`);
}
