import { ComityError } from "./errors.mjs";

// Calls between JavaScript and WebAssembly; js/engine/src/lib.rs is the called module.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Results of calls, as in js/engine/src/lib.rs. */
const FAILED = -1;
const UNKNOWN_HANDLE = -2;

/** Bits of the kind of an agent, as in js/engine/src/lib.rs. */
const IS_HEADER = 1;
const IGNORES_STAR = 2;

/** Largest input of a call, in bytes. */
const MAX_BYTES = 1 << 28;
/** Longest text that is written character by character; `encodeInto` is faster for longer ones. */
const SHORT_TEXT = 48;

/** Returns the module that `load` compiles. `remedy` names the function that compiles it asynchronously. */
function compiled(load, remedy) {
  try {
    return load();
  } catch (cause) {
    const message = `this platform does not compile WebAssembly here: call \`await ${remedy}()\` first`;
    throw new ComityError("not_compiled", message, { cause });
  }
}

/** An instance of a WebAssembly module. After a trap it is broken, and callers make another one. */
class Engine {
  #exports;
  #input = new Uint8Array(0);
  isBroken = false;

  constructor(module) {
    this.#exports = new WebAssembly.Instance(module, {}).exports;
  }

  /** Calls an exported function. A trap breaks the instance. */
  call(name, a, b, c, d, e, f) {
    if (this.isBroken) {
      throw new ComityError("engine_failed", "the engine of this object failed: read the file again");
    }
    try {
      return this.#exports[name](a, b, c, d, e, f);
    } catch (cause) {
      this.isBroken = true;
      throw new ComityError("engine_failed", `the engine failed in ${name}: ${cause.message}`, { cause });
    }
  }

  /** Returns the input region with at least `size` bytes. Keeps the written bytes. */
  #region(size) {
    // After the memory grows, the length of the old region is 0.
    if (this.#input.length < size) {
      if (size > MAX_BYTES) {
        throw new ComityError("too_large", `the input could need more than ${MAX_BYTES} bytes: of a text, three for each UTF-16 unit`);
      }
      const length = Math.max(size, 4096);
      const address = this.call("input", length) >>> 0;
      this.#input = new Uint8Array(this.#exports.memory.buffer, address, length);
    }
    return this.#input;
  }

  /** Writes a text to the input, from `start` on, and returns its length in UTF-8. */
  write(text, start = 0) {
    const { length } = text;
    const input = this.#region(start + length * 3);
    if (length <= SHORT_TEXT) {
      let at = 0;
      while (at < length) {
        const unit = text.charCodeAt(at);
        if (unit > 127) break;
        input[start + at] = unit;
        at += 1;
      }
      if (at === length) return length;
    }
    return encoder.encodeInto(text, start === 0 ? input : input.subarray(start)).written;
  }

  /** Writes bytes to the input and returns their number. */
  writeBytes(bytes) {
    this.#region(bytes.length).set(bytes);
    return bytes.length;
  }

  /**
   * Must be called after a call that reads a file, because it may free the input. The size of the view does not tell: after the
   * memory grew, a large input can have a small view.
   */
  afterReading() {
    this.#input = new Uint8Array(0);
  }

  /** Returns a copy of the output. */
  output(length) {
    const address = this.call("output") >>> 0;
    return new Uint8Array(this.#exports.memory.buffer, address, length).slice();
  }

  text(length) {
    const address = this.call("output") >>> 0;
    return decoder.decode(new Uint8Array(this.#exports.memory.buffer, address, length));
  }

  /** Returns the output of a call as JSON. */
  json(length) {
    if (length < 0) this.fail(length);
    return JSON.parse(this.text(length));
  }

  /** Throws the error of a result below 0. */
  fail(result) {
    if (result === UNKNOWN_HANDLE) throw new ComityError("freed", "the object was freed");
    throw new TypeError(this.message());
  }

  /** Returns the message of the last error. */
  message() {
    return this.text(this.call("message_length"));
  }

  /** Size of the memory in bytes. */
  get memoryBytes() {
    return this.#exports.memory.buffer.byteLength;
  }
}

/** Returns the texts of the output, each of which ends with a line feed. */
function lines(bytes) {
  const texts = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    texts.push(textWithSurrogates(bytes.subarray(start, end)));
    start = end + 1;
  }
  return texts;
}

/** Returns true if a text has a surrogate without its other half. */
function hasLoneSurrogate(text) {
  return text.isWellFormed ? !text.isWellFormed() : /\p{Surrogate}/u.test(text);
}

/** Encodes a text with lone surrogates: each becomes three bytes, as if it were a character. */
function encodeSurrogates(text) {
  const parts = text.split(/(\p{Surrogate})/u).map((part, index) => {
    if (index % 2 === 0) return encoder.encode(part);
    const unit = part.charCodeAt(0);
    return Uint8Array.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  });
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let start = 0;
  for (const part of parts) {
    bytes.set(part, start);
    start += part.length;
  }
  return bytes;
}

/** Decodes UTF-8 in which lone surrogates may be encoded as by `encodeSurrogates`. */
function textWithSurrogates(bytes) {
  let text = "";
  let start = 0;
  for (let at = bytes.indexOf(0xed); at !== -1; at = bytes.indexOf(0xed, at + 1)) {
    if (bytes[at + 1] < 0xa0) continue;
    text += decoder.decode(bytes.subarray(start, at));
    text += String.fromCharCode(0xd000 | ((bytes[at + 1] & 0x3f) << 6) | (bytes[at + 2] & 0x3f));
    start = at + 3;
  }
  return text + decoder.decode(start === 0 ? bytes : bytes.subarray(start));
}

export {
  Engine,
  FAILED,
  IGNORES_STAR,
  IS_HEADER,
  UNKNOWN_HANDLE,
  compiled,
  encodeSurrogates,
  hasLoneSurrogate,
  lines,
};
