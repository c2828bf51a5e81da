"""Table 4 and Figure 5: what a dataset has, and what a profile adds to its queries."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import mean

from drretail.grounding.text.wording import words_of
from drretail.querygen.comparison import Row as Mode
from drretail.records.query import Query
from drretail.records.run import NINE, Run
from drretail.records.score import Scores
from drretail.viewer.paper.published import Row, Table, columns_of, rows_of

WEB = "web_search"
LONG = 250
"""Words of a report from which on it counts as a long answer."""
DEEP = 3
"""Different tools that a question expects, from which on answering it counts as research."""


def dataset(queries: Sequence[Query], runs: Sequence[Run], scores: Scores | None) -> Table:
    """Table 4, with a line for this experiment's queries, in shares of them or of its reports."""
    rows = [Row(name, "paper", cells) for name, cells in rows_of("datasets").items()]
    shares = (
        _share([len(set(query.expected_tools)) >= DEEP for query in queries]),
        _share([words_of(run.report or "", run.citations) >= LONG for run in runs if run.status == "done"]),
        _share([bool(set(query.expected_tools) & (set(NINE) - {WEB})) for query in queries]),
        _share([WEB in query.expected_tools for query in queries]),
        scores is not None and any(row.metric == "faithfulness" and row.value is not None for row in scores.scores),
        _share([query.user_id is not None and query.mode == "profile_aware" for query in queries]),
    )
    return Table(
        "Table 4",
        "What a dataset has",
        columns_of("datasets"),
        (*rows, Row(f"this experiment ({len(queries)} queries)", "here", shares)),
        notes=(
            f"Here as shares: of queries that expect {DEEP} tools and more, of reports of {LONG} words and more, of "
            "queries that expect a tool of the shop, and the web, and of those with a profile.",
        ),
    )


def modes(experiment: str, found: Sequence[Mode] | None) -> Table:
    """Figure 5: generic beside profile-aware queries; ``found`` is None without the world."""
    missing: list[str] = []
    if found is None:
        missing.append("the world of the queries: name it with --world")
    else:
        held = {mode.mode for mode in found}
        missing += [
            f"{mode.replace('_', '-')} queries in {experiment}: drretail queries generate … --mode {mode}"
            for mode in ("generic", "profile_aware")
            if mode not in held
        ]
    rows = [
        Row(mode.mode.replace("_", "-"), "here", (float(mode.queries), *asdict(mode.means).values()))
        for mode in found or ()
    ]
    return Table(
        "Figure 5",
        "Generic and profile-aware queries (means)",
        (
            "queries",
            "words",
            "expected tools",
            "of these, of the user's record",
            "mentions of the profile",
            "specificity",
        ),
        tuple(rows),
        notes=("The paper's figure is one pair of queries as an example, without numbers.",),
        missing=tuple(missing),
    )


def _share(of: Sequence[bool]) -> float | None:
    return mean(map(float, of)) if of else None
