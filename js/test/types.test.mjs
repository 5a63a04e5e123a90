// The declarations of the package name the values that its modules export, and no others.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const root = new URL("../", import.meta.url);
const require = createRequire(import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

/** Returns the sorted names of the values that a file of declarations exports. Types and interfaces have no value. */
function declared(path) {
  const source = readFileSync(new URL(path, root), "utf8");
  const names = new Set();
  for (const [, name] of source.matchAll(/^export (?:declare )?(?:async )?(?:abstract )?(?:class|function|const|let|enum|namespace) (\w+)/gm)) {
    names.add(name);
  }
  for (const [, list] of source.matchAll(/^export \{([^}]*)\}/gm)) {
    for (const item of list.split(",").map((one) => one.trim()).filter(Boolean)) {
      const name = item.split(/\s+as\s+/).at(-1);
      if (!item.startsWith("type ") && !types(source, item, path).has(name)) names.add(name);
    }
  }
  if (/^export default /m.test(source)) names.add("default");
  return [...names].sort();
}

/** Returns the names of types that a list of exports takes from another file. */
function types(source, item, path) {
  const line = source.split("\n").find((one) => one.startsWith("export {") && one.includes(item));
  const from = line?.match(/from "\.\/(.*)\.([mc])js"/);
  if (!from) return new Set();
  const other = readFileSync(new URL(`${path.slice(0, path.lastIndexOf("/") + 1)}${from[1]}.d.${from[2]}ts`, root), "utf8");
  return new Set([...other.matchAll(/^export (?:declare )?(?:type|interface) (\w+)/gm)].map(([, name]) => name));
}

for (const [entry, conditions] of Object.entries(exports).filter(([, value]) => value.import)) {
  test(`declarations_of_${entry}_name_the_exports_of_the_modules`, async () => {
    const { import: esm, require: cjs } = conditions;
    const module = await import(new URL(esm.default, root));
    assert.deepEqual(Object.keys(module).sort(), declared(esm.types), esm.types);
    const exported = require(new URL(cjs.default, root).pathname);
    if (typeof exported === "function") {
      assert.match(readFileSync(new URL(cjs.types, root), "utf8"), /^export = \w+;/m, cjs.types);
    } else {
      assert.deepEqual(Object.keys(exported).filter((name) => name !== "__esModule").sort(), declared(cjs.types), cjs.types);
    }
  });
}
