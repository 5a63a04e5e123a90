"use strict";
// The protocol between the JavaScript runners and the program `differential` (README.md): frames of three fields on standard
// input, one line per frame on standard output.

const fs = require("node:fs");

/** Reads standard input in chunks. Before each read, `flush` is called. */
class Input {
  #buffer = Buffer.alloc(0);
  #flush;

  constructor(flush) {
    this.#flush = flush;
  }

  /** Returns the next `count` bytes, or `undefined` at the end. */
  read(count) {
    while (this.#buffer.length < count) {
      this.#flush();
      const chunk = Buffer.alloc(1 << 16);
      const length = readSync(chunk);
      if (length === 0) return undefined;
      this.#buffer = Buffer.concat([this.#buffer, chunk.subarray(0, length)]);
    }
    const data = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return data;
  }

  field() {
    const length = this.read(4);
    return length && this.read(length.readUInt32LE());
  }
}

function readSync(chunk) {
  for (;;) {
    try {
      return fs.readSync(0, chunk);
    } catch (error) {
      // EOF: the pipe was closed. EAGAIN: the writer has not written yet.
      if (error.code === "EOF") return 0;
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** Yields every frame of standard input: `[body, agent, url]`, with the body as bytes. */
function* frames(flush = () => {}) {
  const input = new Input(flush);
  for (;;) {
    const [body, agent, url] = [input.field(), input.field(), input.field()];
    if (url === undefined) return;
    yield [body, agent.toString("utf8"), url.toString("utf8")];
  }
}

/** Decodes UTF-8, and the encoded form of surrogates (`ED A0 80` to `ED BF BF`), as the dialect `robots-parser` does. */
function textOf(body) {
  let text = "";
  let start = 0;
  for (let at = body.indexOf(0xed); at !== -1; at = body.indexOf(0xed, at + 1)) {
    const [second, third] = [body[at + 1], body[at + 2]];
    if (second >= 0xa0 && second <= 0xbf && third >= 0x80 && third <= 0xbf) {
      text += body.toString("utf8", start, at);
      text += String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
      start = at + 3;
    }
  }
  return text + body.toString("utf8", start);
}

/** Answers every frame with `decide(text, agent, url)`, which returns a line of output. */
function serve(version, decide) {
  if (process.argv.includes("--version")) {
    console.log(version);
    return;
  }
  let lines = "";
  const flush = () => {
    if (lines) fs.writeFileSync(1, lines);
    lines = "";
  };
  for (const [body, agent, url] of frames(flush)) {
    try {
      lines += `${decide(textOf(body), agent, url)}\n`;
    } catch (error) {
      lines += `E ${JSON.stringify(String(error)).slice(1, 200)}\n`;
    }
  }
  flush();
}

module.exports = { frames, serve, textOf };
