"""deepagents with Tavily's own tools, as in its README."""

import json
import sys

from deepagents import create_deep_agent
from langchain_openai import ChatOpenAI
from langchain_tavily import TavilyExtract, TavilySearch

asked = json.load(sys.stdin)
question = f"{asked['query']}\n\nToday is {asked['today']}. Cite the addresses of pages and products."
agent = create_deep_agent(
    model=ChatOpenAI(model="gpt-4.1"),
    tools=[TavilySearch(max_results=6), TavilyExtract()],
    system_prompt="Research and cite.",
)
end = agent.invoke({"messages": [{"role": "user", "content": question}]})
print(end["messages"][-1].text)
