import json
from dataclasses import replace
from typing import Any

import pytest

from drretail.env.web.page import parsed
from drretail.env.web.structured_data import Offer, ProductData, product_data, product_text

FEEDER: dict[str, Any] = {
    "@context": "https://schema.org",
    "@type": "Product",
    "name": "Tanagrove tube feeder",
    "brand": {"@type": "Brand", "name": "Tanagrove"},
    "offers": {
        "@type": "Offer",
        "price": "24.90",
        "priceCurrency": "EUR",
        "availability": "https://schema.org/InStock",
    },
    "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.6, "reviewCount": "900"},
}
READ = ProductData(
    name="Tanagrove tube feeder",
    brand="Tanagrove",
    offers=(Offer(price="24.90", currency="EUR", availability="in stock"),),
    rating="4.6",
    reviews="900",
)


def products(*scripts: str, body: str = "") -> tuple[ProductData, ...]:
    data = "".join(f'<script type="application/ld+json">{script}</script>' for script in scripts)
    root = parsed(f"<html><head>{data}</head><body>{body}</body></html>")
    assert root is not None
    return product_data(root)


def offers(offered: Any, **given: Any) -> tuple[Offer, ...]:
    (product,) = products(json.dumps(FEEDER | {"offers": offered} | given))
    return product.offers


def test_an_aggregate_offer_is_a_range_or_gives_its_offers_and_a_reference_is_followed() -> None:
    nested = [{"price": "5", "priceCurrency": "USD"}, {"price": "6", "priceCurrency": "USD"}]
    assert [offer.price for offer in offers({"@type": "AggregateOffer", "offers": nested})] == ["5", "6"]
    graph = {"@graph": [FEEDER | {"offers": {"@id": "#o"}}, {"@id": "#o", "@type": "Offer", "price": "7"}]}
    assert [product.offers[0].price for product in products(json.dumps(graph))] == ["7"]
    span = {"@type": "AggregateOffer", "lowPrice": 12, "highPrice": 19.5, "priceCurrency": "GBP"}
    assert offers(span) == (Offer(price="12", high="19.5", currency="GBP"),)


def test_the_price_before_is_told_from_the_price_now_and_variants_that_cost_the_same_are_one_offer() -> None:
    specified = [
        {"price": "149.00", "priceCurrency": "EUR"},
        {"price": "249.00", "priceCurrency": "EUR", "priceType": "https://schema.org/ListPrice"},
    ]
    assert offers({"priceSpecification": specified}) == (Offer(price="149.00", list_price="249.00", currency="EUR"),)
    sizes = [{"@type": "Product", "name": n, "offers": {"price": "9", "priceCurrency": "USD"}} for n in ("S", "M")]
    found = offers(None, **{"@type": "ProductGroup", "hasVariant": sizes})
    assert found == (Offer(price="9", currency="USD"),)


@pytest.mark.parametrize(
    "script",
    [
        json.dumps(FEEDER),
        json.dumps({"@graph": [{"@type": "WebPage", "name": "Shop"}, FEEDER]}),
        json.dumps({"@type": "ItemPage", "mainEntity": FEEDER}),
        json.dumps({"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": FEEDER}]}),
        f"<!-- {json.dumps(FEEDER)} -->",
        json.dumps(FEEDER)[:-1] + ",}",
        json.dumps(FEEDER) + "; window.x = 1;",
        json.dumps(FEEDER | {"description": "two lines"}).replace("two lines", "two\nlines"),
    ],
)
def test_a_product_is_found_wherever_and_however_pages_put_it(script: str) -> None:
    (product,) = products(script)
    assert replace(product, description=None) == READ


@pytest.mark.parametrize(
    "script", ["", "{", "[" * 100_000, '{"@type": "Product"}', '{"@type":"Product","name":[]}', "null"]
)
def test_broken_data_are_no_product(script: str) -> None:
    assert products(script) == ()


@pytest.mark.parametrize(
    ("written", "read"),
    [("1.299,00 €", "1299.00"), ("1,299.00", "1299.00"), ("$12.5", "12.5"), (12.5, "12.5"), ("0.999", "0.999"),
     ("1 299", "1299"), ("1'299.90 CHF", "1299.90"), ("2.999", "2999"), (2.999, "2.999"), ("free", None), (True, None)],
)  # fmt: skip
def test_amounts_are_read_as_they_are_written(written: object, read: str | None) -> None:
    found = offers({"price": written, "availability": "InStock"})
    assert found[0].price == read


def test_microdata_say_the_same_where_there_is_no_json() -> None:
    body = """<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Tanagrove tube feeder</h1>
      <span itemprop="brand" itemscope itemtype="https://schema.org/Brand"><b itemprop="name">Tanagrove</b></span>
      <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="priceCurrency" content="EUR">
        <span itemprop="price" content="24.90">24,90 €</span><link itemprop="availability" href="https://schema.org/InStock">
      </div>
      <p itemprop="aggregateRating" itemscope itemtype="https://schema.org/AggregateRating">
        <i itemprop="ratingValue">4.6</i> of <i itemprop="reviewCount">900</i></p></div>"""
    assert products(body=body) == (READ,)


def test_the_text_states_prices_with_their_currency_and_no_description_that_the_page_shows() -> None:
    kit = ProductData("Kit", offers=(Offer(price="5", high="9"),), description="Keeps seed dry.")
    text = product_text([READ, kit], body="")
    assert "- Price: 24.90 EUR, in stock" in text
    assert "- Rating: 4.6 of 5 (900 reviews)" in text
    assert "- Price: 5 to 9 (currency not stated)" in text
    assert "Description" in text
    assert "Description" not in product_text([kit], body="It **keeps seed dry**. More of it.")
