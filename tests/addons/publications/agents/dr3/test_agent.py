"""Retrieval agents, the reader of files, and what makes a system of dr3."""

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.addons.publications.agents.dr3 import agent
from drretail.addons.publications.agents.dr3.agent import file_parts, read_user_files
from drretail.agents.registry import load_agent
from drretail.agents.running.system import files_for, files_hash, suts
from drretail.env.web.sandbox import SealedWeb
from drretail.env.world import World
from drretail.errors import ModelError, UserError
from drretail.experiments.run_file import Recorded
from drretail.llm.prompt import tag_content
from drretail.llm.registry import build_model
from drretail.records.run import Limits
from drretail.reports.render import render_report
from drretail.reports.text.evidence_ids import web_evidence_id
from drretail.tools.registry import TOOLS
from tests.agents.conftest import QUERY, calls, record, reporting, scripted, sut
from tests.agents.hybrid_react.cast import Cast, Script
from tests.sealed import Page, seal
from tests.shop import PAGES

FEEDER = ("product_catalog_search", {"query": "bird feeder", "price_max": 30})
SAID = "Take the tube feeder for $24.99 [P:B0TEST0001]."
REPORT = reporting(SAID, "P:B0TEST0001 x 1")
ORDERS = "date,product,price\n2022-05-01,tube feeder,24.99\n2022-06-02,rain gauge,12.00\n"


def sent(*questions: str) -> AIMessage:
    """A turn of the main agent that sends retrieval agents."""
    return calls(*(("search_sandbox", {"question": question}) for question in questions))


def asked_of(file: str, *questions: str) -> AIMessage:
    """A turn of the main agent that has a file read."""
    return calls(*(("read_file", {"file": file, "question": question}) for question in questions))


def found(answer: str, *quotes: str) -> AIMessage:
    """What the reader says of a file."""
    return AIMessage(json.dumps({"found": True, "answer": answer, "quotes": list(quotes)}))


NOTHING = AIMessage(json.dumps({"found": False, "answer": "", "quotes": []}))


def perform(
    world: World,
    main: Script,
    retriever: Mapping[str, Script] | None = None,
    reader: Script = (),
    *,
    sees: bool = False,
    **given: Any,
) -> tuple[Recorded, Cast]:
    """A run whose main agent plays by turn, its retrievers by turn within a question, and the reader of files by call.

    Where it ``sees``, the reader takes images.
    """
    played = Cast({"researcher": {"": main}, "retriever": retriever or {}})
    reading, played.shown["reader"] = scripted(*reader)
    if sees:
        reading = reading.with_chat(reading.chat.model_copy(update={"profile": {"image_inputs": True}}))
    files = given.pop("files", None)
    return record(world, sut(world, played.models() | {"reader": reading}, "dr3", **given), files=files), played


def told(played: Cast) -> list[dict[str, Any]]:
    """What the main agent was told by its tools."""
    return [json.loads(message.text) for message in played.shown["researcher"][-1].messages if message.type == "tool"]


CLEAN = web_evidence_id(PAGES[0].url)
HOW = "How often is a bird feeder to be cleaned?"
FIRST, SECOND = ("web_search", {"query": "hygiene interval"}), ("web_search", {"query": "clean bird feeder"})
ANSWER = AIMessage(f"Every two weeks [{CLEAN}].")


def test_a_retrieval_agent_sees_its_question_alone_words_it_anew_and_brings_the_pages_it_cites(world: World) -> None:
    recorded, played = perform(world, (sent(HOW), REPORT), {HOW: (calls(FIRST), calls(SECOND), ANSWER)})
    run = recorded.run
    assert (run.status, run.stop, run.failed_branches) == ("done", "finished", ())
    assert [
        (step.path, step.role, (step.args or {})["query"], step.evidence)
        for step in run.steps
        if step.name == "web_search"
    ] == [("0.1", "retriever", "hygiene interval", ()), ("0.1", "retriever", "clean bird feeder", (CLEAN,))]
    (text,) = told(played)
    assert text["answer"] == ANSWER.text
    assert [(page["evidence"], page["url"]) for page in text["pages"]] == [(CLEAN, PAGES[0].url)]
    assert set(run.usage) == {"researcher", "retriever"}
    assert run.tools == ("search_sandbox", "read_file")
    assert played.shown["researcher"][0].tool_names == {*TOOLS, "search_sandbox"}, "there is no file to read"

    system, asked = played.shown["retriever"][0].messages
    assert tag_content("question", asked.text) == HOW
    assert QUERY.text not in asked.text
    assert "at most 4 turns" in system.text
    assert played.shown["retriever"][0].tool_names == {"web_search"}


def test_more_than_may_be_sent_in_one_turn_are_refused_and_without_a_web_nobody_is_sent(world: World) -> None:
    retriever = {"": (calls(SECOND), AIMessage("Every two weeks."))}
    recorded, played = perform(world, (sent(HOW, "b?", "c?"), REPORT), retriever, limits=Limits(researchers=2))
    assert ["error" in each for each in told(played)] == [False, False, True]
    assert [page["evidence"] for page in told(played)[0]["pages"]] == [CLEAN], "all pages, where none is cited"
    assert {step.path for step in recorded.run.steps} == {"0", "0.1", "0.2"}
    assert recorded.run.failed_branches == ()
    _, played = perform(world, (calls(FEEDER), REPORT), options={"without": ["web"]})
    assert played.shown["researcher"][0].tool_names == {*TOOLS} - {"web_search"}


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ((calls(SECOND), ModelError("refusal", "no")), "0.1: refusal: no"),
        ((AIMessage("I know it."), AIMessage("I do.")), "0.1: no_research: nothing was looked up"),
        ((ValueError("a bug"),), "0.1: "),
    ],
)
def test_one_that_fails_is_recorded_and_takes_no_other_down(world: World, script: Script, why: str) -> None:
    recorded, played = perform(world, (sent("a?", HOW), REPORT), {"a?": script, HOW: (calls(SECOND), ANSWER)})
    first, second = told(played)
    assert recorded.run.status == "done"
    assert [branch.startswith(why) for branch in recorded.run.failed_branches] == [True]
    assert first["error"]["type"] == "unavailable"
    assert second["answer"] == ANSWER.text


ROW = "2022-05-01,tube feeder,24.99"
WHEN = "When was the tube feeder bought?"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
CITING = reporting("You bought a tube feeder on 1 May 2022 [F:orders.csv].")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with one for the query, in which there are a table, a picture, and bytes that are no text."""
    own = tmp_path / "files" / QUERY.query_id
    own.mkdir(parents=True)
    (own / "orders.csv").write_text(ORDERS)
    (own / "receipt.png").write_bytes(PNG)
    (own / "manual.pdf").write_bytes(b"%PDF-1.4\0\xff")
    (own / ".hidden").write_text("x")
    return own.parent


def test_a_question_to_a_file_is_answered_with_its_quotes_and_the_file_can_be_cited(world: World, files: Path) -> None:
    answer = found("On 2022-05-01.", ROW, "2019-01-01,tube feeder")
    recorded, played = perform(world, (asked_of("orders.csv", WHEN), CITING), reader=(answer,), files=files)
    run = recorded.run
    (statement,) = told(played)
    assert statement == {
        "evidence": "F:orders.csv",
        "file": "orders.csv",
        "found": True,
        "answers": [{"part": "1 of 1", "answer": "On 2022-05-01.", "quotes": [ROW]}],
    }
    assert run.notes == ("0.1: quotes that orders.csv does not hold were dropped: 1",)
    assert [(citation.evidence_id, citation.type) for citation in run.citations] == [("F:orders.csv", "internal")]
    (entry,) = recorded.evidence
    assert (entry.kind, entry.title, [text.text for text in entry.sources]) == ("file", "orders.csv", [ORDERS])
    assert [(step.path, step.role) for step in run.steps if step.path != "0"] == [("0.1", "reader")]
    assert "(file orders.csv)" in render_report(run.report or "", recorded.evidence).text
    asked = played.shown["reader"][0].messages[1].text
    assert tag_content("question", asked) == WHEN
    assert ROW in asked
    assert QUERY.text not in asked


def test_what_no_model_here_can_read_is_unverifiable(world: World, files: Path) -> None:
    turns = (asked_of("receipt.png", "What did it cost?"), asked_of("manual.pdf", "How is it cleaned?"), REPORT)
    recorded, played = perform(world, turns, files=files)
    assert [text["state"] for text in told(played)] == ["unverifiable"] * 2, "a file that is no text either"
    assert (played.shown["reader"], recorded.evidence) == ([], ())
    assert recorded.run.notes[0] == "0.1: receipt.png is unverifiable: no model here sees images"


def test_a_model_that_sees_is_sent_the_image(world: World, files: Path) -> None:
    turns = (asked_of("receipt.png", "What did it cost?"), REPORT)
    recorded, played = perform(world, turns, reader=(found("$24.99"),), sees=True, files=files)
    (image,) = played.shown["reader"][0].messages[1].content
    assert isinstance(image, dict)
    assert (base64.b64decode(image["base64"]), image["mime_type"]) == (PNG, "image/png")
    assert told(played)[0] == {"evidence": "F:receipt.png", "file": "receipt.png", "found": True, "answer": "$24.99"}
    (entry,) = recorded.evidence
    assert (entry.sources, entry.state) == ((), "no_content")


def test_a_file_that_there_is_not_is_refused_and_a_reader_that_fails_is_recorded(world: World, files: Path) -> None:
    turns = (asked_of("../orders.csv", WHEN), asked_of("orders.csv", WHEN), calls(FEEDER), REPORT)
    recorded, played = perform(world, turns, reader=(AIMessage("no JSON"),) * 3, files=files)
    run = recorded.run
    error = told(played)[0]["error"]
    assert (error["type"], error["allowed"]) == ("invalid_argument", ["manual.pdf", "orders.csv", "receipt.png"])
    assert run.status == "done"
    assert [branch.startswith("0.1: unusable: no usable answer") for branch in run.failed_branches] == [True]


@pytest.mark.parametrize(("longest", "read"), [(240, 4), (80, agent.MOST_PARTS)], ids=["few", "too many"])
def test_telling_parts_of_a_file_are_read_each_with_the_table_s_heading(
    world: World, files: Path, monkeypatch: pytest.MonkeyPatch, longest: int, read: int
) -> None:
    table = "date,product,price\n" + "".join(f"2022-01-{day:02},thing {day},{day}.00\n" for day in range(1, 29))
    (files / QUERY.query_id / "orders.csv").write_text(table)
    monkeypatch.setattr(agent, "file_parts", lambda text, heading: file_parts(text, longest, heading=heading))
    last = len(list(file_parts(table, longest, heading=True)))
    answers = (*[NOTHING] * (read - 1), found("28.00", "2022-01-28,thing 28,28.00"))
    turns = (asked_of("orders.csv", "What did thing 28 cost?"), CITING)
    recorded, played = perform(world, turns, reader=answers, files=files)
    sent = [turn.messages[1].text for turn in played.shown["reader"]]
    assert ["date,product,price" in each for each in sent] == [True] * read
    (statement,) = told(played)
    assert [(each["part"], each["quotes"]) for each in statement["answers"]] == [
        (f"{last} of {last}", ["2022-01-28,thing 28,28.00"])
    ]
    assert statement.get("unread_parts", 0) == last - read
    assert [note.endswith("were not read") for note in recorded.run.notes] == [True] * (last > read)
    assert [step.path for step in recorded.run.steps if step.role == "reader"] == ["0.1"] * read


def test_parts_hold_every_character_once() -> None:
    for text in ("", "a", "ab\n" * 100, "a\n" + "y" * 300 + "\nb\n"):
        parts = list(file_parts(text, 10))
        assert "".join(parts) == text
        assert all(len(part) <= 10 for part in parts), text


SHOPPER = {"": build_model("offline:shopper")}


def label(agent: str, world: World, files: Path | None = None) -> str:
    options = {} if files is None else {"files": files_hash(files)}
    (system,) = suts({agent: load_agent(agent)}, SHOPPER, world, options=options)
    return system.label


def test_files_that_a_sandbox_brings_are_those_of_the_query(world: World, files: Path, tmp_path: Path) -> None:
    pages = {"q1": [Page("good", "Cleaning", "Every two weeks.", "32k", "supportive")]}
    sealed = seal(tmp_path / "sealed", pages, [QUERY], world.manifest, files={"note.md": "Two weeks."})
    there = replace(world, web=SealedWeb(sealed))
    reader = (found("Two weeks.", "Two weeks."),)
    recorded, _ = perform(there, (asked_of("note.md", "How often?"), REPORT), reader=reader)
    assert [entry.id for entry in recorded.evidence] == ["F:note.md"]
    named = label("dr3", there)
    assert named.startswith("dr3@offline-shopper-files-")
    assert label("react", there) == "react@offline-shopper-size-32k"
    with pytest.raises(UserError, match=r"brings the users' files of its queries: leave --files out\."):
        label("dr3", there, files=files)
    (sealed / "tasks/q1/files/note.md").write_text("Three weeks.")
    assert label("dr3", there) != named


def test_no_link_is_followed_out_of_the_user_s_files(tmp_path: Path) -> None:
    secret, files = tmp_path / "secret", tmp_path / "files"
    for folder in (secret, files / "file", files / "own"):
        folder.mkdir(parents=True)
        (folder / "key.txt").write_text("mine", encoding="utf-8")
    (files / "file" / "notes.txt").symlink_to(secret / "key.txt")
    (files / "folder").symlink_to(secret)
    (files / "own" / "notes.txt").symlink_to(files / "own" / "key.txt")
    for linked in ("file", "folder"):
        with pytest.raises(UserError, match="leads out of"):
            read_user_files(files_for(files, linked, alone=False))
    assert [file.text for file in read_user_files(files / "own")] == ["mine", "mine"]
