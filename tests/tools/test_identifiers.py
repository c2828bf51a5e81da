"""An id is taken in every form that the shop prints, and is never another record's."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.tools.toolkit import Toolkit, ToolReply
from tests.tools.conftest import ANNA, BORIS, PRODUCTS, error_of

ID, OTHER, ORDER = "B0TOOLS001", "B0TOOLS002", "0000000004"
PRINTED = [
    "{}", "P: {}", "[P:{}]", "http://ecommerce.com/{}", "[P:{}][W:ft4ssxyi]", "[P:{0}](http://ecommerce.com/{0}/)",
]  # fmt: skip
AROUND = [
    "{}", " {} ", '"{}"', "'{}'", "`{}`", "“{}”", "({})", "<{}>", "**{}**", '\\"{}\\"', "{}.", "{},", "\n{}\t",
    "【{}】", "product {}", "product_id: {}", '{{"product_id": "{}"}}', "id={}",
]  # fmt: skip
KNOWN = [product.product_id for product in PRODUCTS]


def opened(toolkit: Toolkit, product_id: str) -> ToolReply:
    return toolkit.call("get_product_details", {"product_id": product_id})


def mended(toolkit: Toolkit) -> dict[str, str] | None:
    return toolkit.session.trajectory.steps()[-1].mended


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("printed", PRINTED)
def test_a_product_id_is_taken_in_every_form_and_case(toolkit: Toolkit, printed: str, around: str) -> None:
    for form in (written := around.format(printed.format(ID)), written.lower(), written.upper()):
        reply = opened(toolkit, form)
        assert reply.value.get("product_id") == ID, (form, reply.text)
        assert mended(toolkit) == (None if form == ID else {"product_id": ID})


@pytest.mark.parametrize(
    "written", ["O:{}", "[O:{}]", "order O:{}", "order {}", '"{}"', " {} ", "#{}", "o:{}", "`[O:{}]`"]
)
def test_an_order_id_is_taken_in_every_form(toolkit: Toolkit, written: str) -> None:
    reply = toolkit.call("get_order_details", {"order_id": written.format(ORDER)})
    assert reply.value["order_id"] == ORDER
    assert mended(toolkit) == {"order_id": ORDER}


@pytest.mark.parametrize(
    "written", [f'"{ANNA}"', ANNA.lower(), "U:profile", "[U:orders]", f"user {ANNA}", f"U:statistics@{ANNA}"]
)
def test_the_acting_users_id_is_taken_in_every_form_and_anothers_stays_anothers(toolkit: Toolkit, written: str) -> None:
    assert toolkit.call("get_user_profile", {"user_id": written}).value["user_id"] == ANNA
    assert mended(toolkit) == {"user_id": ANNA}
    assert toolkit.call("get_user_profile", {"user_id": f"[U:profile@{BORIS}]"}).error == "forbidden"
    assert toolkit.session.attempts[-1].user_id == BORIS


@pytest.mark.parametrize(
    "written",
    ["[P:{0}][P:{1}]", "{0} {1}", "{0}, {1}", "{0} or {1}", "P:{0} {1}", "http://ecommerce.com/{0}/{1}", "{0}/{1}",
     "{0}{1}", "{0}-{1}", "P:{0} (not P:{1})", "B0GONE0000 {1}", "Tube feeder {0}", "O:{0}", "W:{0}", "http://elsewhere.example/{0}",
     "{0}?to={1}", "P:{0}@{1}"],
)  # fmt: skip
def test_several_ids_and_what_is_none_open_nothing(toolkit: Toolkit, written: str) -> None:
    error = error_of(opened(toolkit, written.format(ID, OTHER)))
    assert error["type"] == "not_found"
    assert "product_id" in error["message"]


def test_the_error_shows_the_right_form_and_the_nearest_of_what_was_shown(toolkit: Toolkit) -> None:
    assert "Did you mean" not in error_of(opened(toolkit, "B0TOOLS009"))["message"]
    toolkit.call("product_catalog_search", {"query": "window bird feeder", "match": "all"})
    message = error_of(opened(toolkit, "P:B0TOOLSOO3"))["message"]
    assert 'e.g. "B0EXAMPLE1"' in message
    assert "Did you mean B0TOOLS003?" in message
    assert "2 ids: make one call for each" in error_of(opened(toolkit, f"[P:{ID}][P:{OTHER}]"))["message"]
    for title in ("Tanagrove tube bird feeder", "Tube feeder 2023"):
        assert "make one call for each" not in error_of(opened(toolkit, title))["message"]
    toolkit.call("get_user_orders", {"user_id": ANNA})
    message = error_of(toolkit.call("get_order_details", {"order_id": "000000004"}))["message"]
    assert ORDER in message.split("Did you mean")[-1]


def pieces() -> st.SearchStrategy[str]:
    known = st.sampled_from([*KNOWN, *map(str.lower, KNOWN)])
    marks = st.sampled_from([*"[] \"'`,;:@#-_/.()x", "P:", "][", "http://ecommerce.com/", "O:", "product "])
    return st.lists(st.one_of(known, marks, st.text(max_size=3)), min_size=1, max_size=7).map("".join)


def changed() -> st.SearchStrategy[str]:
    """An id in which one place was dropped, doubled, or replaced."""

    def change(known: str, place: int, kind: str, letter: str) -> str:
        left, it, right = known[:place], known[place], known[place + 1 :]
        return {"drop": left + right, "double": left + it + it + right, "replace": left + letter + right}[kind]

    kinds = st.sampled_from(["drop", "double", "replace"])
    return st.builds(change, st.sampled_from(KNOWN), st.integers(0, 9), kinds, st.characters())


@given(st.one_of(pieces(), changed()))
def test_what_is_opened_is_the_only_id_that_was_written(world: World, written: str) -> None:
    if not written or len(written) > 200 or not written.isprintable():
        return
    with Toolkit(Session(SessionSettings(world, user_id=ANNA))) as toolkit:
        value: dict[str, Any] = opened(toolkit, written).value
    if "error" in value:
        return
    orders = {match.upper() for match in re.findall(r"(?i)\bO:([A-Za-z0-9_-]+)", written)}
    words = {word.upper() for word in re.findall(r"[A-Za-z0-9_-]+", written)}
    assert value["product_id"] in words
    assert not (words & set(KNOWN)) - {value["product_id"]} - orders
