"""docs/prompts.md shows every prompt as it is sent."""

import json

import pytest

from drretail.agents import prompt_blocks
from drretail.agents.prompt_blocks import BLOCKS, agent_prompt
from drretail.agents.registry import BUILT_IN, load_agent
from scripts.write_prompts_page import PAGE, page


@pytest.fixture(scope="module")
def written() -> str:
    return page()


def test_the_page_is_in_step_with_the_prompts(written: str) -> None:
    assert PAGE.read_text(encoding="utf-8") == written, "python -m scripts.write_prompts_page writes it anew"


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_prompt_of_an_agent_is_on_the_page(name: str, written: str) -> None:
    for prompt in load_agent(name).prompts():
        if prompt.name == "moves":
            assert all(tool["description"] in written for tool in json.loads(prompt.text))
        else:
            assert max((line for line in prompt.text.splitlines() if "{{" not in line), key=len) in written, prompt.name


@pytest.mark.parametrize("block", BLOCKS)
def test_shared_parts_are_on_the_page_for_every_writer(block: str, written: str) -> None:
    text = agent_prompt(prompt_blocks.__file__, block).text.rstrip()
    assert written.count(text) >= len(("plan_to_function", "react", "hybrid_react", "grounded_hybrid", "dr3"))
