"""Exports with one fault: the account adds up, and what the fault does not concern is read as before."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drretail.data_ingest.raw.lines import Saved, save_elements, save_rows
from drretail.data_ingest.raw.shop_rows import save_table, shop_sources
from drretail.data_ingest.raw.sources import RawFile
from drretail.errors import UserError
from tests.data_ingest.raw_rows import not_used, review_row

Row = dict[str, str]
UNTIL = 1_800_000_000_000


def shopify(product: int, variant: int) -> Row:
    is_first = variant == 0
    return {
        "Handle": f"shirt-{product}",
        "Title": f"Shirt {product}" if is_first else "",
        "Body (HTML)": "<p>Soft.</p>" if is_first else "",
        "Vendor": "Alder" if is_first else "",
        "Product Category": "Apparel > Shirts" if is_first else "",
        "Published": "true" if is_first else "",
        "Option1 Name": "Size" if is_first else "",
        "Option1 Value": f"{variant} ½",
        "Option2 Name": "Colour" if is_first else "",
        "Option2 Value": "赤青緑"[variant],
        "Variant SKU": f"S-{product}",
        "Variant Inventory Tracker": "shopify",
        "Variant Inventory Qty": str(variant),
        "Variant Inventory Policy": "deny",
        "Variant Price": f"{20 + variant}.50",
        "Variant Compare At Price": "30.00",
        "Image Src": "https://x.example/a.jpg",
        "Status": "active" if is_first else "",
    }


def woocommerce(product: int, variant: int) -> Row:
    is_own = variant == 0
    return {
        "ID": str(10 * product + variant),
        "SKU": f"h{product}" + f"-{variant}" * (not is_own),
        "Name": f"Hoodie {product}" + f" - {variant}" * (not is_own),
        "Published": "1",
        "Visibility in catalog": "visible",
        "Short description": "Warm.",
        "Date sale price starts": "2020-01-01",
        "Date sale price ends": "2999-01-01",
        "In stock?": "1",
        "Stock": str(variant),
        "Backorders allowed?": "0",
        "Sale price": "" if is_own else f"{40 + variant}",
        "Regular price": "" if is_own else "50",
        "Categories": "Clothing > Hoodies" if is_own else "",
        "Brands": "Alder",
        "Images": "https://x.example/a.jpg",
        "Parent": "" if is_own else f"h{product}",
        "Attribute 1 name": "Size",
        "Attribute 1 value(s)": "1, 2" if is_own else str(variant),
    }


def merchant(product: int, variant: int) -> Row:
    return {
        "id": f"m{product}" + f"-{variant}" * (variant > 0),
        "item_group_id": f"m{product}",
        "title": f"Mug {product}",
        "product_type": "Home > Mugs",
        "price": "12.00 EUR",
        "sale_price": f"{10 - variant}.00 EUR",
        "sale_price_effective_date": "2020-01-01T00:00Z/2999-01-01T00:00Z",
        "brand": "Alder",
        "description": "Of clay.",
        "link": "https://x.example/m",
        "image_link": "https://x.example/m.jpg",
        "availability": "in_stock",
        "color": ("red", "blue", "green")[variant],
        "material": "clay",
        "condition": "new",
    }


FORMATS: dict[str, Callable[[int, int], Row]] = {"shopify": shopify, "woocommerce": woocommerce, "merchant": merchant}
NEEDED = {"Title", "Variant SKU", "Name", "id", "title"}
OF_OPTIONS = {"shopify": 3, "woocommerce": 2, "merchant": 3}
"""Offers of a product of three rows."""


def read(
    folder: Path, form: str, rows: list[Row], spoilt: dict[int, str] | None = None
) -> tuple[Saved, dict[str, Any]]:
    """What was read of an export, and its products; ``spoilt`` are lines in the place of rows."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([rows[0], *(row.values() for row in rows)])
    lines = out.getvalue().splitlines()
    for place, line in (spoilt or {}).items():
        lines[place + 1] = line
    (folder / "p.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (folder / "shop.toml").write_text(f'format = "{form}"\ncurrency = "EUR"\nproducts = {{file = "p.csv"}}\n')
    saved = save_table(shop_sources(folder / "shop.toml")[1][0], folder / "rows", UNTIL)
    assert saved.account.adds_up
    assert saved.account.came == len(rows)
    found = [json.loads(row) for row in (folder / "rows").read_text(encoding="utf-8").splitlines()]
    for row in found:
        if "Variants" in row["details"]:
            row["details"]["Variants"].sort(key=lambda variant: variant["id"])
    return saved, {row["parent_asin"]: row for row in found}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shop")


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), products=st.integers(1, 4))
def test_one_fault_loses_no_row_and_changes_no_other_product(
    folder: Path, form: str, data: st.DataObject, products: int
) -> None:
    rows = [FORMATS[form](product, variant) for product in range(products) for variant in range(3)]
    saved, whole = read(folder, form, rows)
    assert saved.account.used == products
    assert {len(row["details"]["Variants"]) for row in whole.values()} == {OF_OPTIONS[form]}
    place = data.draw(st.integers(0, len(rows) - 1))

    again, found = read(folder, form, [*rows, rows[place]])
    assert found == whole
    assert again.account.n_merged == saved.account.n_merged + 1

    _, found = read(folder, form, data.draw(st.permutations(rows)))
    assert found.keys() == whole.keys()
    assert [row["details"]["Variants"] for row in found.values()] == [
        whole[key]["details"]["Variants"] for key in found
    ]

    hit = place // 3
    others = {key: row for key, row in whole.items() if not key.endswith(str(hit))}
    cut, found = read(folder, form, rows, {place: "cut,off"})
    assert {key: row for key, row in found.items() if not key.endswith(str(hit))} == others
    assert cut.account.left_out["fewer values than the header has columns"].first == str(place + 2)
    emptied = {**rows[place], data.draw(st.sampled_from([*rows[place]])): ""}
    _, found = read(folder, form, [*rows[:place], emptied, *rows[place + 1 :]])
    assert others.items() <= found.items()


@pytest.mark.parametrize(
    ("form", "column"), [(form, column) for form, row_of in FORMATS.items() for column in row_of(1, 0)]
)
def test_a_missing_column_is_as_an_empty_one(tmp_path: Path, form: str, column: str) -> None:
    rows = [FORMATS[form](product, variant) for product in (1, 2) for variant in range(3)]
    without = [{name: text for name, text in row.items() if name != column} for row in rows]
    if column in NEEDED:
        with pytest.raises(UserError, match=column):
            read(tmp_path, form, without)
        return
    _, found = read(tmp_path, form, without)
    if column == "Variant Inventory Tracker":  # empty, it says that the stock is not counted
        assert found == read(tmp_path, form, rows)[1]
    else:
        assert found == read(tmp_path, form, [row | {column: ""} for row in rows])[1]


@pytest.mark.parametrize(
    ("form", "cells", "said", "right"),
    [
        ("woocommerce", {"Date sale price ends": "soon"}, "no sale, since its days can't be read", {"price": 50.0}),
        ("woocommerce", {"Date sale price ends": "2021-01-01"}, "no sale today", {"price": 50.0}),
        ("merchant", {"sale_price_effective_date": "1/2/3"}, "no sale, since its days can't be read", {"price": 12.0}),
        ("woocommerce", {"In stock?": "nein"}, "of unknown availability", {"stock": "nein"}),
        ("shopify", {"Variant Inventory Qty": "many"}, "of unknown stock", {"stock": "many"}),
        (
            "shopify",
            {"Variant Inventory Policy": "?"},
            "not sold without stock, since it can't be read",
            {"stock": "1"},
        ),
        ("shopify", {"Variant Compare At Price": "?"}, "no list price (Variant", {"list_price": None}),
    ],
)
def test_what_cannot_be_read_is_said_and_no_yes(
    tmp_path: Path, form: str, cells: Row, said: str, right: dict[str, Any]
) -> None:
    rows = [FORMATS[form](1, variant) for variant in range(3)]
    rows[1] |= cells
    saved, found = read(tmp_path, form, rows)
    (note,) = [note for note in saved.notes if note.startswith(f"1 row {said}")]
    assert next(iter(cells.values())) in note
    variant = next(iter(found.values()))["details"]["Variants"][form == "shopify"]
    assert {name: variant.get(name) for name in right} == right


def test_a_product_that_may_be_hidden_is_left_out_and_named(tmp_path: Path) -> None:
    rows = [shopify(product, variant) for product in range(2) for variant in range(3)]
    rows[0]["Status"] = "gesperrt"
    saved, found = read(tmp_path, "shopify", rows)
    assert [*found] == ["shirt-1"]
    assert not_used(saved.account)["not known to be published (Status, Published)"] == 3
    assert saved.shown[0].problem.endswith("'gesperrt'")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["good", "not json", "[1]", "no user", "late"]), max_size=8), st.booleans())
def test_rows_of_the_dataset_are_saved_or_left_out_with_their_place(
    folder: Path, kinds: list[str], is_array: bool
) -> None:
    row = review_row("A1", "B1", 1)
    of_kind = {"good": row, "no user": row | {"user_id": ""}, "late": row | {"timestamp": UNTIL + 1}, "[1]": [1]}
    if is_array:
        kinds = [kind for kind in kinds if kind != "not json"]
        (folder / "a.json").write_text(json.dumps([of_kind[kind] for kind in kinds], indent=1))
        saved = save_elements(RawFile(folder / "a.json", False, "reviews", "array"), folder / "out", UNTIL)
    else:
        saved, out = Saved(), io.StringIO()
        lines = [json.dumps(of_kind[kind]).encode() if kind in of_kind else b"{" for kind in kinds]
        save_rows(enumerate(lines, 1), "reviews", out, saved, UNTIL)
    assert saved.account.adds_up
    assert (saved.account.came, saved.account.used) == (len(kinds), kinds.count("good"))
