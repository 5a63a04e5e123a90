// ES modules: the default import, and Robot as a named type.
import robotsParser, { type Robot } from "comity/robots-parser";
import { ComityError, RobotsTxt, type ComityErrorCode, type Decision, type Dialect, type Rules } from "comity";
import { Policy, lint, type Finding, type PolicyDecision, type Preset } from "comity/operations";
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

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles if both types are equal. A type that became `any` equals no other type. */
function same<A, B>(areSame: Same<A, B>): boolean {
  return areSame;
}
same<ReturnType<typeof RobotsTxt.parse>, RobotsTxt>(true);
same<ReturnType<RobotsTxt["rulesFor"]>, Rules>(true);
same<ReturnType<Rules["isAllowed"]>, boolean>(true);
same<ReturnType<Rules["areAllowed"]>, (boolean | null)[]>(true);
same<Decision["verdict"], "allowed_explicit" | "allowed_implicit" | "disallowed_explicit">(true);
same<Decision["crawl_delay_seconds"], number | null>(true);
same<Rules["crawlDelay"], number | null>(true);
same<ComityError["code"], ComityErrorCode>(true);
same<ReturnType<Robot["isAllowed"]>, boolean | undefined>(true);
same<ReturnType<Robot["isDisallowed"]>, boolean>(true);
same<ReturnType<Robot["getCrawlDelay"]>, number | undefined>(true);
same<ReturnType<typeof robotsParser>, Robot>(true);
same<Finding["code"], string>(true);
same<PolicyDecision["blocked"], boolean>(true);
same<ReturnType<Policy["decide"]>, PolicyDecision>(true);
same<Policy["freshUntil"], number | null>(true);
same<typeof Polite, typeof Crawler>(true);
// @ts-expect-error an agent has either a token or a header
RobotsTxt.parse("").rulesFor({ token: "heron", userAgent: "heron/1.0" });
// @ts-expect-error the constructor is private
new RobotsTxt();
// @ts-expect-error properties are read-only
RobotsTxt.parse("").rulesFor("heron").crawlDelay = 1;
export { code, codes, line, policy, robot };
