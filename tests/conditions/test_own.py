"""A condition of the user's own. Tests conditions/ and eval/numbers/ablations.py."""

import shutil
from pathlib import Path

import pytest

import drretail
from drretail.errors import UserError
from drretail.experiments.experiment import read_definition
from drretail.experiments.run_file import read_journal
from drretail.records.run import OwnCondition
from tests.run_files import runs_in
from tests.shop import USER, build_shop

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example's module in the folder that one stands in."""
    shutil.copy(ROOT / "examples" / "hurry_condition.py", tmp_path)
    monkeypatch.chdir(tmp_path)


PLACE = "hurry_condition:HURRY"
PLAIN, HURRIED = "react@offline-shopper", "react@offline-shopper-hurry-yes"


@pytest.fixture
def exp(tmp_path: Path) -> Path:
    """The agent under both values of the example's condition."""
    build_shop(tmp_path / "w")
    ran("exp")
    return tmp_path / "exp"


def ran(to: str, replay: str | None = None) -> None:
    drretail.run(
        "w", ["A bird bath, please."], "react", user=USER, to=to, vary={PLACE: "no,yes"}, replay=replay, baselines=False
    )


def test_a_condition_of_ones_own_changes_the_task_and_has_a_label_and_tables(exp: Path) -> None:
    systems = read_definition(exp).systems
    assert {label: system.conditions for label, system in systems.items()} == {
        PLAIN: {},
        HURRIED: {"hurry": OwnCondition(place=PLACE, default="no")},
    }
    (path,) = (exp / "runs" / HURRIED).iterdir()
    first = next(effect for effect in read_journal(path) if effect.kind == "model")
    assert "A bird bath, please. I am in a hurry" in str(first.request)
    scores = drretail.score(exp, "faithfulness")
    assert {row.system for row in scores.scores} == {PLAIN, HURRIED}
    (options,) = (exp / "options").iterdir()
    assert drretail.read_experiment(options, trust=True)["vary"] == {PLACE: "no,yes"}

    (exp.parent / "hurry_condition.py").unlink()  # whoever reads the experiment need not have it
    compared = drretail.compare(exp, by="hurry")
    assert [cell.part for cell in compared.settings[0].rows[0].cells] == ["no", "yes"]
    with pytest.raises(UserError, match=r"no condition 'scop'\. Did you mean scope"):
        drretail.compare(exp, by="scop")


def test_a_replay_makes_it_again_and_verify_leaves_it_open_without_loading_it(exp: Path) -> None:
    ran("again", replay="exp")
    assert runs_in(exp.parent / "again") == runs_in(exp)
    (exp.parent / "hurry_condition.py").write_text("raise SystemExit", encoding="utf-8")
    found = drretail.verify(exp)
    assert found.differences == ()
    counts = {check.state: check.count for check in found.checks if check.check == "runs"}
    assert counts == {"equal": 1, "not compared": 1}


def test_a_value_that_it_lacks_is_refused_before_anything_runs(exp: Path) -> None:
    with pytest.raises(UserError, match=r"no value of hurry 'yess'\. Did you mean yes"):
        drretail.run("w", ["A bird bath, please."], to="other", vary={PLACE: "yess"})
    assert not Path("other").exists()
