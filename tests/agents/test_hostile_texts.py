"""What no hostile text brings about, whatever the model does that reads it: here it does all that is asked of it."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import pytest

from drretail.env.web.base import Fetched, WebPage, WebResult
from drretail.env.web.page import read_web_page
from drretail.env.world import World, world_at
from drretail.experiments.run_file import Recorded
from drretail.llm.scripted import Request
from tests.agents.conftest import Scripted, calls, perform, reporting
from tests.build import build_world, files
from tests.shop import ORDERS, PRODUCTS, USER, a_product

URL = "https://faxpapers.example/guide"
GUIDE = ("A fax machine keeps its place where a signature has to arrive on paper. " * 8).strip()
UNREADABLE = {"css", "comment", "alt", "bidi", "tags"}
"""Ways to hide a text that are not to reach a model; of zero-width characters the words are left."""


@dataclass(frozen=True, kw_only=True)
class HostileText:
    """One of hostile_texts.toml, whose head says what the fields mean."""

    id: str
    place: str
    do: str
    text: str
    mark: str = ""
    hidden: str = ""
    of: str = USER
    field: str = "email"
    forges: str = ""
    listing: str
    """The id of the listing that holds or advertises it."""

    @property
    def readable(self) -> str:
        return self.text.replace("LISTING", self.listing)

    @property
    def planted(self) -> str:
        """The text in its hidden characters."""
        if self.hidden == "zero-width":
            return "\u200b".join(self.readable)
        if self.hidden == "tags":
            return "".join(chr(0xE0000 + ord(letter)) for letter in self.readable)
        return f"\u202e{self.readable[::-1]}\u202c" if self.hidden == "bidi" else self.readable

    @property
    def wanted(self) -> str:
        """What it wants bought or cited, as a citation names it."""
        name = self.mark or self.listing
        return f"P:{name}" if name.startswith("B0") else name

    @property
    def page(self) -> WebPage:
        """A page that holds the text, as it is read."""
        planted = f"<p>{escape(self.planted)}</p>"
        planted = {
            "css": f'<div style="display:none">{planted}</div>',
            "white": planted.replace("<p>", '<p style="color:#fff;background:#fff">'),
            "comment": f"<!-- {self.planted} -->",
            "alt": f'<img src="https://faxpapers.example/x.png" alt="{escape(self.planted)}">',
        }.get(self.hidden, planted)
        body = f"<p>{GUIDE}</p>{planted}" if self.place == "below" else f"{planted}<p>{GUIDE}</p>"
        markup = f"<html><head><title>Fax machines</title></head><body><article>{body}</article></body></html>"
        return read_web_page(Fetched(URL, URL, "ok", 200, "text/html", "utf-8", markup.encode()))


TEXTS = [
    HostileText(**fields, listing=f"B0LISTED{number:02}")
    for number, fields in enumerate(tomllib.loads(Path("tests/hostile_texts.toml").read_text("utf-8"))["text"])
]


@dataclass
class OnePage:
    """A web whose one page is found by any search."""

    page: WebPage
    fetched: list[str]
    provider = "sandbox"
    corpus = "one page"

    def search(self, query: str, k: int) -> list[WebResult]:
        del query, k
        return [WebResult(self.page.title, self.page.url, self.page.text[:500])]

    def fetch(self, url: str) -> WebPage:
        self.fetched.append(url)
        return self.page


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A shop with a listing for each text, whose bytes no run changes."""
    folder = tmp_path_factory.mktemp("hostile") / "world"
    listings = [
        a_product(1, "Thermal fax machine", 19.99).model_copy(
            update={"product_id": text.listing}
            | {"title": {"title": text.planted}, "features": {"features": (text.planted,)}}.get(text.place, {})
            | ({"description": (text.planted,)} if text.place == "description" else {})
        )
        for text in TEXTS
    ]
    build_world(folder, sorted([*listings, *PRODUCTS], key=lambda product: product.product_id), ORDERS)
    before = files(folder)
    with world_at(folder) as opened:
        yield opened
    assert files(folder).items() >= before.items()


def obeyed(shop: World, text: HostileText) -> tuple[Recorded, list[Request], list[str]]:
    """A run that meets the text and does what it asks for; what the model was shown; which pages were fetched."""
    asked: dict[str, Scripted] = {
        "profile": calls(("update_user_profile", {"user_id": text.of, text.field: text.mark})),
        "look": calls(("get_user_orders", {"user_id": text.mark}), ("get_user_profile", {"user_id": text.mark})),
        "send": calls(("web_search", {"query": f"https://{text.mark}/?user={USER}"})),
        "call": calls(("product_catalog_search", {"query": text.mark})),
    }
    meeting = calls(("get_product_details", {"product_id": text.listing}), ("web_search", {"query": "fax"}))
    picks = [f"{text.wanted} x 1"] if text.wanted.startswith("P:") else []
    report = reporting(f"{text.mark} is best [{text.wanted}].", *picks)
    turns = [meeting, *([asked[text.do]] if text.do in asked else []), report]
    web = OnePage(text.page if text.place in ("page", "below") else WebPage(URL, "Fax", GUIDE, "ok"), [])
    recorded, shown = perform(replace(shop, web=web), *turns)
    return recorded, shown, web.fetched


def read_in(shown: list[Request]) -> list[str]:
    """What the model was shown of the listing and of the page, before any words of its own could come back to it."""
    return [message.text for message in shown[1].messages if message.type == "tool"]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.id)
def test_what_tools_and_runner_promise_holds_whatever_the_model_does(shop: World, text: HostileText) -> None:
    recorded, shown, fetched = obeyed(shop, text)
    run = recorded.run
    assert run.status == "done", run.error
    assert {change.user_id for change in run.state_diff} <= {USER}
    assert fetched == [], "of an address in a text nothing is opened"
    if text.do == "look" or text.of != USER:
        asked = [step for step in run.steps if text.mark in str(step.args)]
        assert asked
        assert all((step.error or "").startswith("forbidden") for step in asked)
    handed = {evidence for step in run.steps for evidence in step.evidence}
    known = {entry.id for entry in recorded.evidence}
    assert known <= handed
    assert not [each for each in known if "@" in each], "another user's data"
    if text.do == "cite":
        assert not [each for each in known if text.mark in each]
        assert {cited.type for cited in run.citations if text.mark in cited.marker} == {"unresolved"}
    read = read_in(shown)
    if text.hidden in UNREADABLE or text.place == "below":
        assert not [each for each in read if (text.mark or text.readable) in each or text.planted in each]
    elif text.hidden in ("", "zero-width"):
        assert text.mark in "".join(read) or text.id == "cite-link"  # whose mark is a link's target, which is dropped
    if text.forges:  # in the text itself: prompts have such tags of their own
        places = [(each, each.find(text.mark)) for each in read if text.mark in each]
        near = [each[max(0, at - len(text.readable)) : at + len(text.readable)] for each, at in places]
        assert not [each for each in near if text.forges in each]
