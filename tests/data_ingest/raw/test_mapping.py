"""Mapping files of one's own shop."""

from pathlib import Path

import duckdb
import pytest

from drretail.data_ingest.raw.tables import shop_sources
from drretail.errors import UserError

_MAPPING = """currency = "EUR"
[products]
file = "products.csv"
id = "sku"
title = "name"
price = "net"
"""


def _shop(folder: Path, mapping: str = _MAPPING) -> Path:
    text = '\ufeffsku;name;net\n007;"Bowl,\nslow";4,95\nB2;Mat;9,00\n'
    (folder / "products.csv").write_text(text, encoding="utf-8")
    (folder / "shop.toml").write_text(mapping, encoding="utf-8")
    return folder / "shop.toml"


def test_a_csv_with_a_byte_order_mark_semicolons_and_quoted_newlines_has_its_own_columns(tmp_path: Path) -> None:
    mapping = read_mapping(_shop(tmp_path))
    assert (mapping.currency, mapping.products.id, mapping.orders) == ("EUR", "sku", None)
    assert columns_of(tmp_path / "products.csv") == ["sku", "name", "net"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_every_form_tells_the_same_columns(tmp_path: Path, form: str) -> None:
    file = tmp_path / f"it.{form}"
    kind = "json" if form == "jsonl" else form
    duckdb.execute(f"COPY (SELECT 'B1' AS sku, 'Bowl' AS name) TO '{file}' (FORMAT {kind})")
    assert columns_of(file) == ["sku", "name"]


def test_a_column_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such column; it has sku, name, net"):
        read_mapping(_shop(tmp_path, _MAPPING.replace('"net"', '"gross"')))


def test_an_unknown_key_is_answered_with_the_nearest_right_ones(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"products\.prise is unknown. Did you mean.*price"):
        read_mapping(_shop(tmp_path, _MAPPING.replace("price =", "prise =")))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        read_mapping(_shop(tmp_path, _MAPPING.replace("products.csv", "other.csv")))
