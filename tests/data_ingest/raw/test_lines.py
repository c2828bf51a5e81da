"""Raw rows come once, whole and numbered rightly, and are read as products. Also tests products.py and sources.py."""

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.data_ingest.engines.duckdb_reading import LONGEST_LINE, count_lines, read_chunks
from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.raw.lines import read_elements, recognise
from drretail.data_ingest.raw.products import parse_price, product_from_row, without_markup
from drretail.errors import UserError
from drretail.records.shop import Product
from tests.data_ingest.raw_rows import (
    START,
    hugging_face,
    product_row,
    review_row,
    reviews_of,
    write_array,
    write_lines,
)

REVIEW = review_row("A1", "B1", START)
MAPPING: dict[str, dict[str, Any]] = {"B1": {"title": "Comb", "average_rating": 4.0}, "B2": {"title": "Brush"}}


def test_arrays_and_mappings_are_recognised_indented_or_not_and_a_cut_one_is_named(tmp_path: Path) -> None:
    array, mapping = write_array(tmp_path / "a.jsonl", [REVIEW]), tmp_path / "m.json"
    assert (recognise(array).shape, read_elements(array, False)) == ("reviews", [REVIEW])
    array.write_text(array.read_text()[:-9])
    assert (recognise(array).shape, "nor a whole array" in (recognise(array).why or "")) == ("unknown", True)
    for indent in (None, 2):
        mapping.write_text(json.dumps(MAPPING, indent=indent))
        assert (recognise(mapping).shape, recognise(mapping).layout) == ("products", "document")
        assert read_elements(mapping, False) == [{"parent_asin": key, **row} for key, row in MAPPING.items()]


def test_broken_first_lines_do_not_hide_what_follows(tmp_path: Path) -> None:
    marked = "\ufeff" + json.dumps(REVIEW)
    for rows in (['{"cut', "", "[1]", REVIEW], ["[1]", "[2]", REVIEW], ['{"cut', "", "{}", REVIEW], [marked]):
        assert recognise(write_lines(tmp_path / "x.jsonl", rows)).shape == "reviews"


@given(lines=st.lists(st.binary(max_size=400), max_size=60), size=st.integers(1, 500), packed=st.booleans())
def test_chunks_put_together_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], size: int, packed: bool
) -> None:
    data = b"\n".join(line.replace(b"\n", b" ") for line in lines)
    path = tmp_path_factory.mktemp("chunks") / "file"
    path.write_bytes(gzip.compress(data) if packed else data)
    found, place, read = [], 0, 0
    for chunk in read_chunks(path, packed, size):
        assert chunk.place == place
        assert count_lines(path, packed, place) == data[:place].count(b"\n")
        found.append(chunk.path.read_bytes())
        assert len(found[-1]) == chunk.size
        place, read = place + chunk.size, read + chunk.read
    assert b"".join(found) == data
    assert all(part.endswith(b"\n") for part in found[:-1])
    assert read == path.stat().st_size


def test_a_line_that_is_no_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * (2 * LONGEST_LINE))
    with pytest.raises(UserError, match="line of more than 15 MB"):
        list(read_chunks(path, False, 1 << 20))


def test_bad_lines_are_numbered_over_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.data_ingest.engines.duckdb_reading.read_chunks.__defaults__", (500,))
    write_lines(tmp_path / "raw" / "meta_Pet_Supplies.jsonl", [product_row("B1")])
    good = reviews_of("B1", 40)
    rows = [*good[:10], "", "{cut", *good[10:30], "[]", *good[30:], '{"user_id": "A']
    path = write_lines(tmp_path / "raw" / "Pet_Supplies.jsonl", rows)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    report = ingest_files([tmp_path / "raw"], tmp_path / "w")
    (file,) = (file for file in report.files if file.shape == "reviews")
    assert (file.account.came, file.account.n_left_out, report.reviews.used) == (43, 3, 40)
    assert [fate.first.partition(":")[0] for fate in file.account.left_out.values()] == ["12", "33"]


def product(**changes: Any) -> Product:
    return product_from_row("B000000001", "Pet_Supplies", product_row("B000000001", **changes))


@pytest.mark.parametrize(
    ("raw", "price"),
    [
        (12, (12.0, False)),
        ("12.5", (12.5, False)),
        (".99", (0.99, False)),
        ("$1,234.50", (1234.5, False)),
        ("from 4.95", (4.95, True)),
        ("4.95 - 9.95", (4.95, True)),
        *((nothing, (None, False)) for nothing in (None, "—", math.nan, 0, -3, True, "call us")),
    ],
)
def test_a_price_is_a_number_or_unknown_and_never_zero(raw: Any, price: tuple[float | None, bool]) -> None:
    assert parse_price(raw) == price


@pytest.mark.parametrize("sizes", [("large", "hi_res", "thumb"), ("hi_res", "thumb"), ("thumb",)])
def test_the_first_picture_is_kept_in_a_size_that_it_has(sizes: tuple[str, ...]) -> None:
    def picture(number: int) -> dict[str, str | None]:
        every = {size: f"https://p.example/{number}/{size}.jpg" for size in sizes}
        return {"large": None, "hi_res": None, "thumb": None, "variant": "MAIN", **every}

    row = product_row("B1", images=[picture(1), picture(2)])
    for each in (row, hugging_face(row)):
        assert product_from_row("B1", "Pet_Supplies", each).image == f"https://p.example/1/{sizes[0]}.jpg"


def test_a_row_with_nothing_but_a_title_is_a_product() -> None:
    assert product(categories=None).categories == product(categories=[]).categories == ("Pet_Supplies",)
    assert product(title="<br />").title == "B000000001"
    bare = product_from_row("B1", "All_Beauty", {"title": "Comb", "parent_asin": "B1"})
    assert bare == Product(product_id="B1", title="Comb", category="All_Beauty", categories=("All_Beauty",))


@pytest.mark.parametrize(
    ("field", "raws", "read"),
    [
        ("store", [None, "", "\u00a0", 7], None),
        ("average_rating", [4.3, "4.3"], 4.3),
        ("average_rating", [5], 5.0),
        ("average_rating", [0.0, None, 7, math.nan], None),
        ("rating_number", [87, 87.0, "87"], 87),
        ("rating_number", [None, -1, "many"], None),
        ("details", [None, "", "{broken", "[" * 200_000, "[]", [], "null"], {}),
    ],
)
def test_a_field_that_says_nothing_usable_is_none(field: str, raws: list[Any], read: object) -> None:
    for raw in raws:
        assert getattr(product(**{field: raw}), field) == read, raw


def test_details_keep_their_keys_their_nesting_and_their_types() -> None:
    details = {
        "Min. Required Door Width": "30 Inches",
        "$ per unit": "0.53",
        "Batteries Required?": "No",
        "Batteries required": "No",
        "Best Sellers Rank": {"Pet Supplies": 12, "Dog Bowls": 3},
        "Weird": [1, None, math.nan],
    }
    assert product(details=details).details == {**details, "Weird": [1, None, None]}


def test_texts_are_cleaned_everywhere_a_shopper_reads_them() -> None:
    cleaned = product(
        title="Bowl &amp; mat<br />",
        features=["<b>Deep</b>", "", None, " \u00a0"],
        description="One&nbsp;text",
        details={"Brand": "A &amp; B"},
    )
    assert cleaned.title == "Bowl & mat"
    assert cleaned.features == ("Deep",)
    assert cleaned.description == ("One text",)
    assert cleaned.brand == "A & B"


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("Soft<br />and warm<br>blanket", "Soft and warm blanket"),
        ("<b>Soft</b>, H<sub>2</sub>O", "Soft, H2O"),
        ("Salt &amp; pepper &#34;mill&#34; &quot;set&quot;", 'Salt & pepper "mill" "set"'),
        ("no\u00a0break\u00a0\u00a0space", "no break space"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("a comment <!-- hidden --> gone", "a comment gone"),
        *[(text, text) for text in ("I <3 my dog", "a <b and c> d", "R&D by AT&T; &copy without its semicolon")],
        *[(text, text) for text in ("<M6> bolts, <Brand> new", "mojibake cafÃ© and \ufffd", "[[VIDEOID:abc]] stays")],
    ],
)
def test_markup_entities_and_control_characters_go_and_everything_else_stays(raw: str, read: str) -> None:
    assert without_markup(raw) == read


def test_lines_of_a_shops_own_texts_are_fields_where_it_has_no_others() -> None:
    texts = {
        "features": ["Properties: Foldable: yes"],
        "description": [
            "<p>A lamp for desks. Note the height.</p><ul><li>Height: 20.5 cm</li><li>Dimmable: no</li></ul>"
            "<table><tr><th>Power</th><td>9 W</td></tr><tr><td>USB port</td><td>no</td></tr></table>"
        ],
        "details": {"Dimmable": "yes"},
    }
    listed = {"Foldable": "yes", "Height": "20.5 cm", "Dimmable": "yes", "Power": "9 W", "USB port": "no"}
    found = product(**texts, shop_currency="EUR")
    assert (found.details, found.description[0][-25:]) == (listed, "Power: 9 W. USB port: no.")
    assert product(**texts).details == {"Dimmable": "yes"}  # real rows have their fields apart
