"""Everything that follows from the situation: needs, limits, the products found for each need, and the best basket."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from drretail.grounding.constraints import read_constraints
from drretail.llm.offline.shopper.candidates import Candidate, read_candidates
from drretail.llm.offline.shopper.choosing import (
    PETS,
    Basket,
    Demands,
    Limits,
    Option,
    Shelf,
    fill_basket,
    fill_shelf,
    limits_of,
)
from drretail.llm.offline.shopper.complaints import complained_of
from drretail.llm.offline.shopper.customer import Customer, read_customer
from drretail.llm.offline.shopper.floors import read_floors
from drretail.llm.offline.shopper.kinds import KINDS
from drretail.llm.offline.shopper.need import Need, as_titled, kind_of, need_of
from drretail.llm.offline.shopper.needs import INTENT, Wanted, read_needs
from drretail.llm.offline.shopper.phrases import is_quality
from drretail.llm.offline.shopper.questions import Question, WebSearch, read_questions, web_searches
from drretail.llm.offline.shopper.scope import belongs_to
from drretail.llm.offline.shopper.situation import DETAILS, Situation
from drretail.llm.offline.shopper.wishes import qualities_in
from drretail.llm.offline.shopper.wondering import without_wondering
from drretail.llm.offline.shopper.words import content_stems, stems_of, words_of
from drretail.records.query import Constraints

MOST_SUGGESTED = 3
_REFUSED = re.compile(
    r"\b(?:[Nn]o(?: more)?|[Nn]ot|[Ww]ithout|[Aa]void|[Ee]xcept|[Nn]othing (?:from|by)|[Aa]nything but)\s+"
    r"([A-Z][\w'&-]*)"
)
# "I'm looking for magnetic, without fiberglass": the quality stands where the thing might.
_SOUGHT = re.compile(r"\blooking for ([\w-]+)(?=\s*[,.;]| ones\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Study:
    """One situation, thought through. ``shelves`` and ``basket.picks`` are in the order of ``needs``."""

    situation: Situation
    demands: Demands
    customer: Customer
    wanted: Wanted
    needs: tuple[Need, ...]
    from_orders: bool
    """True when the query names nothing to buy and the needs come from what was bought before."""
    limits: Limits
    seen: tuple[Candidate, ...]
    shelves: tuple[Shelf, ...]
    basket: Basket
    questions: tuple[Question, ...]
    web: tuple[WebSearch, ...]

    @property
    def constraints(self) -> Constraints:
        return self.demands.stated

    @property
    def one_of(self) -> bool:
        """True when only one of the needs will be bought."""
        return self.wanted.one_of and not self.from_orders

    def runner_up(self, index: int) -> Option | None:
        """The best other product for a need that is worth a sentence."""
        pick, shelf = self.basket.picks[index], self.shelves[index]
        others = [o for o in shelf.options if o is not pick and o.product.title != (pick and pick.product.title)]
        others = [
            o for o in others if all(o.product.product_id != p.product.product_id for p in self.basket.picks if p)
        ]
        # A record that was read, then a price, are worth more here than a better score.
        others.sort(key=lambda option: (not option.product.opened, option.product.price is None))
        return next(iter(others), None)


def study(situation: Situation) -> Study:
    demands = _with_given(read_demands(situation.query), situation.given)
    customer = read_customer(situation)
    wanted = read_needs(situation.query, demands.stated)
    demands = _without_needs(demands, wanted)
    scopes = [(demand, belongs_to(situation.query, demand, wanted.needs)) for demand in demands.all]
    demands = replace(
        demands,
        scopes=tuple((demand, name) for demand, name in scopes if name is not None),
        pets=_pets(situation.query, customer),
    )
    constraints = demands.stated
    suggested = () if wanted.needs else _needs_from_orders(situation, customer, wanted)
    seen = tuple(read_candidates(situation))
    titles = [product.title for product in seen]
    needs = tuple(as_titled(need, titles) for need in wanted.needs) or suggested
    limits = limits_of(constraints, one_of=wanted.one_of)
    shelves = tuple(_opened_first(fill_shelf(need, seen, demands, customer), situation, limits) for need in needs)
    questions = tuple(read_questions(situation.query))
    return Study(
        situation=situation,
        demands=demands,
        customer=customer,
        wanted=wanted,
        needs=needs,
        from_orders=bool(suggested),
        limits=limits,
        seen=seen,
        shelves=shelves,
        basket=fill_basket(shelves, limits),
        questions=questions,
        web=tuple(web_searches(needs, list(questions), customer)),
    )


def read_demands(query: str) -> Demands:
    stated = read_constraints(query)
    # "I'd like to know how to avoid razor burn" rules nothing out.
    bans = read_constraints(without_wondering(query)).must_not
    stated = stated.model_copy(update={"must_not": tuple(ban for ban in stated.must_not if ban in bans)})
    known = {tuple(content_stems(demand)) for demand in stated.must}
    sought = [match[1] for match in _SOUGHT.finditer(query) if is_quality(match[1].casefold())]
    stated = stated.model_copy(
        update={"must": (*stated.must, *(one for one in sought if tuple(content_stems(one)) not in known))}
    )
    known |= {tuple(content_stems(one)) for one in sought}
    wished = [quality for quality in qualities_in(query) if tuple(content_stems(quality)) not in known]
    return Demands(
        stated,
        tuple(wished),
        frozenset(word.casefold() for word in _REFUSED.findall(query)),
        floors=read_floors(query),
        complaints=complained_of(query),
    )


def _pets(query: str, customer: Customer) -> tuple[str, ...]:
    """The animals that the query names, else those for which things were bought."""
    spoken = stems_of(query)
    bought = [stem for order in customer.orders if not order.void for stem in stems_of(order.title)]
    return tuple(pet for pet in PETS if pet in spoken) or tuple(pet for pet in PETS if pet in bought)


def _with_given(demands: Demands, given: Constraints | None) -> Demands:
    """The demands of a part of a query with those of the whole that hold for every part."""
    if given is None:
        return demands
    stated = demands.stated
    return replace(
        demands,
        stated=stated.model_copy(
            update={
                "budget": stated.budget or given.budget,
                "budget_scope": stated.budget_scope if stated.budget else given.budget_scope,
                "brands_unwanted": tuple(dict.fromkeys([*stated.brands_unwanted, *given.brands_unwanted])),
                "must_not": tuple(dict.fromkeys([*stated.must_not, *given.must_not])),
                "owned": tuple(dict.fromkeys([*stated.owned, *given.owned])),
            }
        ),
    )


def _without_needs(demands: Demands, wanted: Wanted) -> Demands:
    """The demands less what is to be bought: "no talc, and shampoo" rules out only the talc."""
    names = {name for need in wanted.needs if not need.guessed for name in need.names}
    kept = tuple(ban for ban in demands.stated.must_not if tuple(content_stems(ban)) not in names)
    return replace(demands, stated=demands.stated.model_copy(update={"must_not": kept}))


def _opened_first(shelf: Shelf, situation: Situation, limits: Limits) -> Shelf:
    """Once records were opened, a product that was not opened is chosen only where none of them may be bought."""
    if not situation.found(DETAILS):
        return shelf
    most = limits.price_max(shelf.need)

    def affordable(options: Sequence[Option]) -> bool:
        return any(most is None or (o.product.price is not None and o.product.price <= most) for o in options)

    opened = tuple(option for option in shelf.options if option.product.opened)
    rest = tuple(option for option in shelf.options if not option.product.opened)
    chosen = rest if affordable(rest) and not affordable(opened) else opened or rest
    return replace(shelf, options=chosen)


def _needs_from_orders(situation: Situation, customer: Customer, wanted: Wanted) -> tuple[Need, ...]:
    """What goes with the newest orders, for a shopper who asks to buy without saying what."""
    if not INTENT.intersection(words_of(situation.query)):
        return ()
    used_up = [
        kind for order in customer.orders if not order.void and (kind := kind_of(order.title)) and kind.consumable
    ]
    bought = [kind for order in customer.orders if not order.void and (kind := kind_of(order.title))]
    owned = {kind.name for kind in bought} | set(wanted.owned)
    themes = list(dict.fromkeys(kind.theme for kind in bought))
    companions = [kind for theme in themes for kind in KINDS if kind.theme == theme and kind.name not in owned]
    chosen = dict.fromkeys([*used_up[:1], *companions])
    return tuple(need_of(kind) for kind in list(chosen)[:MOST_SUGGESTED])
