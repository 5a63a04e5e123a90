// Links that contain the state of the page in the fragment of the URL, which browsers do not send to a server.
//
// A link may come from an untrusted source. So the size of the unpacked state is limited, each field is checked, and opening a
// link does not contact a site.

const PREFIX = '#s=';
/** Maximum length of a fragment, in characters. */
export const LONGEST = 32 << 10;
/** Maximum size of an unpacked state, in bytes. */
const UNPACKED = 1 << 20;

const encode = (bytes) => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
};

const decode = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

/** Returns all bytes of a stream. Throws if there are more than `cap`. */
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

/** Returns the state in a fragment, or null if it is invalid. A field with the wrong type is replaced by an empty value. */
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
