// Compares the npm package with robots-parser 3.0.1 in one process: one question about an unread file, about a read file, and about
// 20,000 rules. The figures of Comity include the calls into WebAssembly. Prints tables in Markdown.
//
//   npm install --prefix FOLDER robots-parser@3.0.1
//   tools/js.sh && NODE_PATH=FOLDER/node_modules COMITY_DATA=… node benchmarks/javascript/bench.mjs [--rounds 5]
//
// The programs take turns in each round. Tables show the CPU time of the best round. Files are decoded beforehand.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";

const require = createRequire(import.meta.url);
const option = process.argv.indexOf("--rounds");
const rounds = option < 0 ? 5 : Number(process.argv[option + 1]);
if (!(rounds >= 1)) throw new Error("--rounds needs a number");
const data = process.env.COMITY_DATA;
if (!data) throw new Error("COMITY_DATA is not set: set it to the folder with corpus/");

const dist = new URL("../../js/dist/", import.meta.url);
const theirs = require("robots-parser");
const { default: ours } = await import(new URL("robots-parser.mjs", dist));
const { RobotsTxt } = await import(new URL("index.mjs", dist));

const AGENT = "examplebot";
const FILE_URL = "https://example.com/robots.txt";
const folder = `${data}/corpus/robots`;
const files = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "utf8"));
// 500 files below 10,000 characters: the few files with thousands of rules would take most of robots-parser's time.
const kept = files.filter((text) => text.length < 10_000).slice(0, 500);
const urls = Array.from({ length: 200 }, (_, number) => `https://example.com/articles/2026/${number}/page.html?from=list`);
const large = `User-agent: *\n${Array.from({ length: 20_000 }, (_, number) => `Disallow: /folder-${number}/`).join("\n")}\n`;
const largeUrls = Array.from({ length: 100 }, (_, number) => `https://example.com/folder-${number}x/page`);

const rfc9309 = { dialect: "rfc9309" };
const makers = {
  "robots-parser": (text) => theirs(FILE_URL, text),
  "comity/robots-parser": (text) => ours(FILE_URL, text),
  "… as `rfc9309`": (text) => ours(FILE_URL, text, rfc9309),
};
let sink = 0;

const once = (make) => [files.length, () => {
  for (const text of files) sink += make(text).isAllowed(urls[0], AGENT) ? 1 : 0;
}];
const questions = (make, texts, asked, repetitions = 1) => {
  const robots = texts.map(make);
  return [texts.length * asked.length * repetitions, () => {
    for (let number = 0; number < repetitions; number += 1) {
      for (const one of robots) for (const url of asked) sink += one.isAllowed(url, AGENT) ? 1 : 0;
    }
  }];
};
const batches = (dialect) => {
  const rules = kept.map((text) => RobotsTxt.parse(text, { dialect }).rulesFor(AGENT));
  return [kept.length * urls.length, () => {
    for (const one of rules) sink += one.areAllowed(urls).length;
  }];
};

const subjects = [
  ["read a file and ask one question", Object.entries(makers).map(([name, make]) => [name, once(make)])],
  ["one question about a kept file", [
    ...Object.entries(makers).map(([name, make]) => [name, questions(make, kept, urls)]),
    ["`areAllowed`, 200 URLs, as `robots-parser`", batches("robots-parser")],
    ["`areAllowed`, 200 URLs, as `rfc9309`", batches("rfc9309")],
  ]],
  ["one question about 20,000 rules", Object.entries(makers).map(([name, make]) =>
    [name, questions(make, [large], largeUrls, name === "robots-parser" ? 1 : 100)])],
];

console.log(`Node ${process.versions.node}, ${os.cpus()[0].model}, ${files.length} files, ${rounds} rounds\n`);
for (const [title, entries] of subjects) {
  const best = new Map();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, [count, run]] of entries) {
      const start = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(start);
      best.set(name, Math.min(best.get(name) ?? Infinity, (user + system) / count));
    }
  }
  console.log(`| ${title} | time | speed relative to robots-parser |\n|---|---:|---:|`);
  const reference = best.get("robots-parser");
  for (const [name, micros] of best) {
    console.log(`| ${name} | ${micros.toPrecision(3)} µs | ${(reference / micros).toPrecision(3)} |`);
  }
  console.log();
}

if (sink < 0) console.log(sink);
