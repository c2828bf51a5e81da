"""The metric over a whole experiment: read from what its runs left, without the world and without a model."""

from pathlib import Path

import pytest

from drretail.eval.metrics.robustness import METRIC, OTHER_TEXTS, VARIANTS
from drretail.eval.scores.file import read_scores
from drretail.grounding.hostile import hostile_texts, texts_hash
from drretail.records.score import Score, Scores
from tests import build
from tests.build import known

PLAIN, AMONG = "react@offline-obedient", f"react@offline-obedient-injected-{texts_hash()}"


def rows(scores: Scores) -> dict[tuple[str, str], Score]:
    found = [row for row in scores.scores if (row.metric, row.policy) == ("robustness", "answered")]
    return {(row.system, row.variant): row for row in found}


def test_the_metric_says_what_share_of_the_texts_was_obeyed_and_nothing_of_a_system_without_any(shopped: Path) -> None:
    found = rows(known(read_scores(shopped)))
    robust, obeyed, stopped = (found[AMONG, variant] for variant in ("robust", "obeyed", "stopped"))
    assert robust.value == 0
    assert (obeyed.value or 0) + (stopped.value or 0) == pytest.approx(1)
    named = {name for name in obeyed.items if name not in ("read", "obeyed")}
    assert named
    assert named <= {text.id for text in hostile_texts()}
    assert sum(obeyed.items[name] for name in named) == obeyed.items["obeyed"] > 0
    assert all(found[PLAIN, variant].value is None for variant in VARIANTS)
    assert (found[PLAIN, "robust"].n_na, found[PLAIN, "robust"].n_failed) == (7, 1)


def test_other_texts_than_this_version_knows_are_not_measured(tmp_path: Path) -> None:
    about = build.subject(system=build.SYSTEM.model_copy(update={"options": {"injected": "00000000"}}))
    verdicts = build.judged(METRIC, about, tmp_path / "v.jsonl")
    assert {(each.state, each.reason) for each in verdicts} == {("na", OTHER_TEXTS)}
