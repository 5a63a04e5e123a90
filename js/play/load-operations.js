// Loads the WebAssembly module of the operations for the static page.

const compile = async () => {
  const response = await fetch(new URL('operations.wasm', import.meta.url));
  return WebAssembly.compile(await response.arrayBuffer());
};

// The page calls `compile` before its first request.
const load = () => {
  throw new Error('the module is not compiled yet');
};

export { compile, load };
