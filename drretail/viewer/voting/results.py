"""People's answers about an experiment, counted by person and by pair of systems, and how far two people agree."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import typer

from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.records.vote import Ballot, CitedLabel, ClaimLabel, Rating, Vote
from drretail.stats.agreement import kappa_without_ties
from drretail.tables.figures import counted
from drretail.tables.table import Table, table_of
from drretail.viewer.output import print_rows, print_table

MOST_ROWS = 20
"""The most people, and the most agreements of two people, of which each has a row of its own when printed."""
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
class PeopleAgree:
    """κ of two people in one dimension, without ties (None if undefined); ``n`` pairs were voted on by both."""

    first: str
    second: str
    dimension: str
    n: int
    kappa: float | None


@dataclass(frozen=True, slots=True)
class VoteResults:
    people: tuple[PersonCount, ...]
    """The number of answers by person."""
    pairs: tuple[PairCount, ...]
    """The number of votes for each of two systems, by dimension."""
    agreement: tuple[PeopleAgree, ...]
    """How far every two people agree."""


def results_of(ballots: Sequence[Ballot]) -> VoteResults:
    """All counts, with people and systems by name and dimensions in their order."""
    votes = [ballot for ballot in ballots if isinstance(ballot, Vote)]
    choices: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for vote in votes:
        choices[vote.annotator, vote.dimension][vote.pair_id] = _winner(vote) or "tie"
    people = sorted({vote.annotator for vote in votes})
    rows: list[PeopleAgree] = []
    for first, second in combinations(people, 2):
        for dimension in DIMENSIONS:
            one, other = choices[first, dimension], choices[second, dimension]
            both = sorted({*one} & {*other})
            if both:
                kappa = kappa_without_ties([one[pair] for pair in both], [other[pair] for pair in both])
                rows.append(PeopleAgree(first, second, dimension, len(both), kappa))
    return VoteResults(tuple(_people(ballots)), tuple(_pairs(votes)), tuple(rows))


def _people(ballots: Sequence[Ballot]) -> list[PersonCount]:
    by_person: dict[str, list[Ballot]] = defaultdict(list)
    for ballot in ballots:
        by_person[ballot.annotator].append(ballot)
    people: list[PersonCount] = []
    for name, given in sorted(by_person.items()):
        votes = [each for each in given if isinstance(each, Vote)]
        ratings = [each for each in given if isinstance(each, Rating)]
        labels = {each.about for each in given if isinstance(each, ClaimLabel | CitedLabel)}
        pairs, reports = {vote.pair_id for vote in votes}, {rating.run_id for rating in ratings}
        people.append(PersonCount(name, len(votes), len(pairs), len(ratings), len(reports), len(labels)))
    return people


def _pairs(votes: Sequence[Vote]) -> list[PairCount]:
    counted: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for vote in votes:
        a, b = sorted((vote.a, vote.b))
        counted[a, b, vote.dimension][_winner(vote)] += 1
    places = sorted(counted.items(), key=lambda item: (item[0][:2], DIMENSIONS.index(item[0][2])))
    return [PairCount(a, b, dimension, won[a], won[""], won[b]) for (a, b, dimension), won in places]


def _winner(vote: Vote) -> str:
    """The label of the preferred system; empty for a tie."""
    return {"a": vote.a, "b": vote.b, "tie": ""}[vote.choice]


def results_sentence(results: VoteResults) -> str:
    """A sentence with the number of each person's answers."""
    people = results.people
    if not people:
        return "Nobody has voted."
    return "; ".join(f"{person.annotator}: {', '.join(_parts(person))}" for person in people) + "."


def _parts(person: PersonCount) -> list[str]:
    parts = (
        (person.votes, f"{counted(person.votes, 'vote')} on {counted(person.pairs, 'pair')}"),
        (person.ratings, f"{counted(person.ratings, 'rating')} of {counted(person.reports, 'report')}"),
        (person.labels, f"{counted(person.labels, 'label')} of claims"),
    )
    return [text for count, text in parts if count]


def print_results(results: VoteResults) -> None:
    """Prints up to three tables on stdout: people, votes and agreement. Those of many people are summarised."""
    if not results.people:
        typer.echo("Nobody has voted yet.")
        return
    people = sorted(results.people, key=lambda person: -(person.votes + person.ratings + person.labels))
    shown = sorted(people[:MOST_ROWS], key=lambda person: person.annotator)
    more = len(people) - len(shown)
    rows = [
        (person.annotator, person.votes, person.pairs, person.ratings, person.reports, person.labels)
        for person in shown
    ]
    columns = ["", "votes", "on pairs", "ratings", "of reports", "labels of claims"]
    notes = [f"Left out: {counted(more, 'person', 'people')} with the fewest answers. --json has all."] if more else []
    print_rows("People", columns, rows, notes=notes)
    pairs = [
        (f"{pair.a} ~ {pair.b}", _words(pair.dimension), pair.a_wins, pair.ties, pair.b_wins) for pair in results.pairs
    ]
    if pairs:
        print_rows("Votes", ["systems", "dimension", "for the first", "ties", "for the second"], pairs)
    if len(results.agreement) > MOST_ROWS:
        print_table(_agreement_by_dimension(results.agreement))
    elif results.agreement:
        agreed = [(f"{row.first}, {row.second}", _words(row.dimension), row.n, row.kappa) for row in results.agreement]
        print_rows(AGREEMENT, ["", "dimension", "pairs", "kappa"], agreed)


def _agreement_by_dimension(agreement: Sequence[PeopleAgree]) -> Table:
    by_dimension: dict[str, list[PeopleAgree]] = defaultdict(list)
    for row in agreement:
        by_dimension[row.dimension].append(row)
    rows: list[tuple[object, ...]] = []
    for dimension, found in by_dimension.items():
        kappas = [row.kappa for row in found if row.kappa is not None]
        low, middle, high = (min(kappas), median(kappas), max(kappas)) if kappas else (None, None, None)
        rows.append((_words(dimension), len(found), len(kappas), low, middle, high))
    columns = ["dimension", "pairs of people", "with a kappa", "lowest", "median", "highest"]
    return table_of(AGREEMENT, columns, rows, notes=["--json has every two people."])


def _words(dimension: str) -> str:
    return dimension.replace("_", " ")
