"""What is found wrong with picks, from records alone."""

from typing import Any

import pytest

from drretail.grounding.report.citations import find_citations
from drretail.grounding.verify.checks import Case, check_report, read_report
from drretail.grounding.verify.findings import pick_findings, source_findings
from drretail.grounding.verify.records import read_ledger
from drretail.records.criteria import Fact
from drretail.records.query import Fit, Proof, Query, Reference, WantedThing
from drretail.records.reading import Outcome, Pick
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from tests import build
from tests.grounding.kitchen import EVIDENCE, GOODS, JAR, KETTLE, MUGS, PAN, SCALE, TOWELS, K, a_product

ANY = ("kettle", "pan", "kitchen towel", "kitchen scale", "mug", "cookie jar")
BOOK = a_product("B", "Jiu-Jitsu University", 20.0, 4.8, 900, "Victory").model_copy(
    update={"category": "Books", "categories": ("Books", "Sports")}
)
TOWEL_RACK = a_product("R", "Wall Rack for Kitchen Towels", 20.0, 4.8, 900, "Victory")
MUG_RACK = a_product("W", "Fennick Mug Rack Set, Wood", 19.0, 4.5, 300, "Fennick")
OTHER_PAN = a_product("Q", "Aldbrook Carbon Steel Pan", 20.0, 4.8, 900, "Aldbrook")
UNRATED = SCALE.model_copy(update={"product_id": "B0UNRATED", "average_rating": None})
GONE = KETTLE.model_copy(update={"product_id": "B0GONE", "details": {"Availability": "Currently unavailable"}})
NO_NAME = PAN.model_copy(update={"product_id": "B0NONAME", "store": None})
SHOP = GOODS | {one.product_id: one for one in (BOOK, TOWEL_RACK, MUG_RACK, OTHER_PAN, UNRATED, GONE, NO_NAME)}


def wanted(*kinds: str, **limits: Any) -> Want:
    return Want(name=" or ".join(kinds), kinds=kinds, **limits)


def a_pick(item: Product, quantity: int = 1, *others: Product) -> Pick:
    return Pick(product=item.product_id, quantity=quantity, alternatives=tuple(other.product_id for other in others))


LIKED, TWO_SCALES, TOWEL = wanted("kitchen scale", rating_min=4.3), wanted("kitchen scale", quantity=2), "kitchen towel"
MUGS_AND_RACK = [wanted("mug", quantity=2), wanted("mug rack")]
BOTH = [wanted("kettle"), wanted("lawn mower")]
CARTS: list[tuple[list[Pick], dict[str, Any], str]] = [
    # a sound cart, what the shop has not, what the report never cites
    ([a_pick(KETTLE), a_pick(TOWELS)], {"wants": [wanted("kettle"), wanted(TOWEL)], "budget": Money.of(75)}, ""),
    ([Pick(product="B0NOWHERE0")], {}, "not_in_catalog, want_left_out?"),
    ([a_pick(KETTLE)], {"cited": ["P:other"]}, "pick_not_argued"),
    ([a_pick(KETTLE, 1, PAN)], {"cited": [f"P:{PAN.product_id}"]}, ""),
    ([a_pick(GONE)], {}, "unavailable"),
    # what the web warns against, wanted or not
    ([a_pick(KETTLE)], {"recalled": KETTLE.product_id}, "unsafe_pick"),
    ([a_pick(KETTLE)], {"wants": None, "recalled": KETTLE.product_id}, "unsafe_pick"),
    ([a_pick(KETTLE)], {"recalled": PAN.product_id}, ""),
    # what the user has, and brands
    ([a_pick(SCALE)], {"owned": [SCALE.product_id]}, "recommended_although_owned"),
    ([a_pick(SCALE)], {"owned": [SCALE.product_id], "wants": [wanted("kitchen scale", again=True)]}, ""),
    ([a_pick(PAN)], {"wants": [wanted("pan", brands_unwanted=("fennick",))]}, "unwanted_brand"),
    ([a_pick(PAN)], {"wants": [wanted("pan", brands_wanted=("aldbrook",))]}, "unwanted_brand"),
    ([a_pick(NO_NAME)], {"wants": [wanted("pan", brands_wanted=("aldbrook",))]}, ""),  # its record names no maker
    ([a_pick(PAN)], {"wants": [wanted("pan"), wanted("mug", brands_unwanted=("fennick",), optional=True)]}, ""),
    # the whole cart counts against the budget, and alternatives do not
    ([a_pick(KETTLE, 2)], {"budget": Money.of(75)}, "over_budget"),
    ([a_pick(KETTLE)], {"wants": [wanted("kettle", price_max=Money.of(40))]}, "over_budget"),
    (
        [a_pick(KETTLE), a_pick(PAN)],
        {"wants": [wanted("kettle", price_max=Money.of(40)), wanted("pan")]},
        "over_budget",
    ),
    ([a_pick(JAR), a_pick(KETTLE)], {"budget": Money.of(43)}, "price_unknown?"),
    # stars and numbers of ratings
    ([a_pick(SCALE)], {"wants": [LIKED]}, "below_rating"),
    ([a_pick(SCALE)], {"wants": [wanted("kitchen scale", rating_min=4, ratings_min=98)]}, ""),
    ([a_pick(UNRATED)], {"wants": [LIKED]}, "below_rating?"),
    # what nobody wants, a warning where its title has the noun, and a second product for one want
    ([a_pick(TOWELS), a_pick(BOOK)], {"wants": [wanted(TOWEL)]}, "not_wanted"),
    ([a_pick(TOWELS), a_pick(TOWEL_RACK)], {"wants": [wanted(TOWEL)]}, "not_wanted?"),
    ([a_pick(TOWELS), a_pick(BOOK)], {"wants": [wanted(TOWEL)], "room": True}, ""),
    ([a_pick(PAN), a_pick(OTHER_PAN)], {"wants": [wanted("pan")]}, "not_wanted"),
    # what is left out; an empty cart leaves nothing out
    ([a_pick(KETTLE)], {"wants": BOTH}, "want_left_out"),
    ([a_pick(KETTLE)], {"wants": [wanted("kettle"), wanted("lawn mower", optional=True)]}, ""),
    ([], {"wants": BOTH}, ""),
    # quantities are of listings, packs are open, and each counts on the want that it belongs to
    ([a_pick(SCALE)], {"wants": [TWO_SCALES]}, "quantity_wrong"),
    ([a_pick(SCALE, 3)], {"wants": [TWO_SCALES]}, "quantity_wrong"),
    # picks by form break no wish
    ([a_pick(SCALE)], {"wants": [TWO_SCALES], "budget": Money.of(5), "known": False}, ""),
    ([a_pick(TOWELS)], {"wants": [wanted(TOWEL, quantity=6)]}, ""),
    ([a_pick(MUGS, 2), a_pick(MUG_RACK)], {"wants": MUGS_AND_RACK}, ""),
    ([a_pick(MUGS, 2), a_pick(MUG_RACK, 2)], {"wants": MUGS_AND_RACK}, "quantity_wrong"),
    # of an untyped query only what holds of any pick is checked
    ([a_pick(KETTLE, 9)], {"wants": None, "cited": []}, "pick_not_argued"),
]


@pytest.mark.parametrize(("picks", "given", "codes"), CARTS)
def test_a_cart_has_these_errors_and_warnings(picks: list[Pick], given: dict[str, Any], codes: str) -> None:
    """Of whatever the kitchen sells, as many as are picked, or of the given wants; "?" marks a warning."""
    of_anything = [wanted(*ANY, quantity=max(1, sum(pick.quantity for pick in picks)))]
    wants, limits = given.get("wants", of_anything), {key: given[key] for key in ("budget", "room") if key in given}
    facts = tuple(Fact(product_id=key, fact="recalled", source="W:1") for key in (given.get("recalled"),) if key)
    query = Query(query_id="q", text="?", source="t").with_facts(facts)
    found = pick_findings(
        picks,
        report="",
        cited=given.get("cited", [f"P:{key}" for key in SHOP]),
        wish=None if wants is None else Wish(wants=tuple(wants), **limits),
        owned=given.get("owned", ()),
        ledger=read_ledger(EVIDENCE, query, products=SHOP),
        catalog=SHOP,
        are_certain=given.get("known", True),
    )
    assert ", ".join(f"{one.code}{'?' * (one.severity == 'warning')}" for one in found) == codes


def test_sources_that_do_not_exist() -> None:
    report = f"Good {K}. Better [P:B0NOWHERE0]. Best [W:zzzzzzzz]."
    citations = find_citations(report, EVIDENCE)
    found = [*source_findings(citations, SHOP)]
    assert [finding.code for finding in found] == ["unresolved_citation", "not_in_catalog", "unresolved_citation"]
    assert [finding.text for finding in found] == ["[P:B0NOWHERE0]", "[P:B0NOWHERE0]", "[W:zzzzzzzz]"]
    # Of a report made elsewhere nobody knows what its system was handed.
    case = Case(report, EVIDENCE, Query(query_id="q", text="?", source="t"), is_imported=True, lookup=lambda _: SHOP)
    found = check_report(case, read_report(case))
    assert [finding.code for finding in found if finding.severity == "error"] == ["not_in_catalog"]


PAN_FIT = Fit(product_id=PAN.product_id, worth=400)
IN_PART = Outcome(decision="part")


@pytest.mark.parametrize(
    ("outcome", "state", "fits", "severity"),
    [
        (IN_PART, "proved", (), None),  # nothing would do, and so it says
        (Outcome(decision="part", refused=("lawn mower",)), "proved", (), None),
        (Outcome(decision="part", refused=("toaster",)), "proved", (), "error"),  # another thing
        (IN_PART, "proved", (PAN_FIT,), None),  # all would do, and cost too much together
        (None, "proved", (), None),  # it declares nothing
        (IN_PART, "open", (), "warning"),
        (IN_PART, None, (), "warning"),  # nobody has looked
        (IN_PART, "refuted", (PAN_FIT,), "error"),
        (Outcome(decision="buy"), "proved", (), "error"),
        (None, None, (), "error"),
    ],
)
def test_a_want_that_is_refused_rightly_is_not_left_out(
    outcome: Outcome | None, state: Any, fits: tuple[Fit, ...], severity: str | None
) -> None:
    wish = Wish(wants=tuple(BOTH))
    things = (WantedThing(name="kettle", fits=(PAN_FIT,)), WantedThing(name="lawn mower", fits=fits))
    ends = None if state is None else Reference(query_id="q", things=things, proof=Proof(state=state))
    run = build.run("q-r1", "", [KETTLE.product_id]).model_copy(update={"outcome": outcome})
    query = Query(query_id="q", text="?", source="t", wish=wish)
    for known in (ends, ends and ends.kept({})):
        case = Case("", EVIDENCE, query, picks=run.picks, run=run, ends=known)
        found = [one.severity for one in check_report(case, read_report(case)) if one.code == "want_left_out"]
        assert found == ([severity] if severity else [])
