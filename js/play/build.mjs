// Writes the static page into a folder: the page of the service, with a WebAssembly module in place of the service, and a service
// worker, which lets it work without a network. The module has more operations than that of the npm package (js/dist).
//
//     node js/play/build.mjs FOLDER

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = new URL("../../", import.meta.url);
const source = new URL("crates/comity-serve/src/page/", root);
const dist = new URL("js/dist/", root);
const read = (name) => readFileSync(new URL(name, source), "utf8");
const [folder] = process.argv.slice(2);
const page = join(folder, "page");
mkdirSync(page, { recursive: true });

for (const name of readdirSync(source)) {
  if (/\.(js|css|svg)$/.test(name)) copyFileSync(new URL(name, source), join(page, name));
}
for (const name of ["service.js", "load-operations.js", "operations.wasm"]) copyFileSync(new URL(name, import.meta.url), join(page, name));
for (const name of ["engine.mjs", "errors.mjs", "objects.mjs"]) copyFileSync(new URL(name, dist), join(page, name));
const operations = readFileSync(new URL("operations.mjs", dist), "utf8");
writeFileSync(join(page, "operations.mjs"), operations.replace('"#load-operations"', '"./load-operations.js"'));
copyFileSync(new URL("docs/reference/openapi.json", root), join(folder, "openapi.json"));

// Browsers ignore `frame-ancestors` in a `meta` element, and log an error about it.
const policy = read("policy.txt")
  .trim()
  .replace(" frame-ancestors 'none';", "")
  .replace("script-src 'self'", "$& 'wasm-unsafe-eval'")
  // The registration of a service worker takes an address from a policy of Trusted Types (service.js).
  .replace("trusted-types 'none'", "trusted-types offline");
const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
writeFileSync(join(folder, "index.html"), read("index.html").replace('<meta charset="utf-8">', `$&\n${meta}`));

const files = ["index.html", "openapi.json", ...readdirSync(page).sort().map((name) => `page/${name}`)];
const digest = createHash("sha256");
for (const name of files) digest.update(readFileSync(join(folder, name)));
// Some servers redirect `index.html` to the folder, and a worker cannot answer a navigation with a redirected response.
const addresses = files.map((name) => name.replace("index.html", "./"));
const constants = { FILES: addresses, VERSION: digest.digest("hex").slice(0, 16) };
const declarations = Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
writeFileSync(join(folder, "offline.js"), declarations.join("") + readFileSync(new URL("offline.js", import.meta.url), "utf8"));
