"""What the gym pays for a report, by code alone: its cart compared with the best one, if a reader sees nothing false.

    reward   = decision · integrity
    decision = cart, or 1 for a right refusal of what the shop can't meet
    cart     = worth · wanted · within_budget · (1 + verified) / 2, and half of that unless the cart is all that is
               wanted and nothing else

Each part is from 0 to 1. Integrity is 0 or 1. It is 0 for one contradicted figure, for one pick that no tool has shown
or that the report does not argue for, for one invented source of a claim about a pick, or for one false refusal. Prose
earns nothing. A figure of a pick that its record has earns something. Comments are not read at all. A report with HTML
that a browser may hide (grounding/report/page.py) is worth nothing, since code can't say what a reader sees of it. So
without the right cart, no reward is above 1/2.

A pick whose record leaves demands open is worth the share of its want's limits that are kept.

If the shop can't meet a query, which a check of all its products has proved, a refusal is rewarded instead; in a turn
of a conversation the cart before as well.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from drretail.env.store.base import Store
from drretail.eval.baskets import Measured, decided_by, not_measured, worth_ratio
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import of_measures
from drretail.experiment import read_definition
from drretail.grounding.cart import Cart
from drretail.grounding.report.page import blanked, read_page
from drretail.grounding.text.untrusted import visible
from drretail.grounding.verify.checks import Case, read_report
from drretail.records.base import Record
from drretail.records.evidence import Evidence
from drretail.records.query import NOT_TYPED, Ends, Query, Reference, WantedThing
from drretail.records.reading import Reading
from drretail.records.run import GYM_AGENT, Run
from drretail.records.shop import product_of
from drretail.records.wish import Wish

NO_REPORT = "no report was handed in"
HTML = "the report holds HTML that a browser may hide"
NO_PICKS = "the report declares no picks"
NOT_WANTED = "no pick is what the query asks for"
OVER = "the cart breaks the budget"
UNMET = "the cart does not keep to the query"
REFUSED = "something is refused that the shop has"
BOUGHT = "something is bought, and the shop can't meet the wish"
CONTRADICTED = "a figure is contradicted by a record"
NOT_SHOWN = "a pick was shown by no tool"
NOT_ARGUED = "a pick is not argued for in what a reader sees"
UNRESOLVED = "the report cites what no tool has shown"
_WORD = re.compile(r"[^\W\d_]")
_ENTITY = re.compile(r"&#?\w+;")


class Reward(Record):
    """What a report is worth, with the parts that it is computed from; each is from 0 to 1."""

    value: float = 0.0
    """What the rollout is paid."""
    worth: float = 0.0
    """The worth of the wanted picks relative to the best basket (docs/scores.md, ``utility_ratio``); 1 for a right
    refusal, as all parts of its cart."""
    wanted: float = 0.0
    """The share of the cart that is wanted, in the quantity that is wanted."""
    within_budget: float = 0.0
    """1 if the whole cart, with unwanted picks, keeps to the budget, else 0."""
    right: float = 0.0
    """1 if the cart is all that is wanted and nothing else (docs/scores.md, ``feasible``), else 0."""
    refused: float = 0.0
    """1 if the report rightly refuses what the shop can't meet, else 0."""
    integrity: float = 0.0
    """1 if nothing that a reader sees is false and the report argues for every pick, else 0."""
    verified: float = 0.0
    """The share of the picks of which the report gives a figure that the record has."""
    why: str = ""
    """Why the reward is 0; empty if it is not."""

    @property
    def decision(self) -> float:
        """What the cart, or the refusal, is worth before integrity and research."""
        return self.worth * self.wanted * self.within_budget * (1 if self.right else 0.5) * (1 + self.verified) / 2

    def paid(self) -> "Reward":
        """The same parts with the value that follows from them."""
        return self.model_copy(update={"value": self.decision * self.integrity})


REFUSAL = Reward(refused=1.0, worth=1.0, wanted=1.0, within_budget=1.0, right=1.0, integrity=1.0, verified=1.0)
"""A right refusal."""


def reward_of(
    run: Run,
    evidence: Iterable[Evidence],
    query: Query,
    reference: Reference,
    store: Store,
) -> Reward:
    """The reward of a run's report. Pure: the same record in the same shop gives the same reward, to the last bit.

    ``store`` holds the shop's records.
    """
    case = Case(
        report=visible(run.report or ""),
        evidence={entry.id: entry for entry in evidence},
        query=query,
        picks=run.picks,
        run=run,
        shop=store,
    )
    return _Earned(case, run, reference, store).reward().paid()


def _borne_out(reading: Reading) -> float:
    """The share of the picks of which the report gives a figure that the record has."""
    right = {product_of(value.of.removeprefix("P:")) for value in reading.values if value.state == "verified"}
    picked = {pick.product for pick in reading.picks or ()}
    return len(picked & right) / len(picked) if picked else 0.0


@dataclass(frozen=True, slots=True)
class _Earned:
    """A report beside what it could have bought."""

    case: Case
    run: Run
    reference: Reference
    store: Store

    def reward(self) -> Reward:
        """All parts of the reward."""
        if read_page(self.case.report).has_unread:
            return Reward(why=HTML)
        if not read_page(self.case.report).shown.strip():
            return Reward(why=NO_REPORT)
        if self.case.query.wish is None:
            return Reward(why=NOT_TYPED)
        proof = self.reference.proof
        if proof is not None and proof.state == "proved":
            return self._of_refusal()
        if self.run.outcome is not None and (not self.run.picks or self.run.outcome.decision != "buy"):
            return Reward(why=REFUSED)
        return self._of_cart(self.case.query.wish)

    def _of_cart(self, wish: Wish) -> Reward:
        if not self.run.picks:
            return Reward(why=NO_PICKS)
        picked = self.store.products(sorted({pick.product for pick in self.run.picks}))
        parts = _parts(Cart(wish, self.reference, self.run.picks, picked))
        reading = read_report(self.case)
        broken = breach(self.case, reading)
        if broken or not parts.decision:
            return parts.model_copy(update={"integrity": float(not broken), "why": broken or parts.why})
        return parts.model_copy(update={"integrity": 1.0, "verified": _borne_out(reading)})

    def _of_refusal(self) -> Reward:
        """The parts on a query that can't be met."""
        decided = decided_by(self.case, self.reference)
        if decided is None or not decided.refused:
            return Reward(why=NO_PICKS if self.run.outcome is None else BOUGHT)
        if broken := breach(self.case, read_report(self.case)):
            return Reward(refused=1.0, why=broken)
        return REFUSAL


def breach(case: Case, reading: Reading) -> str:
    """The first of the four faults of a report, which make its integrity 0; empty without faults.

    A pick is argued for if it is cited, and a sentence, an item, a row or a heading has words beside its mark.
    """
    picks, layout = {f"P:{pick.product}" for pick in reading.picks or ()}, case.layout
    if any(value.state == "contradicted" for value in reading.values):
        return CONTRADICTED
    if not picks <= case.evidence.keys():
        return NOT_SHOWN
    words = blanked(layout.text, (match.span() for match in _ENTITY.finditer(layout.text)))
    argued = {
        cited
        for index, sentence in enumerate(layout.sentences)
        if _WORD.search(words, sentence.start, sentence.end)
        for cited in layout.cited.get(index, ())
    }
    if not picks <= argued & case.cited:
        return NOT_ARGUED
    return UNRESOLVED if any(citation.type == "unresolved" for citation in case.citations) else ""


def _parts(cart: Cart) -> Reward:
    """The parts that depend on the cart, and why it is worth nothing, if so."""
    # Products with open demands count for their wants, at the share of the limits that are kept.
    kept = {fit.offer_id for thing in cart.things for fit in thing.fits}
    things: list[WantedThing] = []
    for number, thing in enumerate(cart.things):
        limits = 1 + cart.wish.wants[number].n_limits  # 1: the kind
        undecided = (
            fit.model_copy(update={"worth": round(fit.worth * (1 - len(fit.open) / limits))})
            for fit in thing.undecided
            if fit.offer_id not in kept
        )
        things.append(thing.model_copy(update={"fits": (*thing.fits, *undecided)}))
    # The first picks are taken first: beside a product that keeps everything, the open one is the one too many.
    picks = tuple(sorted(cart.picks, key=lambda pick: cart.offer_id(pick) not in kept))
    lenient = replace(cart, reference=cart.reference.model_copy(update={"things": tuple(things)}), picks=picks)
    worth, within = worth_ratio(lenient) or 0.0, cart.keeps_to_money
    why = NOT_WANTED if not any(lenient.taken) else "" if within else OVER
    return Reward(
        worth=worth,
        wanted=lenient.share_wanted,
        within_budget=float(within),
        right=float(cart.is_feasible),
        why=why or ("" if worth else UNMET),
    )


def measure(subject: Subject) -> Mapping[str, Measured] | str:
    """The reward of a run's report, and its parts."""
    reference, ends = subject.reference, subject.ends
    lack = None if ends is None else why_unpaid(subject.query, ends)
    if lack is not None or reference is None or subject.store is None:
        return lack or NO_WORLD
    run, earned = subject.run, Reward(why=NO_REPORT)
    if run is not None:
        if subject.is_turn:
            reference, run = subject.turns[-1].followed, subject.turns[-1].decided(run)
        evidence = subject.evidence.values()
        earned = reward_of(run, evidence, subject.query, reference, subject.store)
    parts = earned.model_dump(exclude={"why"})
    return {"reward" if name == "value" else name: Measured(part, earned.why) for name, part in parts.items()}


def why_unpaid(query: Query, ends: Ends) -> str | None:
    """Why nothing is paid on a query, or None; what the shop can't meet can be refused."""
    is_proved = ends.proof is not None and ends.proof.state == "proved"
    return None if is_proved else not_measured(query.wish, ends)


def applies(subject: Subject) -> tuple[str, ...]:
    """``reward``, if something is paid on the query."""
    ends = subject.ends
    return () if ends is None or why_unpaid(subject.query, ends) is not None else ("reward",)


def lacks_rollouts(experiment: Path) -> str:
    """Why it is not scored unasked; empty if a system's runs are rollouts of the gym."""
    is_gym = any(system.agent == GYM_AGENT for system in read_definition(experiment).systems.values())
    return "" if is_gym else "holds no rollouts of the gym"


_DESCRIBED = Path(__file__).with_name("descriptions.toml")
METRIC = of_measures("reward", 4, measure, lacks=lacks_rollouts, applies=applies, described=_DESCRIBED)
