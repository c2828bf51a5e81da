"""People's answers about an experiment, counted by person and by pair of systems."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import combinations
from pathlib import Path

from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.judging.subject import meetings, pair_id
from drretail.experiments.experiment import read_definition, read_runs
from drretail.records.account import Account
from drretail.records.base import sha256_of
from drretail.records.figures import counted
from drretail.records.vote import Ballot, Choice, ClaimLabel, Rating, Vote
from drretail.viewer.drawing.result import Part
from drretail.viewer.drawing.table import table_of

MOST_PEOPLE = 20
"""The most people of whom each has a row of its own when printed."""


@dataclass(frozen=True, slots=True)
class PersonCount:
    """The number of answers of one person; ``pairs`` and ``reports`` are those with any answer."""

    annotator: str
    votes: int
    pairs: int
    ratings: int
    reports: int
    labels: int


@dataclass(frozen=True, slots=True)
class PairCount:
    """Two systems in one dimension: votes for ``a``, ties, and votes for ``b``."""

    a: str
    b: str
    dimension: str
    a_wins: int
    ties: int
    b_wins: int


@dataclass(frozen=True, slots=True)
class VoteResults:
    people: tuple[PersonCount, ...]
    """The number of answers by person."""
    pairs: tuple[PairCount, ...]
    """The number of votes for each of two systems, by dimension."""


def results_of(ballots: Sequence[Ballot]) -> VoteResults:
    """All counts, with people and systems by name and dimensions in their order."""
    by_person: dict[str, list[Ballot]] = defaultdict(list)
    for ballot in ballots:
        by_person[ballot.annotator].append(ballot)
    people: list[PersonCount] = []
    for name, entries in sorted(by_person.items()):
        votes, ratings, labels = (
            [ballot.about for ballot in entries if type(ballot) is kind] for kind in (Vote, Rating, ClaimLabel)
        )
        counts = (len(votes), len({*votes}), len(ratings), len({*ratings}), len({*labels}))
        people.append(PersonCount(name, *counts))
    places: dict[tuple[str, str, str], Counter[Choice]] = defaultdict(Counter)
    for ballot in ballots:
        if isinstance(ballot, Vote):
            a, b = sorted((ballot.a, ballot.b))
            places[a, b, ballot.dimension][ballot.place] += 1
    ordered = sorted(places.items(), key=lambda item: (item[0][:2], DIMENSIONS.index(item[0][2])))
    pairs = [PairCount(*about, count["a"], count["tie"], count["b"]) for about, count in ordered]
    return VoteResults(tuple(people), tuple(pairs))


def ballots_account(experiment: Path, ballots: Iterable[Ballot]) -> Account:
    """Which of people's answers are about reports as they are; of another report nothing is known."""
    account, runs = Account("vote", "answer"), {run.run_id: run for run in read_runs(experiment)}
    definition = read_definition(experiment)
    met = meetings(experiment, definition, [*combinations(sorted(definition.systems), 2)])
    reports = {run_id: run.report for run_id, run in runs.items()}
    pairs = {pair_id(meeting.run_ids, [reports.get(run_id) for run_id in meeting.run_ids]) for meeting in met}
    for ballot in ballots:
        account.take()
        if isinstance(ballot, Vote):
            is_known = ballot.pair_id in pairs
        else:
            is_known = ballot.run_id in runs and sha256_of(runs[ballot.run_id].report) == ballot.report_sha
        if is_known:
            account.use()
        else:
            account.leave_out("its report is another one now, or gone", f"{ballot.annotator}, {ballot.about}")
    return account


def vote_tables(results: VoteResults) -> Iterator[Part]:
    """Up to two tables: people, of whom those with the most answers are shown, and votes."""
    if not results.people:
        yield "Nobody has voted yet."
        return
    people = sorted(results.people, key=lambda person: -(person.votes + person.ratings + person.labels))
    shown = sorted(people[:MOST_PEOPLE], key=lambda person: person.annotator)
    more = len(people) - len(shown)
    columns = ["", "votes", "on pairs", "ratings", "of reports", "labels of claims"]
    notes = [f"Left out: {counted(more, 'person', 'people')} with the fewest answers. --json has all."] if more else []
    yield table_of("People", columns, map(astuple, shown), notes=notes).filled
    pairs = [
        (f"{pair.a} ~ {pair.b}", pair.dimension.replace("_", " "), pair.a_wins, pair.ties, pair.b_wins)
        for pair in results.pairs
    ]
    if pairs:
        yield table_of("Votes", ["systems", "dimension", "for the first", "ties", "for the second"], pairs).filled
