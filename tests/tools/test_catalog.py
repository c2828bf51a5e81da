import json
from collections.abc import Callable
from typing import Any

import pytest

from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.errors import ToolError
from drretail.grounding.text.serialisation import lean, product_card, whole_items
from drretail.tools.catalog import card_sources
from drretail.tools.toolkit import Toolkit
from tests.places import Place, PlaceKind
from tests.tools.conftest import ANNA, error_of, product

HIDDEN = 'None of 3 holds all words. Hidden, but among the best: B0TOOLS003 "Tanagrove window bird feeder".'


def test_a_search_gives_cards_with_evidence_and_counts_and_loses_none_of_them(toolkit: Toolkit, world: World) -> None:
    value = toolkit.call("product_catalog_search", {"query": "tube feeder", "match": "all"}).value
    assert (value["total"], value["shown"], value["offset"]) == (2, 2, 0)
    shared = ("product_url", "currency", "category")
    assert [value[name] for name in shared] == ["http://ecommerce.com/{product_id}", "USD", "Bird Feeders"]
    tube = {"evidence": "P:B0TOOLS001", "product_id": "B0TOOLS001", "title": "Tanagrove tube bird feeder"}
    green = {"evidence": "P:B0TOOLS004", "product_id": "B0TOOLS004", "title": "Tanagrove tube bird feeder, green"}
    rated = {"average_rating": 4.6, "rating_number": 900, "store": "Tanagrove"}
    assert value["hits"] == [tube | {"price": 24.99} | rated, green | {"price": 24.99}]

    value = toolkit.call("product_catalog_search", {"query": ""}).value
    assert "category" not in value, "what hits do not share stands in each"
    cards = [product_card(world.store.product(hit["product_id"])) for hit in value["hits"]]
    assert whole_items(value, "hits") == [lean(card) for card in cards]
    assert whole_items({"hits": cards}, "hits") == cards, "as results were before"


def test_a_hit_is_a_shown_card_and_a_record_hidden_until_it_is_read(toolkit: Toolkit, session: Session) -> None:
    reply = toolkit.call("product_catalog_search", {"query": "window"})
    assert reply.evidence == ("P:B0TOOLS003",)
    (entry,) = session.ledger.evidence()
    assert [(text.form, text.shown) for text in entry.texts] == [("card", True), ("record", False)]
    assert [lean(json.loads(entry.texts[0].text))] == whole_items(reply.value, "hits")
    assert json.loads(entry.sources[0].text)["description"] == ["Clear."]
    details = toolkit.call("get_product_details", {"product_id": "B0TOOLS003"})
    (entry,) = session.ledger.evidence()
    assert [(text.form, text.shown) for text in entry.texts] == [("card", True), ("record", True)]
    assert lean(json.loads(entry.sources[0].text)) == details.value


def test_a_picture_is_kept_for_readers_and_in_no_text_of_an_agent_or_judge() -> None:
    pictured = product(9, "Feeder", image="https://p.example/9.jpg")
    card, record = card_sources(pictured)
    assert card.image == record.image == pictured.image
    assert "p.example" not in card.text + record.text


@pytest.mark.parametrize(
    ("query", "arguments", "found"),
    [
        ("bird feeder", {"match": "all", "price_min": 24.99, "price_max": 30}, "14"),
        ("bird feeder", {"match": "all", "rating_min": 4.5}, "13"),
        ("tube bird feeder", {"match": "phrase"}, "14"),
        ("tube feeder", {"sort_by": "rating"}, "13254"),
        ("", {"category": "Bird Feeders", "sort_by": "price", "order": "desc"}, "21453"),
        ("", {"category": "Bird Feeders", "sort_by": "popularity", "limit": 2, "offset": 1}, "15"),
    ],
)
def test_arguments_are_what_they_say(toolkit: Toolkit, query: str, arguments: dict[str, Any], found: str) -> None:
    value = toolkit.call("product_catalog_search", {"query": query, **arguments}).value
    assert value["shown"] == len(value["hits"])
    assert [hit["product_id"][-1] for hit in value["hits"]] == list(found)


OF_OTHERS = ("nicht", "ohne", "ni", "sans", "sin")
EXCLUDES_NOTHING = "excludes nothing: words only say what to look for."


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ({"query": ""}, None),
        ({"query": "zzz qqq"}, None),
        ({"query": "cedar green feeder"}, "None of 5 holds all words."),
        ({"query": "feeder cedar"}, "Only 1 of 5 holds all words."),
        ({"query": "cedar green feeder not"}, f'"not" {EXCLUDES_NOTHING} None of 5 holds all words.'),
        ({"query": "bird feeder no plastic", "match": "all"}, f'"no" {EXCLUDES_NOTHING}'),
        *(({"query": f"feeder {no} cedar", "match": "all"}, f'"{no}" {EXCLUDES_NOTHING}') for no in OF_OTHERS),
        ({"query": "feeder -cedar", "match": "all"}, f'"-cedar" {EXCLUDES_NOTHING}'),
        ({"query": "feeder", "sort_by": "price", "limit": 2}, "3 of the 5 best matches are on later pages."),
        ({"query": "feeder", "sort_by": "rating", "limit": 4}, "1 of the 5 best matches is on a later page."),
        ({"query": "feeder", "limit": 2}, None),
        ({"query": "tube feedr", "match": "all"}, 'Perhaps misspelt: try "feeder" for "feedr".'),
        ({"query": "window feeder", "category": "Bird Feeders", "price_max": 30}, HIDDEN),
        (
            {"query": "feeder hopper", "price_max": 3, "match": "all"},
            'Without the filters 1 match, best B0TOOLS002 "Tanagrove hopper bird feeder of cedar" (39.50).',
        ),
    ],
)
def test_a_note_says_how_to_search_better(toolkit: Toolkit, arguments: dict[str, Any], note: str | None) -> None:
    value = toolkit.call("product_catalog_search", arguments).value
    assert value.get("note") == note
    assert ("hidden" in value) == ("price_max" in arguments)
    assert value.get("hidden", 0) == (note == HIDDEN), "matches that were left out for want of a price"


def test_a_note_outlives_a_failing_catalog(session: Session, toolkit: Toolkit, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ToolError("unavailable", "The catalog is gone.")

    monkeypatch.setattr(type(session.settings.world.catalog), "spellings", fails)
    value = toolkit.call("product_catalog_search", {"query": "feedr not cedar"}).value
    assert (value["note"], value["total"]) == (f'"not" {EXCLUDES_NOTHING}', 1)


def test_a_note_names_the_categories_of_the_best_matches(new_place: Callable[[PlaceKind], Place]) -> None:
    kinds = {"French Presses": 3, "Press On Nails": 4, "Kettles": 1}
    shelf = [
        product(10 * at + number, f"French press of {kind}", 9.0, categories=("Shop", kind))
        for at, (kind, count) in enumerate(kinds.items())
        for number in range(count)
    ]
    place = new_place("embedded")
    place.write(shelf, [])
    with place.open() as world, Toolkit(Session(SessionSettings(world, user_id=ANNA))) as toolkit:

        def note(**arguments: Any) -> object:
            return toolkit.call("product_catalog_search", {"query": "french press", **arguments}).value.get("note")

        assert note() == "Categories to filter by: French Presses (3) | Press On Nails (4)."
        assert note(category="French Presses") is None


def test_what_is_unknown_is_left_out_a_lower_bound_marked_and_a_range_upside_down_refused(toolkit: Toolkit) -> None:
    unknown = toolkit.call("get_product_details", {"product_id": "B0TOOLS003"}).value
    assert not {"price", "features", "details", "bought_together"} & set(unknown)
    lowest = toolkit.call("get_product_details", {"product_id": "B0TOOLS005"}).value
    assert (lowest["price"], lowest["price_from"]) == (10.0, True)
    error = error_of(toolkit.call("product_catalog_search", {"query": "x", "price_min": 30, "price_max": 20}))
    assert error == {"type": "invalid_argument", "message": "price_min 30 is above price_max 20.", "field": "price_min"}
