"""smolagents' CodeAgent with its own search and page reader, as in its README."""

import contextlib
import json
import os
import sys

from smolagents import CodeAgent, OpenAIServerModel, VisitWebpageTool, WebSearchTool

asked = json.load(sys.stdin)
question = f"{asked['query']}\n\nToday is {asked['today']}. Cite the addresses of pages and products."
with contextlib.redirect_stdout(sys.stderr):
    model = OpenAIServerModel("gpt-4.1", api_base=os.environ["OPENAI_BASE_URL"], api_key=os.environ["OPENAI_API_KEY"])
    agent = CodeAgent(tools=[WebSearchTool(), VisitWebpageTool()], model=model, max_steps=6)
    report = agent.run(question)
print(report)
