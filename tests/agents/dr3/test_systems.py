"""What makes a system of dr3: whose files it reads, what ranks its pages, and that its runs are replayed."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.messages import AIMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, definition, suts, system_options
from drretail.agents.user_files import files_for
from drretail.env.session import Session, fresh
from drretail.env.web.base import Web, WebPage, WebResult
from drretail.env.web.dense import Retrievers
from drretail.env.web.sealed import SealedWeb
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiment import Experiment, run_folder
from drretail.llm.registry import open_model
from drretail.records.run import Run
from tests.agents.conftest import QUERY, calls
from tests.agents.dr3.cast import ORDERS, REPORT, Cast, asked_of, found, perform, sent
from tests.sealed import Page, seal

SHOPPER = {"": open_model("offline:shopper")}
DENSE = {"retriever": "dense:fake:one"}
SEARCH = calls(("web_search", {"query": "hygiene"}))


class Alike(Embeddings):
    """Everything is near to everything."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    (folder / "q1").mkdir(parents=True)
    (folder / "q1" / "orders.csv").write_text(ORDERS)
    return folder


def label(agent: str, world: World, **given: Any) -> str:
    (system,) = suts({agent: load_agent(agent)}, SHOPPER, world, options=system_options((), **given))
    return system.label


def test_retriever_and_files_are_part_of_the_label(world: World, files: Path) -> None:
    assert label("dr3", world) == "dr3@offline-shopper"
    assert label("dr3", world, retriever="dense:offline:words") == ("dr3@offline-shopper-retriever-dense-offline-words")
    named = label("dr3", world, files=files)
    (files / "q1" / "orders.csv").write_text("changed")
    assert named.startswith("dr3@offline-shopper-files-")
    assert label("dr3", world, files=files) != named


def test_files_are_no_part_of_a_system_that_does_not_read_them(world: World, files: Path) -> None:
    assert label("react", world, files=files) == "react@offline-shopper"


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    for folder, why in ((tmp_path, "holds no file"), (tmp_path / "none", "is no folder")):
        with pytest.raises(UserError, match=why):
            system_options((), files=folder)


def test_a_web_without_fixed_pages_takes_no_dense_retriever(world: World) -> None:
    class Live:
        provider, corpus = "live", None

        def search(self, query: str, k: int) -> list[WebResult]: ...
        def fetch(self, url: str) -> WebPage: ...

    live: Web = Live()
    with pytest.raises(UserError, match="live has none"):
        label("dr3", replace(world, web=live), retriever="dense:offline:words")


def test_files_of_a_query_lie_in_its_folder_and_those_of_a_lone_question_in_the_folder_itself(files: Path) -> None:
    assert files_for(files, "q1", alone=False) == files / "q1"
    assert files_for(files, "q2", alone=False) is None
    assert files_for(files / "q1", "ask-1", alone=True) == files / "q1"
    assert files_for(None, "q1", alone=True) is None


def test_files_that_a_sandbox_brings_are_those_of_the_query_and_part_of_the_label(world: World, tmp_path: Path) -> None:
    pages = {"q1": [Page("good", "Cleaning", "Every two weeks.", "32k", "supportive")]}
    sealed = seal(tmp_path, pages, [QUERY], world.manifest, files={"note.md": "Two weeks."})
    actors = Cast((asked_of("note.md", "How often?"), REPORT), reader=(found("Two weeks.", "Two weeks."),))
    there = replace(world, web=SealedWeb(sealed))
    recorded = perform(there, actors)
    assert [entry.id for entry in recorded.evidence] == ["F:note.md"]
    named = label("dr3", there)
    assert named.startswith("dr3@offline-shopper-files-")
    assert label("react", there) == "react@offline-shopper-size-32k"
    (sealed / "tasks/q1/files/note.md").write_text("Three weeks.")
    assert label("dr3", there) != named


def test_files_beside_a_sandbox_are_refused_where_it_brings_some(world: World, files: Path, tmp_path: Path) -> None:
    pages = {"q1": [Page("good", "Cleaning", "Every two weeks.", "32k", "supportive")]}
    without = replace(world, web=SealedWeb(seal(tmp_path / "s", pages, [QUERY], world.manifest)))
    assert "-files-" in label("dr3", without, files=files)
    actors = Cast((asked_of("orders.csv", "When?"), REPORT), reader=(AIMessage(DATED),))
    assert [entry.id for entry in perform(without, actors, files).evidence] == ["F:orders.csv"]
    seal(tmp_path / "s", pages, [QUERY], world.manifest, files={"note.md": "Two weeks."})
    for agent in ("dr3", "react"):
        with pytest.raises(UserError, match=r"brings the users' files of its queries: leave --files out\."):
            label(agent, replace(world, web=SealedWeb(tmp_path / "s")), files=files)


def test_another_session_of_the_same_user_has_the_same_files(world: World, files: Path) -> None:
    assert fresh(Session(world, files=files)).files == files


def ran(world: World, to: Path, runner: Runner, cast: Cast) -> Run:
    player = SystemUnderTest.of("dr3", load_agent("dr3"), cast.models(), world, options=DENSE)
    with Experiment(to, definition(world, (QUERY,), [player], "42")) as experiment:
        return asyncio.run(runner.run_into(experiment, player, QUERY))


def test_a_run_with_dense_retrieval_is_replayed_without_embeddings(world: World, tmp_path: Path) -> None:
    def played() -> Cast:
        return Cast((sent("How?"), REPORT), {"": (SEARCH, AIMessage("Every two weeks."))})

    def refused(spec: str) -> Embeddings:
        raise AssertionError(f"{spec} was opened")

    first = played()
    made = ran(world, tmp_path / "a", Runner(world, "w", retrievers=Retrievers(lambda spec: Alike())), first)
    assert [page["title"] for page in first.told()[0]["pages"]] == ["Cleaning"], "no word of the query stands there"
    again = Runner(world, "w", retrievers=Retrievers(refused), replay=tmp_path / "a")
    assert ran(world, tmp_path / "b", again, played()) == made
    assert (run_folder(tmp_path / "a", made.system, "q1", 1) / "journal.jsonl.gz").exists()


DATED = json.dumps({"found": True, "answer": "In May.", "quotes": ["2022-05-01,tube feeder,24.99"]})
