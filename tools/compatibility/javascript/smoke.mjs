// Checks four answers in another runtime: Bun or Deno runs this file unchanged.

import { RobotsTxt } from "comity";
import robotsParser from "comity/robots-parser";

const rules = RobotsTxt.parse("User-agent: *\nDisallow: /nest\n").rulesFor("heron");
const robots = robotsParser("https://example.com/robots.txt", "User-agent: *\nDisallow: /é\n");
const answers = [
  rules.isAllowed("/nest"),
  rules.decide("/nest").rule?.line,
  robots.isAllowed("https://example.com/é"),
  robots.isAllowed("https://example.com/e"),
].join(" ");
if (answers !== "false 2 false true") throw new Error(answers);
console.log(answers);
