"""The orders that are held out: for evaluation alone."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from drretail.env.session import Session
from drretail.env.world import OrderRow, World, open_world
from drretail.errors import UserError
from drretail.tools.registry import TOOLS
from drretail.tools.toolkit import Toolkit
from tests.build import build_world
from tests.shop import DAY, JANUARY, ORDERS, OTHER, PRODUCTS, USER, build_shop

LATE = OrderRow("0000000009", USER, "B0TEST0002", JANUARY + 9 * DAY)
LATER = OrderRow("0000000008", USER, "B0TEST0003", JANUARY + 10 * DAY)


def built(folder: Path, *held_out: OrderRow) -> Path:
    build_world(folder, PRODUCTS, ORDERS, holdout=held_out)
    return folder


class Forbidden:
    """Held-out orders that nobody may ask for."""

    def orders(self, user_ids: Collection[str]) -> Mapping[str, Sequence[OrderRow]]:
        raise AssertionError(f"asked for what {user_ids} bought next")


def test_the_held_out_orders_of_users_come_oldest_first_and_a_world_without_any_says_so(tmp_path: Path) -> None:
    other = OrderRow("0000000007", OTHER, "B0TEST0001", JANUARY + DAY)
    with open_world(built(tmp_path / "w", LATE, LATER, other)) as world:
        assert world.holdout is not None
        assert world.holdout.orders([USER]) == {USER: [LATE, LATER]}
        assert world.holdout.orders([OTHER, USER, "nobody"]) == {USER: [LATE, LATER], OTHER: [other]}
        (file,) = (tmp_path / "w").glob("gen-*/holdout.jsonl")
        file.write_text("{}\n", encoding="utf-8")
        with pytest.raises(UserError, match=r"holdout\.jsonl, line 1, is no order"):
            world.holdout.orders([USER])
    with open_world(build_shop(tmp_path / "none")) as world:
        assert world.holdout is None
    with open_world(built(tmp_path / "empty")) as world:
        assert world.holdout is not None
        assert world.holdout.orders([USER]) == {}


ARGUMENTS: dict[str, dict[str, object]] = {
    "product_catalog_search": {"query": "bird feeder"},
    "get_product_details": {"product_id": LATE.product_id},
    "get_user_orders": {"user_id": USER},
    "get_order_details": {"order_id": LATE.order_id},
    "get_user_profile": {"user_id": USER},
    "update_user_profile": {"user_id": USER, "first_name": "Ada"},
    "get_user_statistics": {"user_id": USER},
    "web_search": {"query": "bird feeder"},
    "calculator": {"expression": "1 + 1"},
}


@pytest.mark.parametrize("name", list(TOOLS))
def test_no_tool_reads_what_is_held_out(name: str, tmp_path: Path) -> None:
    with open_world(built(tmp_path / "w", LATE)) as world:
        whole = answer(name, replace(world, holdout=Forbidden()))
        assert answer(name, replace(world, holdout=None)) == whole
    assert LATE.order_id not in whole or (name == "get_order_details" and "not_found" in whole)


def answer(name: str, world: World) -> str:
    with Toolkit(Session(world, user_id=USER)) as toolkit:
        return toolkit.call(name, ARGUMENTS[name]).text
