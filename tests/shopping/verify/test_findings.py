"""What is wrong with carts, sources, searches and profiles."""

from dataclasses import replace
from typing import Any

from drretail.records.criteria import Fact
from drretail.records.query import Fit, Proof, Query, Reference, WantedThing
from drretail.records.reading import Outcome, Pick
from drretail.records.run import StateChange
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from drretail.reports.citations import find_citations
from drretail.shopping.verify import findings
from drretail.shopping.verify.records import read_ledger
from tests import build
from tests.build import demands
from tests.goods import (
    EVIDENCE,
    GOODS,
    JAR,
    KETTLE,
    MUGS,
    PAN,
    PROFILE,
    PROFILE_SHOWN,
    SCALE,
    TOWELS,
    USER,
    K,
    a_product,
    a_search,
)


def test_personal_data_in_a_web_query_is_found_with_its_step_and_other_words_are_none() -> None:
    def sent(*queries: str) -> list[str]:
        people = [PROFILE], [USER], ["0526194960"]
        return [str(finding.found) for finding in findings.personal_data_sent(a_search(*queries), *people)]

    assert sent("feeders", "Mara Ellwood") == ["a full name (step 0/2)"]
    kinds = [found.partition(" (")[0] for found in sent(f"call (555) 010 4477 of {USER} for 0526194960")]
    assert kinds == ["a telephone number", "a user id", "an order id"]
    (step,) = a_search("Mara Ellwood").steps
    inside = build.run(user_id=USER, steps=(step.model_copy(update={"name": "product_catalog_search"}),))
    assert not [*findings.personal_data_sent(inside, [PROFILE], [], [])], "what the shop is asked stays there"
    assert findings.known_profiles(PROFILE_SHOWN) == (PROFILE,)


def test_a_change_nobody_asked_for_is_found_and_one_that_was_asked_for_is_not() -> None:
    change = StateChange(user_id=USER, field="email", before="a@example.org", after="B@example.org")
    (written,) = findings.profile_changes([change], "Which feeder is best?")
    assert (written.code, written.text) == ("profile_changed", f"email of {USER}: B@example.org")
    assert written.found == "a@example.org"
    for asked in ("My e-mail is b@example.org now.", "Please update it to B@example.org."):
        assert not [*findings.profile_changes([change], asked)]


def test_a_link_that_names_one_product_and_leads_to_another_misleads() -> None:
    titles, site = {"bed": "Oak Bed", "lamp": "Oak Lamp", "mini": "Oak Lamp Mini"}, "https://shop.example"
    pages = {f"P:{key}": build.evidence(f"P:{key}", kind="product", url=f"{site}/{key}") for key in titles}
    rows = {"[Oak Bed](lamp)": 1, "[Oak Lamp](lamp)": 0, "[the lamp](bed)": 0, "[Oak Lamp](mini)": 0}
    for link, count in rows.items():
        cited = find_citations(link.replace("](", f"]({site}/"), pages)
        assert len([*findings.misleading_links(cited, titles)]) == count, link


def wanted(*kinds: str, **limits: Any) -> Want:
    return Want(name=" or ".join(kinds), kinds=kinds, **limits)


def a_pick(item: Product, quantity: int = 1, *others: Product) -> Pick:
    return Pick(product=item.product_id, quantity=quantity, alternatives=tuple(other.product_id for other in others))


ANY = ("kettle", "pan", "kitchen towel", "kitchen scale", "mug", "cookie jar")
MUG_RACK = a_product("W", "Fennick Mug Rack Set, Wood", 19.0, 4.5, 300, "Fennick", "Mug Racks")
OTHER_PAN = a_product("Q", "Aldbrook Carbon Steel Pan", 20.0, 4.8, 900, "Aldbrook", "Pans")
UNRATED = SCALE.model_copy(update={"product_id": "B0UNRATED", "average_rating": None})
NO_NAME = PAN.model_copy(update={"product_id": "B0NONAME", "store": None})
SHOP = GOODS | {item.product_id: item for item in (MUG_RACK, OTHER_PAN, UNRATED, NO_NAME)}

TOWEL, MUGS_AND_RACK = "kitchen towel", [wanted("mug", quantity=2), wanted("mug rack")]
BOTH, QUIET = [wanted("kettle"), wanted("lawn mower")], wanted("kettle", must=demands("quiet"))
HAS_SCALE, ANOTHER = {"owned": [SCALE.product_id]}, wanted("kitchen scale", not_owned=True)
AT_40_OR_ANY = [wanted("kettle", price_max=Money.of(40)), wanted("gooseneck kettle", optional=True)]
AT_43 = {"budget": Money.of(43)}


def a_want(*kinds: str, **limits: Any) -> dict[str, Any]:
    return {"wants": [wanted(*kinds, **limits)]}


CARTS: list[tuple[list[Pick], dict[str, Any], str]] = [
    # what the shop has not; an alternative that the report cites
    ([Pick(product="B0NOWHERE0")], {}, "not_in_catalog, want_left_out?"),
    ([a_pick(KETTLE, 1, PAN)], {"cited": [f"P:{PAN.product_id}"]}, ""),
    # what the web warns against
    ([a_pick(KETTLE)], {"recalled": KETTLE.product_id}, "unsafe_pick"),
    # what the user has, and brands
    ([a_pick(SCALE)], {**HAS_SCALE, "wants": [ANOTHER]}, "recommended_although_owned"),
    ([a_pick(SCALE)], {**HAS_SCALE, "wants": [wanted("kitchen scale")]}, ""),
    ([a_pick(PAN)], a_want("pan", brands_unwanted=("aldbrook", "fennick")), "unwanted_brand"),
    ([a_pick(PAN)], a_want("pan", brands_wanted=("aldbrook",)), "unwanted_brand"),
    ([a_pick(PAN)], a_want("pan", brands_wanted=("aldbrook", "fennick")), ""),
    # limits of one piece, and unknown prices
    ([a_pick(KETTLE)], a_want("kettle", price_max=Money.of(40)), "over_budget"),
    ([a_pick(KETTLE)], {"wants": AT_40_OR_ANY}, ""),
    ([a_pick(JAR), a_pick(KETTLE)], AT_43, "price_unknown?"),
    # stars and numbers of ratings
    ([a_pick(SCALE)], a_want("kitchen scale", rating_min=4.3), "below_rating"),
    ([a_pick(UNRATED)], a_want("kitchen scale", rating_min=4.3), "below_rating?"),
    ([a_pick(SCALE)], a_want("kitchen scale", rating_min=4.1, ratings_min=98), ""),
    ([a_pick(SCALE)], a_want("kitchen scale", ratings_min=99), "below_rating"),
    # what nobody wants where there is room for more, and a second product for one want
    ([a_pick(TOWELS), a_pick(MUGS)], {**a_want(TOWEL), "room": True}, ""),
    ([a_pick(PAN), a_pick(OTHER_PAN)], a_want("pan"), "not_wanted"),
    ([a_pick(PAN), a_pick(OTHER_PAN)], a_want("pan", several=True), ""),
    # what is left out; an empty cart leaves nothing out
    ([a_pick(KETTLE)], {"wants": BOTH, "refusable": {"lawn mower": True}}, ""),
    ([a_pick(KETTLE)], {"wants": BOTH, "refusable": {"lawn mower": False}}, "want_left_out?"),
    # quantities are of listings, packs are open, and each counts on the want that it belongs to
    ([a_pick(SCALE)], a_want("kitchen scale", quantity=2), "quantity_wrong"),
    ([a_pick(MUGS, 2), a_pick(MUG_RACK, 2)], {"wants": MUGS_AND_RACK}, "quantity_wrong"),
    # what a record says nothing of, in every want that it may be for
    ([a_pick(KETTLE)], {"wants": [QUIET]}, "not_borne_out?"),
    ([a_pick(KETTLE)], {"wants": [QUIET, wanted("kettles")]}, "want_left_out"),
    # of an untyped query only what holds of any pick is checked
    ([a_pick(KETTLE, 9)], {"wants": None, "cited": []}, "pick_not_argued"),
]


def codes_of(picks: list[Pick], given: dict[str, Any]) -> str:
    """Of whatever the kitchen sells, as many as are picked, or of the given wants; "?" marks a warning."""
    of_anything = [wanted(*ANY, quantity=max(1, sum(pick.quantity for pick in picks)))]
    wants, limits = given.get("wants", of_anything), {key: given[key] for key in ("budget", "room") if key in given}
    facts = tuple(Fact(product_id=key, fact="recalled", source="W:1") for key in (given.get("recalled"),) if key)
    found = findings.pick_findings(
        picks,
        report="",
        cited=given.get("cited", [f"P:{key}" for key in SHOP]),
        wish=None if wants is None else Wish(wants=tuple(wants), **limits),
        owned=given.get("owned", ()),
        ledger=replace(
            read_ledger(EVIDENCE, Query(query_id="q", text="?", source="t").with_facts(facts)), products=SHOP
        ),
        catalog=SHOP,
        refusable=given.get("refusable", {}),
    )
    return ", ".join(f"{finding.code}{'?' * (finding.severity == 'warning')}" for finding in found)


def test_a_cart_has_these_errors_and_warnings() -> None:
    found = [(picks, given, codes, codes_of(picks, given)) for picks, given, codes in CARTS]
    assert [row for row in found if row[2] != row[3]] == []


def test_a_pick_of_the_report_s_own_words_is_named_by_them() -> None:
    report = "Take a  Fennick pan today."
    pick = Pick(product="B0", start=report.index("a  F"), end=report.index(" today") + 1)
    (found,) = findings.pick_findings([pick], report=report, cited=[], wish=None, ledger=read_ledger({}))
    assert (found.text, found.start, found.evidence_id) == ("a  Fennick pan", pick.start, "P:B0")


def test_sources_that_do_not_exist() -> None:
    def found(report: str, **shop: Any) -> list[tuple[str, str, str]]:
        citations = find_citations(report, EVIDENCE)
        return [(one.code, one.text, one.severity) for one in findings.source_findings(citations, SHOP, **shop)]

    nowhere, page = "[P:B0NOWHERE0]", "[W:zzzzzzzz]"
    lacking, unresolved = ("not_in_catalog", nowhere, "error"), ("unresolved_citation", page, "error")
    assert found(f"Good {K}. Better {nowhere}. Best {page}.") == [lacking, unresolved]
    # The shop has it, though the run never opened it.
    assert found(f"Good [P:{UNRATED.product_id}].") == [("unresolved_citation", f"[P:{UNRATED.product_id}]", "warning")]
    # The shop's own pages are no fault; nor, of a report made elsewhere, is what nobody knows that it was handed.
    pages = "See https://other.example/a and https://shop.example/returns."
    assert found(pages, own_hosts={"shop.example"}) == [("url_not_seen", "https://other.example/a", "error")]
    open_ones = found(f"{pages} {page}", unknown_kinds="CFOPSUW")
    assert open_ones == [("unresolved_citation", page, "warning")]


PAN_FIT = Fit(offer_id=PAN.product_id, worth=400)
IN_PART = Outcome(decision="part")


def test_a_want_may_be_left_out_if_nobody_can_meet_it_and_nothing_declares_to_buy_all() -> None:
    wish = Wish(wants=tuple(BOTH))
    rows: list[tuple[Outcome | None, Any, tuple[Fit, ...], bool | None]] = [
        (IN_PART, "proved", (), True),  # nothing would do, and so it says
        (IN_PART, "proved", (PAN_FIT,), True),  # all would do, and cost too much together
        (IN_PART, "open", (), False),
        (IN_PART, None, (), False),  # nobody has looked
        (Outcome(decision="buy"), "proved", (), None),
        (None, None, (), None),
    ]
    for outcome, state, fits, may in rows:
        things = (WantedThing(name="kettle", fits=(PAN_FIT,)), WantedThing(name="lawn mower", fits=fits))
        ends = None if state is None else Reference(query_id="q", things=things, proof=Proof(state=state))
        for known in (ends, ends and ends.kept):
            refusable = findings.refusable_wants(wish, outcome, known)
            assert refusable.get("lawn mower") is may, (outcome, state)
