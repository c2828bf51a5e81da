"""Figure 6 and Appendix D: which of two reports a judge prefers, and how far two people agree on it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.records.pairs import PairScore
from drretail.records.score import Scores
from drretail.records.vote import Vote
from drretail.stats.agreement import TIE, kappa_without_ties, soft_disagreement
from drretail.tables.table import Cell, Row
from drretail.viewer.paper.published import AGENTS, Lineup, PaperTable, here, numbers_of, of_paper, paper_table

COLUMNS = ("first wins", "tie", "second wins", "pairs")


def preferences(experiment: str, scores: Scores | None, lines: Lineup) -> PaperTable:
    """Figure 6: the three agents that read whole pages, pair by pair and dimension by dimension."""
    labels = [label for agent in AGENTS for label in lines.by_name[f"{agent}+ws"]]
    wanted = [tuple(sorted(pair)) for pair in combinations(labels, 2)]
    found = [row for row in (scores.pairs if scores else ()) if (row.a, row.b) in wanted]
    rated = [row for row in found if row.win.value is not None]
    missing: list[str] = []
    if len(labels) < len(AGENTS):
        missing.append("the three agents that read whole pages: drretail run … " + _flags(lines))
    if not found and len(labels) > 1:
        missing.append(f"comparisons: drretail score {experiment} --metrics pairwise --judge PROVIDER:MODEL")
    elif found and not rated:
        missing.append(f"a language model's preferences: drretail score {experiment} --metrics pairwise --judge …")
    return paper_table(
        "Figure 6",
        "Share of comparisons won (agents that read whole pages)",
        COLUMNS,
        [*map(_compared, rated)],
        notes=(
            "The paper shows these as bars, without numbers; it asked once, in random order, and allowed no ties "
            "(--rules paper).",
        ),
        missing=missing,
    )


def people_agree(votes: Sequence[Vote]) -> PaperTable:
    """Appendix D: Cohen's κ of every two annotators by dimension, without ties."""
    published = numbers_of("kappa")
    soft = published.pop("soft_disagreements")
    # By annotator, then by what is compared: the last vote, "a" for the system whose label comes first.
    found: dict[str, dict[_Compared, str]] = defaultdict(dict)
    for vote in votes:
        first, second = sorted((vote.a, vote.b))
        # The choice as if the systems had been named in the order of their labels: files may name them either way.
        exchanged = {"a": "b", "b": "a"}
        found[vote.annotator][vote.pair_id, first, second, vote.dimension] = (
            exchanged.get(vote.choice, vote.choice) if vote.a > vote.b else vote.choice
        )
    by_person = dict(sorted(found.items()))
    rows: list[Row] = []
    for dimension in (*published, *(dimension for dimension in DIMENSIONS if dimension not in published)):
        rows += _agreed(by_person, dimension)
        if dimension in published:
            cells = (Cell(published[dimension], "number"), Cell(21, "count"), None, Cell(soft, "number"))
            rows.append(of_paper(dimension, cells))
    annotators = "votes of two people: one line a vote in exp/votes/<annotator>.jsonl (docs/paper.md)"
    return paper_table(
        "Appendix D",
        "Agreement of two people (Cohen's κ without ties)",
        ("κ", "comparisons", "without ties", "disagreements with a tie"),
        rows,
        notes=(
            "κ rests on the comparisons without ties: those that neither person called one.",
            "The paper's share of disagreements in which one side is a tie is over all dimensions.",
        ),
        missing=() if len(by_person) > 1 else (annotators,),
    )


def _flags(lines: Lineup) -> str:
    return " ".join(f"--agent {agent}+ws" for agent in AGENTS if not lines.by_name[f"{agent}+ws"])


def _compared(row: PairScore) -> Row:
    name = f"{row.a} ~ {row.b}: {row.dimension}"
    shares = (Cell(share.value, "number") for share in (row.win, row.tie, row.loss))
    return here(f"{name} ({row.judge}, rules {row.rules})", (*shares, Cell(row.n_scored, "count")))


_Compared = tuple[str, str, str, str]
"""What a vote is about: pair, the systems' labels in their order, dimension."""


def _agreed(by_person: dict[str, dict[_Compared, str]], dimension: str) -> Iterator[Row]:
    for first, second in combinations(by_person, 2):
        both = sorted(item for item in by_person[first] if item in by_person[second] and item[-1] == dimension)
        if both:
            ones = [by_person[first][item] for item in both]
            others = [by_person[second][item] for item in both]
            kappa, soft = kappa_without_ties(ones, others), soft_disagreement(ones, others)
            decided = sum(TIE not in pair for pair in zip(ones, others, strict=True))
            counts = (Cell(len(both), "count"), Cell(decided, "count"))
            yield here(f"{dimension} ({first}, {second})", (Cell(kappa, "number"), *counts, Cell(soft, "number")))
