/** The kind of a {@link ComityError}. */
export type ComityErrorCode =
  /** The object was freed. */
  | "freed"
  /** The input could need more than 268,435,456 bytes: of a text, three for each UTF-16 unit. */
  | "too_large"
  /** The platform does not compile WebAssembly synchronously; call `await init()` first. */
  | "not_compiled"
  /** The engine failed, which is a bug. The next file is read by a new engine. */
  | "engine_failed"
  /** `comity/crawlee`: the service refused a URL. */
  | "not_admitted"
  /** `comity/crawlee`: the service did not answer, or rejected the question. */
  | "service_failed";

/** An error of this package. Wrong arguments are `TypeError`s. */
export class ComityError extends Error {
  constructor(code: ComityErrorCode, message: string, options?: { cause?: unknown });
  readonly name: "ComityError";
  readonly code: ComityErrorCode;
}
