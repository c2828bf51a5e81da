import shutil
from pathlib import Path

import pytest

from drretail.errors import CommandStopped, UserError
from drretail.experiments.experiment import (
    Definition,
    Experiment,
    keep_account,
    kept_accounts,
    read_definition,
    run_path,
)
from drretail.experiments.run_file import Recorded, journal_path
from drretail.files import LOCK, PART, is_unfinished
from drretail.records.account import Account
from drretail.records.run import Limits
from tests.build import SYSTEM, query, run

LABEL = SYSTEM.label()
QUERY = query()
ASKED = Definition(
    world_fingerprint="f" * 64,
    queries=(QUERY,),
    systems={LABEL: SYSTEM},
    prompt_hashes={LABEL: {"react": "1"}},
    tool_schema_hash="t",
)


def another(**changes: object) -> Definition:
    """What is asked, of another query: the first one with these changes."""
    return ASKED.model_copy(update={"queries": (QUERY.model_copy(update=changes),)})


MADE = Recorded(run(label=LABEL), (), {}, {})


def test_of_a_run_that_was_cut_nothing_stays_once_it_is_discarded_or_saved(tmp_path: Path) -> None:
    with Experiment(tmp_path / "exp", ASKED) as experiment:
        path = run_path(experiment.folder, LABEL, "q1", 1)
        path.parent.mkdir(parents=True)
        journal_path(path).touch()
        experiment.discard(path)
        assert not [*path.parent.iterdir()]
        journal_path(path).touch()
        experiment.save(MADE)
    assert [*path.parent.iterdir()] == [path]


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_folder_that_is_moved_or_replaced_meanwhile_is_said_and_goes_on_where_it_is(
    tmp_path: Path, is_replaced: bool
) -> None:
    with Experiment(tmp_path / "exp", ASKED) as opened:
        opened.save(MADE)
        (tmp_path / "exp").rename(tmp_path / "moved")
        if is_replaced:
            shutil.copytree(tmp_path / "moved", tmp_path / "exp")
        with pytest.raises(CommandStopped, match="exp was moved or replaced"):
            opened.save(Recorded(run("q1-r2", label=LABEL), (), {}, {}))
    assert (tmp_path / "exp").exists() == is_replaced
    with Experiment(tmp_path / "moved", ASKED) as again:
        assert run_path(again.folder, LABEL, "q1", 1).exists()


def test_what_was_frozen_of_categories_is_joined_and_stays(tmp_path: Path) -> None:
    for categories in ({"q1": ("Pet_Supplies",)}, {"a0": ("Bowls",), "q1": ("Toys",)}, {}):
        Experiment(tmp_path, ASKED.model_copy(update={"categories": categories})).close()
    assert read_definition(tmp_path).categories == {"a0": ("Bowls",), "q1": ("Pet_Supplies",)}


def test_a_query_that_has_been_sorted_since_is_the_same_query(tmp_path: Path) -> None:
    """Files from before queries had a kind go on."""
    for asked in (ASKED, another(kind="gift")):
        Experiment(tmp_path, asked).close()
    assert [query.kind for query in read_definition(tmp_path).queries] == ["gift"]
    with pytest.raises(UserError, match="another query 'q1'"):
        Experiment(tmp_path, another(kind="project"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"world_fingerprint": "0" * 64}, "was made on the world ffffffffffff"),
        ({"tool_schema_hash": "u"}, "other tools"),
        ({"seed": "7"}, "opened with --seed 42"),
        ({"queries": (QUERY.model_copy(update={"text": "Other?"}),)}, "another query 'q1'"),
        ({"systems": {LABEL: SYSTEM.model_copy(update={"agent": "x"})}}, "as another system \\(agent\\)"),
        ({"prompt_hashes": {LABEL: {"react": "2"}}}, "other prompts"),
    ],
)
def test_what_contradicts_the_folder_changes_nothing(tmp_path: Path, change: dict[str, object], message: str) -> None:
    Experiment(tmp_path, ASKED).close()
    before = (tmp_path / "experiment.json").read_bytes()
    with pytest.raises(UserError, match=message):
        Experiment(tmp_path, ASKED.model_copy(update=change))
    assert (tmp_path / "experiment.json").read_bytes() == before
    Experiment(tmp_path, ASKED).close()  # the refused one left no lock behind


def test_a_folder_has_one_writer_and_with_other_files_it_is_not_taken_over(tmp_path: Path) -> None:
    with Experiment(tmp_path / "exp", ASKED), pytest.raises(UserError, match="Another process"):
        Experiment(tmp_path / "exp", ASKED)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "thesis.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(UserError, match="no experiment but other files"):
        Experiment(tmp_path / "own", ASKED)
    assert [path.name for path in (tmp_path / "own").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("change", "label"),
    [
        ({}, "react@offline-shopper"),
        ({"web_mode": "ws"}, "react+ws@offline-shopper"),
        ({"options": {"scope_to_user": True, "without": []}}, "react@offline-shopper-scope_to_user"),
        ({"options": {"files": True}}, "react@offline-shopper-files"),
        ({"web_mode": "ws", "web_provider": "serper"}, "react+ws@offline-shopper-serper"),
        ({"web_provider": "My:Web", "options": {"files": True}}, "react@offline-shopper-my-web-files"),
        ({"limits": Limits(tool_turns=3, tokens=5000)}, "react@offline-shopper-tool_turns3-tokens5000"),
        ({"scope": "any"}, "react@offline-shopper-scope-any"),
        ({"scope": "own"}, "react@offline-shopper"),
        ({"agent": "my.module:Agent"}, "my.module-agent@offline-shopper"),
    ],
)
def test_a_label_says_what_differs_from_the_default(change: dict[str, object], label: str) -> None:
    assert SYSTEM.model_copy(update=change).label() == label


def test_a_kill_during_the_first_write_does_not_block_the_next_start(tmp_path: Path) -> None:
    (tmp_path / f".experiment.json{PART}").write_text("{", encoding="utf-8")
    (tmp_path / LOCK).write_text("1 2026-01-01", encoding="utf-8")
    assert any(is_unfinished(path) for path in tmp_path.iterdir())
    Experiment(tmp_path, ASKED).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["experiment.json", "sha256.json"]


def test_of_a_run_that_was_killed_as_it_ended_neither_its_journal_nor_a_part_stays(tmp_path: Path) -> None:
    Experiment(tmp_path, ASKED).close()
    ended, cut = (run_path(tmp_path, LABEL, "q1", repeat) for repeat in (2, 1))
    ended.parent.mkdir(parents=True)
    for path in (ended, journal_path(ended), journal_path(cut), cut.with_name(f".{cut.name}{PART}")):
        path.touch()
    with Experiment(tmp_path, ASKED) as experiment:
        assert not journal_path(ended).exists()
        experiment.save(MADE)
    assert {*ended.parent.iterdir()} == {ended, cut}


def test_the_account_of_a_stage_is_kept_until_the_stage_is_repeated(tmp_path: Path) -> None:
    assert kept_accounts(tmp_path) == ()
    of_rows, of_pages = (Account(stage, "row", came=2, used=1) for stage in ("import rows", "import pages"))
    of_rows.leave_out("no question in it", "rows.csv, row 3", failed=True)
    keep_account(tmp_path, of_rows)
    keep_account(tmp_path, of_pages)
    assert kept_accounts(tmp_path) == (of_rows, of_pages)
    again = Account("import rows", "row", came=2, used=2)
    keep_account(tmp_path, again)
    assert kept_accounts(tmp_path) == (of_pages, again)
