import gzip
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.files import LineAppender, pack, read_json, read_jsonl, write_atomically, write_json, write_lines


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    write_atomically(path, "old")
    monkeypatch.setattr("os.fsync", _no_space)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_appending_after_a_cut_line_starts_on_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"n":1}\n{"n":2}\n{"n":', encoding="utf-8")
    appender = LineAppender(path)
    appender.append('{"n":3}')
    appender.close()
    assert [line["n"] for line in read_jsonl(path)] == [1, 2, 3]


def test_reading_leaves_out_a_cut_last_line_but_names_any_other_broken_one(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"n":1}\n{"n":', encoding="utf-8")
    assert list(read_jsonl(path)) == [{"n": 1}]
    path.write_text('{"n":\n{"n":2}\n', encoding="utf-8")
    with pytest.raises(UserError, match="line 1, is not JSON"):
        list(read_jsonl(path))


def test_lines_may_hold_every_character_that_json_allows(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_lines(path, ['{"text":"one\u2028two\x85three"}'])
    assert list(read_jsonl(path)) == [{"text": "one\u2028two\x85three"}]


def test_packed_lines_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl.gz", ['{"n":1}'])
    write_lines(tmp_path / "b.jsonl.gz", ['{"n":1}'])
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert list(read_jsonl(tmp_path / "a.jsonl.gz")) == [{"n": 1}]
    assert gzip.decompress(pack(b"x")) == b"x"


def test_a_cut_packed_file_is_a_sentence_not_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(pack(b'{"n":1}\n' * 1000)[:-20])
    with pytest.raises(UserError, match="cannot be read"):
        list(read_jsonl(path))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "holds no JSON object"),
        ('{"format": 2}', "format 2"),
        ("{}", "no format"),
    ],
)
def test_a_document_of_another_kind_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_json(path)


def test_json_is_written_readable_and_sorted(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": "é", "a": 1, "format": 1})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{\n  "a": 1,\n  "b": "é",\n  "format": 1\n}\n'
    assert read_json(tmp_path / "a.json")["b"] == "é"


def _no_space(descriptor: int) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("at", range(0, 40, 3))
def test_a_flipped_bit_of_a_packed_file_is_a_sentence_or_read(tmp_path: Path, at: int) -> None:
    path = tmp_path / "lines.jsonl.gz"
    whole = pack(b"".join(b'{"format":1,"n":%d}\n' % number for number in range(200)))
    for bit in range(8):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
        try:
            list(read_jsonl(path))
        except UserError as problem:
            assert path.name in str(problem)  # noqa: PT017 -- bits of the time in its head change nothing
