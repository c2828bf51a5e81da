"""Whether anything in an experiment has changed."""

from pathlib import Path

from drretail.experiment import run_folder
from drretail.viewer.live.watch import Watch


class Clock:
    now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def test_a_new_run_changes_its_query_and_the_whole_and_no_other_query(exp: Path) -> None:
    watch = Watch(exp, Clock())
    before = watch.version(), watch.version_of("q1"), watch.version_of("q2")
    assert (watch.version(), watch.version_of("q1"), watch.version_of("q2")) == before
    (run_folder(exp, "zephyr", "q1", 1) / "run.json").touch()
    after = watch.version(), watch.version_of("q1"), watch.version_of("q2")
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, False, True]


def test_a_score_changes_the_index_alone_and_votes_change_nothing(exp: Path) -> None:
    watch = Watch(exp, Clock())
    before = watch.version(), watch.version_of("q1")
    (exp / "votes").mkdir()
    (exp / "votes" / "ann.jsonl").touch()
    assert (watch.version(), watch.version_of("q1")) == before
    (exp / "scores.json").touch()
    assert watch.version() != before[0]
    assert watch.version_of("q1") == before[1]
