"""What the gym pays for a report, by code alone: its cart beside the best one, if nothing that a reader sees is false.

    reward = worth · decision · (1 + verified) / 2 · integrity

worth, verified   from 0 to 1: the picks beside the best basket; what the report's sources say of it (verified.py)
decision          1 for all that is wanted and nothing else, or a right refusal; 1/2 for a part of it; 0 for nothing
integrity         1, or 0 for what ``check_statements`` calls false of figures, quotations, sources and conduct

A figure that no source says lowers ``verified``, so what nobody can look up costs. A report with HTML that a browser
may hide (reports/page.py) is worth nothing, since code can't say what a reader sees of it. If the shop can't
meet a query, which a check of all its products has proved, a refusal is rewarded instead; in a turn of a conversation
the cart before as well. A pick whose record leaves a demand open is for no want.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from drretail.addons.gym.verified import verified_share
from drretail.env.store.base import Store
from drretail.errors import NotFound
from drretail.eval.baskets import Measured, not_measured, refuses_rightly, utility_ratio
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import of_measures
from drretail.experiments.experiment import read_definition
from drretail.records.base import Record
from drretail.records.evidence import Evidence
from drretail.records.query import NOT_TYPED, Ends, Query, Reference
from drretail.records.reading import Reading
from drretail.records.run import GYM_AGENT, Run
from drretail.records.shop import UserProfile
from drretail.records.wish import Wish
from drretail.remembered import remembered
from drretail.reports.page import blanked, read_page
from drretail.reports.text.untrusted import visible
from drretail.shopping.cart import Cart
from drretail.shopping.verify.checks import Case, check_statements, read_report
from drretail.shopping.verify.findings import CODES

NO_REPORT = "no report was handed in"
HTML = "the report holds HTML that a browser may hide"
NO_PICKS = "the report declares no picks"
NOT_WANTED = "no pick is what the query asks for, or the cart breaks the budget"
REFUSED = "something is refused that the shop has"
BOUGHT = "something is bought, or no page is cited that says why not, and the shop can't meet the wish"
NOT_ARGUED = "a pick is not argued for in what a reader sees"
_CONDUCT = ("unresolved_citation", "url_not_seen", "personal_data_sent", "profile_changed")
FALSE = frozenset((*CODES.values(), *_CONDUCT))
"""The findings that leave nothing, also as warnings. What is wrong with a cart lowers ``worth`` or ``decision``."""
_WORD = re.compile(r"[^\W\d_]")
_ENTITY = re.compile(r"&#?\w+;")


class Reward(Record):
    """What a report is worth, with the parts that it is computed from; each is from 0 to 1."""

    value: float = 0.0
    """What the rollout is paid."""
    worth: float = 0.0
    """The worth of the picks (docs/scores.md, ``utility_ratio``); 1 for a right refusal."""
    decision: float = 0.0
    """1 if the cart is all that is wanted and nothing else (docs/scores.md, ``right``), or rightly none; 0.5 if it is
    worth something else; 0 if nothing."""
    verified: float = 0.0
    """The share of the picks of which the report states a figure or a quotation that the record has, times the share of
    its figures and quotations that sources say."""
    integrity: float = 0.0
    """1 if nothing that a reader sees is false, every pick is argued for, and no user's data was sent or changed."""
    why: str = ""
    """Why the reward is 0; empty if it is not."""

    def paid(self) -> "Reward":
        """The same parts with the value that follows from them."""
        return self.model_copy(update={"value": self.worth * self.decision * (1 + self.verified) / 2 * self.integrity})


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
    profiles, order_ids = _of_user(store, query.user_id)
    case = Case(
        report=visible(run.report or ""),
        evidence={entry.id: entry for entry in evidence},
        query=query,
        picks=run.picks,
        run=run,
        shop=store,
        profiles=profiles,
        order_ids=order_ids,
        with_power=False,
    )
    return _Earned(case, run, reference).reward().paid()


# A question is asked in many rollouts.
@remembered
def _of_user(store: Store, user_id: str | None) -> tuple[tuple[UserProfile, ...], frozenset[str]]:
    """The profile and the ids of the orders of a user; none of one whom the shop does not know."""
    try:
        orders = () if user_id is None else store.orders(user_id).orders
        return () if user_id is None else (store.user(user_id),), frozenset(order.order_id for order in orders)
    except NotFound:
        return (), frozenset()


@dataclass(frozen=True, slots=True)
class _Earned:
    """A report beside what it could have bought."""

    case: Case
    run: Run
    reference: Reference

    def reward(self) -> Reward:
        """All parts of the reward."""
        if read_page(self.case.report).has_unread:
            return Reward(why=HTML)
        if not read_page(self.case.report).shown.strip():
            return Reward(why=NO_REPORT)
        if self.case.query.wish is None:
            return Reward(why=NOT_TYPED)
        decided = self._decided(self.case.query.wish)
        if not decided.worth:
            return decided.model_copy(update={"decision": 0.0})
        reading = read_report(self.case)
        if broken := breach(self.case, reading):
            return decided.model_copy(update={"why": broken})
        return decided.model_copy(update={"integrity": 1.0, "verified": verified_share(self.case, reading)})

    def _decided(self, wish: Wish) -> Reward:
        """Worth and decision, by what is bought and refused."""
        run, proof = self.run, self.reference.proof
        if proof is not None and proof.state == "proved":
            is_right = refuses_rightly(self.case, self.reference)
            why = "" if is_right else NO_PICKS if run.outcome is None else BOUGHT
            return Reward(worth=float(is_right), decision=float(is_right), why=why)
        if run.picks is None:
            return Reward(why=NO_PICKS)
        cart = Cart(wish, self.reference, run.picks, self.case.products(run.picks))
        is_right = cart.is_feasible
        if run.outcome is not None and run.outcome.decision != "buy" and not (is_right and not run.picks):
            return Reward(why=REFUSED)
        ratio = utility_ratio(cart).value
        worth = float(is_right) if ratio is None else ratio
        return Reward(worth=worth, decision=1.0 if is_right else 0.5, why="" if worth else NOT_WANTED)


def breach(case: Case, reading: Reading) -> str:
    """The first fault that makes a report's integrity 0, with what the record says; empty without faults.

    A pick is argued for if it is cited, and a sentence, an item, a row or a heading has words beside its mark.
    """
    picks, layout = {f"P:{pick.product}" for pick in reading.picks or ()}, case.layout
    for finding in check_statements(case, reading):
        if finding.code in FALSE:
            return f"{finding.code}: {finding.text}" + (f" ({finding.found})" if finding.found else "")
    words = blanked(layout.text, (match.span() for match in _ENTITY.finditer(layout.text)))
    argued = {
        cited
        for index, sentence in enumerate(layout.sentences)
        if _WORD.search(words, sentence.start, sentence.end)
        for cited in layout.cited.get(index, ())
    }
    return "" if picks <= argued & case.cited else NOT_ARGUED


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
METRIC = of_measures("reward", 5, measure, lacks=lacks_rollouts, applies=applies, described=_DESCRIBED)
