"""Strands Agents with the nine tools over MCP, as in its README."""

import contextlib
import json
import os
import sys

from mcp.client.streamable_http import streamablehttp_client
from strands import Agent
from strands.models.openai import OpenAIModel
from strands.tools.mcp import MCPClient

headers = {"Authorization": f"Bearer {os.environ['DRRETAIL_MCP_TOKEN']}"}
client = MCPClient(lambda: streamablehttp_client(os.environ["DRRETAIL_MCP_URL"], headers=headers))
with client, contextlib.redirect_stdout(sys.stderr):
    agent = Agent(model=OpenAIModel(model_id="gpt-4.1"), tools=client.list_tools_sync())
    result = agent(json.load(sys.stdin)["instructions"])
print(result)
