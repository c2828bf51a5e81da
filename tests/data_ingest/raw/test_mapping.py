"""Mapping files of one's own shop, and the columns of its tables."""

from pathlib import Path

import pytest

from drretail.data_ingest.raw.mapping import read_mapping
from drretail.data_ingest.raw.tables import open_table, shop_sources
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
    mapping, (source,) = shop_sources(_shop(tmp_path))
    assert (mapping.currency, mapping.products.id, mapping.orders) == ("EUR", "sku", None)
    assert open_table(source.path, mapping).columns == ("sku", "name", "net")


def test_a_mapping_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no file .*none\.toml"):
        read_mapping(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ('"nett"', '"net"', r"no such column; it has sku, name, net\. Did you mean 'net'"),
        ("other.csv", "products.csv", "does not exist"),
        ("prise =", "price =", r"products\.prise is unknown. Did you mean.*price"),
        ("[user]", "", "user is unknown"),
        ("[users]\nname = 'x'", "", "names and addresses are made up"),
        ("decimal = ';'", "", "decimal"),
        ("date_format = 'dd.mm.yyyy'", "", "as strptime has it"),
        ("currency = 'euro'", 'currency = "EUR"', "currency = 'euro' is no code of three capitals"),
        ("[status]\nx = 'Gone'", "", r"status\.x: There is no status 'Gone'. Known are .*Delivered"),
        ("language = 'gernan'", "", "There is no language 'gernan'. Did you mean german"),
        ("orders = 'o.csv'", "", r"orders is a table, and not 'o.csv': write orders = \{file = "),
        ("orders = 'o.csv'\nformat = 'shopify'", "", r"orders is a table, and not 'o.csv': write orders = \{file = "),
        ("[orders]\nfile = 'o.csv'", "", r"orders\.user is missing"),
        ("[status]\nx = 'Shipped'", "", "no orders.status says which column"),
        ("[[", "", "cannot be read as a mapping"),
    ],
)
def test_what_is_wrong_with_a_mapping_is_one_sentence(tmp_path: Path, wrong: str, right: str, message: str) -> None:
    text = _MAPPING.replace(right, wrong) if right and right in _MAPPING else f"{_MAPPING}\n{wrong}\n"
    if wrong.startswith(("decimal", "currency", "date_format", "language", "orders")):
        text = wrong + "\n" + _MAPPING.replace('currency = "EUR"\n', "")
    with pytest.raises(UserError, match=message) as problem:
        shop_sources(_shop(tmp_path, text))
    assert len(str(problem.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("products.csv", b"sku,name,net,net\n1,Bowl,4,5\n", "2 columns of that name"),
        ("products.csv", b"", "is empty"),
        ("products.csv", b"\n\n", "is empty"),
        ("products.csv", "sku,name,größe\n".encode("latin-1"), "is not UTF-8"),
        ("products.csv", "sku,name\n".encode("utf-16"), "iconv -f UTF-16"),
        ("products.csv", b'sku,"name\n1,x\n', "quote in its first line is never closed"),
        ("products.csv", b"sku,name,net\r1,x,2\r", "lines must end in a line feed"),
        ("products.jsonl", b"[]\n", "no JSON objects"),
        ("products.parquet", b"PAR1", "cannot be read as Parquet"),
        ("products.xlsx", b"PK", "none of .csv"),
    ],
)
def test_a_file_that_is_no_table_is_one_sentence(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    path = _shop(tmp_path, _MAPPING.replace("products.csv", name))
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError, match=message) as problem:
        shop_sources(path)
    assert len(str(problem.value).splitlines()) == 1
