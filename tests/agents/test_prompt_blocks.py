import re

import pytest

from drretail.agents import prompt_blocks
from drretail.agents.prompt_blocks import BLOCKS, agent_prompt
from drretail.agents.registry import BUILT_IN, load_agent
from drretail.prompts import Prompt

WRITERS = {
    "plan_to_function": "plan_to_function",
    "react": "react",
    "hybrid_react": "report",
    "grounded_hybrid": "report",
    "dr3": "main",
}
"""Of each agent, the prompt by which its report is written."""


def prompt_of(agent: str, name: str) -> Prompt:
    return next(prompt for prompt in load_agent(agent).prompts() if prompt.name == name)


@pytest.mark.parametrize("block", BLOCKS)
def test_writers_of_all_agents_are_told_the_same_of_a_report(block: str) -> None:
    text = agent_prompt(prompt_blocks.__file__, block).text
    assert all(prompt_of(agent, name).text.count(text) == 1 for agent, name in WRITERS.items())


@pytest.mark.parametrize(("agent", "name"), WRITERS.items())
def test_a_writer_is_told_of_one_range_of_words_only(agent: str, name: str) -> None:
    assert re.findall(r"\d+ to \d+ words", prompt_of(agent, name).text) == ["600 to 900 words"]


@pytest.mark.parametrize("agent", BUILT_IN)
def test_no_prompt_is_sent_with_a_shared_part_missing(agent: str) -> None:
    left = {name for prompt in load_agent(agent).prompts() for name in re.findall(r"\{\{(\w+)\}\}", prompt.text)}
    assert left <= {"turns", "researchers", "stop"}


@pytest.mark.parametrize("agent", BUILT_IN)
def test_a_role_is_told_once_what_it_is_given(agent: str) -> None:
    """A prompt with another one behind it says twice, in different words, what is known."""
    told = [prompt.text.count("# What you are given") for prompt in load_agent(agent).prompts()]
    assert set(told) <= {0, 1}
    assert not any("said above" in prompt.text for prompt in load_agent(agent).prompts())
