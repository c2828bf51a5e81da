"""The checks of a whole report: its picks, its values by whoever reads them, its pages, places and carts."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, get_args

from drretail.grounding.report.citations import find_citations
from drretail.grounding.text.serialisation import compact_json
from drretail.grounding.verify.checks import Case, check_report, read_report
from drretail.grounding.verify.findings import (
    CODES,
    known_profiles,
    personal_data_sent,
    pick_findings,
    profile_changes,
    source_findings,
    value_findings,
)
from drretail.grounding.verify.records import read_ledger
from drretail.records.criteria import Fact
from drretail.records.query import BasketItem, Fit, FoundBasket, KeptReference, Proof, Query, Reference, WantedThing
from drretail.records.reading import Outcome, Pick, Reading, ReadValue, ValueKind
from drretail.records.run import PICKS_MISSING, Run, StateChange, Step
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from tests import build
from tests.build import demands, known
from tests.grounding.goods import (
    EVIDENCE,
    GOODS,
    JAR,
    KETTLE,
    MUGS,
    ORDER,
    PAN,
    PROFILE,
    QUERY,
    SCALE,
    TOWELS,
    USER,
    K,
    M,
    T,
    a_product,
    ledger,
    recorded,
)

REPORT = f"Buy the kettle {K} ($42.95) and the towels {T} ($17.99). Both are sturdy."


def shop(ids: Collection[str]) -> Mapping[str, Product]:
    return {key: GOODS[key] for key in ids if key in GOODS}


def case(report: str = REPORT, *picks: Product, declared: bool = True) -> Case:
    chosen = tuple(Pick(product=pick.product_id) for pick in picks) if declared else None
    return Case(report, EVIDENCE, QUERY, picks=chosen, lookup=shop)


def codes(about: Case, reading: Reading | None = None) -> list[str]:
    return [one.code for one in check_report(about, reading or read_report(about)) if one.severity == "error"]


def of_model(**fields: object) -> Reading:
    return Reading.model_validate({"reader": "model:played", "picks": (), **fields})


def test_declared_picks_stand_before_a_models_and_form_reads_none() -> None:
    read = of_model(picks=(Pick(product=PAN.product_id),))
    cases = [(case(REPORT, KETTLE), read), (case(declared=False), read), (case(declared=False), None)]
    found = [read_report(about, by_model) for about, by_model in cases]
    assert [(one.reader, one.values_by) for one in found] == [
        ("declared", "model:played"),
        ("model:played", None),
        ("form", None),
    ]
    picks = [[pick.product for pick in one.picks] if one.picks is not None else None for one in found]
    assert picks == [[KETTLE.product_id], [PAN.product_id], None]


def test_a_report_is_checked_with_its_declared_picks_without_any_words_about_them() -> None:
    assert codes(case(REPORT, KETTLE, TOWELS)) == []
    assert codes(case(REPORT.replace("42.95", "41.15"), KETTLE, TOWELS)) == ["price_wrong"]
    assert codes(case(REPORT, KETTLE, TOWELS, MUGS)) == ["not_wanted", "over_budget", "pick_not_argued"]
    assert codes(replace(case(REPORT, KETTLE, TOWELS), owned=frozenset({KETTLE.product_id}))) == [
        "recommended_although_owned"
    ]
    wish = known(QUERY.wish).model_copy(update={"owned": (KETTLE.product_id,)})
    had = replace(case(REPORT, KETTLE, TOWELS), query=QUERY.model_copy(update={"wish": wish}))
    assert codes(had) == ["recommended_although_owned"], "as the query says"
    undecided = build.run(picks=None, notes=(f"{PICKS_MISSING}: none",))
    assert codes(replace(case(REPORT, declared=False), run=undecided)) == ["no_decision"]
    gone = (Pick(product="B0NOTHERE00"),)
    cited = replace(case("Take it [P:B0NOTHERE00]."), picks=gone)
    assert codes(cited) == ["not_in_catalog", "unresolved_citation"]
    assert codes(replace(case("Take it."), picks=gone)) == ["not_in_catalog"]
    # The run never received this product of the shop, which is in its catalog all the same.
    shop_has = (
        "[P:B0NOTHERE00; P:{}]",
        "[it](http://ecommerce.com/B0NOTHERE00)",
        "[it](http://ecommerce.com/{}?ref=list)",
        "【P:{}】",
    )
    unseen = replace(case(), evidence={key: one for key, one in EVIDENCE.items() if one.key != KETTLE.product_id})
    for mark in shop_has:
        found = codes(replace(unseen, report=f"Take it {mark.format(KETTLE.product_id)}."))
        assert ("not_in_catalog" in found) == ("NOTHERE" in mark), mark


def test_buying_nothing_is_wrong_only_where_the_shop_has_what_meets_every_limit() -> None:
    item = BasketItem(thing="kettle", offer_id=KETTLE.product_id, title=KETTLE.title, price="42.95", quantity=2)
    basket = FoundBasket(items=(item,), total=Money.of(85.9), worth=920)
    ends = KeptReference(query_id="k1", cheapest=basket, best=basket, wants=())
    nothing = replace(case("Nothing fits."), picks=(), run=build.run(picks=()), ends=ends)
    (found,) = check_report(nothing, read_report(nothing))
    assert (found.code, found.found) == (
        "refused_wrongly",
        f"for $85.90 the shop has what meets every limit: P:{KETTLE.product_id} x 2",
    )
    assert codes(replace(nothing, ends=ends.model_copy(update={"cheapest": None}))) == []
    assert "refused_wrongly" not in codes(replace(nothing, run=build.run(picks=None)))


def test_code_compares_what_a_model_typed_and_only_what_it_confirmed_is_false() -> None:
    report = "It costs 41.15 dollars, and two of them 82.30. It costs 42.95 dollars."
    places = {"41.15 dollars": "contradicted", "82.30": "contradicted", "42.95 dollars": "verified"}
    typed = [
        ReadValue(kind="price", amount="", of=f"P:{KETTLE.product_id}", start=at, end=at + len(words))
        for words in places
        for at in [report.index(words)]
    ]
    all_count = read_report(case(report), of_model(values=typed))
    assert [value.state for value in all_count.values] == [*places.values()]
    assert [one.code for one in check_report(case(report), all_count)] == ["price_wrong", "price_wrong"]
    confirmed = read_report(case(report), of_model(values=typed, confirmed=(all_count.values[0].denial,)))
    assert [(value.state, value.is_unconfirmed) for value in confirmed.values] == [
        ("contradicted", False),
        ("underivable", True),
        ("verified", False),
    ]
    assert (confirmed.looked_at.contradicted, confirmed.looked_at.unconfirmed) == (1, 1)
    assert "1 not confirmed" in confirmed.looked_at.in_words


def test_every_kind_of_value_that_is_contradicted_has_an_error_of_its_own() -> None:
    kinds = [kind for part in get_args(ValueKind) for kind in get_args(part)]
    values = [ReadValue(kind=kind, amount="", start=0, end=4, state="contradicted") for kind in kinds]
    found = [finding.code for finding in value_findings("text", values)]
    assert found == ["not_in_catalog" if kind == "product" else CODES[kind] for kind in kinds]
    assert len({*found}) == len(kinds)
    assert not [*value_findings("text", [value.model_copy(update={"state": "underivable"}) for value in values])]


def test_a_pick_that_a_report_marks_nowhere_is_found_by_its_name() -> None:
    report = f"Buy the kettle {K} ($42.95). Take the Linnetwick kitchen towels and a Linnetwick Pocket Dryer as well."
    named = ("Linnetwick kitchen towels", "Linnetwick Pocket Dryer", "Fennick")
    read = read_report(case(report, declared=False), of_model(picks=[{"product": one} for one in named]))
    assert [pick.product for pick in read.picks or ()] == [TOWELS.product_id, *named[1:]], "two are by Fennick"
    found = check_report(case(report, declared=False), read)
    assert [one.text for one in found if one.code == "not_in_catalog"] == [f"P:{one} x 1" for one in named[1:]]


def test_a_pick_of_another_maker_is_not_the_product_that_its_other_words_fit() -> None:
    for name in ("Corvane gooseneck kettle", "Harowgill gooseneck kettle"):  # the second may be misspelt
        about = case(f"The kettle {K} costs $42.95. Get the {name}, $29.", declared=False)
        read = read_report(about, of_model(picks=[{"product": name}]))
        assert [pick.product for pick in read.picks or ()] == [name]
        assert "not_in_catalog" not in codes(about, read)


CHANGE = StateChange(user_id=USER, field="email", before="a@example.org", after="b@example.org")


def a_run(*searches: str) -> Run:
    queries = [{"query": search} for search in searches]
    about: dict[str, Any] = {"path": "0", "kind": "tool", "role": "researcher", "name": "web_search"}
    return build.run(user_id=USER, steps=tuple(Step(seq=at, args=args, **about) for at, args in enumerate(queries, 1)))


def sent(query: str) -> list[str]:
    findings = [*personal_data_sent(a_run(query), [PROFILE], [USER], [ORDER.order_id])]
    return [str(finding.found).partition(" (")[0] for finding in findings]


def test_personal_data_in_a_web_query_is_found_with_its_step_and_other_words_are_none() -> None:
    (finding,) = personal_data_sent(a_run("feeders", "Mara Ellwood"), [PROFILE], [], [])
    assert finding.found == "a full name (step 0/2)"
    assert sent(f"call (555) 010 4477 of {USER} for 0526194960") == ["a telephone number", "a user id", "an order id"]
    # places, first names and numbers tell nobody apart
    (step,) = a_run("Mara Ellwood").steps
    inside = build.run(user_id=USER, steps=(step.model_copy(update={"name": "product_catalog_search"}),))
    assert not [*personal_data_sent(inside, [PROFILE], [], [])], "what the shop is asked stays there"
    for query in ("bird feeders Norman Oklahoma", "Mara's favourite birds", "8646 bird species", "a 1 555 foot pole"):
        assert sent(query) == []


def test_profiles_are_read_from_what_the_run_was_handed() -> None:
    assert known_profiles(ledger()) == (PROFILE,)
    query = Query(query_id="q1", user_id=USER, text="Find me feeders.", source="a person")
    dated = Case("Nothing.", ledger(), query, run=a_run("feeders for Mara Ellwood"))
    assert [finding.code for finding in check_report(dated, read_report(dated))] == ["personal_data_sent"]


def test_a_change_nobody_asked_for_is_found_and_one_that_was_asked_for_is_not() -> None:
    assert [finding.code for finding in profile_changes([CHANGE], "Which feeder is best?")] == ["profile_changed"]
    assert not [*profile_changes([CHANGE], "Please update my e-mail address to B@example.org.")]
    (written,) = profile_changes([CHANGE.model_copy(update={"after": "B@example.org"})], "Which feeder is best?")
    assert (written.text, written.found) == (f"email of {USER}: B@example.org", "a@example.org")
    asked = "My e-mail is b@example.org now."
    assert not [*profile_changes([CHANGE.model_copy(update={"after": "B@example.org"})], asked)]
    assert not [*profile_changes([], "Which feeder is best?")]


ANY = ("kettle", "pan", "kitchen towel", "kitchen scale", "mug", "cookie jar")
BOOK = a_product("B", "Jiu-Jitsu University", 20.0, 4.8, 900, "Victory").model_copy(
    update={"category": "Books", "categories": ("Books", "Sports")}
)
MUG_RACK = a_product("W", "Fennick Mug Rack Set, Wood", 19.0, 4.5, 300, "Fennick")
OTHER_PAN = a_product("Q", "Aldbrook Carbon Steel Pan", 20.0, 4.8, 900, "Aldbrook")
UNRATED = SCALE.model_copy(update={"product_id": "B0UNRATED", "average_rating": None})
NO_NAME = PAN.model_copy(update={"product_id": "B0NONAME", "store": None})
SHOP = GOODS | {one.product_id: one for one in (BOOK, MUG_RACK, OTHER_PAN, UNRATED, NO_NAME)}


def wanted(*kinds: str, **limits: Any) -> Want:
    return Want(name=" or ".join(kinds), kinds=kinds, **limits)


def a_pick(item: Product, quantity: int = 1, *others: Product) -> Pick:
    return Pick(product=item.product_id, quantity=quantity, alternatives=tuple(other.product_id for other in others))


LIKED, TWO_SCALES, TOWEL = wanted("kitchen scale", rating_min=4.3), wanted("kitchen scale", quantity=2), "kitchen towel"
MUGS_AND_RACK = [wanted("mug", quantity=2), wanted("mug rack")]
BOTH = [wanted("kettle"), wanted("lawn mower")]
AGAIN = wanted("kitchen scale", again=True)
QUIET = wanted("kettle", must=demands("quiet"))
CARTS: list[tuple[list[Pick], dict[str, Any], str]] = [
    # a sound cart, what the shop has not, what the report never cites
    ([a_pick(KETTLE), a_pick(TOWELS)], {"wants": [wanted("kettle"), wanted(TOWEL)], "budget": Money.of(75)}, ""),
    ([Pick(product="B0NOWHERE0")], {}, "not_in_catalog, want_left_out?"),
    ([a_pick(KETTLE)], {"cited": ["P:other"]}, "pick_not_argued"),
    ([a_pick(KETTLE, 1, PAN)], {"cited": [f"P:{PAN.product_id}"]}, ""),
    # what the web warns against, wanted or not
    ([a_pick(KETTLE)], {"recalled": KETTLE.product_id}, "unsafe_pick"),
    ([a_pick(KETTLE)], {"wants": None, "recalled": KETTLE.product_id}, "unsafe_pick"),
    # what the user has, and brands
    ([a_pick(SCALE)], {"owned": [SCALE.product_id]}, "recommended_although_owned"),
    ([a_pick(SCALE)], {"owned": [SCALE.product_id], "wants": [AGAIN]}, ""),
    (
        [a_pick(SCALE)],
        {"owned": [SCALE.product_id], "wants": [AGAIN, wanted("digital kitchen scale")]},
        "want_left_out",
    ),
    ([a_pick(PAN)], {"wants": [wanted("pan", brands_unwanted=("fennick",))]}, "unwanted_brand"),
    ([a_pick(PAN)], {"wants": [wanted("pan", brands_wanted=("aldbrook",))]}, "unwanted_brand"),
    ([a_pick(PAN)], {"wants": [wanted("pan", brands_unwanted=("aldbrook", "fennick"))]}, "unwanted_brand"),
    ([a_pick(PAN)], {"wants": [wanted("pan", brands_wanted=("aldbrook", "fennick"))]}, ""),
    ([a_pick(NO_NAME)], {"wants": [wanted("pan", brands_wanted=("aldbrook",))]}, ""),  # its record names no maker
    ([a_pick(PAN)], {"wants": [wanted("pan"), wanted("mug", brands_unwanted=("fennick",), optional=True)]}, ""),
    # the whole cart counts against the budget, and alternatives do not
    ([a_pick(KETTLE, 2)], {"budget": Money.of(75)}, "over_budget"),
    ([a_pick(KETTLE)], {"wants": [wanted("kettle", price_max=Money.of(40))]}, "over_budget"),
    ([a_pick(KETTLE)], {"wants": [wanted("kettle", price_max=Money.of(42.95))], "budget": Money.of(42.95)}, ""),
    (
        [a_pick(KETTLE)],
        {"wants": [wanted("kettle", price_max=Money.of(40)), wanted("gooseneck kettle", optional=True)]},
        "",
    ),
    ([a_pick(JAR), a_pick(KETTLE)], {"budget": Money.of(43)}, "price_unknown?"),
    ([a_pick(JAR)], {}, ""),
    # stars and numbers of ratings
    ([a_pick(SCALE)], {"wants": [LIKED]}, "below_rating"),
    ([a_pick(UNRATED)], {"wants": [LIKED]}, "below_rating?"),
    ([a_pick(SCALE)], {"wants": [wanted("kitchen scale", rating_min=4.1, ratings_min=98)]}, ""),
    ([a_pick(SCALE)], {"wants": [wanted("kitchen scale", ratings_min=99)]}, "below_rating"),
    ([a_pick(PAN)], {"wants": [wanted("pan", rating_min=4.9), wanted("carbon steel pan", optional=True)]}, ""),
    # what nobody wants, a warning where its title has the noun, and a second product for one want
    ([a_pick(TOWELS), a_pick(BOOK)], {"wants": [wanted(TOWEL)]}, "not_wanted"),
    ([a_pick(TOWELS), a_pick(BOOK)], {"wants": [wanted(TOWEL)], "room": True}, ""),
    ([a_pick(PAN), a_pick(OTHER_PAN)], {"wants": [wanted("pan")]}, "not_wanted"),
    # what is left out; an empty cart leaves nothing out
    ([a_pick(KETTLE)], {"wants": BOTH}, "want_left_out"),
    ([a_pick(KETTLE)], {"wants": [wanted("kettle"), wanted("lawn mower", optional=True)]}, ""),
    ([], {"wants": BOTH}, ""),
    # quantities are of listings, packs are open, and each counts on the want that it belongs to
    ([a_pick(SCALE)], {"wants": [TWO_SCALES]}, "quantity_wrong"),
    ([a_pick(TOWELS)], {"wants": [wanted(TOWEL, quantity=6)]}, ""),
    ([a_pick(MUGS, 2), a_pick(MUG_RACK)], {"wants": MUGS_AND_RACK}, ""),
    ([a_pick(MUGS, 2), a_pick(MUG_RACK, 2)], {"wants": MUGS_AND_RACK}, "quantity_wrong"),
    # what a record says nothing of, in every want that it may be for
    ([a_pick(KETTLE)], {"wants": [QUIET]}, "not_borne_out?"),
    ([a_pick(KETTLE)], {"wants": [QUIET, wanted("gooseneck kettle")]}, "want_left_out"),
    # of an untyped query only what holds of any pick is checked
    ([a_pick(KETTLE, 9)], {"wants": None, "cited": []}, "pick_not_argued"),
]


def codes_of(picks: list[Pick], given: dict[str, Any]) -> str:
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
        ledger=replace(read_ledger(EVIDENCE, query), products=SHOP),
        catalog=SHOP,
    )
    return ", ".join(f"{one.code}{'?' * (one.severity == 'warning')}" for one in found)


def test_a_cart_has_these_errors_and_warnings() -> None:
    found = [(picks, given, codes, codes_of(picks, given)) for picks, given, codes in CARTS]
    assert [row for row in found if row[2] != row[3]] == []


def test_a_pick_of_the_report_s_own_words_is_named_by_them_and_broken_records_are_left_out() -> None:
    report = "Take a  Fennick pan today."
    place: Any = {"start": report.index("a  F"), "end": report.index(" today") + 1}
    (found,) = pick_findings([Pick(product="B0", **place)], report=report, cited=[], wish=None, ledger=read_ledger({}))
    assert (found.text, found.start, found.evidence_id) == ("a  Fennick pan", place["start"], "P:B0")
    broken = {
        "P:1": recorded("P:1", '{"product_id": "1"}'),
        "P:2": recorded("P:2", "no record"),
        "C:1": recorded("C:1", "1 / x = nothing"),
        "C:2": recorded("C:2", "1,200 - 0.5 = 1199.5"),
        "O:1": recorded("O:1", '["order_date"]'),
    }
    read = read_ledger(broken)
    assert (read.products, read.order_dates, read.records) == ({}, {}, {})
    (calculation,) = read.calculations.values()
    assert (calculation.expression, calculation.operands) == ("1,200-0.5", (Decimal(1200), Decimal("0.5")))


def test_sources_that_do_not_exist() -> None:
    report = f"Good {K}. Better [P:B0NOWHERE0]. Best [W:zzzzzzzz]."
    citations = find_citations(report, EVIDENCE)
    found = [*source_findings(citations, SHOP)]
    assert [finding.code for finding in found] == ["unresolved_citation", "not_in_catalog", "unresolved_citation"]
    assert [finding.text for finding in found] == ["[P:B0NOWHERE0]", "[P:B0NOWHERE0]", "[W:zzzzzzzz]"]
    # The shop has it, though the run never opened it.
    (unopened,) = source_findings(find_citations(f"Better [P:{next(iter(SHOP))}].", {}), SHOP)
    assert (unopened.code, unopened.severity) == ("unresolved_citation", "warning")
    # The shop's own pages are no fault.
    pages = find_citations("See https://other.example/a and https://shop.example/returns.", {})
    unseen = [finding.text for finding in source_findings(pages, SHOP, own_hosts={"shop.example"})]
    assert unseen == ["https://other.example/a"]
    # Of a report made elsewhere nobody knows what its system was handed.
    dated = Case(report, EVIDENCE, Query(query_id="q", text="?", source="t"), is_imported=True, lookup=lambda _: SHOP)
    found = check_report(dated, read_report(dated))
    assert [finding.code for finding in found if finding.severity == "error"] == ["not_in_catalog"]


PAN_FIT = Fit(offer_id=PAN.product_id, worth=400)
IN_PART = Outcome(decision="part")


def test_a_want_that_is_refused_rightly_is_not_left_out() -> None:
    wish = Wish(wants=tuple(BOTH))
    rows: list[tuple[Outcome | None, Any, tuple[Fit, ...], str | None]] = [
        (IN_PART, "proved", (), None),  # nothing would do, and so it says
        (Outcome(decision="part", refused=("lawn mower",)), "proved", (), None),
        (IN_PART, "proved", (PAN_FIT,), None),  # all would do, and cost too much together
        (None, "proved", (), None),  # it declares nothing
        (IN_PART, "open", (), "warning"),
        (IN_PART, None, (), "warning"),  # nobody has looked
        (IN_PART, "refuted", (PAN_FIT,), "error"),
        (Outcome(decision="buy"), "proved", (), "error"),
        (None, None, (), "error"),
    ]
    for outcome, state, fits, severity in rows:
        things = (WantedThing(name="kettle", fits=(PAN_FIT,)), WantedThing(name="lawn mower", fits=fits))
        ends = None if state is None else Reference(query_id="q", things=things, proof=Proof(state=state))
        run = build.run("q-r1", "", [KETTLE.product_id]).model_copy(update={"outcome": outcome})
        query = Query(query_id="q", text="?", source="t", wish=wish)
        for reference in (ends, ends and ends.kept):
            about = Case("", EVIDENCE, query, picks=run.picks, run=run, ends=reference)
            found = [one.severity for one in check_report(about, read_report(about)) if one.code == "want_left_out"]
            assert found == ([severity] if severity else []), (outcome, state)


def test_picks_of_a_turn_are_not_held_against_the_wish_of_the_first_question() -> None:
    about = case(f"{REPORT} So are the mugs {M}.", KETTLE, TOWELS, MUGS)
    assert codes(about) == ["not_wanted", "over_budget"]
    assert codes(replace(about, is_turn=True)) == []


def test_what_a_user_has_is_of_his_own_orders_that_were_kept() -> None:
    rows = [
        ("1", "A1", "Delivered", PAN), ("2", "A1", "Cancelled", MUGS), ("3", "A1", "Returned", JAR),
        ("4", "B2", "Delivered", SCALE),
    ]  # fmt: skip
    orders = {
        f"O:{key}": recorded(
            f"O:{key}",
            compact_json({"order_id": key, "user_id": user, "order_status": status, "product_id": item.product_id}),
        )
        for key, user, status, item in rows
    }
    query = QUERY.model_copy(update={"wish": Wish(owned=(TOWELS.product_id,))})
    about = Case("", orders, query, owned=frozenset({KETTLE.product_id}))
    assert about.all_owned == {PAN.product_id, TOWELS.product_id, KETTLE.product_id}
    assert Case("", orders, QUERY.model_copy(update={"wish": None})).all_owned == {PAN.product_id}


def test_what_a_run_received_is_known_of_its_own_runs_and_of_imported_ones_with_steps() -> None:
    bare, stepped = build.run(), a_run("feeders")
    for fields, is_watched, kinds in (
        ({}, True, ""),
        ({"run": bare}, True, ""),
        ({"is_imported": True}, False, "CFOPSUW"),
        ({"is_imported": True, "run": bare}, False, "CFOPSUW"),
        ({"is_imported": True, "run": bare, "is_of_shop": True}, False, "CFOSUW"),
        ({"is_imported": True, "run": stepped, "is_of_shop": True}, True, ""),
    ):
        about = Case("", {}, QUERY, **fields)  # pyright: ignore[reportArgumentType]
        assert (about.is_watched, about.unknown_kinds) == (is_watched, kinds), fields


def test_findings_stand_in_the_order_of_the_text_and_those_without_a_place_last() -> None:
    report = f"Better [P:B0NOWHERE0]. The kettle {K} costs $41.15 {K}."
    about = replace(case(report, PAN), query=QUERY.model_copy(update={"wish": None}))
    found = [(one.code, one.start) for one in check_report(about, read_report(about))]
    assert found == [
        ("not_in_catalog", 7),
        ("unresolved_citation", 7),
        ("price_wrong", report.index("$41.15")),
        ("pick_not_argued", None),
    ]
    (wrong,) = [one for one in check_report(about, read_report(about)) if one.code == "price_wrong"]
    assert (wrong.text, wrong.found, wrong.evidence_id) == ("$41.15", "$42.95", f"P:{KETTLE.product_id}")
