"""Tests `comity mcp` and `comity serve --mcp` with the protocol's reference client, in two versions of the protocol.

    clients.py COMITY

The client validates every structured answer against the schema that the server lists. All requests stay on loopback.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from mcp import Client, StdioServerParameters
from sites import PAGE, Site, reply, robots, settings

def without_nulls(value):
    """Returns a value without null fields. The text block for models has no null fields."""
    if isinstance(value, dict):
        return {name: without_nulls(field) for name, field in value.items() if field is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


TOOLS = ["fetch", "check_url", "explain", "site_policy", "lint_robots", "find_markdown"]


def site():
    return Site(
        robots_txt=robots("User-agent: *\nDisallow: /no\nContent-Signal: ai-train=no\n"),
        page=PAGE,
        llms_txt=reply(200, "# Site\n\n## Docs\n\n- [Page](/page.md)\n", "text/plain"),
        page_md=reply(200, "# Title\n", "text/markdown"),
    )


async def ask(server, mode, version):
    """Calls every tool and prompt of a server, and checks the answers."""
    one = site()
    async with Client(server, mode=mode) as client:
        assert client.protocol_version == version, client.protocol_version
        assert client.server_info.name == "comity", client.server_info
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS, tools
        for tool in tools:
            assert tool.annotations.read_only_hint and tool.output_schema and tool.title, tool
        page = await client.call_tool("fetch", {"url": one.url("/page")})
        assert not page.is_error and page.content[1].text.startswith("# Title"), page
        assert page.structured_content["answer"]["record"]["outcome"] == "fetched", page
        refused = await client.call_tool("fetch", {"url": one.url("/no")})
        assert refused.is_error, refused
        assert refused.structured_content["problem"]["kind"] == "robots_refused", refused
        assert json.loads(refused.content[0].text)["problem"]["kind"] == "robots_refused", refused
        for tool, arguments in [
            ("check_url", {"url": one.url("/no"), "agent": "GPTBot"}),
            ("explain", {"url": one.url("/no")}),
            ("site_policy", {"url": one.url("/")}),
            ("lint_robots", {"url": one.url("/")}),
            ("find_markdown", {"url": one.url("/page")}),
        ]:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error and result.structured_content["answer"], (tool, result)
            text = json.loads(result.content[0].text)
            assert text == without_nulls(result.structured_content) or tool == "fetch", tool
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["fetch"], prompts
        prompt = await client.get_prompt("fetch", {"url": one.url("/page")})
        assert prompt.messages[1].content.resource.text.startswith("# Title"), prompt
        wrong = await client.call_tool("fetch", {"url": one.url("/page"), "mode": "ignore"})
        assert wrong.is_error and wrong.structured_content["problem"]["kind"] == "bad_arguments", wrong
    assert one.count("/robots.txt") == 1, one.seen
    print(f"ok: {version}, {'HTTP' if isinstance(server, str) else 'stdio'}")


async def main(comity):
    with tempfile.TemporaryDirectory() as folder:
        configured = Path(folder, "comity.toml")
        configured.write_text(settings(8))
        flags = ["--config", str(configured), "--store", "memory", "--min-interval", "0", "--contact", "https://example.com/bot"]
        stdio = StdioServerParameters(command=comity, args=["mcp", *flags])
        serve = [comity, "serve", "--mcp", "--listen", "127.0.0.1:0", *flags]
        served = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
        try:
            address = served.stdout.readline().strip()
            for server in (stdio, f"{address}/mcp"):
                await ask(server, "legacy", "2025-11-25")
                await ask(server, "auto", "2026-07-28")
        finally:
            served.terminate()
            served.wait(30)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
