"""The checks of a whole report: its picks, and its values by whoever reads them."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from drretail.grounding.verify.checks import Case, check_report, read_report
from drretail.records.reading import Pick, Reading, ReadValue
from drretail.records.shop import Product
from tests.grounding.kitchen import EVIDENCE, GOODS, KETTLE, MUGS, PAN, QUERY, TOWELS, K, T
from tests.grounding.shelf import PROFILE

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


def test_declared_picks_stand_before_a_models_and_a_models_before_those_by_form() -> None:
    read = of_model(picks=(Pick(product=PAN.product_id),))
    declared, text = read_report(case(REPORT, KETTLE), read), read_report(case(declared=False), read)
    assert (declared.reader, declared.values_by) == ("declared", "model:played")
    assert [pick.product for pick in declared.picks or ()] == [KETTLE.product_id]
    assert (text.reader, text.values_by) == ("model:played", None)
    assert [pick.product for pick in text.picks or ()] == [PAN.product_id]
    by_form = read_report(case(declared=False))
    assert (by_form.reader, by_form.values_by) == ("form", None)


def test_a_report_is_checked_with_its_declared_picks_without_any_words_about_them() -> None:
    assert codes(case(REPORT, KETTLE, TOWELS)) == []
    assert codes(case(REPORT.replace("42.95", "41.15"), KETTLE, TOWELS)) == ["price_wrong"]
    assert codes(case(REPORT, KETTLE, TOWELS, MUGS)) == ["not_wanted", "over_budget", "pick_not_argued"]
    assert codes(replace(case(REPORT, KETTLE, TOWELS), owned=frozenset({KETTLE.product_id}))) == [
        "recommended_although_owned"
    ]
    gone = (Pick(product="B0NOTHERE00"),)
    cited = replace(case("Take it [P:B0NOTHERE00]."), picks=gone)
    assert codes(cited) == ["not_in_catalog", "unresolved_citation"]
    assert codes(replace(case("Take it."), picks=gone)) == ["not_in_catalog"]
    # The run never received this product of the shop, which is in its catalog all the same.
    shop_has = ("[P:B0NOTHERE00; P:{}]", "[it](http://ecommerce.com/{}?ref=list)", "【P:{}】")
    unseen = replace(case(), evidence={key: one for key, one in EVIDENCE.items() if one.key != KETTLE.product_id})
    for mark in shop_has:
        found = codes(replace(unseen, report=f"Take it {mark.format(KETTLE.product_id)}."))
        assert ("not_in_catalog" in found) == ("NOTHERE" in mark), mark


def test_a_models_values_are_verified_by_code() -> None:
    report = "It costs 41 dollars and 15 cents, posted to your door in Boston. Ordered in May."
    start = report.index("Boston")
    price = ReadValue(kind="price", amount="41.15", currency="USD", of=(f"P:{KETTLE.product_id}",), start=9, end=32)
    place = ReadValue(kind="place", amount="Boston", of=("U:profile",), start=start, end=start + 6)
    about = replace(case(report), profiles=(PROFILE,))
    reading = read_report(about, of_model(values=(price, place)))
    assert codes(about, reading) == ["price_wrong", "place_wrong"]
    assert [one.text for one in check_report(about, reading)] == ["41 dollars and 15 cents", "Boston"]


def a_value(report: str, words: str, kind: str, amount: str, *of: str) -> ReadValue:
    start = report.index(words)
    return ReadValue.model_validate(
        {"kind": kind, "amount": amount, "currency": "USD", "of": of, "start": start, "end": start + len(words)}
    )


def states(report: str, *values: ReadValue) -> dict[str, str]:
    """What becomes of each figure, when a model has read these values."""
    read = read_report(case(report, KETTLE, TOWELS), of_model(values=values))
    return {report[value.start : value.end]: value.state for value in read.values}


def test_an_error_that_form_is_certain_of_survives_a_models_doubt_but_not_its_proof() -> None:
    report = f"Buy the kettle {K} ($42.95) and the towels {T} ($17.99). They take $88.88 of your $75."
    assert states(report) == {"$42.95": "verified", "$17.99": "verified", "$88.88": "contradicted"}
    assert states(report, a_value(report, "$88.88", "total", "88.88"))["$88.88"] == "contradicted"
    assert states(report, a_value(report, "$88.88", "total", "88.88", "W:aaaaaaaa"))["$88.88"] == "underivable"
    right = report.replace("88.88", "60.94")
    assert states(right, a_value(right, "$60.94", "total", "60.94"))["$60.94"] == "verified"


def test_a_sum_that_is_written_out_is_wrong_whatever_a_model_reads_of_its_result() -> None:
    report = f"Buy the kettle {K} ($42.95). `3 × 17.99 = $42.95` for the towels {T}."
    sums = report.index("$42.95`")
    value = a_value(report, "$42.95`", "price", "42.95", f"P:{KETTLE.product_id}")
    read = read_report(case(report, KETTLE, TOWELS), of_model(values=(value,)))
    assert [one.start for one in read.values if one.state == "contradicted"] == [sums]


def test_a_pick_that_a_report_marks_nowhere_is_found_by_its_name() -> None:
    report = f"Buy the kettle {K} ($42.95). Take the Linnetwick kitchen towels and a Linnetwick Pocket Dryer as well."
    named = ("Linnetwick kitchen towels", "Linnetwick Pocket Dryer")
    read = read_report(case(report, declared=False), of_model(picks=[{"product": one} for one in named]))
    assert [pick.product for pick in read.picks or ()] == [TOWELS.product_id, "Linnetwick Pocket Dryer"]
    found = check_report(case(report, declared=False), read)
    assert [one.text for one in found if one.code == "not_in_catalog"] == ["P:Linnetwick Pocket Dryer x 1"]


def test_a_pick_of_another_maker_is_not_the_product_that_its_other_words_fit() -> None:
    def product(report: str, name: str) -> str:
        read = read_report(case(report, declared=False), of_model(picks=[{"product": name}]))
        assert read.picks
        return read.picks[0].product

    shown = f"The kettle {K} costs $42.95. "
    other = "Corvane gooseneck kettle"
    assert product(f"{shown}Get the {other}, $29.", other) == other
    assert product(f"{shown}Get the Harowgill gooseneck kettle.", "Harowgill gooseneck kettle") == KETTLE.product_id
    assert product(f"{shown}Sturdy gooseneck kettles are it.", "Sturdy gooseneck kettles") == KETTLE.product_id
