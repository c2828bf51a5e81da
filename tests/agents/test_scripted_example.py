"""The example of docs/own-agents.md: an agent run by a written script, from the very text that the page shows."""

import asyncio
import re
import textwrap
from pathlib import Path

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.data_ingest.demo import build_shop
from drretail.env.world import open_world
from drretail.llm.registry import open_model
from drretail.progress import choose_progress
from drretail.records.query import Query
from drretail.records.reading import Pick
from tests.build import known

QUERY = Query(query_id="q1", text="Which bird feeder keeps squirrels away?", source="test")
PAGE = (Path(__file__).parents[2] / "docs" / "own-agents.md").read_text()


def block_with(text: str) -> str:
    """The indented block of the page that holds this text."""
    blocks = re.findall(r"(?:^(?:    .*)?\n)+", PAGE, re.MULTILINE)
    return textwrap.dedent(next(block for block in blocks if text in block)).strip() + "\n"


def test_the_list_of_the_page_makes_react_search_open_and_report(tmp_path: Path) -> None:
    script = tmp_path / "answers.toml"
    script.write_text(block_with("# answers.toml"))
    with open_world(build_shop(tmp_path / "demo", choose_progress("none"))) as demo:
        system = SystemUnderTest.of("react", load_agent("react"), {"": open_model(f"scripted:{script}")}, demo)
        assert system.system.models["researcher"].kind == "scripted"
        run = asyncio.run(Runner(demo, "demo").run(system, QUERY)).run
    assert (run.status, run.stop, run.error) == ("done", "finished", None)
    assert [step.name for step in run.steps if step.kind == "tool"] == ["product_catalog_search", "get_product_details"]
    assert [citation.evidence_id for citation in run.citations][:1] == ["P:B0I5TPX7F1"]
    assert run.picks == (Pick(product="B0I5TPX7F1"),)
    assert "Take the tube feeder for $22.99" in known(run.report)
