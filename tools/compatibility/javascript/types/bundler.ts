// The forms of imports in programs that use robots-parser.
import robotsParser, { Robot } from "comity/robots-parser";
import { RobotsTxt } from "comity";

export function isDisallowed(text: string, url: string): boolean {
  const robot: Robot = robotsParser(new URL("/robots.txt", url).href, text);
  return robot.isDisallowed(url, "heron") && !RobotsTxt.parse(text).rulesFor("heron").isAllowed(url);
}
