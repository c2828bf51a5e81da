"""A copy is the same world, whatever keeps it; each direction is tried in turn."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from drretail.env.copying import copy_world
from drretail.env.folder import rows_of
from drretail.env.manifest import DATABASE_FILE, HOLDOUT_FILE, OrderRow, live_generation, read_manifest
from drretail.env.world import check_world, default_pool, open_world, write_world
from drretail.errors import UserError
from drretail.records.shop import Product


@pytest.fixture
def source(tmp_path: Path, products: list[Product], orders: list[OrderRow]) -> Path:
    """A world with everything that a manifest can tell, a pool of its own, and orders that are held out."""
    pool = default_pool().model_copy(update={"streets": ("Elm Street",)})
    write_world(
        tmp_path / "source",
        products=products,
        orders=orders[:-1],
        holdout=orders[-1:],
        seed="s",
        pool=pool,
        origin={"parameters": {"cap": 5}, "versions": {"duckdb": "2"}},
    )
    return tmp_path / "source"


def test_a_copy_is_the_same_world_without_the_saved_profiles(
    source: Path, tmp_path: Path, products: list[Product], orders: list[OrderRow]
) -> None:
    with rows_of(source) as rows:
        assert list(rows.products) == products
        assert list(rows.orders) == orders[:-1]
        assert list(rows.holdout or ()) == orders[-1:]
    with open_world(source) as world:
        derived = world.store.user("ANNA")
        world.store.save_user(derived.model_copy(update={"first_name": "Ann"}))
    target = tmp_path / "target"
    assert copy_world(source, target) == read_manifest(live_generation(source))
    assert check_world(target) == []
    with open_world(target) as world:
        assert world.store.user("ANNA") == derived


@pytest.mark.parametrize("damage", ["UPDATE orders SET quantity = 9", "UPDATE products SET record = '{}'", None])
def test_a_damaged_source_is_not_copied(source: Path, tmp_path: Path, damage: str | None) -> None:
    generation = live_generation(source)
    if damage is None:
        (generation / HOLDOUT_FILE).write_text('{"order_id": "1"}\n')
    else:
        with closing(sqlite3.connect(generation / DATABASE_FILE)) as db, db:
            db.execute(damage)
    with pytest.raises(UserError, match=r"another fingerprint|no order that was held out|is damaged"):
        copy_world(source, tmp_path / "target")
    with pytest.raises(UserError):
        open_world(tmp_path / "target")


@pytest.mark.parametrize(
    ("start", "end", "materialize", "message"),
    [
        ("source", "./source", False, "the same world"),
        ("servers:shop", "servers:shop", False, "the same world"),
        ("source", "target", True, "materialize_users"),
        ("none", "target", False, "There is no world"),
        ("source", "server:t", False, "goes by 'servers:t'"),
    ],
)
def test_what_cannot_be_copied_is_said(
    source: Path, monkeypatch: pytest.MonkeyPatch, start: str, end: str, materialize: bool, message: str
) -> None:
    monkeypatch.chdir(source.parent)
    with pytest.raises(UserError, match=message):
        copy_world(start, end, materialize_users=materialize)
