"""Prompts written to files; one changed, tried on a few queries, compared, then run whole. Tests api/prompts.py."""

import json
from pathlib import Path

from drretail.eval.judging.subject import planned_runs
from drretail.eval.numbers.file import made_scores
from drretail.experiments.experiment import read_definition
from tests.cli.commands import Command

REACT, TERSE = "react@offline-shopper", "react@offline-shopper-prompts-terse"


def change(folder: Path) -> None:
    (folder / "report_form.md").write_text("# The report\nThree sentences.\n", encoding="utf-8")


def planned(folder: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in planned_runs(folder, read_definition(folder)):
        found.setdefault(each.label, []).append(each.query.query_id)
    return found


def test_the_loop_goes_round_in_one_folder(
    drretail: Command, succeeds: Command, shop: str, queries: str, tmp_path: Path
) -> None:
    command = ["run", "--queries", queries, "--world", shop, "--to", "exp", "--no-floors", "--json"]
    succeeds(*command)
    assert drretail("prompts", "react", "--to", "terse").stdout == "terse\n"
    change(tmp_path / "terse")
    tried = drretail(*command, "--prompts", "terse", "--only", "1")
    assert [(each["label"], each["done"]) for each in json.loads(tried.stdout)["systems"]] == [(TERSE, 1)], tried.stderr
    assert planned(tmp_path / "exp") == {REACT: ["q1", "q2"], TERSE: ["q1"]}
    succeeds("score", "exp", "--metrics", "faithfulness")
    scores = made_scores(tmp_path / "exp")
    rows = {(each.system, each.variant): each for each in scores.scores}
    sliced = drretail("score", "exp", "--metrics", "faithfulness", "--by", "kind", "--json")
    slices = json.loads(sliced.stdout)["slices"]
    assert scores.slices == ()
    assert {each.get("n_asked", 0) for each in slices if each["system"] == TERSE} <= {0, 1}
    terse, whole = rows[TERSE, "FR"], rows[REACT, "FR"]
    assert (terse.n_planned, terse.n_failed, whole.n_planned) == (1, 0, 2)
    compared = drretail("compare", "exp", TERSE, REACT, "--json", "--fail-if", "FR < 2")
    assert compared.returncode == 4
    (tables,) = (each["tables"] for each in json.loads(compared.stdout)["comparisons"])
    row = next(row for table in tables for row in table["rows"] if row["variant"] == "FR")
    assert (row["n_pairs"], row["n_planned"], row["dropped"]) == (1, 2, {})
    whole = drretail(*command, "--prompts", "terse")
    assert [(each["done"], each["before"]) for each in json.loads(whole.stdout)["systems"]] == [(2, 1)], whole.stderr
    assert planned(tmp_path / "exp") == {REACT: ["q1", "q2"], TERSE: ["q1", "q2"]}


def test_journals_of_other_prompts_replay_nothing(
    drretail: Command, succeeds: Command, shop: str, queries: str, tmp_path: Path
) -> None:
    drretail("prompts", "--to", "terse")
    change(tmp_path / "terse")
    command = ["run", "--queries", queries, "--world", shop, "--no-floors"]
    told = succeeds(*command, "--to", "exp", "--only", "q1", "--prompts", "terse").stderr
    assert "offline:shopper follows rules: --prompts changes nothing in its answers." in told
    (tmp_path / "terse/react.md").write_text("Answer in {{turns}} turns. {{report_form}}", encoding="utf-8")
    other = drretail(*command, "--to", "other", "--prompts", "terse", "--only", "q1", "--replay", "exp")
    assert other.returncode == 3
    assert f"{TERSE} has other prompts than in exp (react)" in other.stderr
