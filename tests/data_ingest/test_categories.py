"""The category that a path names."""

from pathlib import Path

import pytest

from drretail.data_ingest.plan import PAPER, STEMS, TEN, in_preset_order, named_category


@pytest.mark.parametrize(
    ("path", "category"),
    [
        ("x/meta_Pet_Supplies.jsonl.gz", "Pet_Supplies"),
        ("x/Pet_Supplies.jsonl", "Pet_Supplies"),
        ("x/Pet_Supplies.sample.jsonl", "Pet_Supplies"),
        ("All_Beauty/meta_data.json", "All_Beauty"),
        ("All_Beauty/meta_Beauty_and_Personal_Care.hf.jsonl", "Beauty_and_Personal_Care"),
        ("Books/x/meta.jsonl", None),
        ("x/meta_Bookshelf.jsonl", None),
        ("x/cookBooks.jsonl", None),
        ("x/pet_supplies.jsonl", None),
    ],
)
def test_the_stem_in_the_files_name_comes_before_that_of_its_folder(path: str, category: str | None) -> None:
    assert named_category(Path(path)) == category


def test_every_stem_is_found_in_its_own_file_names() -> None:
    for stem in STEMS:
        assert named_category(Path(f"raw/meta_{stem}.jsonl.gz")) == stem


def test_the_presets_have_eight_and_ten_files_of_the_34() -> None:
    assert (len(PAPER), len(TEN), len(STEMS), len(set(STEMS))) == (8, 10, 34, 34)


def test_own_names_come_after_the_stems() -> None:
    names = ["Zebra", "Books", "All_Beauty", "Baby_Products", "Ants", "Books"]
    assert in_preset_order(names) == ("Baby_Products", "All_Beauty", "Books", "Ants", "Zebra")
