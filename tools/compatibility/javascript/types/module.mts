// ES modules: the default import, and Robot as a named type.
import robotsParser, { type Robot } from "comity/robots-parser";
import { ComityError, RobotsTxt, type Decision, type Dialect } from "comity";
import { Policy, lint, type Preset } from "comity/operations";
import { withComity } from "comity/crawlee";

const robot: Pick<Robot, "isAllowed" | "getSitemaps" | "getCrawlDelay"> = robotsParser("/robots.txt", "", {
  dialect: "rfc9309",
});
const dialect: Dialect = "robots-parser";
const preset: Preset = "google";
const decision: Decision = RobotsTxt.parse(new Uint8Array(), { dialect }).rulesFor("heron").decide("/");
const line: number | undefined = decision.rule?.line;
const policy: Policy = await Policy.fromResponse(new Response(), { agent: "heron", preset });
const code: string = new ComityError("freed", "").code;
const codes: string[] = lint("").map((finding) => finding.code);

class Crawler {
  constructor(readonly options: { respectRobotsTxtFile: boolean }) {}
}
const Polite = withComity(Crawler, { RobotsTxtFile: { from: () => ({}) as never } });
new Polite({ respectRobotsTxtFile: true });
{
  using rules = RobotsTxt.parse("").rulesFor("heron");
  rules.isAllowed("/");
}
export { code, codes, line, policy, robot };
