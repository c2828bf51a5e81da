"""The example notebook that ends with a score corrected by people's labels."""

from pathlib import Path

import pytest

from tests.api.test_notebook import played


def test_an_example_goes_from_raw_files_to_a_corrected_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made, ingested, written, *_, corrected = played("from_files_to_score.ipynb")
    assert [table.title for table in made.tables] == ["A made-up shop in raw", "Quirks"]
    assert "World shop, fingerprint" in repr(ingested)
    assert repr(written).startswith("8 queries of 8 users → queries.jsonl")
    ((what, *_), fp) = next(iter(corrected.value.values().items()))
    assert (what, fp["judge alone"].value > fp["corrected"].value) == ("FP", True), "people found less support"
    assert {"judge alone", "corrected"} <= {column.name for column in corrected.tables[0].columns}
