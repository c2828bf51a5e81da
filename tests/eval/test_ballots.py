"""What people said: appended, changed, taken back, and read again. Also tests records/vote.py."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.ballots import (
    annotator_of,
    cast,
    counted_votes,
    left_out_of_votes,
    read_votes,
    take_back,
    votes_of,
    votes_path,
    write_plan,
)
from drretail.records.vote import Choice, ClaimLabel, PairItem, Rating, Vote, VotingPlan
from tests.build import experiment as made_experiment

Clock = Callable[[], datetime]


@pytest.fixture
def clock() -> Clock:
    minutes: Iterator[int] = count()
    return lambda: datetime(2025, 1, 1, 12, tzinfo=UTC) + timedelta(minutes=next(minutes))


def vote(clock: Clock, choice: Choice, dimension: str = "depth") -> Vote:
    about = {"pair_id": "p1", "query_id": "q1", "a": "x", "b": "y", "shown_left": "b", "annotator": "ann"}
    return Vote.model_validate({**about, "dimension": dimension, "choice": choice, "at": clock()})


def choices(experiment: Path) -> list[str]:
    return [each.choice for each in read_votes(experiment) if isinstance(each, Vote)]


def test_the_last_vote_holds_names_what_it_replaces_and_another_window_said_and_is_taken_back(
    tmp_path: Path, clock: Clock
) -> None:
    first, _ = cast(tmp_path, vote(clock, "a"), None)
    second, unseen = cast(tmp_path, vote(clock, "tie"), first.ballot_id)
    assert (second.replaces, unseen) == (first.ballot_id, None)
    assert choices(tmp_path) == ["tie"]
    assert len(votes_path(tmp_path, "ann").read_text().splitlines()) == 2
    third, unseen = cast(tmp_path, vote(clock, "b"), first.ballot_id)
    assert unseen == second
    assert choices(tmp_path) == ["b"]
    assert take_back(tmp_path, "ann", third.ballot_id, clock) == third
    assert choices(tmp_path) == ["tie"]
    assert take_back(tmp_path, "ann", third.ballot_id, clock) is None
    for ballot in (second, first):
        take_back(tmp_path, "ann", ballot.ballot_id, clock)
    assert choices(tmp_path) == []
    assert len(votes_path(tmp_path, "ann").read_text().splitlines()) == 6


def test_votes_ratings_and_labels_share_a_file(tmp_path: Path, clock: Clock) -> None:
    about = {"run_id": "x/q1-r1", "report_sha": "s", "query_id": "q1", "annotator": "ann"}
    cast(tmp_path, vote(clock, "a"), None)
    cast(tmp_path, Rating.model_validate({**about, "at": clock(), "dimension": "depth", "value": 7}), None)
    label = {"claim_id": "1-a", "claim": "It costs $5.", "extracted_by": "j", "label": "partial"}
    cast(tmp_path, ClaimLabel.model_validate({**about, **label, "at": clock()}), None)
    assert [type(each) for each in read_votes(tmp_path)] == [Vote, Rating, ClaimLabel]


def test_a_cut_line_is_dropped_by_the_next_vote_and_never_counted(tmp_path: Path, clock: Clock) -> None:
    cast(tmp_path, vote(clock, "a"), None)
    with votes_path(tmp_path, "ann").open("ab") as file:
        file.write('{"format": 1, "note": "€'.encode()[:-1])
    assert len(votes_of(tmp_path, "ann")) == 1
    cast(tmp_path, vote(clock, "b", "breadth"), None)
    assert choices(tmp_path) == ["a", "b"]


def test_votes_cast_at_the_same_time_are_all_kept(tmp_path: Path, clock: Clock) -> None:
    given = [vote(clock, "a", dimension) for dimension in ("clarity", "depth", "breadth", "overall")] * 5
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda value: cast(tmp_path, value, None), given))
    assert sorted(each.asked for each in read_votes(tmp_path)) == ["breadth", "clarity", "depth", "overall"]
    assert len(votes_path(tmp_path, "ann").read_text().splitlines()) == 4


def test_a_name_becomes_a_files_name_and_what_can_be_none_is_refused() -> None:
    typed = ("Ann B.", " José ", "李", "ann@x.org", "ＡＮＮ　Ｂ．", "ﬁnn", "ⅷ")
    assert [annotator_of(each) for each in typed] == ["ann-b.", "josé", "李", "ann@x.org", "ann-b.", "finn", "viii"]
    for wrong in ("", "  ", "../up", ".hidden", "a/b", "a\0b", "x" * 41, "<b>"):
        with pytest.raises(UserError, match="A name has"):
            annotator_of(wrong)


def test_a_file_of_another_name_is_refused(tmp_path: Path, clock: Clock) -> None:
    cast(tmp_path, vote(clock, "a"), None)
    path = votes_path(tmp_path, "ann")
    for name, sentence in (("bob", "is signed 'ann': each person has a file"), ("ＡＮＮ", "is the file of 'ann'")):
        copy = path.with_name(f"{name}.jsonl")
        copy.write_bytes(path.read_bytes())
        with pytest.raises(UserError, match=sentence):
            read_votes(tmp_path)
        copy.unlink()
    assert choices(tmp_path) == ["a"]


def test_answers_on_unknown_systems_and_on_what_nobody_was_asked_are_named_and_left_out(
    tmp_path: Path, clock: Clock
) -> None:
    folder = made_experiment(tmp_path, {"x": {"q1-r1": "One."}, "y": {"q1-r1": "Two."}})
    write_plan(folder, VotingPlan(seed="1", pairs=(PairItem(pair_id="p1", query_id="q1", a="x", b="y"),)))
    for changes in ({}, {"a": "z"}, {"pair_id": "p2"}, {"query_id": "q2", "dimension": "clarity"}):
        cast(folder, vote(clock, "a").model_copy(update=changes), None)
    about = {"run_id": "z/q1-r1", "report_sha": "s", "query_id": "q1", "annotator": "ann"}
    cast(folder, Rating.model_validate({**about, "at": clock(), "dimension": "depth", "value": 7}), None)
    assert choices(folder) == ["a"]
    assert left_out_of_votes(counted_votes(folder)[1]) == [
        "Left out of people's answers: no system 'z' here (2, first: ann.jsonl), votes/plan.json asks about no such "
        "pair (2, first: ann.jsonl)."
    ]
    assert counted_votes(folder)[1].adds_up
