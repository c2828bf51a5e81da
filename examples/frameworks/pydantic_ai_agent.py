"""Pydantic AI with the nine tools over MCP, as in its README."""

import json
import os
import sys

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset

headers = {"Authorization": f"Bearer {os.environ['DRRETAIL_MCP_TOKEN']}"}
agent = Agent("openai:gpt-4.1", toolsets=[MCPToolset(os.environ["DRRETAIL_MCP_URL"], headers=headers)])
print(agent.run_sync(json.load(sys.stdin)["instructions"]).output)
