// CommonJS: `import x = require`, and the type Robot in the namespace of the function.
import robotsParser = require("comity/robots-parser");
import comity = require("comity");

const robot: robotsParser.Robot = robotsParser("https://example.com/robots.txt", "");
const allowed: boolean | undefined = robot.isAllowed("https://example.com/", "heron");
const rules: comity.Rules = comity.RobotsTxt.parse("").rulesFor({ userAgent: "heron/1.0" });
const answers: (boolean | null)[] = rules.areAllowed(["/", new URL("https://example.com/")]);
// @ts-expect-error the dialect is unknown
comity.RobotsTxt.parse("", { dialect: "x" });
// @ts-expect-error a URL is missing
robot.isAllowed();
export = { allowed, answers };
