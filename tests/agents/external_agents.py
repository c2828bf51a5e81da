"""Small commands that are agents, each with one habit, written as Python programs into a folder."""

import json
import sys
from pathlib import Path

CALLING = """
import json, os, subprocess, sys, time
from urllib.request import Request, urlopen

asked = json.load(sys.stdin)
headers = {"Authorization": "Bearer " + asked["mcp"]["token"], "Content-Type": "application/json",
           "Accept": "application/json, text/event-stream"}

def rpc(method, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    with urlopen(Request(asked["mcp"]["url"], body, headers)) as answer:
        headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        return json.load(answer)["result"]

def call(name, **arguments):
    return rpc("tools/call", name=name, arguments=arguments)["structuredContent"]

rpc("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "x", "version": "1"})
"""


def command(folder: Path, code: str, name: str = "agent.py") -> str:
    """``cmd:…`` for a program whose code may use ``asked`` and ``call(tool, **arguments)``."""
    (folder / name).write_text(CALLING + code, encoding="utf-8")
    return f"cmd:{sys.executable} {json.dumps(str(folder / name))}"
