"""A language model's opinion of queries: sense, agreement of text and wish, and privacy."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from drretail.env.world import World
from drretail.grounding.constraints.listing import Listing
from drretail.grounding.profile.naming import may_be_shown
from drretail.grounding.text.harmless import harmless
from drretail.grounding.text.wording import AGAIN, format_money, wish_lines
from drretail.journal import read_effects
from drretail.llm.estimates import Estimate, Range, estimate_by_length
from drretail.llm.prompts.prompt import load_prompt, tagged
from drretail.llm.registry import Model
from drretail.querygen.by_model.prompt import NOTHING, filled
from drretail.querygen.by_model.session import Answers, Ask, ModelSession, ask_all
from drretail.querygen.by_model.shelf import owned_by
from drretail.querygen.checks.case import finding
from drretail.querygen.checks.privacy import Mask
from drretail.querygen.lint import OPINIONS, Linter
from drretail.records.base import Record
from drretail.records.evidence import Finding
from drretail.records.query import Query, version_of
from drretail.records.tables.figures import counted
from drretail.records.wish import Wish

ANSWER = Range(90, 250)
"""Tokens of one answer: three sentences. Models that think first use more."""
# More orders tell nothing new about whether a question fits; more titles nothing about a kind.
_MOST_OWNED, _MOST_TITLES, _LONGEST_TITLE = 100, 4, 90
_AGAIN = "what the shopper has may be bought again"
"""The prompt's words for AGAIN. Other words would change the prompt, so that each model would be asked again."""


opinion_prompt = partial(load_prompt, __file__, "opinion")


# Models read the first lines of the classes below.
class Answer(Record):
    """One sentence of reason, and then the answer."""

    reason: str
    answer: Literal["yes", "no"]


class Opinion(Record):
    """What you make of the question."""

    sensible: Answer
    same: Answer
    anonymous: Answer

    def findings(self) -> Iterator[Finding]:
        for code, answer in zip(OPINIONS, (self.sensible, self.same, self.anonymous), strict=True):
            if answer.answer == "no":
                yield finding(code, "the question", answer.reason, severity="warning")


class Reader:
    """Asks a model about queries of one world, one call per query."""

    def __init__(self, world: World, linter: Linter) -> None:
        self._linter = linter
        self._today = world.manifest.now.date().isoformat()

    def read(
        self, queries: Sequence[Query], session: ModelSession, on_end: Callable[[], object] = lambda: None
    ) -> Answers[Opinion]:
        """Opinions by query id, for queries that have a wish. Failures are counted, never raised."""
        typed = [query for query in queries if query.wish is not None]
        asks = [Ask(query.query_id, self.message(query), Opinion, name=_name(query)) for query in typed]
        return ask_all(session, asks, on_end)

    def estimate(self, queries: Sequence[Query], model: Model, journal: Path) -> Estimate:
        """The likely usage of the opinions that the journal lacks. Sends nothing."""
        begun = {effect.scope for effect in read_effects(journal)} if journal.exists() else set[str]()
        typed = [query.model_copy(update={"wish": query.wish or Wish()}) for query in queries]
        missing = [query for query in typed if f"{_name(query)}#1" not in begun]
        lengths = [len(self.message(query)) for query in missing]
        basis = f"the prompts, and answers of {ANSWER.low:.0f} to {ANSWER.high:.0f} tokens"
        untyped = sum(query.wish is None for query in queries)
        basis += f"; typing {untyped} {'wish' if untyped == 1 else 'wishes'} comes on top" if untyped else ""
        return estimate_by_length(model.spec, lengths, ANSWER, model.spec, model.price, basis=basis, unit="queries")

    def message(self, query: Query) -> str:
        """The prompt for one query. Personal data in its texts is blanked out, except for some ids of records."""
        case = self._linter.case(query)
        assert query.wish is not None, "what nobody has typed is not compared"
        shopper = case.shopper
        mask = Mask.of([query.text, query.rationale], None if shopper is None else shopper.profile)
        offers = (_offer_line(want.name, listings, query.text) for want, listings in case.offered)
        return filled(
            opinion_prompt(),
            today=self._today,
            owned=tagged("owned", owned_by(shopper, query.text, _MOST_OWNED) if shopper else NOTHING),
            shelf=tagged("shelf", "\n".join(offers) or "Nothing is to be bought."),
            wish=tagged("wish", mask.text("\n".join(wish_lines(query.wish)).replace(AGAIN, _AGAIN), keep_ids=True)),
            rationale=tagged("rationale", mask.text(query.rationale, keep_ids=True) or "None is given."),
            question=tagged("question", mask.text(query.text, keep_ids=bool(query.wish.orders))),
        )


def _name(query: Query) -> str:
    """The question's name in the journal, which differs for each version of a query."""
    return f"{query.query_id}~{version_of(query)[:12]}#opinion"


def _offer_line(name: str, listings: Sequence[Listing], question: str) -> str:
    """A want's offers in one line: "- bird feeder: 34 products, $9.99 to $89.00; such as …"."""
    prices = sorted(listing.price for listing in listings if listing.price is not None)
    currency = listings[0].product.currency if listings else ""
    span = f", {format_money(prices[0], currency)} to {format_money(prices[-1], currency)}" if prices else ", no prices"
    shown = [harmless(one.product.title[:_LONGEST_TITLE]) for one in listings if may_be_shown(one.product, question)]
    return f"- {name}: {counted(len(listings), 'product')}{span}; such as {'; '.join(shown[:_MOST_TITLES]) or 'none'}"
