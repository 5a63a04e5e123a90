"""Generates a client from the OpenAPI description of a running service, and calls the service: `check.py COMITY FOLDER`."""

import json
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

ROBOTS = "User-agent: GPTBot\nDisallow: /private\n"

# The only feature of the description that the generator may report as unsupported.
UNSUPPORTED = "Unsupported content type application/x-ndjson"


def generate(address, folder):
    with urllib.request.urlopen(f"{address}/openapi.json", timeout=600) as answer:
        description = json.load(answer)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "openapi.json").write_text(json.dumps(description))
    generator = [Path(sys.executable).with_name("openapi-python-client"), "generate", "--meta", "none"]
    paths = ["--path", folder / "openapi.json", "--output-path", folder / "service"]
    done = subprocess.run([*generator, *paths], text=True, capture_output=True, timeout=600)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    warnings = [line for line in output.splitlines() if line.startswith(("WARNING", "Unable", "Unsupported", "Cannot"))]
    left_out = [line for line in warnings if not line.startswith("WARNING parsing POST") and line != UNSUPPORTED]
    assert not left_out, "\n".join(left_out)
    operations = [name for path in description["paths"].values() for name in path]
    modules = [path for path in (folder / "service" / "api").glob("*/*.py") if path.name != "__init__.py"]
    assert len(modules) == len(operations), output
    sys.path.insert(0, str(folder))


def ask(address):
    from service import Client, models
    from service.api.default import admit, check, diff, explain, lint, matrix

    client = Client(base_url=address)
    agents = ["GPTBot"]
    question = models.CheckJsonBody(urls=["/private/x", "/"], agents=agents, robots=ROBOTS)
    blocked, allowed = check.sync(client=client, body=question).rows
    assert (blocked.allowed, blocked.rule.line, allowed.allowed) == (False, 2, True)

    question = models.ExplainJsonBody(urls=["/private/x"], agents=agents, robots=ROBOTS)
    (row,) = explain.sync(client=client, body=question).rows
    assert row.contenders[0].rule.pattern == "/private"

    answer = matrix.sync(client=client, body=models.MatrixBody(robots=ROBOTS, agents=agents))
    assert [crawler.access for crawler in answer.crawlers] == ["partly"]

    findings = lint.sync(client=client, body=models.LintBody(robots="User-agent: *\nDisalow: /x\n")).findings
    (misspelt,) = [finding for finding in findings if finding.place.line == 2]
    assert misspelt.fix.edits[0].text == "Disallow", misspelt

    question = models.DiffBody(old=models.DiffBodyOld(robots=ROBOTS), new=models.DiffBodyNew(robots=""))
    (change,) = diff.sync(client=client, body=question).agents
    assert [line.pattern for line in change.lost] == ["/private"]

    answer = admit.sync(client=client, body=models.AdmitBody(url="http://10.0.0.1/"))
    assert (answer.admitted, answer.outcome) == (False, "guard_refused")

    problem = check.sync(client=client, body=models.CheckJsonBody(urls=["/"], agents=[]))
    assert isinstance(problem, models.Problem) and "name a crawler" in problem.detail, problem


def main():
    comity, folder = sys.argv[1], Path(sys.argv[2])
    serve = [comity, "serve", "--listen", "127.0.0.1:0", "--no-config", "--store", "memory", "--contact", "a@example.com"]
    service = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
    try:
        address = service.stdout.readline().strip()
        generate(address, folder)
        ask(address)
    finally:
        service.terminate()
        service.wait(30)
    print("ok: the generated client")


main()
