"""Each user's last order, kept apart for scoring what an agent expects them to buy next."""

import json
from pathlib import Path

import pytest

from drretail.data_ingest.ingest import ingest
from drretail.data_ingest.plan import IngestOptions
from drretail.env.checking import check_world
from drretail.env.generations import live_generation
from drretail.env.manifest import HOLDOUT_FILE, read_manifest
from drretail.env.world import open_world
from drretail.errors import NotFound
from tests.data_ingest.raw_rows import START, product_row, review_row, write_lines
from tests.data_ingest.test_ingest import mixed_shop

LAST = IngestOptions(min_interactions=1, holdout="last")


def shop(folder: Path) -> Path:
    """Three users: with two orders, with two in one millisecond, and with a single one."""
    write_lines(folder / "meta_Pet_Supplies.jsonl", [product_row("B1"), product_row("B2")])
    bought = [("A1", "B1", 0), ("A1", "B2", 5), ("A2", "B1", 3), ("A2", "B2", 3), ("A3", "B1", 1)]
    rows = [review_row(user, product, START + moment) for user, product, moment in bought]
    write_lines(folder / "Pet_Supplies.jsonl", rows)
    return folder


def held_out(world: Path) -> list[dict[str, object]]:
    text = (live_generation(world) / HOLDOUT_FILE).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_the_last_order_of_each_user_is_beside_the_world_and_not_in_it(tmp_path: Path) -> None:
    report = ingest([shop(tmp_path / "raw")], tmp_path / "w", LAST)
    rows = held_out(tmp_path / "w")
    assert [(row["user_id"], row["timestamp"]) for row in rows] == [
        ("A1", START + 5),
        ("A2", START + 3),
        ("A3", START + 1),
    ]
    assert (report.reviews.kept, report.users, report.reviews.dropped) == (2, 2, {"held_out": 3})
    with open_world(tmp_path / "w") as world:
        assert [order.product_id for order in world.store.orders("A1").orders] == ["B1"]
        (kept,) = world.store.orders("A2").orders
        assert kept.order_id < str(rows[1]["order_id"])
        for row in rows:
            with pytest.raises(NotFound):
                world.store.order(str(row["order_id"]))
        with pytest.raises(NotFound):
            world.store.user("A3")


def test_what_is_held_out_is_part_of_the_fingerprint_and_is_checked(tmp_path: Path) -> None:
    raw = mixed_shop(tmp_path / "raw")
    whole = ingest([raw], tmp_path / "whole", LAST.model_copy(update={"holdout": "none"}))
    held = ingest([raw], tmp_path / "held", LAST)
    assert held.fingerprint != whole.fingerprint
    assert not (live_generation(tmp_path / "whole") / HOLDOUT_FILE).exists()
    assert len(held_out(tmp_path / "held")) == whole.users == held.reviews.dropped["held_out"]
    assert held.reviews.kept + whole.users == whole.reviews.kept
    assert read_manifest(live_generation(tmp_path / "held")).parameters["holdout"] == "last"
    assert check_world(tmp_path / "held") == []

    path = live_generation(tmp_path / "held") / HOLDOUT_FILE
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[1:]))
    assert [finding.code for finding in check_world(tmp_path / "held")] == ["file_changed", "fingerprint"]
    path.unlink()
    assert [finding.code for finding in check_world(tmp_path / "held")] == ["file_missing", "fingerprint"]


def test_a_dry_run_counts_what_would_be_held_out(tmp_path: Path) -> None:
    raw = mixed_shop(tmp_path / "raw")
    dry = ingest([raw], tmp_path / "w", LAST, dry_run=True)
    wet = ingest([raw], tmp_path / "w", LAST)
    assert dry == wet.model_copy(update={"world": None, "fingerprint": None, "counts": None, "priced": None})
