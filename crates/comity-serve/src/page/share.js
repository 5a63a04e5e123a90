// A link that contains the whole state in its fragment, which is never sent to a server.
//
// A link may come from an untrusted source. It is unpacked up to a limit, each field is checked, and it never makes the page
// request a site.

const PREFIX = '#s=';
/** Maximum length of a link, in characters. */
export const LONGEST = 32 << 10;
const UNPACKED = 1 << 20;

const encode = (bytes) => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
};

const decode = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

/** Returns the bytes of a stream, up to a limit. */
async function read(stream, cap) {
  const reader = stream.getReader();
  const pieces = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > cap) {
      await reader.cancel();
      throw new RangeError('too long');
    }
    pieces.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Returns the fragment for a state. */
export async function pack(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return PREFIX + encode(await read(stream, Infinity));
}

/** Returns true if a fragment contains a state. */
export const isShared = (fragment) => fragment.startsWith(PREFIX);

/** Returns the state in a fragment, with each field checked for its type; null if there is no valid state. */
export async function unpack(fragment) {
  try {
    if (fragment.length > LONGEST) return null;
    const stream = new Blob([decode(fragment.slice(PREFIX.length))]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const state = JSON.parse(new TextDecoder().decode(await read(stream, UNPACKED)));
    const text = (value) => (typeof value === 'string' ? value : '');
    const texts = (value) => (Array.isArray(value) ? value.filter((one) => typeof one === 'string' && one.length <= 8192) : []);
    const { agent, url } = state.selected ?? {};
    return {
      robots: text(state.robots),
      agents: texts(state.agents),
      urls: texts(state.urls),
      dialect: text(state.dialect),
      old: text(state.old),
      site: text(state.site).slice(0, 2048),
      tab: text(state.tab),
      selected: typeof agent === 'string' && typeof url === 'string' ? { agent, url } : null,
    };
  } catch {
    return null;
  }
}
