#!/usr/bin/env python3
"""A command as an agent, of the standard library: drretail ask … --agent "cmd:python examples/script_agent.py"."""

import json
import sys
from urllib.request import Request, urlopen

asked = json.load(sys.stdin)
headers = {"Authorization": f"Bearer {asked['mcp']['token']}", "Content-Type": "application/json"}
headers["Accept"] = "application/json, text/event-stream"


def rpc(method: str, params: object):
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with urlopen(Request(asked["mcp"]["url"], json.dumps(body).encode(), headers)) as answer:
        headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        return json.load(answer)["result"]


me = {"name": "script", "version": "1"}
rpc("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": me})
call = {"name": "product_catalog_search", "arguments": {"query": asked["query"][:200], "limit": 3}}
hits = rpc("tools/call", call)["structuredContent"]["hits"]
lines = [f"- {hit['title']} costs ${hit['price']} [{hit['evidence']}]." for hit in hits if hit.get("price")]
picks = [{"product": hit["product_id"]} for hit in hits[:1]]
print(json.dumps({"report": "\n".join(["# What the shop has", "", *lines]), "picks": picks}))
