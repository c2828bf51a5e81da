"""The likely cost of judging the paper's experiment, and the paper's own tokens at today's prices."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from drretail.eval.judging.session import Judge
from drretail.eval.registry import load_metric, pair_family
from drretail.llm.estimates import Estimate, Range, dollars_of, estimate_by_length, together
from drretail.llm.prices import PriceTable
from drretail.prompts import Prompt
from drretail.viewer.paper.published import AGENTS, columns_of, rows_of

CHARACTERS_PER_WORD = 7
"""Of a report, with its spaces, marks and list of sources."""
CONTEXT, SOURCE = 2_000, 3_000
"""Characters of a question with its profile, and of what one claim cites: a product's record, or a page cut to what
matters.
"""
BASIS = "reports as long, and with as many cited claims, as the paper's (Tables 1 and 5); no prompt cache, no repairs"


def judging_likely(judges: Sequence[Judge], queries: int, systems: int) -> list[Estimate]:
    """By family and language model: what judging so many reports by the paper's rules is likely to take."""
    words = _mean("cost", "words")
    report, claims = round(words * CHARACTERS_PER_WORD), round(_mean("faithfulness", "N_cited"))
    stages = {prompt.name: len(prompt.shared + prompt.text) for prompt in load_metric("faithfulness").prompts()}
    rating = _longest(load_metric("quality").prompts()) + report + CONTEXT
    comparing = _longest(pair_family().prompts("paper").values()) + 2 * report + CONTEXT
    reports, pairs = queries * systems, queries * len([*combinations(AGENTS, 2)])
    support = (stages["support_alone"] + SOURCE, claims * reports)
    asked = {
        "faithfulness": [
            (stages["extract_cited"] + report, reports, Range(40, 120).times(claims)),
            (stages["extract_all"] + report, reports, Range(40, 120).times(claims)),
            (*support, Range(40, 120)),
        ],
        "quality": [(rating, 7 * reports, Range(80, 300))],
        "pairwise": [(comparing, 7 * pairs, Range(60, 200))],
    }
    found: list[Estimate] = []
    for judge in judges:
        if judge.model is None or judge.ref.kind == "rule_based":
            continue
        spec, price = judge.ref.spec, judge.model.price
        for family, parts in asked.items():
            rows = [
                estimate_by_length(spec, [size] * count, answer, spec, price, basis=BASIS, unit="reports")
                for size, count, answer in parts
            ]
            of_what = (pairs, "pairs") if family == "pairwise" else (reports, "reports")
            row = replace(together(rows, f"{family} by {spec}"), count=of_what[0], unit=of_what[1], basis=BASIS)
            found.append(row)
    return found


def paper_tokens(spec: str, queries: int, prices: PriceTable) -> Estimate:
    """The tokens of the paper's own runs (Table 5) for so many queries, at this model's price today."""
    rows, columns = rows_of("cost"), columns_of("cost")
    read, written = (
        Range(total, total)
        for name in ("input tokens (k)", "output tokens (k)")
        for total in [1_000 * queries * sum(float(row[columns.index(name)].value or 0) for row in rows.values())]
    )
    price = prices.of(spec)
    money = dollars_of(read, written, [] if price is None else [price])
    return Estimate("the paper's own runs", queries * len(rows), Range(0, 0), read, written, money, "its Table 5")


def _mean(table: str, column: str) -> float:
    rows, at = rows_of(table), columns_of(table).index(column)
    return sum(float(row[at].value or 0) for row in rows.values()) / len(rows)


def _longest(prompts: Iterable[Prompt]) -> int:
    return max(len(prompt.shared + prompt.text) for prompt in prompts)
