"""Made-up shops, and every recipe, as data: whatever is drawn from it must read well. Also tests recipe.py."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from drretail import ingest, open_world
from drretail.data_ingest.recipe import recipe_categories
from drretail.data_ingest.synth import PRODUCT_QUIRKS, REVIEW_QUIRKS, write_shop
from drretail.errors import UserError
from tests.build import files as files_in


def rows(path: Path) -> list[dict[str, Any]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = data.decode("utf-8")
    return json.loads(text) if text[0] == "[" else [json.loads(row) for row in text.split("\n") if row.endswith("}")]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_shop(tmp_path: Path) -> None:
    for name, seed in (("one", "1"), ("two", "1"), ("other", "2")):
        write_shop(tmp_path / name, products=48, reviews=300, seed=seed)
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")
    metas = ((tmp_path / name).glob("meta_*") for name in ("one", "other"))
    titles = [{row["title"] for path in paths for row in rows(path)} for paths in metas]
    assert len(titles[0] & titles[1]) < 5


def test_every_category_form_of_file_and_quirk_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "raw"
    report = write_shop(folder, products=600, reviews=2000)
    names = {file.name for file in report.files}
    assert {name.removeprefix("meta_").split(".")[0] for name in names} == set(recipe_categories())
    assert rows(folder / "meta_Home_and_Kitchen.jsonl")[0]["details"].startswith("{")
    patio = (folder / "meta_Patio_Lawn_and_Garden.jsonl").read_bytes()
    assert patio.startswith(b"[\n")
    assert b"\\/" in patio
    assert (folder / "Pet_Supplies.jsonl.gz").exists()
    assert not (folder / "Office_Products.jsonl").read_bytes().endswith(b"\n")
    assert all(file.rows and file.bytes == (folder / file.name).stat().st_size for file in report.files)
    for quirks, total in ((PRODUCT_QUIRKS, report.products), (REVIEW_QUIRKS, report.reviews)):
        for name, (_, share) in quirks.items():
            assert abs(report.quirks[name] - share * total) < 5 * (share * total) ** 0.5 + 1, name


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(UserError, match="not a made-up shop"):
        write_shop(tmp_path, products=8, reviews=8)
    with pytest.raises(UserError, match="Pet_Supplies"):
        write_shop(tmp_path, products=8, reviews=8, categories=["Pet_Suplies"])
    assert files_in(tmp_path) == {"thesis.txt": b"precious"}


@pytest.mark.parametrize("moment", ["gzip.GzipFile", "review", "write_json"])
def test_a_stop_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """While files are opened, filled, and when no report says yet that they are a shop's."""

    def interrupt(*args: object, **given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"drretail.data_ingest.synth.{moment}", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_shop(tmp_path / "raw", products=8, reviews=8)
    assert list(tmp_path.iterdir()) == []


def test_a_former_shop_is_replaced_whole(tmp_path: Path) -> None:
    write_shop(tmp_path, products=16, reviews=20)
    write_shop(tmp_path, products=16, reviews=20, categories=["Pet_Supplies"])
    assert {*files_in(tmp_path)} == {"Pet_Supplies.jsonl.gz", "meta_Pet_Supplies.jsonl.gz", "synth.json"}


def test_orders_of_a_made_up_shop_differ_in_quantity_and_status(tmp_path: Path) -> None:
    write_shop(tmp_path / "raw", products=16, reviews=400, categories=["Pet_Supplies"])
    ingest(tmp_path / "raw", world=tmp_path / "w", min_interactions=0)
    with open_world(tmp_path / "w") as world:
        orders = [each for user in world.store.sample_users(0, 200) for each in world.store.orders(user.user_id).orders]
    assert len({(order.order_status, order.quantity) for order in orders}) > 6
