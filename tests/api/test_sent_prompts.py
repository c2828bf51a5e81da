"""``drretail prompts --as-sent`` shows every prompt as a model gets it."""

import json

import pytest
from typer.testing import CliRunner

from drretail.agents.registry import BUILT_IN, load_agent
from drretail.api.sent_prompts import agents_prompts, as_markdown, judges_prompts
from drretail.cli.app import app
from drretail.eval.judge_prompts import judge_prompt_files
from drretail.prompts import packaged_text


def longest_line(text: str) -> str:
    return max((line for line in text.splitlines() if "{{" not in line), key=len)


@pytest.fixture(scope="module")
def page() -> str:
    return as_markdown(agents_prompts())


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_prompt_of_an_agent_is_on_the_page(name: str, page: str) -> None:
    for prompt in load_agent(name).prompts():
        if prompt.name == "moves":
            assert all(tool["description"] in page for tool in json.loads(prompt.text))
        else:
            assert longest_line(prompt.text) in page, prompt.name


def test_every_prompt_of_the_judges_is_on_their_page_without_data() -> None:
    prompts = judges_prompts()
    page = as_markdown(prompts)
    for name, path in judge_prompt_files().items():
        assert f"`{name}`" in page
        assert longest_line(packaged_text(path)) in page, name
    (rating,) = (prompt for prompt in prompts if "`quality/rating.md`" in prompt.when)
    assert "<report>…</report>" in rating.text
    assert "{{" not in rating.text


def test_the_command_prints_the_prompts_of_one_agent_and_writes_no_files_beside() -> None:
    result = CliRunner().invoke(app, ["prompts", "--as-sent", "--agent", "react", "--json"])
    prompts = json.loads(result.stdout)["prompts"]
    assert prompts[0]["of"] == "`react`"
    assert prompts[0]["text"].startswith("You are the research assistant")
    refused = CliRunner().invoke(app, ["prompts", "--as-sent", "--to", "mine"])
    assert refused.exit_code != 0
    assert "--as-sent prints one page" in str(refused.exception)
