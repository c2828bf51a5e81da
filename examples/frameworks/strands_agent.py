"""Strands Agents with the nine tools over MCP, as in its README."""

import contextlib
import json
import os
import sys

import httpx2
from mcp.client.streamable_http import streamable_http_client
from strands import Agent
from strands.models.openai import OpenAIModel
from strands.tools.mcp import MCPClient

headers = {"Authorization": f"Bearer {os.environ['DRRETAIL_MCP_TOKEN']}"}
web = httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=300))
client = MCPClient(lambda: streamable_http_client(os.environ["DRRETAIL_MCP_URL"], http_client=web))
with client, contextlib.redirect_stdout(sys.stderr):
    agent = Agent(model=OpenAIModel(model_id="gpt-4.1"), tools=client.list_tools_sync())
    result = agent(json.load(sys.stdin)["instructions"])
print(result)
