"""People's answers about an experiment, counted by person and by pair of systems, and how far two people agree."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import typer

from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.records.tables.figures import counted
from drretail.records.vote import Ballot, CitedLabel, ClaimLabel, Rating, Vote
from drretail.stats.agreement import TIE, kappa_without_ties
from drretail.stats.raters import MOST_ROWS, Agreement, Answered, agreement_on, agreement_table, pairs_of
from drretail.viewer.output import print_rows, print_table

AGREEMENT = "Agreement (Cohen's kappa without ties)"


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
    agreement: tuple[Agreement, ...]
    """How far every two people agree in each dimension, κ without ties."""


def results_of(ballots: Sequence[Ballot]) -> VoteResults:
    """All counts, with people and systems by name and dimensions in their order."""
    votes = [ballot for ballot in ballots if isinstance(ballot, Vote)]
    ordered = sorted(votes, key=lambda vote: (DIMENSIONS.index(vote.dimension), vote.annotator))
    answers = (Answered(vote.annotator, vote.pair_id, vote.dimension, vote.winner or TIE) for vote in ordered)
    agreement = tuple(agreement_on(pair, kappa_without_ties) for pair in pairs_of(answers) if pair.ones)
    return VoteResults(tuple(_people(ballots)), tuple(_pairs(votes)), agreement)


def _people(ballots: Sequence[Ballot]) -> list[PersonCount]:
    by_person: dict[str, list[Ballot]] = defaultdict(list)
    for ballot in ballots:
        by_person[ballot.annotator].append(ballot)
    people: list[PersonCount] = []
    for name, given in sorted(by_person.items()):
        votes, ratings, labels = (
            [each.about for each in given if isinstance(each, kind)] for kind in (Vote, Rating, ClaimLabel | CitedLabel)
        )
        counts = (len(votes), len({*votes}), len(ratings), len({*ratings}), len({*labels}))
        people.append(PersonCount(name, *counts))
    return people


def _pairs(votes: Sequence[Vote]) -> list[PairCount]:
    counted: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for vote in votes:
        a, b = sorted((vote.a, vote.b))
        counted[a, b, vote.dimension][vote.winner] += 1
    places = sorted(counted.items(), key=lambda item: (item[0][:2], DIMENSIONS.index(item[0][2])))
    return [PairCount(a, b, dimension, won[a], won[""], won[b]) for (a, b, dimension), won in places]


def print_results(results: VoteResults) -> None:
    """Prints up to three tables on stdout: people, votes and agreement. Those of many people are summarised."""
    if not results.people:
        typer.echo("Nobody has voted yet.")
        return
    people = sorted(results.people, key=lambda person: -(person.votes + person.ratings + person.labels))
    shown = sorted(people[:MOST_ROWS], key=lambda person: person.annotator)
    more = len(people) - len(shown)
    columns = ["", "votes", "on pairs", "ratings", "of reports", "labels of claims"]
    notes = [f"Left out: {counted(more, 'person', 'people')} with the fewest answers. --json has all."] if more else []
    print_rows("People", columns, map(astuple, shown), notes=notes)
    pairs = [
        (f"{pair.a} ~ {pair.b}", _words(pair.dimension), pair.a_wins, pair.ties, pair.b_wins) for pair in results.pairs
    ]
    if pairs:
        print_rows("Votes", ["systems", "dimension", "for the first", "ties", "for the second"], pairs)
    if results.agreement:
        print_table(agreement_table(AGREEMENT, results.agreement, "pairs", _words))


def _words(dimension: str) -> str:
    return dimension.replace("_", " ")
