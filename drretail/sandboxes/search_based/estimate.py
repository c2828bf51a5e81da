"""The likely cost of building tasks with a model, before any request is sent."""

from drretail.llm.budget import CHARACTERS_PER_TOKEN
from drretail.llm.estimates import Estimate, Range, dollars_of
from drretail.llm.registry import Model
from drretail.sandboxes.search_based.keywords import FEWEST, TEN
from drretail.sandboxes.search_based.pages import LONGEST

SIGNALS = (FEWEST, TEN - FEWEST)
"""The fewest and the most signal keywords: only pages of signals are judged."""
READABLE = (0.4, 0.9)
"""The share of results that are new pages and can be read, at least and at most."""
PAGE = Range(1_200, LONGEST / CHARACTERS_PER_TOKEN / 2)
"""Tokens of a page."""
INSTRUCTIONS = 900
"""Tokens of the instructions for a page."""
RULING = Range(150, 500)
"""Tokens of the answer on a page."""
WHOLE = Range(6_000, 30_000)
"""Tokens of a question that includes all supportive pages."""
OTHERS = Range(7, 12)
"""Calls that are not about single pages: keywords, weighing, gold, criteria, with some repairs."""


def estimate_building(model: Model, tasks: int, results: int) -> Estimate:
    """The estimate for ``tasks`` tasks with ``results`` results per keyword, as if no journal held any answer."""
    pages = Range(SIGNALS[0] * results * READABLE[0], SIGNALS[1] * results * READABLE[1])
    read = Range(
        pages.low * (PAGE.low + INSTRUCTIONS) + OTHERS.low * WHOLE.low / 2,
        pages.high * (PAGE.high + INSTRUCTIONS) + OTHERS.high * WHOLE.high / 2,
    )
    written = Range(pages.low * RULING.low + OTHERS.low * 400, pages.high * RULING.high + OTHERS.high * 1_500)
    money = dollars_of(read, written, [] if model.price is None else [model.price])
    return Estimate(
        model.spec,
        tasks,
        pages.plus(OTHERS).times(tasks),
        read.times(tasks),
        written.times(tasks),
        None if money is None else money.times(tasks),
        f"{SIGNALS[0]} to {SIGNALS[1]} signals of {results} results",
        () if model.price is not None else (model.spec,),
    )
