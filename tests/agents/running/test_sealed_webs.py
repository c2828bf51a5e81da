"""A web for each query: who is served what. Tests system.py and env/web/sandbox.py."""

import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from drretail.agents.names import BUILT_IN
from drretail.agents.registry import load_agent
from drretail.agents.running.run import run_systems
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, suts, varied
from drretail.env.web.sandbox import SealedWeb
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiments.experiment import read_definition, run_files, run_path
from drretail.experiments.run_file import read_evidence, read_members
from drretail.llm.registry import build_model
from drretail.records.query import Query
from tests.agents.conftest import QUERY, calls, record, reporting, scripted
from tests.build import files
from tests.sealed import Page, seal

SHOPPER = {"": build_model("offline:shopper")}
SECRET = "Zyxqv"
"""Stands in all labels, keywords and gold."""
OTHER = Query(query_id="q2", text="How do I keep a bird bath clean?", mode="generic", source="test")
PAGES = [
    Page("good", "Bird feeder test", "Clean a bird feeder every two weeks.", "32k", "supportive"),
    Page("old", "Bird feeder news", "A bird feeder needs no cleaning.", "64k", "distractor"),
    Page("far", "Lawn mowers", "Mowers cut grass; a bird feeder does not.", "64k", "noise"),
]
BATHS = [Page("bath", "Bird bath guide", "Scrub a bird bath weekly; no bird feeder is as dirty.", "32k", "supportive")]
LOOK = ("web_search", {"query": "bird feeder"})


@pytest.fixture
def there(world: World, tmp_path: Path) -> World:
    """The tiny shop with a sandbox for two queries."""
    return replace(world, web=SealedWeb(sealed(world, tmp_path / "s")))


def sealed(world: World, to: Path, pages: Sequence[Page] = PAGES) -> Path:
    note = {"note.md": "The feeder hangs in the shade."}
    return seal(to, {"q1": pages, "q2": BATHS}, [QUERY, OTHER], world.manifest, files=note, secret=SECRET)


def labels(systems: Sequence[SystemUnderTest]) -> list[str]:
    return [system.label.removeprefix("react@offline-shopper") for system in systems]


def react(world: World, **values: str) -> list[SystemUnderTest]:
    (plain,) = suts({"react": load_agent("react")}, SHOPPER, world)
    return varied([plain], values, world, [QUERY], cross=True).systems


def served(world: World, system: SystemUnderTest, query: Query = QUERY) -> list[str]:
    """The addresses that a search of this system's brings."""
    model, _ = scripted(calls(LOOK), reporting("None.", ""))
    recorded = record(world, replace(system, models=dict.fromkeys(system.models, model)), query)
    return sorted(str(entry.url)[8:-9] for entry in recorded.evidence if entry.kind == "web")


def test_each_system_is_served_its_part_of_the_querys_own_web(there: World) -> None:
    small, without = react(there, size="32k")[0], react(there, size="64k", compose="no_distractor")[0]
    (whole,) = react(there, size="64k")
    assert served(there, small) == ["good"]
    assert served(there, without) == ["far", "good"]
    assert served(there, whole) == ["far", "good", "old"]
    assert served(there, whole, OTHER) == ["bath"]


def test_a_sandbox_that_has_changed_is_refused(there: World, world: World, tmp_path: Path) -> None:
    run_systems(tmp_path / "exp", Runner(there, "w"), react(there, size="64k"), [QUERY])
    changed = sealed(world, tmp_path / "s", [*PAGES[:2], PAGES[2]._replace(text="Other words.")])
    now = replace(world, web=SealedWeb(changed))
    tallies = run_systems(tmp_path / "exp", Runner(now, "w"), react(now, size="32k"), [QUERY]).tallies
    assert all(tally.is_complete for tally in tallies)
    with pytest.raises(UserError, match=r"another system \(web_corpus\)"):
        run_systems(tmp_path / "exp", Runner(now, "w"), react(now, size="64k"), [QUERY])


def test_no_label_keyword_or_gold_reaches_an_agent_or_its_runs(there: World, tmp_path: Path) -> None:
    to, values = tmp_path / "exp", {"size": "64k", "compose": "all,no_distractor"}
    agents = suts({name: load_agent(name) for name in BUILT_IN}, SHOPPER, there)
    systems = varied(agents, values, there, [QUERY]).systems
    assert all(tally.is_complete for tally in run_systems(to, Runner(there, "w"), systems, [QUERY, OTHER]).tallies)
    packed = files(to)
    held = {name: (gzip.decompress(data) if name.endswith(".gz") else data).decode() for name, data in packed.items()}
    assert [name for name, text in held.items() if SECRET.casefold() in text.casefold()] == []
    for label in read_definition(to).systems:
        read = read_evidence(run_path(to, label, "q1", 1))
        assert any(each.kind == "web" for each in read), f"{label} read none of the pages"
    whole = [path for path in run_files(to) if "-compose-" not in path.parent.name]
    told = [line for path in whole for lines in read_members(path, "journal", "results").values() for line in lines]
    assert told
    assert not any(word in line for line in told for word in ("supportive", "distractor", '"noise"', '"from"'))
