"""``verify`` lists what differs from hashes, journals and verdicts, and says what it can't compare."""

import json
import os
import shutil
from collections.abc import Callable, Generator, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from drretail import metric, open_world, report, run, score, verify
from drretail.addons.reproduction.verify import Verification
from drretail.env.world import World
from drretail.errors import ToolError, UserError
from drretail.eval.method import judge_prompt_files
from drretail.experiments.experiment import run_files, run_path, seal
from drretail.experiments.packs import unpack_below
from drretail.experiments.run_file import Member, read_run
from drretail.files import pack, read_json, read_jsonl, write_json, write_lines
from drretail.records.base import canonical_json
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from drretail.tools.toolkit import Toolkit
from tests.build import experiment, files
from tests.cli.commands import Command
from tests.run_files import edit_member, edit_run
from tests.shop import USER, build_shop

WISH = Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),))
QUERIES = [
    Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="test", wish=WISH),
    Query(query_id="q2", user_id=USER, text="Which tray should I buy?", source="test"),
]
REACT = "react@offline-shopper"
RUN = f"runs/{REACT}/q1-r1.jsonl.gz"
VERDICTS = f"verdicts/faithfulness/offline-judge/{REACT}/q1-r1.jsonl"
AGENT = """
def look(question, toolkit):
    toolkit.call("product_catalog_search", {"query": "feeder"})
    return "A feeder."
"""
Counts = dict[tuple[str, str], int]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Generator[World]:
    with open_world(build_shop(tmp_path_factory.mktemp("shop") / "w")) as opened:
        yield opened


@pytest.fixture(scope="module")
def recorded(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two queries, answered by react, by the oracle and the floors, and judged."""
    folder = tmp_path_factory.mktemp("made") / "exp"
    run(world, QUERIES, "react", to=folder)
    score(folder, ["faithfulness", "checks", "basket"], world=world)
    return folder


@pytest.fixture
def exp(recorded: Path, tmp_path: Path) -> Path:
    """Its copy, with no packs, so that each file can be edited."""
    folder = shutil.copytree(recorded, tmp_path / "exp")
    unpack_below(folder)
    return folder


def counts(found: Verification) -> Counts:
    """How much each check found in each state."""
    totals: Counts = {}
    for check in found.checks:
        place = check.check, check.state
        totals[place] = totals.get(place, 0) + check.count
    return totals


def edit(path: Path, change: Callable[[Any], object], member: Member | None = None) -> None:
    """Changes what a file, or a member of a run's file, holds: one value, or a list of lines."""
    if member is not None:
        edit_member(path, member, lambda lines: edited(lines, change))
    elif ".jsonl" in path.name:
        write_lines(path, edited(map(canonical_json, read_jsonl(path)), change))
    else:
        value = read_json(path)
        change(value)
        write_json(path, value)


def edited(lines: Iterable[str], change: Callable[[Any], object]) -> list[str]:
    values = [*map(json.loads, lines)]
    change(values)
    return [*map(canonical_json, values)]


def flipped(lines: list[Any]) -> None:
    line = next(line for line in lines if line["stage"] == "support")
    line.update(state="scored", value=0.0 if line.get("value") else 1.0, reason="edited")


def worse(lines: list[Any]) -> None:
    lines[0]["report"] += " Good."


def another_answer(lines: list[Any]) -> None:
    [line for line in lines if line.get("kind") == "model"][-1]["response"]["content"] = "It is the best."


def test_what_was_left_as_it_was_made_is_equal_and_stays_so(recorded: Path, world: World) -> None:
    before = files(recorded)
    found = verify(recorded, world)
    assert found.passes, found.differences
    assert {state for _, state in counts(found)} == {"equal"}
    assert counts(found)["runs", "equal"] == len(run_files(recorded))
    assert counts(found)["scores", "equal"] == 1
    assert files(recorded) == before


GIVEN = "runs and verdicts give other scores"
Edit = Callable[[Any], object]
DIFFERING: dict[str, tuple[str, Member | None, Edit, set[str], str]] = {
    "a report": (RUN, "run", worse, {"hashes", "runs", "scores"}, "a text of its report is not the one of its hash"),
    "picks": (RUN, "run", lambda lines: lines[0].update(picks=[]), {"runs"}, "its journal gives another picks"),
    "broken evidence": (
        RUN,
        "evidence",
        lambda lines: lines.append(1),
        {"hashes", "runs", "scores"},
        f"{RUN} is damaged",
    ),
    "an answer in a journal": (RUN, "journal", another_answer, {"runs"}, f"{RUN}: its journal gives another "),
    "a verdict": (VERDICTS, None, flipped, {"scores"}, GIVEN),
    "a score": (
        "scores.json",
        None,
        lambda value: value["scores"][0]["rows"][0].update(value=0.1),
        {"scores"},
        GIVEN,
    ),
    "gold": ("gold.jsonl", None, lambda lines: lines[0].update(wish=None), {"hashes"}, "gold.jsonl: it was changed"),
    "a profile": (f"profiles/{USER}.json", None, lambda value: value.update(x=1), {"hashes"}, "it was changed"),
    "the title of all": ("experiment.json", None, lambda value: value.update(title="x"), {"hashes"}, "it was changed"),
}
"""By name the file, its member, the edit, the checks that differ, and what is said."""


@pytest.mark.parametrize("name", DIFFERING)
def test_what_differs_is_listed_with_its_file(name: str, exp: Path, world: World) -> None:
    file, member, change, wrong, said = DIFFERING[name]
    edit(exp / file, change, member)
    found = verify(exp, world)
    assert {check.check for check in found.checks if check.state == "differs"} >= wrong
    assert any(said in what for what in found.differences), found.differences
    assert (found.passes, found.result().left > 0, found.result().code) == (False, True, 3)


def test_gold_that_is_taken_out_is_said_and_nothing_that_rests_on_it_is_compared(exp: Path, world: World) -> None:
    (exp / "gold.jsonl").unlink()
    found = verify(exp, world)
    assert found.passes, found.differences
    left = {check.what[0] for check in found.checks if check.state == "not compared"}
    assert left == {
        "gold.jsonl is not here",
        "oracle was told what stands in gold.jsonl, which is not here",
        "they rest on gold.jsonl, which is not here",
    }


def test_a_run_and_a_system_that_are_gone_are_named(tmp_path: Path, drretail: Command) -> None:
    labels = ("a@m", "b@m")
    exp = experiment(tmp_path / "exp", {label: {f"q{at}-r1": "One." for at in range(10)} for label in labels})
    run_path(exp, "a@m", "q3", 1).unlink()
    (gone,) = (check.what for check in verify(exp).checks if check.state == "not there")
    assert gone == ("a@m/q3-r1",)
    shutil.rmtree(exp / "runs" / "b@m")
    done = drretail("verify", "exp")
    assert done.returncode == 3
    assert "b@m/q0-r1" in done.stdout
    assert "Nothing differs." not in done.stdout


def test_runs_that_nobody_asked_for_are_named(tmp_path: Path, drretail: Command) -> None:
    exp = experiment(tmp_path / "exp", {"a@m": {"q1-r1": "One."}})
    kept = run_path(exp, "a@m", "q1", 1)
    for stray in (run_path(exp, "zz", "q1", 1), run_path(exp, "a@m", "dev-99", 1)):
        stray.parent.mkdir(exist_ok=True)
        shutil.copy(kept, stray)
    done = drretail("verify", "exp")
    assert done.returncode == 3
    assert done.stdout.count("experiment.json asks for no such run") == 2


def test_imports_have_no_journal(tmp_path: Path, succeeds: Command) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "q1.md").write_text("# Which feeder?\n\nA feeder costs $24.99 [P:B0TEST0001].")
    succeeds("import", "markdown", "reports", "--to", "exp")
    succeeds("score", "exp", "--metrics", "checks")
    told = " ".join(succeeds("verify", "exp").stdout.split())
    assert "runs not compared 1 imported reports have no journal" in told
    assert "Nothing differs in the" in told
    assert "1 was not: imported reports have no journal (1)." in told
    edit_run(run_files(tmp_path / "exp")[0], report="Another.")
    assert any("a text of its report" in what for what in verify(tmp_path / "exp").differences)


def test_own_agents_are_not_replayed_whether_their_code_is_there_or_not(
    world: World, tmp_path: Path, succeeds: Command
) -> None:
    (tmp_path / "looking.py").write_text(AGENT)
    asked = ("run", "--world", str(world.folder), "--agent", "looking:look", "--agent", "react", "--no-floors")
    write_lines(tmp_path / "q.jsonl", [query.task.as_line() for query in QUERIES])
    succeeds(*asked, "--queries", "q.jsonl", "--to", "exp")
    (tmp_path / "looking.py").unlink()
    found = verify(tmp_path / "exp", world)
    assert found.passes, found.differences
    assert (counts(found)["runs", "equal"], counts(found)["runs", "not compared"]) == (2, 2)
    (why,) = (check.what for check in found.checks if (check.check, check.state) == ("runs", "not compared"))
    assert why == ("the agent looking:look is not one of the package's",)
    path = next((tmp_path / "exp").glob("runs/*look*/q1-r1.jsonl.gz"))
    edit(path, worse, "run")
    assert len(verify(tmp_path / "exp", world).differences) == 1


@pytest.mark.parametrize("kept", [True, False])
def test_score_says_that_gold_has_changed_and_does_not_seal_it(
    exp: Path, world: World, drretail: Command, tmp_path: Path, *, kept: bool
) -> None:
    edit(exp / "gold.jsonl", lambda lines: lines[0]["wish"]["wants"][0].update(name="lamp"))
    if not kept:
        (exp / "sha256.json").unlink()
    asked = ("score", "exp", "--metrics", "checks", "--world", str(world.folder))
    done = drretail(*asked)
    assert done.returncode == 3, done.stderr
    assert "gold.jsonl has changed since the run" in done.stderr
    assert any(what.startswith("gold.jsonl: ") for what in verify(exp).differences)
    write_lines(tmp_path / "q.jsonl", [query.as_line() for query in QUERIES])
    added = drretail(*asked, "--queries", "q.jsonl")
    assert (added.returncode, "gold.jsonl has changed since the run" in added.stderr) == (2, True)


def test_without_the_world_hashes_and_scores_are_compared(exp: Path, world: World, tmp_path: Path) -> None:
    for path in run_files(exp):
        edit(path, lambda lines: lines[0].update(world=str(tmp_path / "gone")), "telemetry")
    found = verify(exp)
    assert found.passes, found.differences
    assert {state for check, state in counts(found) if check == "runs"} == {"not compared"}
    assert counts(found)["scores", "equal"] == 1
    with pytest.raises(UserError, match="gone"):
        verify(exp, tmp_path / "gone")
    (exp / "sha256.json").unlink()
    assert verify(exp).differences == ("sha256.json is not here: it has the hashes of experiment.json and gold",)
    seal(exp, run_files(exp)[0])
    unsealed = {f"{name}: sha256.json has no hash of it" for name in ("experiment.json", "gold.jsonl")}
    assert {*verify(exp).differences} == unsealed


def test_a_run_that_a_server_failed_is_not_compared(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    perform = Toolkit._perform  # pyright: ignore[reportPrivateUsage]

    def fails_once(toolkit: Toolkit, launch: Any) -> Any:
        if launch.name == "get_user_orders":
            raise ToolError("unavailable", "The shop's server gave no answer.")
        return perform(toolkit, launch)

    with monkeypatch.context() as patched:
        patched.setattr(Toolkit, "_perform", fails_once)
        run(world, QUERIES[:1], ["react"], to=tmp_path / "exp", baselines=False)
    assert read_run(tmp_path / "exp" / RUN).unanswered_calls
    found = verify(tmp_path / "exp", world)
    assert (found.passes, counts(found)["runs", "not compared"]) == (True, 1)


def test_own_metrics_and_own_words_of_a_judge_are_compared_too(exp: Path, world: World) -> None:
    def letters(run: Any) -> float:
        return len(run.report or "")

    own = exp.parent / "mine" / "faithfulness" / "support.md"
    own.parent.mkdir(parents=True)
    own.write_text(f"{judge_prompt_files()['faithfulness/support.md'].read_text(encoding='utf-8')}\nBe brief.\n")
    score(exp, ["faithfulness", metric(letters)], world=world, prompts=own.parents[1])
    found = verify(exp, world)
    assert {state for _, state in counts(found)} == {"equal"}, found.differences


def test_the_command_prints_one_table_and_ends_with_3_where_anything_differs(
    exp: Path, world: World, drretail: Command, succeeds: Command
) -> None:
    command = ("verify", str(exp), "--world", str(world.folder))
    assert succeeds(*command).stdout.rstrip().endswith("Nothing differs.")
    assert json.loads(succeeds(*command, "--json").stdout)["passes"] is True
    for path in run_files(exp):
        edit_run(path, report_sha="0" * 64)
    ended = drretail(*command)
    assert (ended.returncode, "differs" in ended.stdout) == (3, True)
    assert "differences." in ended.stdout
    assert drretail("verify", "nowhere").returncode == 2


@pytest.mark.parametrize("name", ["experiment.json", "scores.json", VERDICTS, RUN])
def test_a_file_of_a_newer_format_is_refused_and_stays_or_a_run_is_named_on_the_page(name: str, exp: Path) -> None:
    path = exp / name
    path.write_bytes(pack(b'{"format":9}\n') if name == RUN else b'{"format":9}\n')
    before = path.read_bytes()
    if name == RUN:
        report(exp)
        assert f"{RUN} is of format 9" in (exp / "report.html").read_text(encoding="utf-8")
    else:
        with pytest.raises(UserError, match=f"{name} is of format 9; this version"):
            report(exp)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_folder_with_links_or_pipes_is_refused_and_left_alone(
    kind: str, exp: Path, tmp_path: Path, world: World
) -> None:
    scores, elsewhere = exp / "scores.json", tmp_path / "elsewhere"
    if kind == "folder":
        runs = (exp / RUN).parent
        shutil.move(runs, elsewhere)
        runs.symlink_to(elsewhere)
    else:
        scores.rename(elsewhere)
        elsewhere.write_text("mine")
        os.mkfifo(scores) if kind == "pipe" else scores.symlink_to(elsewhere)
    (tmp_path / "venv" / "lib").mkdir(parents=True)
    (tmp_path / "venv" / "lib64").symlink_to(tmp_path / "venv" / "lib")
    with pytest.raises(UserError, match=r"is no experiment: it holds no experiment\.json"):
        report(tmp_path / "venv")
    for enter in (verify, report, partial(score, metrics="process"), lambda to: run(world, ["?"], "react", to=to)):
        with pytest.raises(UserError, match="is a link, pipe or device"):
            enter(exp)
    assert elsewhere.is_dir() or elsewhere.read_text() == "mine"
