/** An error of this package. `code` names its kind. Wrong arguments are `TypeError`s. */
class ComityError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "ComityError";
    this.code = code;
  }
}

export { ComityError };
