"""Google's Agent Development Kit with the nine tools over MCP, as in its README."""

import asyncio
import json
import os
import sys

from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams

headers = {"Authorization": f"Bearer {os.environ['DRRETAIL_MCP_TOKEN']}"}
tools = McpToolset(
    connection_params=StreamableHTTPConnectionParams(url=os.environ["DRRETAIL_MCP_URL"], headers=headers)
)
agent = LlmAgent(name="shopper", model=LiteLlm("openai/gpt-4.1"), instruction="Research and cite.", tools=[tools])
runner = InMemoryRunner(agent=agent, app_name="shop")
events = asyncio.run(runner.run_debug(json.load(sys.stdin)["instructions"], quiet=True))
print("".join(part.text or "" for part in events[-1].content.parts))
