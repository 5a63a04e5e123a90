import { ComityError } from "./errors.mjs";
import { RobotsTxt, Rules, dialects, init } from "./robots.mjs";

export { ComityError, RobotsTxt, Rules, dialects, init };
