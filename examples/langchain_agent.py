"""LangChain's agent on any of LangChain's chat models.

export MODEL=anthropic:claude-sonnet-5 ANTHROPIC_API_KEY=…
drretail run --agent langchain_agent:agent --queries queries.jsonl --to exp
"""

import os
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model


def agent(tools: Any) -> Any:
    """The agent, which gets the question and how its report is to be. ``models.chat(role)`` in the model's place would
    record, count and cap the model's calls.
    """
    return create_agent(init_chat_model(os.environ["MODEL"]), tools)
