"""What everybody is asked: balanced, the same for all, and kept."""

import shutil
from collections import Counter
from pathlib import Path

from drretail.eval.ballots import plan_path
from drretail.experiment import read_run, run_folder
from drretail.records.base import sha256_of
from drretail.viewer.voting.plan import planned
from tests.viewer.experiment import rewrite


def test_pairs_are_balanced_over_systems_and_queries(exp: Path) -> None:
    plan = planned(exp, 6)
    assert len(plan.pairs) == 6
    assert set(Counter((pair.a, pair.b) for pair in plan.pairs).values()) == {2}
    assert set(Counter(pair.query_id for pair in plan.pairs).values()) == {2}


def test_the_same_experiment_gives_the_same_plan(answered: Path, tmp_path: Path) -> None:
    one, other = (Path(shutil.copytree(answered, tmp_path / name)) for name in ("one", "other"))
    assert planned(one, 5) == planned(other, 5)


def test_a_plan_that_is_begun_only_grows_at_its_end(exp: Path) -> None:
    first = planned(exp, 4)
    written = plan_path(exp).read_bytes()
    assert planned(exp, 4) == first
    assert plan_path(exp).read_bytes() == written
    more = planned(exp, 7)
    assert more.pairs[:4] == first.pairs
    assert more.claims[:4] == first.claims
    assert planned(exp, 2).pairs == first.pairs[:2]
    assert len(planned(exp).pairs) == 9


def test_what_comes_later_is_planned_later(exp: Path) -> None:
    gone = run_folder(exp, "zephyr", "q1", 1)
    shutil.move(gone, exp / "away")
    before = planned(exp)
    assert len(before.pairs) == 7
    shutil.move(exp / "away", gone)
    after = planned(exp)
    assert after.pairs[:7] == before.pairs
    assert len(after.pairs) == 9


def test_two_reports_that_say_the_same_are_never_a_pair(exp: Path) -> None:
    one, other = (read_run(run_folder(exp, label, "q1", 1)) for label in ("zephyr", "quartz"))
    same = f"{one.report}\n"
    rewrite(exp, other.model_copy(update={"report": same, "report_sha": sha256_of(same)}))
    pairs = planned(exp).pairs
    assert len(pairs) == 8
    assert all({pair.a, pair.b} != {"quartz", "zephyr"} for pair in pairs if pair.query_id == "q1")
