"""The checks of a whole report: its picks, its values by whoever reads them, and the order of what is found."""

from dataclasses import replace
from typing import Any

from drretail.records.query import BasketItem, FoundBasket, KeptReference, Query
from drretail.records.reading import Outcome, Pick, Reading, ReadValue
from drretail.records.run import PICKS_MISSING
from drretail.records.shop import Money, Product
from drretail.records.wish import Wish
from drretail.reports.text.serialisation import compact_json
from drretail.shopping.verify.checks import Case, check_report, read_report, unfounded_amounts
from tests import build
from tests.goods import (
    EVIDENCE,
    GOODS,
    JAR,
    KETTLE,
    MUGS,
    PAN,
    PROFILE_SHOWN,
    QUERY,
    SCALE,
    TOWELS,
    USER,
    K,
    Known,
    M,
    T,
    a_search,
    recorded,
)

REPORT = f"Buy the kettle {K} ($42.95) and the towels {T} ($17.99). Both are sturdy."


def case(report: str = REPORT, *picks: Product, declared: bool = True) -> Case:
    chosen = tuple(Pick(product=pick.product_id) for pick in picks) if declared else None
    return Case(report, EVIDENCE, QUERY, picks=chosen, shop=Known(GOODS))


def codes(about: Case, reading: Reading | None = None) -> list[str]:
    found = check_report(about, reading or read_report(about))
    return [finding.code for finding in found if finding.severity == "error"]


def of_model(**fields: object) -> Reading:
    return Reading.model_validate({"reader": "model:played", "picks": (), **fields})


def test_declared_picks_stand_before_a_models_and_form_reads_none() -> None:
    read = of_model(picks=(Pick(product=PAN.product_id),))
    rows: list[tuple[Case, Reading | None, tuple[Any, ...]]] = [
        (case(REPORT, KETTLE), read, ("declared", "model:played", [KETTLE.product_id])),
        (case(declared=False), read, ("model:played", None, [PAN.product_id])),
        (case(declared=False), None, ("form", None, None)),
    ]
    for about, by_model, expected in rows:
        found = read_report(about, by_model)
        picks = None if found.picks is None else [pick.product for pick in found.picks]
        assert (found.reader, found.values_by, picks) == expected


def test_a_report_is_checked_with_its_declared_picks_without_any_words_about_them() -> None:
    sound = case(REPORT, KETTLE, TOWELS)
    assert codes(sound) == []
    assert codes(replace(sound, report=REPORT.replace("42.95", "41.15"))) == ["price_wrong"]
    assert codes(case(REPORT, KETTLE, TOWELS, MUGS)) == ["not_wanted", "over_budget", "pick_not_argued"]
    assert codes(replace(sound, owned=frozenset({KETTLE.product_id}))) == [], "it may be bought again"
    undecided = build.run(picks=None, notes=(f"{PICKS_MISSING}: none",))
    assert codes(replace(case(REPORT, declared=False), run=undecided)) == ["no_decision"]
    gone = replace(sound, picks=(Pick(product="B0NOTHERE00"),))
    for report in ("Take it.", "Take it [P:B0NOTHERE00]."):  # as a pick or at its mark, once
        assert codes(replace(gone, report=report)) == ["not_in_catalog"]
    # The run never received this product of the shop, which is in its catalog all the same.
    unseen = replace(case(), evidence={key: entry for key, entry in EVIDENCE.items() if entry.key != KETTLE.product_id})
    for mark in ("[P:B0NOTHERE00; P:{}]", "[it](http://ecommerce.com/{}?ref=list)", "【P:{}】"):
        found = codes(replace(unseen, report=f"Take it {mark.format(KETTLE.product_id)}."))
        assert ("not_in_catalog" in found) == ("NOTHERE" in mark), mark
    # A turn of a conversation is not held against the wish of the first question.
    of_mugs = case(f"{REPORT} So are the mugs {M}.", KETTLE, TOWELS, MUGS)
    assert (codes(of_mugs), codes(replace(of_mugs, is_turn=True))) == (["not_wanted", "over_budget"], [])
    # A want is left out rightly where the declared outcome says so, and nobody knows better.
    run = build.run("q-r1", "", [KETTLE.product_id])
    for outcome, found in ((Outcome(decision="part"), []), (Outcome(decision="buy"), ["want_left_out"])):
        part = case(f"Take {K}.", KETTLE)
        assert codes(replace(part, run=run.model_copy(update={"outcome": outcome}))) == found


def test_buying_nothing_is_wrong_only_where_the_shop_has_what_meets_every_limit() -> None:
    item = BasketItem(thing="kettle", offer_id=KETTLE.product_id, title=KETTLE.title, price="42.95", quantity=2)
    basket = FoundBasket(items=(item,), total=Money.of(85.9), worth=920)
    ends = KeptReference(query_id="k1", cheapest=basket, best=basket, wants=())
    nothing = replace(case("Nothing fits."), picks=(), run=build.run(picks=()), read_ends=lambda: ends)
    (found,) = check_report(nothing, read_report(nothing))
    has = f"for $85.90 the shop has what meets every limit: P:{KETTLE.product_id} x 2"
    assert (found.code, found.found) == ("refused_wrongly", has)
    assert codes(replace(nothing, read_ends=lambda: ends.model_copy(update={"cheapest": None}))) == []
    assert "refused_wrongly" not in codes(replace(nothing, run=build.run(picks=None)))


def test_code_compares_what_a_model_typed_and_only_what_it_confirmed_is_false() -> None:
    report, of = "It costs 41.15 dollars, and two of them 82.30.", f"P:{KETTLE.product_id}"
    typed = [
        ReadValue(kind="price", amount="", of=of, start=report.index(words), end=report.index(words) + len(words))
        for words in ("41.15 dollars", "82.30")
    ]
    all_count = read_report(case(report), of_model(values=typed))
    assert codes(case(report), all_count) == ["price_wrong", "price_wrong"]
    assert all_count.looked_at.contradicted == 2
    confirmed = read_report(case(report), of_model(values=typed, confirmed=(all_count.values[0].denial,))).looked_at
    assert (confirmed.contradicted, confirmed.contested) == (1, 1)
    assert "1 contested" in confirmed.in_words
    # A wrong figure is decided as a right one is: what is unread is what nobody decided.
    reading = read_report(case(f"The kettle costs $41.15 {K}, and it holds 3 cups {K}."))
    assert [place.end - place.start for place in reading.unread] == [1]


def test_an_amount_that_no_source_has_and_nothing_adds_up_to_is_a_warning() -> None:
    for words, unfounded in (("$60.94", []), ("$69.94", ["$69.94"]), ("about $69.94", []), ("69.94 g", [])):
        about = case(f"{REPORT} Together they are {words}.", KETTLE, TOWELS)
        found = [(each.code, each.severity, each.text) for each in unfounded_amounts(about, read_report(about))]
        assert (found, codes(about)) == ([("amount_unfounded", "warning", text) for text in unfounded], [])
        assert not [*unfounded_amounts(replace(about, is_imported=True), read_report(about))]


def test_a_pick_that_a_report_marks_nowhere_is_found_by_its_name() -> None:
    report = f"Buy the kettle {K} ($42.95). Take the Linnetwick kitchen towels and a Linnetwick Pocket Dryer as well."
    named = ("Linnetwick kitchen towels", "Linnetwick Pocket Dryer", "Fennick")
    about = case(report, declared=False)
    read = read_report(about, of_model(picks=[{"product": name} for name in named]))
    assert [pick.product for pick in read.picks or ()] == [TOWELS.product_id, *named[1:]], "two are by Fennick"
    found = [finding.text for finding in check_report(about, read) if finding.code == "not_in_catalog"]
    assert found == [f"P:{name} x 1" for name in named[1:]]
    for name in ("Corvane gooseneck kettle", "Harowgill gooseneck kettle"):  # another maker's, and one misspelt
        read = read_report(about, of_model(picks=[{"product": name}]))
        assert [pick.product for pick in read.picks or ()] == [name]
        assert "not_in_catalog" not in codes(about, read)


def test_what_a_user_has_is_of_his_own_orders_that_were_kept() -> None:
    rows = [("A1", "Delivered", PAN), ("A1", "Cancelled", MUGS), ("A1", "Returned", JAR), ("B2", "Delivered", SCALE)]
    orders = {
        f"O:{number}": recorded(
            f"O:{number}", compact_json({"user_id": user, "order_status": status, "product_id": item.product_id})
        )
        for number, (user, status, item) in enumerate(rows)
    }
    query = QUERY.model_copy(update={"wish": Wish(owned=(TOWELS.product_id,))})
    about = Case("", orders, query, owned=frozenset({KETTLE.product_id}))
    assert about.all_owned == {PAN.product_id, TOWELS.product_id, KETTLE.product_id}
    assert Case("", orders, QUERY.model_copy(update={"wish": None})).all_owned == {PAN.product_id}


def test_what_a_run_received_is_known_of_its_own_runs_and_of_imported_ones_with_steps() -> None:
    bare, stepped, imported = build.run(), a_search("feeders"), {"is_imported": True}
    rows: list[tuple[dict[str, Any], bool, str]] = [
        ({"run": bare}, True, ""),
        (imported, False, "CFOPSUW"),
        ({**imported, "run": bare, "is_of_shop": True}, False, "CFOSUW"),
        ({**imported, "run": stepped, "is_of_shop": True}, True, ""),
    ]
    for fields, is_watched, kinds in rows:
        about = Case("", {}, QUERY, **fields)
        assert (about.is_watched, about.unknown_kinds) == (is_watched, kinds), fields


def test_what_a_run_sent_and_received_is_checked_with_its_report() -> None:
    query = Query(query_id="q1", user_id=USER, text="Find me feeders.", source="a person")
    assert codes(Case("Nothing.", PROFILE_SHOWN, query, run=a_search("feeders for Mara Ellwood"))) == [
        "personal_data_sent"
    ]


def test_findings_stand_in_the_order_of_the_text_and_those_without_a_place_last() -> None:
    report = f"Better [P:B0NOWHERE0]. The kettle {K} costs $41.15 {K}."
    about = replace(case(report, PAN), query=QUERY.model_copy(update={"wish": None}))
    found = check_report(about, read_report(about))
    assert [(finding.code, finding.start) for finding in found] == [
        ("not_in_catalog", 7),
        ("price_wrong", report.index("$41.15")),
        ("pick_not_argued", None),
    ]
    assert (found[1].text, found[1].found, found[1].evidence_id) == ("$41.15", "$42.95", f"P:{KETTLE.product_id}")
