"""OpenAI's Agents SDK with the nine tools over MCP, as in its README."""

import asyncio
import json
import os
import sys

from agents import Agent, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp


async def main(instructions: str) -> str:
    headers = {"Authorization": f"Bearer {os.environ['DRRETAIL_MCP_TOKEN']}"}
    async with MCPServerStreamableHttp({"url": os.environ["DRRETAIL_MCP_URL"], "headers": headers}) as server:
        agent = Agent(name="shopper", instructions="Research and cite.", mcp_servers=[server], model="gpt-4.1")
        return (await Runner.run(agent, instructions)).final_output


set_tracing_disabled(True)
print(asyncio.run(main(json.load(sys.stdin)["instructions"])))
