"""Files in chunks: every line once, whole, and numbered rightly."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.data_ingest.ingest import ingest
from drretail.data_ingest.raw.chunks import LONGEST_LINE, count_lines, read_chunks
from drretail.errors import UserError
from tests.data_ingest.raw_rows import product_row, reviews_of, write_lines


@given(lines=st.lists(st.binary(max_size=400), max_size=60), size=st.integers(1, 500), packed=st.booleans())
def test_chunks_put_together_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], size: int, packed: bool
) -> None:
    data = b"\n".join(line.replace(b"\n", b" ") for line in lines)
    path = tmp_path_factory.mktemp("chunks") / "file"
    path.write_bytes(gzip.compress(data) if packed else data)
    events: list[int] = []
    found, place = [], 0
    for chunk in read_chunks(path, packed, events.append, size):
        assert chunk.place == place
        assert count_lines(path, packed, place) == data[:place].count(b"\n")
        found.append(chunk.path.read_bytes())
        assert len(found[-1]) == chunk.size
        place += chunk.size
    assert b"".join(found) == data
    assert all(part.endswith(b"\n") for part in found[:-1])
    assert max(events, default=0) == path.stat().st_size


def test_a_line_that_is_no_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * (2 * LONGEST_LINE))
    with pytest.raises(UserError, match="line of more than 15 MB"):
        list(read_chunks(path, False, lambda _place: None, 1 << 20))


def test_bad_lines_are_numbered_over_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.data_ingest.raw.chunks.read_chunks.__defaults__", (500,))
    write_lines(tmp_path / "raw" / "meta_Pet_Supplies.jsonl", [product_row("B1")])
    good = reviews_of("B1", 40)
    rows = [*good[:10], "", "{cut", *good[10:30], "[]", *good[30:], '{"user_id": "A']
    path = write_lines(tmp_path / "raw" / "Pet_Supplies.jsonl", rows)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    report = ingest([tmp_path / "raw"], tmp_path / "w")
    (file,) = (file for file in report.files if file.shape == "reviews")
    assert (file.rows, file.bad_lines, report.reviews.kept) == (43, 3, 40)
    assert [bad.line for bad in file.shown] == [12, 33, 44]
