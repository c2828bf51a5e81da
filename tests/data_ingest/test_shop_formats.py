"""Exports of shop systems, by a mapping. Tests raw/columns.py, raw/shop_rows.py and raw/values.py."""

import json
from pathlib import Path
from typing import Any

import pytest
from babel import Locale

from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.plan import IngestReport
from drretail.data_ingest.raw.products import product_from_row
from drretail.data_ingest.raw.shop_rows import save_table, shop_sources
from drretail.env.catalog.base import CatalogQuery
from drretail.env.folder import check_world, open_world_rows
from drretail.env.profile import day_of
from drretail.env.world import world_at
from drretail.records.shop import SIGNS, offers_of
from drretail.reports.text.serialisation import order_record
from tests.data_ingest.raw_rows import not_used, notes_of, orders_in, product_in, products_read, read_tables

SHOPIFY = {
    "file": "products_export.csv",
    "columns": "Handle,Title,Body (HTML),Vendor,Product Category,Type,Published,Option1 Name,Option1 Value,"
    "Option2 Name,Option2 Value,Variant SKU,Variant Inventory Qty,Variant Price,Image Src,Status",
    "rows": [
        "tee,Oak Tee,<p>Soft &amp; fine,Acme,Apparel > Clothing,Shirts,TRUE,Size,Small,Color,Red,T-S,3,19.99,a,active",
        "tee,,,,,,,,Large,,Blue,T-L,0,24.99,b,",
        "tee,,,,,,,,,,,,,,c,",
        "mug,Mug,,Acme,Home > Mugs,Mugs,TRUE,Title,Default Title,,,M-1,7,9.00,,active",
        "lamp,Lamp,,Acme,,Lamps,TRUE,Title,Default Title,,,L-1,7,9.00,,draft",
        "sofa,Sofa,,Acme,,Sofas,FALSE,Color,Grey,,,S-1,7,9.00,,active",
        "sofa,,,,,,,,Black,,,S-2,7,9.00,,",
    ],
}
SHOPIFY_ORDERS = {
    "file": "orders_export.csv",
    "columns": "Name,Email,Financial Status,Fulfillment Status,Created at,Lineitem quantity,Lineitem name,Lineitem sku,"
    "Cancelled at",
    "rows": [
        "#1001,Ada@x.example,paid,fulfilled,2024-05-01 09:59:00 +0200,2,Oak Tee - Large / Blue,T-L,",
        "#1001,Ada@x.example,,,,1,Mug,,",
        "#1002,ada@x.example,refunded,restocked,2024-06-01 09:59:00 -0500,1,Oak Tee - Small / Red,,",
        "#1003,bob@x.example,paid,,2024-06-02 09:59:00 -0500,1,Mug,M-1,2024-06-03 10:00:00 -0500",
        "#1004,bob@x.example,paid,,2024-06-04 09:59:00 -0500,1,Gone,G-1,",
    ],
}
PRODUCTS = {"file": "p.csv", "columns": "sku,name,net", "rows": ["1,Mug,5", f"2,{'Cup' * 100_000},6"]}
"""The title of the second is as long as a picture in a cell."""
BY_MAPPING = '[products]\nfile = "p.csv"\nid = "sku"\ntitle = "name"\nprice = "net"\n'
BY_LINE = f'{BY_MAPPING}[orders]\nfile = "o.csv"\nid = "nr"\nuser = "who"\ndate = "day"\nproduct = "sku"\n'


def written(folder: Path, head: str, *tables: dict[str, Any]) -> Path:
    """A mapping beside tables of lines of CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        (folder / table["file"]).write_text("\n".join([table["columns"], *table["rows"], ""]), encoding="utf-8")
    (folder / "shop.toml").write_text(head, encoding="utf-8")
    return folder / "shop.toml"


def notes(noted: list[str]) -> list[str]:
    return [note for note in noted if "that name no currency" not in note]


def read(folder: Path, head: str, *tables: dict[str, Any]) -> IngestReport:
    """The report of a world in ``w``, made of a mapping and tables."""
    return ingest_files([written(folder / "raw", head, *tables)], folder / "w")


def of_format(name: str, file: str, more: str = "") -> str:
    return f'format = "{name}"\nproducts = {{file = "{file}"{more}}}\n'


def orders_of(world: Path) -> list[tuple[str, str, int, str, str]]:
    with open_world_rows(world) as found:
        users = sorted({user_id for _, user_id, *_ in found.orders})
    rows = [order for user in users for order in orders_in(world, user)]
    return sorted((row.order_id, row.product_id, row.quantity, row.order_status, row.order_date[:16]) for row in rows)


def test_variants_of_a_shopify_export_are_one_product_which_orders_find_by_sku_and_by_title(tmp_path: Path) -> None:
    head = of_format("shopify", "products_export.csv") + 'orders = {file = "orders_export.csv"}\n'
    report = read(tmp_path, head, SHOPIFY, SHOPIFY_ORDERS)
    assert check_world(tmp_path / "w") == []
    assert (report.products.used, report.users, report.products_without_meta) == (2, 2, 1)
    assert not_used(report.products) == {
        "not published (Status, Published)": 3,
        **{"a variant of its product": 1, "a further row of its product": 1},
    }
    assert any("are taken as USD" in note for note in notes_of(report))

    with world_at(tmp_path / "w") as world:
        page = world.catalog.search(CatalogQuery("large blue tee"))
    assert [hit.product_id for hit in page.hits] == ["tee"], "one hit for all variants, found by their options"
    tee, mug = (product_in(tmp_path / "w", name) for name in ("tee", "mug"))
    assert (tee.title, tee.store, tee.price, tee.price_from) == ("Oak Tee", "Acme", 19.99, True)
    assert (tee.description, tee.categories) == (("Soft & fine",), ("Apparel", "Clothing", "Shirts"))
    assert tee.details["Variants"] == [
        {"id": "T-S", "Size": "Small", "Color": "Red", "price": 19.99, "stock": "3"},
        {"id": "T-L", "Size": "Large", "Color": "Blue", "price": 24.99, "stock": "0"},
    ]
    assert (mug.price, mug.price_from, mug.details) == (9.0, False, {"Stock": 7})
    assert mug.categories == ("Home", "Mugs")

    with open_world_rows(tmp_path / "w") as rows:
        assert all(user_id.startswith("u") and "@" not in user_id for _, user_id, *_ in rows.orders)
    assert orders_of(tmp_path / "w") == [
        ("1001-1", "mug", 1, "Delivered", "2024-05-01T09:59"),
        ("1001-2", "tee", 2, "Delivered", "2024-05-01T09:59"),
        ("1002", "tee", 1, "Returned", "2024-06-01T09:59"),
        ("1003", "mug", 1, "Cancelled", "2024-06-02T09:59"),
        ("1004", "G-1", 1, "Processing", "2024-06-04T09:59"),
    ]


def test_an_orders_day_is_the_one_that_the_shop_wrote_and_times_compare_in_utc(tmp_path: Path) -> None:
    days = [
        "2024-03-01 23:30:00 -0500",
        "2024-03-02 02:00:00 +0000",
        "2024-03-02T08:00:00+09:00",
        "2024-03-02 06:00:00",
    ]
    read(tmp_path, BY_LINE, PRODUCTS, dated(days))
    assert [row[4] for row in orders_of(tmp_path / "w")] == [
        "2024-03-01T23:30", "2024-03-02T02:00", "2024-03-02T08:00", "2024-03-02T06:00",
    ]  # fmt: skip
    with world_at(tmp_path / "w") as world:
        (user,) = world.store.sample_users("0", 1)
        assert [order.order_id for order in world.store.orders(user.user_id).orders] == ["A3", "A0", "A1", "A2"]
        (shown,) = [order for order in world.store.orders(user.user_id).orders if order.order_id == "A0"]
        assert order_record(shown)["order_date"] == "2024-03-01T23:30:00.000000"
        assert day_of(shown) == "2024-03-01"
        assert world.manifest.now.date().isoformat() == "2024-03-03"


PAGES_OF_HANDLES = 'product_url = "https://acme.example/products/{handle}"\n'


def test_a_product_has_the_page_of_its_handle_and_its_first_picture(tmp_path: Path) -> None:
    row = "oak tee,Oak Tee,T-1,https://cdn.acme.example/t.jpg?v=1"
    table = {"file": "p.csv", "columns": "Handle,Title,Variant SKU,Image Src", "rows": [row]}
    path = written(tmp_path, PAGES_OF_HANDLES + of_format("shopify", "p.csv"), table)
    (product,) = products_read(path).values()
    assert product.page == "https://acme.example/products/oak%20tee"
    assert product.image == "https://cdn.acme.example/t.jpg?v=1"


WOO = {
    "file": "wc.csv",
    "columns": "ID,Type,SKU,Name,Published,Visibility in catalog,Description,Stock,Sale price,Regular price,"
    "Categories,Parent,Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s)",
    "rows": [
        r"45,variable,hoodie,Hoodie,1,visible,First.\nSecond.,,,,"
        r'"Clothing > Hoodies > Warm, Sale\, big, Clothing > Gifts",,Color,"Red, Green",Logo,"Yes, No"',
        "79,variation,hoodie-red,Hoodie - Red,1,visible,Of its own.,4,42,45,,hoodie,Color,Red,Logo,No",
        "80,variation,,Hoodie - Green,1,visible,,,,45,,id:45,Color,Green,Logo,Yes",
        "48,simple,,Beanie,1,visible,,,18,20,Clothing,,,,,",
        "91,variable,,Draft,-1,visible,,,,,Clothing,,Color,Blue,,",
        "92,variation,,Draft - Blue,1,visible,,,,9,,id:91,Color,Blue,,",
        "93,simple,gone,Hidden,1,hidden,,,,9,Clothing,,,,,",
    ],
}


def test_variations_of_woocommerce_stand_under_their_parents_in_all_their_categories(tmp_path: Path) -> None:
    report = read(tmp_path, 'currency = "EUR"\n' + of_format("woocommerce", "wc.csv"), WOO)
    assert report.products.used == 2
    hoodie = product_in(tmp_path / "w", "hoodie")
    assert (hoodie.title, hoodie.price, hoodie.price_from, hoodie.currency) == ("Hoodie", 42.0, True, "EUR")
    assert hoodie.description == ("First. Second.",)
    assert hoodie.categories == ("Clothing", "Gifts", "Sale, big", "Hoodies", "Warm")
    assert (hoodie.category, hoodie.leaf_category) == ("Clothing", "Warm")
    assert [variant["id"] for variant in hoodie.details["Variants"]] == ["hoodie-red", "80"]
    assert hoodie.details["Color"] == "Red, Green"
    assert product_in(tmp_path / "w", "48").price == 18.0


def test_an_export_that_stands_there_in_two_languages_keeps_both_titles(tmp_path: Path) -> None:
    rows = [
        *('1,variable,K1,Mug,,,Color,"black, white"', "2,variation,K1-B,Mug - black,K1,16.5,Color,black"),
        *("3,variation,K1-W,Mug - white,K1,17.5,Color,white", "7,simple,K2,Pan,,20,,"),
        *('4,variable,K1,Tasse,,,Couleur,"noir, blanc"', "5,variation,K1-B,Tasse - noir,K1,16.5,Couleur,noir"),
        *("6,variation,K1-W,Tasse - blanc,K1,17.5,Couleur,blanc", "8,simple,K2,Poêle,,20,,"),
    ]
    columns = "ID,Type,SKU,Name,Parent,Regular price,Attribute 1 name,Attribute 1 value(s)"
    read(tmp_path, of_format("woocommerce", "p.csv"), {"file": "p.csv", "columns": columns, "rows": rows})
    with world_at(tmp_path / "w") as world:
        mug, pan = world.store.product("K1"), world.store.product("K2")
    assert [offer.offer_id for offer in offers_of(mug)] == ["K1/K1-B", "K1/K1-W"]
    assert mug.titles.splitlines()[:2] == ["Mug", "Tasse"]
    assert pan.titles.splitlines() == ["Pan", "Poêle"]


@pytest.mark.parametrize(
    ("rows", "used", "not_taken"),
    [
        (["1,A1,Mug,0,8,", "2,A1,Cup,1,9,"], ["Cup"], {"not published (Published)": 1}),
        (["1,A1,Mug,0,8,", "2,A1,Cup,,9,"], [], {"not published (Published)": 2}),
        (["1,A1,Mug,0,,", "2,A1-S,Mug,1,9,A1"], [], {"not published (Published)": 2}),
        (["1,A1,Mug,1,8,", "2,A1,Mug two,1,9,"], ["Mug"], {"the same id as another row, at another price": 1}),
        (["1,A1,Mug,1,8,", "2,A1,Tasse,1,8,"], ["Mug"], {"the same id as another row": 1}),
    ],
)
def test_rows_of_one_id_are_published_and_merged_each_for_its_own_reason(
    tmp_path: Path, rows: list[str], used: list[str], not_taken: dict[str, int]
) -> None:
    table = {"file": "p.csv", "columns": "ID,SKU,Name,Published,Regular price,Parent", "rows": [*rows, "9,Z,Pan,1,5,"]}
    report = read(tmp_path, 'currency = "EUR"\n' + of_format("woocommerce", "p.csv"), table)
    assert not_used(report.products) == not_taken
    with open_world_rows(tmp_path / "w") as found:
        assert [product.title for product in found.products] == [*used, "Pan"]


def test_what_a_feed_says_in_vain_is_told_with_its_line(tmp_path: Path) -> None:
    columns = "id,title,item_group_id,price,sale_price,link"
    rows = [
        *("1,Mug,,0.00 EUR,,", "2,Cup,,10.00 EUR,12.00 EUR,not a url", "3,Bowl,G,10.00 EUR,8.00 EUR,"),
    ]
    path = written(tmp_path, of_format("merchant", "p.csv"), {"file": "p.csv", "columns": columns, "rows": rows})
    assert notes(read_tables(path)[0]) == [
        "1 row of a price of 0, which counts as none (price), first in line 2: '0.00 EUR'",
        "1 row no sale, since its price is above the price, first in line 3: '12.00 EUR'",
        "1 row of no web address (link), first in line 3: 'not a url'",
    ]
    assert [product.price for product in products_read(path).values()] == [None, 10.0, 8.0]
    own = '[products]\nfile = "p.csv"\nid = "id"\ntitle = "title"\nparent = "item_group_id"\n'
    told = "1 row of a product without a row of its own (item_group_id), first in line 4: 'G'"
    assert told in read_tables(written(tmp_path, own))[0], "but not of feeds, whose groups have none"


DUTCH = {
    "file": "wc.csv",
    "columns": "ID,Type,Artikelnummer,Naam,Gepubliceerd,Uitgelicht?,Zichtbaarheid in catalogus,Korte omschrijving,"
    "Startdatum actieprijs,Einddatum actieprijs,Op voorraad?,Voorraad,Nabestellingen toestaan?,Actieprijs,"
    "Reguliere prijs,Categorieën,Afbeeldingen,Hoofd,Naam eigenschap 1,Waarde eigenschap 1",
    "rows": [
        '1,variable,trui,Trui,1,0,visible,Warm.,,,1,,0,,,Kleding > Truien,https://x.example/t.jpg,,Maat,"S, M"',
        '2,variation,trui-s,Trui,1,0,visible,,,,1,4,0,"39,95","49,95",,,trui,Maat,S',
        '3,variation,trui-m,Trui,1,0,visible,,,,0,,0,,"49,95",,,trui,Maat,M',
        "4,simple,sjaal,Sjaal,0,0,visible,,,,1,,0,,9,Kleding,,,,",
    ],
}


def test_an_export_of_woocommerce_in_another_language_is_read_and_an_unknown_column_is_listed_once(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, 'currency = "EUR"\n' + of_format("woocommerce", "wc.csv"), DUTCH)
    ((trui, product),) = products_read(path).items()
    assert (trui, product.title, product.price, product.price_from) == ("trui", "Trui", 39.95, True)
    assert (product.description, product.categories) == (("Warm.",), ("Kleding", "Truien"))
    small, medium = offers_of(product)
    assert (str(small.price), str(small.list_price), small.stock, small.options) == ("39.95", "49.95", 4, {"Maat": "S"})
    assert (medium.has(), medium.list_price) == (False, None)
    noted = notes(read_tables(path)[0])
    assert [note for note in noted if "not read" in note] == ["columns that are not read: Type, Uitgelicht?"]


OF_A_SALE = {
    "woocommerce": (
        "SKU,Name,Regular price,Sale price,Date sale price starts,Date sale price ends",
        {",": 18, "2020-01-01,": 18, "2020-01-01,2020-02-01": 20, "2999-12-01,": 20, ",2999-12-01": 18},
    ),
    "merchant": (
        "id,title,price,sale price,sale price effective date",
        {"2020-01-01T00:00-0800/2999-01-01T00:00-0800": 18, "2999-01-01T00:00-0800/2999-02-01T00:00-0800": 20},
    ),
}


@pytest.mark.parametrize("form", OF_A_SALE)
def test_a_sale_price_counts_on_its_days(tmp_path: Path, form: str) -> None:
    columns, days = OF_A_SALE[form]
    table = {"file": "p.csv", "columns": columns, "rows": [f"m{at},Mug,20,18,{each}" for at, each in enumerate(days)]}
    save_table(
        shop_sources(written(tmp_path, of_format(form, "p.csv"), table))[1][0], tmp_path / "rows", 1_800_000_000_000
    )
    rows = [json.loads(row) for row in (tmp_path / "rows").read_text().splitlines()]
    assert [row["price"] for row in rows] == [*days.values()]
    assert [row["details"].get("List price") for row in rows] == [
        20 if price == 18 else None for price in days.values()
    ]


def test_a_merchant_feed_of_tabs_is_read_whatever_its_columns_are_called(tmp_path: Path) -> None:
    detail = "product_detail(section_name:attribute_name:attribute_value)"
    feed = {
        "file": "feed.txt",
        "columns": f"id\ttitle\titem group id\tprice\tproduct type\tgoogle product category\t{detail}"
        "\tlink\timage link",
        "rows": [
            *("1\tMug\tM\t￥980\tHome > Mugs\t\t\t\t", "2\tMug\tM\t1,280円\t\t\t\t\t"),
            "3\tTray\t\t￥500\t\tKitchen > Trays\tGeneral:Material:Steel,General:Color:Red\t"
            "https://acme.example/oak\tjavascript:alert(1)",
        ],
    }
    products = products_read(written(tmp_path, PAGES_OF_HANDLES + of_format("merchant", "feed.txt"), feed))
    mug, tray = products["M"], products["3"]
    assert (mug.price, mug.price_from, mug.currency, mug.categories) == (980.0, True, "JPY", ("Home", "Mugs"))
    assert tray.categories == ("Kitchen", "Trays")
    assert (tray.page, tray.image) == ("https://acme.example/oak", None)
    assert tray.features == ("General:Material:Steel,General:Color:Red",)


def test_a_key_of_the_mapping_goes_before_the_formats(tmp_path: Path) -> None:
    head = of_format("shopify", "products_export.csv", ', store = "Type", published = "Published"')
    assert read(tmp_path, head, SHOPIFY).products.used == 3
    assert product_in(tmp_path / "w", "mug").store == "Mugs"


DAY, YEAR_ENDS = 86_400_000, 1_703_980_800_000


@pytest.mark.parametrize(
    ("head", "days", "moments"),
    [
        ("", ["1703980800", "1703980800123", "2023-12-31 01:00:00"], [0, 123, 3_600_000]),
        ("", ["202312310100", "20231231010000"], []),  # minutes and seconds of a calendar, in no form of ISO's
        ('date_format = "%d.%m.%Y"\n', ["02.01.2024"], [2 * DAY]),
    ],
)
def test_dates_are_iso_seconds_milliseconds_or_what_the_mapping_says(
    tmp_path: Path, head: str, days: list[str], moments: list[int]
) -> None:
    _, rows = read_tables(written(tmp_path, head + BY_LINE, PRODUCTS, dated(days)))
    assert [row["timestamp"] - YEAR_ENDS for row in rows if "timestamp" in row] == moments


def dated(days: list[str]) -> dict[str, Any]:
    rows = [f'A{place},ada,"{day}",1' for place, day in enumerate(days)]
    return {"file": "o.csv", "columns": "nr,who,day,sku", "rows": rows}


@pytest.mark.parametrize(
    ("head", "currency", "prices", "is_told"),
    [
        ("", "JPY", {"￥980": 980, "1,280円": 1280, "２，４８０円": 2480, "12,800円～": None}, False),
        ('decimal = ","\n', "EUR", {"9,- €": 9, "1.229,00 €": 1229, "ab 5 €": None}, False),
        ("", "USD", {"US$ 4.95": 4.95}, False),
        ("", "USD", {"$4.95": 4.95, "$5": 5}, True),
        ('currency = "CHF"\n', "CHF", {"CHF 9.–": 9, "CHF 5": 5}, False),
        ('currency = "SEK"\n', "SEK", {"249 kr": 249}, False),
        ('decimal = ","\n', "SEK", {"4,95 kr": 4.95, "5 kr": 5}, True),
        ("", "USD", {"4,99 € / m": None, "from": None, "NOW 4.95": None}, False),  # of something else
    ],
)
def test_prices_are_read_as_shops_print_them_and_a_sign_of_several_currencies_is_told_once(
    tmp_path: Path, head: str, currency: str, prices: dict[str, float | None], is_told: bool
) -> None:
    rows = [f'{at},Mug,"{price}"' for at, price in enumerate(prices)]
    noted, read = read_tables(written(tmp_path, f"{head}{BY_MAPPING}", PRODUCTS | {"rows": rows}))
    found = [product_from_row(row["parent_asin"], "", row) for row in read]
    assert [(mug.price, mug.currency) for mug in found] == [(amount, currency) for amount in prices.values()]
    told = [note.partition(":")[0] for note in notes(noted) if "unknown" not in note]
    assert told == [f"prices such as {next(iter(prices))!r} are taken as {currency}"] * is_told


def test_every_sign_means_what_cldr_has_for_one_of_its_currencies() -> None:
    printed: dict[str, set[str]] = {}
    languages = "en ja zh ko de_CH sv nb da is pl cs hu ro bg uk ru tr hi vi th he fil kk ms id pt"
    for name in f"{languages} en_ZA en_AU en_CA en_NZ en_HK".split():
        for code, symbol in Locale.parse(name).currency_symbols.items():
            printed.setdefault(symbol.strip(".").casefold(), set()).add(code)
    unlike = {
        sign: codes
        for sign, codes in SIGNS.items()
        if (known := printed.get(sign.casefold())) is not None and not known & set(codes)
    }
    assert unlike == {}
    assert sum(sign.casefold() in printed for sign in SIGNS) > 25
