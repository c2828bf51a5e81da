"""What was edited in an experiment's folder is found, and said with its file and what to do next."""

import gzip
import json
import os
import re
import shutil
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from drretail.eval.check_results import Checklist, Verification
from drretail.eval.verification import first_failure

from drretail import Agent, Answer, metric, open_world, report, run, score, verify
from drretail.agents.information import client_hashes
from drretail.agents.running.client_runs import save_runs
from drretail.agents.running.runner import recorded_in
from drretail.api.verify import check_queries, offline_embeddings
from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import ToolError, UserError
from drretail.eval.method import judge_prompt_files
from drretail.experiment import (
    SEALS,
    Definition,
    Experiment,
    entitle,
    read_definition,
    read_evidence,
    read_results,
    read_run,
    read_runs,
)
from drretail.files import pack, read_json, read_jsonl, write_json, write_lines
from drretail.grounding.report.citations import find_citations
from drretail.journal import digest_of
from drretail.llm.models import Models
from drretail.packs import PACKS, pack_below, unpack_below
from drretail.querygen.reading import WORLD, shipped_queries
from drretail.records.base import canonical_json, sha256_of
from drretail.records.query import Query, Task
from drretail.records.run import INSPECT_AGENT, Limits, RoleModel, System, Usage
from drretail.records.wish import Want, Wish
from drretail.tools.toolkit import Toolkit
from tests import build
from tests.build import build_world
from tests.cli.commands import Command
from tests.shop import ORDERS, PRODUCTS, USER, build_shop

WISH = Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),))
QUERIES = [
    Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="test", wish=WISH),
    Query(query_id="q2", user_id=USER, text="Which tray should I buy?", source="test"),
]
REACT, OWN = "react@offline-shopper", "looking"
RUN = f"runs/{REACT}/q1-r1"
OWN_RUN = f"runs/{OWN}/q1-r1"
JOURNAL, EVIDENCE, RESULTS = (f"{RUN}/{name}.jsonl.gz" for name in ("journal", "evidence", "results"))
CHECKS, PROCESS = (f"verdicts/{metric}/code/{REACT}/q1-r1.jsonl" for metric in ("checks", "process"))
JUDGE, OTHER_JUDGE = "verdicts/faithfulness/offline-judge", "faithfulness/openai-gpt-5"
VERDICTS, ASKED = f"{JUDGE}/{REACT}/q1-r1.jsonl", f"{JUDGE}/{REACT}/q1-r1.journal.jsonl"
NOTES, BASKET, READING = f"runs/{REACT}/notes", "rubrics/basket/q1.json", f"readings/declared/{REACT}/q1-r1.json"
Edit = Callable[[Path], object]
Way = Callable[[Path, World], object]


async def looking(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    with Toolkit(session) as toolkit:
        toolkit.call("product_catalog_search", {"query": "feeder"})
    return Answer(report="A feeder.", picks=())


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Generator[World]:
    with open_world(build_shop(tmp_path_factory.mktemp("shop") / "w")) as opened:
        yield opened


@pytest.fixture(scope="module")
def honest(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two queries, answered by react and by an agent of one's own, and judged."""
    folder = tmp_path_factory.mktemp("made") / "exp"
    agents = {"react": "react", OWN: Agent(looking, roles=())}
    run(world, QUERIES, agents, to=folder, baselines=False)
    score(folder, ["faithfulness", "checks", "process"], world=world)
    return folder


@pytest.fixture
def exp(honest: Path, tmp_path: Path) -> Path:
    """As older versions left it: with no packs, so that each file can be edited."""
    folder = shutil.copytree(honest, tmp_path / "exp")
    unpack_below(folder)
    return folder


def edit(path: Path, change: Callable[[Any], object]) -> None:
    """Changes what a file holds: one value, or a list of lines."""
    value = list(read_jsonl(path)) if ".jsonl" in path.name else read_json(path)
    change(value)
    write_lines(path, map(canonical_json, value)) if isinstance(value, list) else write_json(path, value)


def of_file(name: str, change: Callable[[Any], object]) -> Edit:
    return lambda folder: edit(folder / name, change)


def of_run(change: Callable[[Any], object]) -> Edit:
    return of_file(f"{RUN}/run.json", change)


def of_experiment(change: Callable[[Any], object]) -> Edit:
    return of_file("experiment.json", change)


def of_text(name: str, old: str, new: str) -> Edit:
    """Replaces the first such text of a file, which may be none of JSON's afterwards."""

    def edited(folder: Path) -> None:
        path = next(folder.glob(name))
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        changed = re.sub(old, new, text, count=1).encode()
        path.write_bytes(pack(changed) if path.suffix == ".gz" else changed)

    return edited


def twice(name: str) -> Edit:
    """A key that stands twice in the first object of a file; the second value counts."""
    return of_text(name, "{", '{"format": 7,')


def calls(lines: list[Any]) -> list[Any]:
    return [line for line in lines if line["kind"] == "model"]


def rewrite(folder: Path, old: str, new: str) -> None:
    """Replaces a text wherever the run holds it: in results, steps and requests, with all hashes."""

    def in_journal(lines: list[Any]) -> None:
        for line in calls(lines):
            for message in line["request"]["messages"]:
                message["content"] = new if message["content"] == old else message["content"]
            line["key"] = ":".join([digest_of("model", canonical_json(line["request"])), *line["key"].split(":")[1:]])

    def in_run(value: Any) -> None:
        for step in value["steps"]:
            if step.get("result_sha") == sha256_of(old):
                step["result_sha"] = sha256_of(new)

    def in_results(lines: list[Any]) -> None:
        for line in lines:
            if line["text"] == old:
                line.update(text=new, sha256=sha256_of(new))
        lines.sort(key=lambda line: line["sha256"])

    edit(folder / JOURNAL, in_journal)
    edit(folder / RESULTS, in_results)
    edit(folder / RUN / "run.json", in_run)


def forged_result(folder: Path) -> None:
    texts = [line["text"] for line in read_jsonl(folder / RESULTS)]
    old = next(text for text in texts if '"price":' in text)
    rewrite(folder, old, old.replace('"price":', '"price":9', 1))


def without_query(folder: Path) -> None:
    edit(folder / "experiment.json", lambda value: value["queries"].pop())
    for path in folder.glob("runs/*/q2-r1"):
        shutil.rmtree(path)


def another_score(value: Any) -> None:
    value["scores"][0]["rows"][0].update(value=0.123)


def first_call(value: Any) -> Any:
    return next(step for step in value["steps"] if step["kind"] == "tool")


def counting(folder: Path, tokens: int) -> None:
    """All calls of a run take that many tokens, in its journal and in what it counts."""

    def taken(lines: list[Any]) -> None:
        for line in calls(lines):
            line["usage"].update(input_uncached=tokens, output=0)

    def counted(value: Any) -> None:
        for used in value["usage"].values():
            used.update(input_uncached=tokens * used["calls"], output=0)

    edit(folder / JOURNAL, taken)
    edit(folder / RUN / "run.json", counted)


def of_other_prompts(folder: Path) -> None:
    """The hash of no prompt, in experiment.json and in all runs, as an excuse for other picks."""

    def renamed(hashes: Any) -> None:
        hashes.update(dict.fromkeys(hashes, "0" * 16))

    edit(folder / "experiment.json", lambda value: renamed(value["prompt_hashes"][REACT]))
    for path in folder.glob(f"runs/{REACT}/*/run.json"):
        edit(path, lambda value: renamed(value["prompt_hashes"]))
    edit(folder / RUN / "run.json", lambda value: value.update(picks=[]))


def failed_by_a_server(folder: Path) -> None:
    """One step that no server answered, as an excuse for another result of another step."""
    forged_result(folder)
    of_run(lambda value: first_call(value).update(error="unavailable: no answer"))(folder)


def flipped(lines: list[Any]) -> None:
    line = next(line for line in lines if line["stage"] == "support")
    line.update(state="scored", value=0.0, reason="edited")


def of_judge(folder: Path, change: Callable[[list[Any]], object]) -> None:
    """Edits each verdict file of the judge, and makes scores.json anew."""
    for path in folder.glob("verdicts/faithfulness/offline-judge/*/*-r1.jsonl"):
        edit(path, change)
    (folder / "scores.json").unlink()
    score(folder, ["checks"])


def without_journals(folder: Path) -> None:
    """Verdicts of a judge that was never asked: renamed, and without what it answered."""
    judge = {"spec": "openai:gpt-5", "kind": "llm", "params_hash": ""}
    for path in folder.glob("verdicts/faithfulness/*/*/*.journal.jsonl"):
        path.unlink()
    of_judge(folder, lambda lines: [line.update(judge=judge) for line in lines])
    place = folder / "verdicts" / "faithfulness"
    (place / "offline-judge").rename(folder / "verdicts" / OTHER_JUDGE)


def asked_again(folder: Path) -> None:
    of_judge(folder, lambda lines: lines.extend([{**line, "attempt": 2, "reason": "edited"} for line in lines]))


def of_live_pages(folder: Path) -> None:
    (folder / "verdicts" / "live_pages.journal.jsonl").write_text("")
    of_judge(folder, lambda lines: [line.update(reason="edited") for line in lines])


def without_world(folder: Path) -> None:
    for path in [folder / "experiment.json", *folder.glob("runs/*/*/run.json")]:
        edit(path, lambda value: value.pop("world_fingerprint"))


def forged_ledger(lines: list[Any]) -> None:
    """A price as the report wants it, under its own hash."""
    text = next(text for line in lines for text in line["texts"] if '"price":' in text["text"])
    text["text"] = text["text"].replace('"price":', '"price":9', 1)
    text["sha256"] = sha256_of(text["text"])


def fails(found: Verification) -> dict[str, str]:
    """By check, the first file that fails it."""
    return {check.check: check.failed[0].file for check in found.checks if check.failed}


def test_what_was_left_as_it_was_made_fails_nothing_in_packs_and_outside(exp: Path, honest: Path, world: World) -> None:
    assert not list(honest.glob("verdicts/*/*/*/*.jsonl"))
    assert fails(verify(honest, world)) == {}
    before = {path: path.read_bytes() for path in exp.rglob("*") if path.is_file()}
    found = verify(exp, world)
    assert found.passes, [mismatch.line for mismatch in found.failures]
    states = {check.check: check.state for check in found.checks}
    assert {name for name, state in states.items() if state == "not_checkable"} == {"replay"}
    (left,) = {mismatch.reason for mismatch in found.checks[2].unchecked}
    assert left == f"the agent {OWN} is not one of the package's"
    assert [check.check for check in found.checks if not check.checked] == ["votes"]
    assert {path: path.read_bytes() for path in exp.rglob("*") if path.is_file()} == before


CHEAP: dict[str, tuple[Edit, str]] = {
    "report": (of_run(lambda value: value.update(report=f"{value['report']} Good.")), "run.json: report_sha is"),
    "usage": (of_run(lambda value: value["usage"]["researcher"].update(output=1)), "counts other tokens"),
    "pick": (of_run(lambda value: value.update(picks=[{"product": "B0TEST0009"}])), "no answer declares the pick"),
    "citation": (of_run(lambda value: value["citations"].pop()), "run.json: citations is"),
    "place": (of_run(lambda value: value.update(query_id="q2")), "run.json: the run's place is"),
    "world": (of_run(lambda value: value.update(world_fingerprint="0" * 64)), "world_fingerprint is"),
    "prompts": (of_run(lambda value: value["prompt_hashes"].update(react="0")), "prompt_hashes is"),
    "evidence": (of_file(EVIDENCE, lambda lines: lines[0]["texts"][0].update(text="x")), "another hash"),
    "unbrought": (of_file(EVIDENCE, lambda lines: lines.append({**lines[0], "id": "P:B0X"})), "no step"),
    "result": (of_file(RESULTS, lambda lines: lines[0].update(text="x")), "has another text"),
    "journal": (
        of_file(JOURNAL, lambda lines: calls(lines)[0]["request"].update(model="openai:x")),
        "the key of a request is not its hash",
    ),
    "no journal": (lambda folder: (folder / JOURNAL).unlink(), "its journal is missing"),
    "unreadable": (lambda folder: (folder / RUN / "run.json").write_text("{"), "(char 1)). Restore, mend"),
    "outage": (
        of_run(lambda value: first_call(value).update(error="timeout: no answer within 30 seconds.")),
        "a call that a server is said to have failed has an answer",
    ),
    "imported": (
        of_experiment(lambda value: value["systems"][REACT].update(agent="imported")),
        "it is said to be imported, and has a journal",
    ),
    "label": (of_experiment(lambda value: value["systems"][REACT].update(scope="any")), "a system's label is"),
    "an unknown count": (
        of_file(JOURNAL, lambda lines: calls(lines)[0]["usage"].update(thought=1)),
        "1 validation error for Usage",
    ),
    "no parameters": (
        of_file(JOURNAL, lambda lines: calls(lines)[0]["request"].update(params=None)),
        "has no attribute 'items'",
    ),
    "no number": (of_text(JOURNAL, '"request":{', '"request":{"x":1e999,'), "Out of range"),
    "negative usage": (lambda folder: counting(folder, -1), "fewer tokens than none"),
}


@pytest.mark.parametrize("name", CHEAP)
def test_a_folder_that_contradicts_itself_is_told_of_without_the_world(name: str, exp: Path) -> None:
    change, expected = CHEAP[name]
    assert not first_failure(exp)
    (exp / SEALS).unlink(missing_ok=True)  # else it says first that the file was edited
    change(exp)
    told = first_failure(exp)
    assert expected in told
    assert "drretail verify" in told


@pytest.mark.parametrize("name", ["experiment.json", "gold.jsonl", BASKET])
def test_what_differs_from_what_was_run_is_told_first(name: str, exp: Path) -> None:
    text = (exp / name).read_text(encoding="utf-8")
    (exp / name).write_text(text.replace("feeder", "bath"), encoding="utf-8")
    assert first_failure(exp).startswith(f"{name}: it differs from what was run")


def test_baskets_are_made_anew_when_the_experiment_is_scored(exp: Path, world: World) -> None:
    made = (exp / BASKET).read_bytes()
    edit(exp / BASKET, lambda value: value.update(sha256="0"))
    score(exp, ["basket"], world=world)
    assert (exp / BASKET).read_bytes() == made
    assert not first_failure(exp)


DEEP: dict[str, tuple[Edit, str, str]] = {
    "a query that is asked twice": (
        of_experiment(lambda value: value["queries"].append(value["queries"][0])),
        "plan",
        "experiment.json",
    ),
    "a folder that is no run": (lambda folder: shutil.copytree(folder / RUN, folder / NOTES), "plan", NOTES),
    "a value that is no number": (of_text(PROCESS, '"value":[^,}]+', '"value":NaN'), "verdicts", "verdicts"),
    "a key that stands twice in the scores": (twice("scores.json"), "scores", "scores.json"),
    "a key that stands twice in times": (twice(f"{RUN}/telemetry.json"), "records", f"{RUN}/telemetry.json"),
    "another question under the key of the one that was put": (
        of_text(ASKED, '"messages":', '"messages":[],"asked":'),
        "verdicts",
        ASKED,
    ),
    "the hashes of prompts": (of_other_prompts, "replay", f"{RUN}/run.json"),
    "a key that stands twice in a run": (twice(f"{RUN}/run.json"), "replay", f"{RUN}/run.json"),
    "a forged result beside a step that no server answered": (failed_by_a_server, "tools", f"{RUN}/run.json"),
    "a forged tool result with all that follows": (forged_result, "tools", RESULTS),
    "a run": (lambda folder: shutil.rmtree(folder / RUN), "plan", RUN),
    "a query": (without_query, "plan", "rubrics/basket/q2.json"),
    "a judge's verdict": (of_file(VERDICTS, flipped), "verdicts", VERDICTS),
    "verdicts of a run": (lambda folder: (folder / CHECKS).unlink(), "verdicts", CHECKS),
    "a verdict taken out": (of_file(VERDICTS, lambda lines: lines.pop()), "verdicts", VERDICTS),
    "a verdict by code": (of_file(CHECKS, lambda lines: lines[0].update(reason="edited")), "verdicts", CHECKS),
    "a score": (of_file("scores.json", another_score), "scores", "scores.json"),
    "the gold basket": (of_file(BASKET, lambda value: value.update(sha256="0")), "versions", BASKET),
    "a basket that is taken out": (lambda folder: (folder / BASKET).unlink(), "versions", BASKET),
    "a decision that is taken away": (
        lambda folder: edit(
            folder / BASKET,
            lambda value: value["undecided"].update({f"{REACT}/q1-r1": read_run(folder / RUN).report_sha}),
        ),
        "versions",
        BASKET,
    ),
    "gold in a query's text": (
        of_experiment(lambda value: value["queries"][0].update(text="Buy P:B0X.")),
        "replay",
        f"{RUN}/run.json",
    ),
    "an own agent's tool result": (
        of_file(f"{OWN_RUN}/run.json", lambda value: value["steps"][0].update(args={"query": "tray"})),
        "tools",
        f"{OWN_RUN}/run.json",
    ),
    "an own agent's ledger": (
        lambda folder: edit(folder / OWN_RUN / "evidence.jsonl.gz", forged_ledger),
        "tools",
        f"{OWN_RUN}/evidence.jsonl.gz",
    ),
    "verdicts without a journal": (without_journals, "verdicts", f"verdicts/{OTHER_JUDGE}/{OWN}/q1-r1.jsonl"),
    "a second answer of a judge that follows rules": (asked_again, "verdicts", f"{JUDGE}/{OWN}/q1-r1.jsonl"),
    "verdicts that are said to be of live pages": (of_live_pages, "verdicts", f"{JUDGE}/{OWN}/q1-r1.jsonl"),
    "a reading": (of_file(READING, lambda value: value.update(seen=99)), "verdicts", READING),
    "the world's name": (without_world, "versions", "experiment.json"),
}


@pytest.mark.parametrize("name", DEEP)
def test_what_follows_from_journals_world_and_verdicts_is_made_again(name: str, exp: Path, world: World) -> None:
    change, check, file = DEEP[name]
    change(exp)
    found = verify(exp, world)
    assert fails(found).get(check) == file, [mismatch.line for mismatch in found.failures]
    assert all(mismatch.reason and mismatch.advice.endswith(".") for mismatch in found.failures)


@pytest.mark.parametrize("name", ["a judge's verdict", "a verdict taken out", "a verdict by code", "verdicts of a run"])
def test_an_edit_inside_a_pack_is_found_as_one_outside(name: str, exp: Path, world: World) -> None:
    change, check, file = DEEP[name]
    change(exp)
    pack_below(exp / "verdicts")
    assert fails(verify(exp, world)).get(check) == file


def test_a_damaged_pack_is_found(exp: Path, world: World) -> None:
    pack_below(exp / "verdicts")
    path = next(exp.glob(f"verdicts/*/*/*/{PACKS[0]}"))
    path.write_bytes(path.read_bytes()[:-9])
    assert "verdicts" in fails(verify(exp, world))
    forged_result(exp)
    assert {"tools", "verdicts"} <= fails(verify(exp, world)).keys()


@pytest.mark.parametrize("lost", ["evidence.jsonl.gz", "run.json"])
def test_of_a_run_that_cannot_be_read_its_own_files_fail_and_what_rests_on_them_is_left(
    lost: str, exp: Path, world: World
) -> None:
    (exp / RUN / lost).write_text("{", encoding="utf-8") if lost == "run.json" else (exp / RUN / lost).unlink()
    found = verify(exp, world)
    assert {(check.check, Path(each.file).parts[0]) for check in found.checks for each in check.failed} <= {
        ("records", "runs"),
        ("replay", "runs"),
    }
    left = {check.check for check in found.checks if any("can't be read" in each.reason for each in check.unchecked)}
    assert (found.passes, "verdicts" in left) == (False, True)


def test_an_own_metric_hides_no_edit_of_the_packages_scores(exp: Path, world: World) -> None:
    def letters(run: Any) -> float:
        return len(run.report or "")

    score(exp, [metric(letters)], world=world)
    assert fails(verify(exp, world)) == {}
    edit(exp / "scores.json", another_score)
    assert fails(verify(exp, world)) == {"scores": "scores.json"}


def test_a_judge_in_own_words_is_asked_again_in_the_words_that_are_kept(exp: Path, world: World) -> None:
    own = exp.parent / "mine" / "faithfulness" / "support.md"
    own.parent.mkdir(parents=True)
    own.write_text(f"{judge_prompt_files()['faithfulness/support.md'].read_text(encoding='utf-8')}\nBe brief.\n")
    score(exp, ["faithfulness"], world=world, prompts=own.parents[1])
    unpack_below(exp)
    assert {check.check: check.state for check in verify(exp, world).checks}["verdicts"] == "pass"
    (path,) = exp.glob(f"verdicts/faithfulness/offline-judge-prompts-mine-*/{REACT}/q1-r1.jsonl")
    edit(path, flipped)
    assert fails(verify(exp, world))["verdicts"] == str(path.relative_to(exp))


def failed(call: Any) -> None:
    """A run that is lost to a provider counts less than a bad one."""
    del call["response"], call["usage"]
    call["error"] = {"class": "ModelError", "kind": "timeout", "message": "no answer"}


def praised(call: Any) -> None:
    call["response"]["content"] = f"It is the best.\n\n{call['response']['content']}"


@pytest.mark.parametrize(("change", "status"), [(failed, "failed"), (praised, "done")])
def test_another_end_of_a_model_that_follows_rules_is_told_though_all_that_follows_was_made_anew(
    change: Callable[[Any], None], status: str, exp: Path, world: World
) -> None:
    edit(exp / JOURNAL, lambda lines: change(calls(lines)[-1]))
    again = exp.parent / "again"
    run(world, QUERIES, ["react"], to=again, replay=exp, baselines=False)
    shutil.copytree(again / RUN, exp / RUN, dirs_exist_ok=True)
    assert read_json(exp / RUN / "run.json")["status"] == status
    assert fails(verify(exp, world))["replay"] == f"{RUN}/run.json"


def test_a_run_that_a_server_failed_is_left_open(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    perform = Toolkit._perform  # pyright: ignore[reportPrivateUsage]

    def fails_once(toolkit: Toolkit, launch: Any) -> Any:
        if launch.name == "get_user_orders":
            raise ToolError("unavailable", "The shop's server gave no answer.")
        return perform(toolkit, launch)

    with monkeypatch.context() as patched:
        patched.setattr(Toolkit, "_perform", fails_once)
        run(world, QUERIES[:1], ["react"], to=tmp_path / "exp", baselines=False)
    found = verify(tmp_path / "exp", world)
    assert found.passes, [mismatch.line for mismatch in found.failures]
    reasons = {mismatch.reason for check in found.checks for mismatch in check.unchecked if check.check == "replay"}
    assert reasons == {"a server failed it, and now answers: another run follows"}
    forged_result(tmp_path / "exp")
    assert fails(verify(tmp_path / "exp", world)) == {"tools": f"{RUN}/run.json"}


def test_queries_have_to_be_as_they_were_published_or_as_they_ship(exp: Path, world: World, tmp_path: Path) -> None:
    def reasons(definition: Definition, published: list[Query] | None = None) -> list[str]:
        checklist = Checklist()
        check_queries(definition, published, checklist)
        return [mismatch.reason for failed in checklist.failed.values() for mismatch in failed]

    definition = read_definition(exp)
    assert reasons(definition, QUERIES) == []
    fewer = definition.model_copy(update={"asked": {REACT: ("q1",)}})
    assert reasons(fewer, QUERIES) == [f"{REACT} was not asked the query q2"]
    (first, second), shipped = QUERIES, shipped_queries("dev")[0]
    easier = shipped.model_copy(update={"query_id": "dev-1"})
    of_the_demo = Definition(world_fingerprint=WORLD, queries=(shipped, easier))
    assert reasons(of_the_demo) == ["the query dev-1 says that it ships with drretail, and does not"]
    others = [first.model_copy(update=update) for update in ({"kind": "gift"}, {"query_id": "q3"})]
    others.append(second.model_copy(update={"wish": WISH}))
    write_lines(tmp_path / "q.jsonl", (query.as_line() for query in others))
    found = {mismatch.reason for mismatch in verify(exp, world, queries=tmp_path / "q.jsonl").failures}
    assert found == {
        "the query q3 was left out",
        "the kind of the query q1 is not as it was published",
        "the gold of a query is missing: q2",
    }


def test_gold_and_profiles_may_be_missing_until_all_runs_are_there(exp: Path, world: World) -> None:
    profile = next(exp.glob("profiles/*.json"))
    profile.unlink()
    edit(exp / "experiment.json", lambda value: value.update(categories={}))
    for name in ("gold.jsonl", "scores.json", SEALS):
        (exp / name).unlink()
    for name in ("rubrics", "verdicts"):
        shutil.rmtree(exp / name)
    missing = {"gold.jsonl", f"profiles/{profile.name}"}
    assert {mismatch.file for mismatch in verify(exp, world, queries=QUERIES).failures} == missing
    shutil.rmtree(exp / RUN)
    found = verify(exp, world, queries=QUERIES)
    assert found.passes, [mismatch.line for mismatch in found.failures]
    assert {mismatch.file for mismatch in found.checks[0].unmade} == missing


def test_another_world_and_one_that_was_edited_fail(exp: Path, world: World, tmp_path: Path) -> None:
    assert world.folder is not None
    copy = shutil.copytree(world.folder, tmp_path / "w")
    database = next(copy.rglob("shop.sqlite"))
    import sqlite3

    with sqlite3.connect(database) as db:
        db.execute("UPDATE products SET record = replace(record, '\"price\"', '\"prise\"')")
    found = verify(exp, copy)
    assert fails(found)["versions"] == "experiment.json"
    assert any("its world has been changed" in mismatch.reason for mismatch in found.failures)
    edit(exp / "experiment.json", lambda value: value.update(world_fingerprint=WORLD))
    found = verify(exp, world.folder)
    assert any("it names the world" in mismatch.reason for mismatch in found.failures)
    assert {check.check for check in found.checks if check.unchecked} >= {"replay", "tools", "verdicts"}


def second_agent(*metrics: str) -> Way:
    def ran(folder: Path, world: World) -> None:
        run(world, QUERIES, ["plan_to_function"], to=folder, baselines=False)
        if metrics:
            score(folder, metrics, world=world)

    return ran


def cut_run(folder: Path, world: World) -> None:
    """A second agent, of whose runs one has ended and one has begun."""
    second_agent()(folder, world)
    begun = next(folder.glob("runs/plan_to_function*/q2-r1"))
    begun.joinpath("journal.jsonl").write_bytes(gzip.decompress(begun.joinpath("journal.jsonl.gz").read_bytes()))
    for path in begun.glob("*[!l]"):
        path.unlink()


def cut_scoring(folder: Path, world: World) -> None:
    edit(folder / CHECKS, lambda lines: lines.pop())
    (folder / PROCESS).unlink()
    (folder / "scores.json").unlink()


def scoring_cut_at_its_beginning(folder: Path, world: World) -> None:
    for path in folder.glob("verdicts/*"):
        shutil.rmtree(path)
    (folder / "scores.json").unlink()
    (folder / BASKET).unlink()


def made_again(folder: Path, world: World) -> None:
    """A run whose report is another one than when it was judged, as after ``run --retry``."""
    (before,) = (each for each in read_runs(folder) if each.run_id == f"{OWN}/q1-r1")
    report, place = "It costs $24.99 [P:B0TEST0001].", (OWN, "q1", 1)
    evidence, texts = read_evidence(folder / OWN_RUN), read_results(folder / OWN_RUN)
    changed = {"report": report, "report_sha": sha256_of(report), "citations": tuple(find_citations(report, evidence))}
    with Experiment(folder, read_definition(folder)) as opened:
        opened.discard(*place)
        opened.save(before.model_copy(update=changed), evidence, texts, {})


def shards(folder: Path, world: World) -> None:
    """Two halves that were scored apart and copied together; one scores.json is left."""
    whole = Path(shutil.copytree(folder, folder.parent / "whole"))
    (whole / "scores.json").unlink()
    for path in folder.glob("runs/*/q2-r1"):
        shutil.rmtree(path)
    for path in folder.glob("verdicts/*/*/*/q2-r1*"):
        path.unlink()
    score(folder, "process", world=world)
    shutil.copytree(whole, folder, dirs_exist_ok=True)


def of_older_version(folder: Path, world: World) -> None:
    edit(folder / PROCESS, lambda lines: [line.update(version=0) for line in lines])
    edit(folder / "scores.json", lambda value: value["made_of"].update(version="0.9") or another_score(value))


def judged_anew_since(folder: Path, world: World) -> None:
    of_older_version(folder, world)
    score(folder, ["faithfulness", "checks", "process"], world=world)


def by_client(folder: Path, world: World) -> None:
    """As inspect leaves a run: with the tokens that its model took, and without a journal."""
    models = {"client": RoleModel(spec="mockllm/model", kind="llm")}
    web = world.web
    system = System(agent=INSPECT_AGENT, models=models, scope="own", web_provider=web.provider, web_corpus=web.corpus)
    before = recorded_in(folder / OWN_RUN)
    changed = {"usage": {"client": Usage(calls=1, output=9)}, "prompt_hashes": client_hashes(system), "code_hash": None}
    client = replace(before, run=before.run.model_copy(update=changed), texts=read_results(folder / OWN_RUN))
    save_runs(folder, world, QUERIES[:1], system, [client, client])
    score(folder, ["checks"], world=world)


def scored_before_gold(folder: Path, world: World) -> None:
    """A run that was cut before its gold was added, scored, and continued."""
    gold = (folder / "gold.jsonl").read_bytes()
    (folder / "gold.jsonl").unlink()
    score(folder, ["basket", "checks", "process"], world=world)
    (folder / "gold.jsonl").write_bytes(gold)
    second_agent()(folder, world)


WAYS: dict[str, tuple[Way, set[str]]] = {
    "a second agent that nobody scored": (second_agent(), {"verdicts", "scores"}),
    "a second agent, scored in part": (second_agent("faithfulness"), {"verdicts"}),
    "a run that was cut": (cut_run, {"plan", "verdicts", "scores"}),
    "scoring that was cut": (cut_scoring, {"verdicts", "scores"}),
    "scoring that was cut before all baskets were kept": (scoring_cut_at_its_beginning, {"versions", "scores"}),
    "what was scored before the gold was there": (scored_before_gold, {"versions", "verdicts", "scores"}),
    "a run that was made again": (made_again, {"verdicts", "scores"}),
    "shards that were copied together": (shards, {"scores"}),
    "what another version scored": (of_older_version, {"verdicts", "scores"}),
    "what another version scored, judged anew since": (judged_anew_since, set()),
    "runs of inspect beside one's own": (by_client, {"verdicts"}),
}
"""What each way of making a folder leaves unmade, by check."""


def test_a_ledger_of_before_pictures_were_kept_is_as_it_was_made(tmp_path: Path) -> None:
    pictured = [product.model_copy(update={"image": "https://p.example/1.jpg"}) for product in PRODUCTS]
    build_world(tmp_path / "w", pictured, ORDERS)
    run(tmp_path / "w", QUERIES[:1], to=tmp_path / "exp", baselines=False)
    edit(tmp_path / "exp" / EVIDENCE, lambda lines: [line.update(image="https://p.example/2.jpg") for line in lines])
    assert fails(verify(tmp_path / "exp", tmp_path / "w"))
    edit(tmp_path / "exp" / EVIDENCE, lambda lines: [line.pop("image") for line in lines])
    assert verify(tmp_path / "exp", tmp_path / "w").passes


@pytest.mark.parametrize("name", WAYS)
def test_no_folder_that_a_command_has_made_is_called_edited(
    name: str, exp: Path, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    make, unmade = WAYS[name]
    make(exp, world)
    assert unmade_in(exp, world) == unmade
    assert "drretail verify" not in capsys.readouterr().err


def unmade_in(folder: Path, world: World) -> set[str]:
    """The checks that found something unmade in a folder of which nothing is called edited."""
    found = verify(folder, world)
    assert found.passes, [mismatch.line for mismatch in found.failures]
    assert report(folder).document.get("failure") is None
    return {check.check for check in found.checks if check.unmade}


def test_an_edit_of_the_gold_is_found_after_another_run_too(exp: Path, world: World) -> None:
    gold = exp / "gold.jsonl"
    gold.write_text(gold.read_text(encoding="utf-8").replace("bird feeder", "seed bell"), encoding="utf-8")
    run(world, [query.task for query in QUERIES], {"react": "react"}, to=exp, baselines=False)
    entitle(exp, "Feeders")
    assert fails(verify(exp, world))["versions"] == "gold.jsonl"


def test_votes_have_to_be_about_reports_that_are_there(exp: Path, world: World) -> None:
    recorded = next(iter(read_runs(exp)))
    line = {
        "format": 1, "kind": "rating", "annotator": "ann", "at": "2026-01-01T00:00:00Z", "run_id": recorded.run_id,
        "report_sha": recorded.report_sha, "query_id": "q1", "dimension": "overall", "value": 7,
    }  # fmt: skip
    (exp / "votes").mkdir()
    votes = exp / "votes" / "ann.jsonl"
    votes.write_text(json.dumps(line) + "\n")
    assert verify(exp, world).passes
    votes.write_text(json.dumps(line | {"report_sha": "0" * 64}) + "\n")
    assert fails(verify(exp, world)) == {"votes": "votes/ann.jsonl"}


def test_score_and_report_say_first_what_fails(exp: Path, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert not report(exp).document.get("failure")
    assert not capsys.readouterr().err
    edit(exp / "scores.json", another_score)
    report(exp)
    assert "scores.json: the runs and verdicts give other scores" in capsys.readouterr().err
    CHEAP["usage"][0](exp)
    made = report(exp)
    assert "counts other tokens" in capsys.readouterr().err.splitlines()[0]
    assert made.path is not None
    assert "This folder contradicts itself" in made.path.read_text(encoding="utf-8")
    score(exp, "process", world=world)
    assert "counts other tokens" in capsys.readouterr().err.splitlines()[0]


def test_the_command_ends_with_3_where_it_fails(exp: Path, world: World, drretail: Command, succeeds: Command) -> None:
    command = ("verify", str(exp), "--world", str(world.folder))
    assert json.loads(succeeds(*command, "--json").stdout)["passes"] is True
    strict = drretail(*command, "--strict")
    assert (strict.returncode, "not checkable" in strict.stdout) == (3, True)
    for path in exp.glob("runs/*/*/run.json"):
        edit(path, lambda value: value.update(report_sha="0" * 64))
    made = drretail(*command), drretail(*command, "--details")
    assert [each.returncode for each in made] == [3, 3]
    short, whole = (" ".join(each.stdout.split()) for each in made)
    assert "FAIL" in short
    assert "Delete the run's folder" in short
    assert short.count("report_sha is 000") == 1
    assert "and 3 more like it" in short
    assert short.endswith("--details names each finding.")
    assert whole.count("report_sha is 000") == 4
    assert "more like it" not in whole


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_folder_with_links_or_pipes_is_refused_and_left_alone(
    kind: str, exp: Path, tmp_path: Path, world: World
) -> None:
    scores, elsewhere = exp / "scores.json", tmp_path / "elsewhere"
    if kind == "folder":
        shutil.move(exp / RUN, elsewhere)
        (exp / RUN).symlink_to(elsewhere)
    else:
        scores.rename(elsewhere)
        elsewhere.write_text("mine")
        os.mkfifo(scores) if kind == "pipe" else scores.symlink_to(elsewhere)
    for enter in (verify, report, partial(score, metrics="process"), lambda to: run(world, ["?"], "react", to=to)):
        with pytest.raises(UserError, match="is a pipe or device, and" if kind == "pipe" else "is a link, and no file"):
            enter(exp)
    assert elsewhere.is_dir() or elsewhere.read_text() == "mine"


def test_what_can_not_be_known_is_said_and_of_another_version_what_would_check_it(exp: Path, world: World) -> None:
    judge, _ = build.scripted_judge(lambda _: {"justification": "So.", "rating": 7})
    build.scored(exp, "quality", judge)
    found = verify(exp, world)
    assert (found.from_journals, found.taken_at_word) == ((judge.ref.spec,), ())
    shutil.rmtree(exp / "verdicts/quality")
    counting(exp, 1)
    edit(exp / "experiment.json", lambda value: value["asked"].update({OWN: ["q1"]}))
    shutil.rmtree(exp / f"runs/{OWN}/q2-r1")
    left = {mismatch.reason for check in verify(exp, world).checks for mismatch in check.unchecked}
    assert "a call of the researcher counts fewer tokens than its text could have" in left
    assert f"{OWN} was asked 1 of 2 queries, and not q2" in left
    edit(exp / "experiment.json", lambda value: value["versions"].update(drretail="0.0.1"))
    found = verify(exp, world)
    (line,) = {mismatch.line for check in found.checks[2:4] for mismatch in check.unchecked}
    assert "drretail@0.0.1" in line


def test_no_embeddings_that_a_folder_names_are_opened() -> None:
    with pytest.raises(UserError, match="not ranked again"):
        offline_embeddings("os:abort")
    assert offline_embeddings("offline:words") is not None
