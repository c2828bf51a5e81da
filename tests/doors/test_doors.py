"""One run's doors: services.py in their own protocols, the shop of world_door.py and pages.py, and who is let in."""

import json
import re
from typing import Any

import httpx2
import pytest

from drretail.doors.doors import Doors
from drretail.doors.pages import Page
from drretail.env.world import World
from drretail.records.reading import Pick
from drretail.records.run import SearchMix
from tests.doors.conftest import at_doors
from tests.shop import a_product

GUIDE, FEEDER = "https://birds.example/clean", "http://ecommerce.com/B0TEST0001"
WORDS = "clean bird feeder"
SEARCHES = {
    "tavily/search": ({"query": WORDS}, lambda said: [hit["url"] for hit in said["results"]]),
    "serper/search": ({"q": WORDS}, lambda said: [hit["link"] for hit in said["organic"]]),
    "searxng/search?format=json&q=clean+bird+feeder": (None, lambda said: [hit["url"] for hit in said["results"]]),
    "firecrawl/v1/search": ({"query": WORDS}, lambda said: [hit["url"] for hit in said["data"]]),
    "firecrawl/v2/search": ({"query": WORDS}, lambda said: [hit["url"] for hit in said["data"]["web"]]),
}


@pytest.mark.parametrize("path", SEARCHES)
def test_every_search_gives_pages_and_products_in_turns_and_evidence(world: World, path: str) -> None:
    asked, urls_of = SEARCHES[path]

    async def use(doors: Doors) -> None:
        async with httpx2.AsyncClient() as client:
            address = f"{doors.place.here}/{path}"
            answer = await (client.get(address) if asked is None else client.post(address, json=asked))
        urls = urls_of(answer.json())
        assert urls[0] == GUIDE
        assert FEEDER in urls[1:]

    session = at_doors(world, use)
    assert [step.name for step in session.trajectory.steps()] == ["web_search", "product_catalog_search"]
    assert {"P:B0TEST0001"} < {entry.id for entry in session.ledger.evidence()}


@pytest.mark.parametrize(
    ("host", "url_in"), [("lite.duckduckgo.com/lite", "result-link"), ("html.duckduckgo.com/html", "result__a")]
)
def test_hard_coded_hosts_are_answered_behind_the_proxy_alone(world: World, host: str, url_in: str) -> None:
    async def use(doors: Doors) -> None:
        for proxy, status in ((doors.place.proxy, 200), (f"http://127.0.0.1:{doors.place.port}", 407)):
            async with httpx2.AsyncClient(proxy=proxy) as client:
                answer = await client.get(f"http://{host}/", params={"q": WORDS})
                assert answer.status_code == status
                assert (url_in in answer.text and GUIDE in answer.text) == (status == 200)

    at_doors(world, use)


@pytest.mark.parametrize(
    ("mix", "query", "steps"),
    [
        ("web", WORDS, ["web_search"]),
        ("shop", WORDS, ["product_catalog_search"]),
        ("turns", " ".join(f"word{number}" for number in range(200)), ["web_search", "product_catalog_search"]),
    ],
)
def test_the_mix_and_sites_say_what_is_searched(world: World, mix: SearchMix, query: str, steps: list[str]) -> None:
    async def use(doors: Doors) -> None:
        await doors.world.search(query)

    session = at_doors(world, use, mix=mix)
    assert [step.name for step in session.trajectory.steps()] == steps
    assert all(
        len(str((step.args or {})["query"])) <= 500 and step.error is None for step in session.trajectory.steps()
    )


def test_pages_are_extracted_and_what_the_world_lacks_is_refused_and_no_step(world: World) -> None:
    async def use(doors: Doors) -> None:
        async with httpx2.AsyncClient(base_url=doors.place.here + "/") as client:
            assert (await client.get("favicon.ico")).status_code == 404
            urls = [GUIDE, GUIDE.replace("https", "http"), FEEDER, "https://ping.example/favicon.ico"]
            said = (await client.post("tavily/extract", json={"urls": urls})).json()
            assert [row["url"] for row in said["results"]] == urls[:3]
            assert "every two weeks" in said["results"][0]["raw_content"]
            assert "$24.99" in said["results"][2]["raw_content"]
            assert [row["url"] for row in said["failed_results"]] == urls[3:]
            page = (await client.post("v2/scrape", json={"url": GUIDE})).json()["data"]
            assert (page["metadata"]["statusCode"], "every two weeks" in page["markdown"]) == (200, True)
        async with httpx2.AsyncClient(proxy=doors.place.proxy) as client:
            assert (await client.post("http://us.telemetry.example/batch", json={})).status_code == 405
        assert doors.world.refused == {"ping.example": 1, "us.telemetry.example": 1}

    session = at_doors(world, use)
    steps = [(step.name, step.error) for step in session.trajectory.steps()]
    assert steps == [("open_page", None)] * 2 + [("get_product_details", None), ("open_page", None)]
    assert {entry.id[0] for entry in session.ledger.evidence()} == {"W", "P"}


def test_the_shops_pages_are_read_without_scripts_and_its_cart_becomes_picks(world: World) -> None:
    async def use(doors: Doors) -> None:
        async with httpx2.AsyncClient(base_url=doors.place.here + "/", follow_redirects=True) as client:
            page = (await client.get("B0TEST0001")).text
            linked = json.loads(re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)[0])
            assert (linked["@type"], linked["offers"][0]["price"]) == ("Product", "24.99")
            for path, text in (
                ("", "Hopper Bird Feeder"),
                ("search?q=hopper", "Hopper Bird Feeder"),
                ("search?q=feeder&offset=1", "results for feeder"),
                ("category/Bird Feeders", "products in Bird Feeders"),
                ("account", "U:profile"),
                ("account/orders", "Order 0000000002"),
                ("account/orders/0000000002", "O:0000000002"),
            ):
                assert text in (await client.get(path)).text, path
            assert "empty" in (await client.get("cart?offer=B0TEST0001&quantity=1")).text
            for form, status in (
                ({"offer": "B0TEST0001", "quantity": "2"}, 200),
                ({"offer": "B0TEST0001"}, 200),
                ({"offer": "B0TEST0002"}, 200),
                ({"offer": "B0TEST0002", "quantity": "0", "set": "yes"}, 200),
                ({"offer": "B0NOSUCH01"}, 409),
                ({"offer": "B0TEST0001", "quantity": "-1"}, 409),
            ):
                assert (await client.post("cart", data=form)).status_code == status
            assert "B0TEST0001" in (await client.get("cart")).text
            other = await client.post("cart", data={"offer": "B0TEST0004"}, headers={"origin": "https://evil.example"})
            assert other.status_code == 405
            for path, status in (("B0NOSUCH01", 404), ("account/orders/0000000003", 404)):  # another user's order
                assert (await client.get(path)).status_code == status
        assert doors.world.picks == (Pick(product="B0TEST0001", quantity=3),)

    session = at_doors(world, use)
    assert {"U:profile", "U:statistics", "O:0000000002", "P:B0TEST0001"} <= {e.id for e in session.ledger.evidence()}


def test_a_pages_text_stays_text(world: World) -> None:
    hostile = "</script><script>alert(1)</script>"
    for page in (
        Page(hostile, paragraphs=(hostile,)),
        Page(hostile, product=a_product(1, hostile, 1.0)),
    ):
        assert "<script>alert" not in page.html()
        assert hostile in page.text


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/r/{token}/cart", {}, 200),
        ("/r/other/cart", {}, 401),
        ("/cart", {}, 401),
        ("/cart", {"authorization": "Bearer {token}"}, 200),
        ("/cart", {"authorization": "Bearer fc-{token}"}, 200),
        ("/cart", {"x-api-key": "{token}"}, 200),
        ("/r/{token}/cart", {"host": "evil.example"}, 421),
        ("/mcp", {}, 401),
    ],
)
def test_nobody_is_let_in_without_the_runs_own_token(
    world: World, path: str, headers: dict[str, str], status: int
) -> None:
    async def use(doors: Doors) -> None:
        def with_token(text: str) -> str:
            return text.replace("{token}", doors.place.token)

        sent: dict[str, Any] = {name: with_token(text) for name, text in headers.items()}
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{doors.place.port}") as client:
            assert (await client.get(with_token(path), headers=sent)).status_code == status

    at_doors(world, use)


def test_a_flood_is_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.doors.doors.MOST_REQUESTS", 3)
    monkeypatch.setattr("drretail.doors.doors.MOST_BYTES", 10)

    async def use(doors: Doors) -> None:
        async with httpx2.AsyncClient(base_url=doors.place.here + "/") as client:
            assert (await client.post("cart", content=b"x" * 11)).status_code == 413
            assert [(await client.get("cart")).status_code for _ in range(5)] == [200] * 2 + [429] * 3

    at_doors(world, use)
