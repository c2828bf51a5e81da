"""A loop over MCP as a command: it asks a model, carries its calls out by the official client, and prints its report.

The model is that of the run, which answers at OPENAI_BASE_URL under any name:

drretail ask "…" --model openai:gpt-5 --agent "cmd:python examples/mcp_loop/agent.py"
"""

import asyncio
import json
import os
import sys
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

TURNS = 12


async def main() -> None:
    asked = json.load(sys.stdin)
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {asked['mcp']['token']}"}, timeout=60) as web,
        Client(streamable_http_client(asked["mcp"]["url"], http_client=web)) as shop,
        httpx2.AsyncClient(timeout=asked["seconds"]) as provider,
    ):
        print(await research(asked["instructions"], shop, provider))


async def research(instructions: str, shop: Client, provider: httpx2.AsyncClient) -> str:
    """The text of the first turn without calls."""
    tools = [
        {
            "type": "function",
            "function": {"name": it.name, "description": it.description, "parameters": it.input_schema},
        }
        for it in (await shop.list_tools()).tools
    ]
    messages: list[dict[str, Any]] = [{"role": "user", "content": instructions}]
    for _ in range(TURNS):
        turn = await answer(provider, messages, tools)
        messages.append(turn)
        if not turn.get("tool_calls"):
            return turn["content"]
        messages += [await carried_out(call, shop) for call in turn["tool_calls"]]
    messages.append({"role": "user", "content": "No more calls: write the report now."})
    return (await answer(provider, messages, []))["content"]


async def answer(provider: httpx2.AsyncClient, messages: list[Any], tools: list[Any]) -> dict[str, Any]:
    """The model's next message."""
    address, key = os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"]
    body = {"model": "any", "messages": messages} | ({"tools": tools} if tools else {})
    got = await provider.post(f"{address}/chat/completions", json=body, headers={"Authorization": f"Bearer {key}"})
    got.raise_for_status()
    return got.json()["choices"][0]["message"]


async def carried_out(call: dict[str, Any], shop: Client) -> dict[str, Any]:
    """The message with a call's result: what is wrong with a call the model reads, too."""
    try:
        arguments = json.loads(call["function"]["arguments"] or "{}")
        result = await shop.call_tool(call["function"]["name"], arguments)
        content: str = result.content[0].text  # pyright: ignore[reportAttributeAccessIssue] -- the shop sends texts
    except ValueError as problem:
        content = f"The arguments are no JSON: {problem}"
    return {"role": "tool", "tool_call_id": call["id"], "content": content}


asyncio.run(main())
