// Writes js/alias, and js/dist from js/src: the ES modules, their CommonJS forms, the types of both, and the loaders of the WebAssembly
// modules. tools/js.sh runs it after it has built the modules.
//
// The sources use two forms only, so that CommonJS is a substitution of lines: `import { a, b } from "…";` at the beginning,
// and one `export { a, b };` or `export default a;` at the end.

import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";

const source = new URL("src/", import.meta.url);
const dist = new URL("dist/", import.meta.url);

function commonJs(text) {
  return `"use strict";\n${text}`
    .replace(/^import (\{[^}]*\}) from "([^"]+)";$/gm, (_, names, from) => {
      return `const ${names.replace(/ as /g, ": ")} = require("${from.replace(/\.mjs$/, ".cjs")}");`;
    })
    .replace(/^export (\{[^}]*\});$/gm, "module.exports = $1;")
    .replace(/^export default (\w+);$/gm, "module.exports = $1;");
}

for (const name of readdirSync(source)) {
  const text = readFileSync(new URL(name, source), "utf8");
  if (name.endsWith(".d.ts")) {
    // `export =` is the form of CommonJS for a function with types.
    const [module, common] = [".d.mts", ".d.cts"].map((end) => new URL(name.replace(".d.ts", end), dist));
    const withNamespace = text.match(/^export default (\w+);$/m);
    writeFileSync(module, text);
    const types = withNamespace ? namespaced(text, withNamespace[1]) : text;
    writeFileSync(common, types.replaceAll('.mjs"', '.cjs"'));
  } else {
    // The types have the documentation, so comments only make the package larger.
    const bare = text.replace(/^ *(\/\/.*|\/\*\*[^]*?\*\/)\n/gm, "");
    writeFileSync(new URL(name, dist), bare);
    const code = commonJs(bare);
    if (/^(import|export) /m.test(code)) throw new Error(`${name}: a form of import or export that build.mjs does not know`);
    writeFileSync(new URL(name.replace(".mjs", ".cjs"), dist), code);
  }
}

/** Moves the exported types of a module into the namespace of its default export. */
function namespaced(text, name) {
  const types = [];
  const rest = text.replace(/^(\/\*\*(?:(?!\*\/)[^])*\*\/\n)?export interface [^]*?^\}\n/gm, (type) => {
    types.push(type.replace("export interface", "interface").replace(/^(?=.)/gm, "  "));
    return "";
  });
  const namespace = `declare namespace ${name} {\n${types.join("\n")}}\n`;
  const code = rest.replaceAll(/\b(Robot|RobotOptions)\b(?=[;,)\s?])/g, `${name}.$1`);
  return `${code.replace(/^export default \w+;$/m, `${namespace}export = ${name};`)}`;
}

/** Writes the three ways to load a module: from a file, as an import of the bundler, and from text. */
function writeLoaders(wasm, loader) {
  const write = (name, text) => writeFileSync(new URL(name, dist), text);
  const about = "// Written by build.mjs: returns the compiled WebAssembly module.\n";
  const compile = "const compile = async () => load();\n";
  const read = (file) => `const load = () => new WebAssembly.Module(readFileSync(${file}));\n`;
  write(
    `${loader}.node.mjs`,
    `${about}import { readFileSync } from "node:fs";\n${read(`new URL("./${wasm}", import.meta.url)`)}${compile}export { load, compile };\n`,
  );
  write(
    `${loader}.node.cjs`,
    `"use strict";\n${about}const { readFileSync } = require("node:fs");\nconst { join } = require("node:path");\n${read(`join(__dirname, "${wasm}")`)}${compile}module.exports = { load, compile };\n`,
  );
  write(`${loader}.workerd.mjs`, `${about}import compiled from "./${wasm}";\nconst load = () => compiled;\n${compile}export { load, compile };\n`);
  const base64 = readFileSync(new URL(wasm, dist)).toString("base64");
  const inline = `${about}const text = "${base64}";
function decode() {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}
const load = () => new WebAssembly.Module(decode());
const compile = () => WebAssembly.compile(decode());
`;
  write(`${loader}.inline.mjs`, `${inline}export { load, compile };\n`);
  write(`${loader}.inline.cjs`, `"use strict";\n${inline}module.exports = { load, compile };\n`);
}

/**
 * Writes the package that `"overrides": { "robots-parser": "npm:comity-robots-parser@^3.0.1" }` names. Its version satisfies the
 * ranges of dependents: 0.1.2 of this package becomes 3.101.2.
 */
function writeAlias() {
  const { version, license, engines } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
  const [major, minor, patch] = version.split(".");
  const manifest = {
    name: "comity-robots-parser",
    version: `3.${Number(major) * 1000 + Number(minor) + 100}.${patch}`,
    description: "comity/robots-parser under a version that takes the place of robots-parser 3",
    license,
    engines,
    main: "./index.cjs",
    types: "./index.d.cts",
    exports: {
      ".": {
        import: { types: "./index.d.mts", default: "./index.mjs" },
        require: { types: "./index.d.cts", default: "./index.cjs" },
      },
      "./package.json": "./package.json",
    },
    dependencies: { comity: version },
  };
  const alias = new URL("alias/", import.meta.url);
  mkdirSync(alias, { recursive: true });
  const write = (name, text) => writeFileSync(new URL(name, alias), text);
  write("package.json", `${JSON.stringify(manifest, undefined, 2)}\n`);
  write("README.md", "# comity-robots-parser\n\nThe drop-in `comity/robots-parser` of the package `comity`, which has the documentation.\n");
  write("index.cjs", 'module.exports = require("comity/robots-parser");\n');
  write("index.mjs", 'export { default } from "comity/robots-parser";\n');
  write("index.d.cts", 'import robotsParser = require("comity/robots-parser");\nexport = robotsParser;\n');
  write("index.d.mts", 'export * from "comity/robots-parser";\nexport { default } from "comity/robots-parser";\n');
}

writeAlias();
// tools/js.sh also runs this file before it builds the modules, to know the size of the package.
for (const [wasm, loader] of [["engine.wasm", "load"], ["operations.wasm", "load-operations"]]) {
  if (existsSync(new URL(wasm, dist))) writeLoaders(wasm, loader);
}
for (const license of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  for (const folder of ["", "alias/"]) {
    copyFileSync(new URL(`../${license}`, import.meta.url), new URL(`${folder}${license}`, import.meta.url));
  }
}
