// Measures the time to the first answer of a fresh process, above that of an empty one: with ES modules and with CommonJS. The
// programs take turns in each round. Prints medians of the processor time and of the elapsed time.
//
//   tools/js.sh engine && node benchmarks/javascript/start.mjs [--rounds 100]

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const option = process.argv.indexOf("--rounds");
const rounds = option < 0 ? 100 : Number(process.argv[option + 1]);
if (!(rounds >= 1)) throw new Error("--rounds needs a number");

const dist = (name) => JSON.stringify(fileURLToPath(new URL(`../../js/dist/${name}`, import.meta.url)));
const file = JSON.stringify("User-agent: *\nDisallow: /nest\n");
const url = (path) => JSON.stringify(`https://example.com${path}`);
const rules = `if (RobotsTxt.parse(${file}).rulesFor("heron").isAllowed(${url("/nest")})) throw new Error();`;
const dropIn = `if (make(${url("/robots.txt")}, ${file}).isAllowed(${url("/nest")})) throw new Error();`;
/** Programs by name, with the empty program from whose time theirs is counted. */
const programs = {
  "empty.mjs": [""],
  "empty.cjs": [""],
  "comity.mjs": [`import { RobotsTxt } from ${dist("index.mjs")};${rules}`, "empty.mjs"],
  "comity.cjs": [`const { RobotsTxt } = require(${dist("index.cjs")});${rules}`, "empty.cjs"],
  "robots-parser.mjs": [`import make from ${dist("robots-parser.mjs")};${dropIn}`, "empty.mjs"],
  "robots-parser.cjs": [`const make = require(${dist("robots-parser.cjs")});${dropIn}`, "empty.cjs"],
};
const reportTime = "const { user, system } = process.cpuUsage();console.log((user + system) / 1000);";

const folder = mkdtempSync(join(tmpdir(), "start-"));
const times = {};
try {
  for (const [name, [code]] of Object.entries(programs)) writeFileSync(join(folder, name), code + reportTime);
  for (let round = 0; round < rounds; round += 1) {
    for (const name of Object.keys(programs)) {
      const start = performance.now();
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, name)], { encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
      const { processor, elapsed } = (times[name] ??= { processor: [], elapsed: [] });
      processor.push(Number(stdout));
      elapsed.push(performance.now() - start);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const shown = (kind, name, empty) => `${(median(times[name][kind]) - (empty ? median(times[empty][kind]) : 0)).toFixed(1)} ms`;
console.log("| program | processor time | elapsed time | above |\n|---|---:|---:|---|");
for (const [name, [, empty]] of Object.entries(programs)) {
  console.log(`| ${name} | ${shown("processor", name, empty)} | ${shown("elapsed", name, empty)} | ${empty ?? "0"} |`);
}
