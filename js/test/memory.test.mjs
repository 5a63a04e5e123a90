import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import v8 from "node:v8";
import { runInNewContext } from "node:vm";

import { RobotsTxt } from "comity";
import robotsParser from "comity/robots-parser";
import { engine } from "../dist/robots.mjs";

v8.setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

const FILES = Number(process.env.COMITY_FILES ?? 10_000);
const textOf = (number) => `User-agent: *\n${"Disallow: /reed\n".repeat(100)}Disallow: /${number}\n`;

/** Numbers of files after which the memory is reported. */
const REPORTS = [10_000, 100_000, 1_000_000];

function report(context, number) {
  if (!REPORTS.includes(number)) return;
  collectGarbage();
  const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`;
  context.diagnostic(`${number} files: engine ${kilobytes(engine().memoryBytes)}, heap ${kilobytes(process.memoryUsage().heapUsed)}`);
}

/** Returns the growth of the engine's memory while `read` reads many files, after the first tenth of them. */
async function growth(context, read) {
  let before;
  for (let number = 0; number < FILES; number += 1) {
    if (number === FILES / 10) before = engine().memoryBytes;
    await read(number);
    report(context, number + 1);
  }
  return engine().memoryBytes - before;
}

/** The memory of the engine grows by pages of 64 KiB. Without frees, it would grow by 7 times this. */
const MOST = 4 << 20;

test("memory_does_not_grow_over_many_files_that_are_freed", async (context) => {
  const grown = await growth(context, (number) => {
    const robots = RobotsTxt.parse(textOf(number));
    const rules = robots.rulesFor("examplebot");
    assert.equal(rules.isAllowed(`/${number}`), false);
    robots.free();
    rules.free();
  });
  assert.ok(grown <= MOST, `${grown} bytes`);
});

test("memory_does_not_grow_over_many_files_that_become_garbage", async (context) => {
  const grown = await growth(context, async (number) => {
    assert.equal(RobotsTxt.parse(textOf(number)).rulesFor("examplebot").isAllowed(`/${number}`), false);
    if (number % 1_000 === 999) {
      collectGarbage();
      await setImmediate();
    }
  });
  assert.ok(grown <= 2 * MOST, `${grown} bytes`);
});

test("memory_does_not_grow_over_many_files_of_the_drop_in_without_a_pause", (context) => {
  let before;
  for (let number = 0; number < FILES; number += 1) {
    if (number === FILES - 5_000) before = engine().memoryBytes;
    const robots = robotsParser("https://example.com/robots.txt", textOf(number));
    assert.equal(robots.isAllowed(`https://example.com/${number}`), false);
    report(context, number + 1);
  }
  assert.ok(engine().memoryBytes - before <= MOST);
});

test("rules_of_the_drop_in_that_were_freed_are_made_again", () => {
  const make = (number) => robotsParser("https://example.com/robots.txt", `User-agent: *\nDisallow: /${number}\n`);
  const first = make("first");
  assert.equal(first.isAllowed("https://example.com/first"), false);
  for (let number = 0; number < 20_000; number += 1) make(number).isAllowed("https://example.com/");
  assert.equal(first.isAllowed("https://example.com/first"), false);
});

/** Makes the engine trap: the input cannot have this length. The next call makes another engine. */
function breakEngine() {
  assert.throws(() => engine().call("input", 0xffff_ffff), { name: "ComityError", code: "engine_failed" });
}

test("files_after_a_url_that_grew_the_memory_are_read", () => {
  breakEngine();
  const rulesOf = (text) => RobotsTxt.parse(text).rulesFor("examplebot");
  // The encoded URL grows the memory. Then JavaScript has a small view of a large input.
  assert.equal(rulesOf("").isAllowed(`https://example.com/${"é".repeat(350_000)}`), true);
  for (const path of ["/a", "/b", "/c"]) assert.equal(rulesOf(`User-agent: *\nDisallow: ${path}\n`).isAllowed(path), false);
});

test("engine_that_failed_is_replaced", () => {
  const robots = robotsParser("https://example.com/robots.txt", "User-agent: *\nDisallow: /a\n");
  const rules = RobotsTxt.parse("User-agent: *\nDisallow: /a\n").rulesFor("examplebot");
  assert.equal(robots.isAllowed("https://example.com/a"), false);
  breakEngine();
  assert.throws(() => rules.isAllowed("/a"), { code: "engine_failed" });
  assert.equal(robots.isAllowed("https://example.com/a"), false);
  assert.equal(RobotsTxt.parse("").rulesFor("examplebot").isAllowed("/a"), true);
});
