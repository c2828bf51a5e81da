"""LangChain's open_deep_research with Tavily, as in its README."""

import asyncio
import contextlib
import json
import sys

from langchain_core.messages import HumanMessage
from open_deep_research.deep_researcher import deep_researcher

asked = json.load(sys.stdin)
question = f"{asked['query']}\n\nToday is {asked['today']}."
models = dict.fromkeys(("research_model", "summarization_model", "compression_model", "final_report_model"))
config = dict.fromkeys(models, "openai:gpt-4.1") | {"search_api": "tavily", "allow_clarification": False}
with contextlib.redirect_stdout(sys.stderr):
    end = asyncio.run(deep_researcher.ainvoke({"messages": [HumanMessage(question)]}, {"configurable": config}))
print(end["final_report"])
