import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as comity from "comity";

/** Returns the blocks of JavaScript of a page. */
function blocksOf(page) {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  return [...text.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, block]) => block);
}

/** Runs a block, and returns the values of its lines `expression; // value` with the expected ones. */
function valuesOf(block) {
  const values = [];
  const code = block
    .replace(/^import \{([^}]*)\} from "comity";$/gm, "const {$1} = comity;")
    .replace(/^(.*); \/\/ (\{.*\}|\[.*\]|[\w.]+).*$/gm, (_, expression, expected) => {
      return `values.push([${expression}, ${expected}]);`;
    });
  new Function("comity", "values", code)(comity, values);
  return values;
}

for (const page of ["js/README.md", "docs/guide/javascript.md"]) {
  test(`first_example_of_${page}_is_true`, () => {
    const values = valuesOf(blocksOf(page)[0]);
    assert.ok(values.length >= 3);
    for (const [found, expected] of values) assert.deepEqual(found, expected);
  });
}
