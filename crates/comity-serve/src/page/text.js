// Display of untrusted text.
//
// Unsafe characters, which move, hide or reverse other text, are never displayed. In the editor, each is replaced by a stand-in:
// a visible character from a private plane of Unicode. The text that is sent to the service has the original characters.

// The unsafe characters: those of `comity::shown`. Line feeds and tabs are safe.
const CONTROLS = String.raw`\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}`;

// A visible character outside of ASCII. A variation selector, a joiner or both are safe after it, each once.
const VISIBLE = String.raw`[^\0-\x7f\s\u200c\u200d\ufe0e\ufe0f${CONTROLS}]`;
const UNSAFE = new RegExp(
  String.raw`[${CONTROLS}]|(?<!${VISIBLE})[\ufe0e\ufe0f]|(?<!${VISIBLE}[\ufe0e\ufe0f]?)[\u200c\u200d]`,
  'gu',
);
const ASCII = /^[\t\n\x20-\x7e]*$/;
const LONE = /\p{Surrogate}/gu;

// The stand-in of a character U+XXXX is U+FXXXX in plane 15. Stand-ins of tag characters are in plane 16.
const PLANE = 0xf0000;
const TAGS = 0xe0000;
const OF_TAGS = 0x10f000;
const STAND_IN = /[\u{f0000}-\u{fffff}\u{10f000}-\u{10ffff}]/gu;

const standIn = (c) => {
  const code = c.codePointAt(0);
  return String.fromCodePoint(code >= TAGS ? code - TAGS + OF_TAGS : code + PLANE);
};

/** Returns the original character of a stand-in. */
export const original = (c) => {
  const code = c.codePointAt(0);
  return String.fromCodePoint(code >= OF_TAGS ? code - OF_TAGS + TAGS : code - PLANE);
};

/** Returns true if a text contains unsafe characters. */
export const isUnsafe = (text) => !ASCII.test(text) && text.search(UNSAFE) >= 0;

/** Converts text for the editor. Replaces original characters from the range of stand-ins by U+FFFD. */
export function toEditor(text) {
  if (ASCII.test(text)) return text;
  return text.replace(/\r\n?/g, '\n').replace(STAND_IN, '\ufffd').replace(UNSAFE, standIn);
}

/** Converts text from the editor: replaces stand-ins by the original characters. */
export function fromEditor(text) {
  return ASCII.test(text) ? text : text.replace(STAND_IN, original).replace(LONE, '\ufffd');
}

/** Replaces unsafe characters by stand-ins, and keeps the stand-ins that the text already has. */
export const withStandIns = (text) => text.replace(/\r\n?/g, '\n').replace(UNSAFE, standIn);

/** Splits text from the editor into pieces: those with an even index have no stand-ins, those with an odd index only stand-ins. */
export const runs = (text) => text.split(/([\u{f0000}-\u{fffff}\u{10f000}-\u{10ffff}]+)/u);

/** Returns the name of a character: `U+202E`. */
export const nameOf = (c) => `U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns text for display outside of the editor, with unsafe characters replaced by their names. */
export function shown(text) {
  if (ASCII.test(text)) return text;
  return text.replace(UNSAFE, (c) => `\u27e8${nameOf(c)}\u27e9`).replace(LONE, '\ufffd');
}

/** Returns the length of a text in UTF-8, in bytes. */
export function byteLength(text) {
  return ASCII.test(text) ? text.length : new TextEncoder().encode(text).length;
}

const bytesOf = (code) => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);

/**
 * Returns a function that converts a byte offset in the original text to an index in the text of the editor. `places` must
 * contain all offsets for which the function will be called, because they are computed in one pass.
 */
export function indices(text, places) {
  if (ASCII.test(text)) return (byte) => Math.min(byte, text.length);
  const wanted = [...new Set(places)].sort((a, b) => a - b);
  const found = new Map();
  let next = 0;
  let bytes = 0;
  let index = 0;
  while (next < wanted.length) {
    while (next < wanted.length && wanted[next] <= bytes) found.set(wanted[next++], index);
    if (index >= text.length) break;
    const code = text.codePointAt(index);
    const isStandIn = (code >= PLANE && code <= 0xfffff) || (code >= OF_TAGS && code <= OF_TAGS + 0xfff);
    const meant = isStandIn ? original(String.fromCodePoint(code)).codePointAt(0) : code;
    bytes += bytesOf(meant);
    index += code > 0xffff ? 2 : 1;
  }
  return (byte) => found.get(byte) ?? text.length;
}
