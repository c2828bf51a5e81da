"""Files in a pack are read as if they lay in its folder, whatever a kill left there."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.experiments.packs import PACKS, data_of, lines_of, pack_below, packed_names, unpack, unpack_below
from drretail.files import pack
from tests.build import files

NAMES = [f"q{number:04}-r1.jsonl" for number in range(60)]
LINES = 1000
"""Of each file: a pack of all has three parts."""
DAMAGED = "is damaged"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "verdicts" / "checks" / "code" / "react"
    folder.mkdir(parents=True)
    for number, name in enumerate(NAMES):
        (folder / name).write_text(f'{{"n":{number}}}\n' * LINES)
        (folder / name).with_suffix(".journal.jsonl").write_text(f'{{"journal":{number}}}\n')
    return folder


def packed(folder: Path) -> Path:
    pack_below(folder.parents[2])
    return folder / PACKS[0]


def test_a_packed_folder_is_read_as_it_was(folder: Path) -> None:
    before = files(folder)
    path = packed(folder)
    assert {each.name for each in folder.iterdir()} == {*PACKS}
    assert {name: data_of(folder / name) for name in packed_names(folder)} == before
    assert path.stat().st_size * 20 < sum(map(len, before.values()))
    assert len(gzip.decompress(path.read_bytes()).splitlines()) == 1 + len(NAMES) * LINES
    unpack_below(folder.parents[2])
    assert files(folder) == before


def test_what_is_neither_in_the_folder_nor_in_its_pack_is_not_there(folder: Path) -> None:
    packed(folder)
    assert lines_of(folder / "q9-r1.jsonl") == []
    assert data_of(folder / "q9-r1.jsonl") == b""
    assert packed_names(folder.parent) == []


def test_one_that_is_appended_to_counts_before_the_pack_and_enters_it(folder: Path) -> None:
    packed(folder)
    path = folder / NAMES[7]
    unpack(path)
    with path.open("a") as file:
        file.write('{"n":"more"}\n')
    assert lines_of(path)[-1] == '{"n":"more"}'
    packed(folder)
    assert not path.exists()
    assert (len(lines_of(path)), lines_of(path)[-1]) == (LINES + 1, '{"n":"more"}')
    assert len(lines_of(folder / NAMES[8])) == LINES


@pytest.mark.parametrize("killed_after", ["the pack was written", "some files were removed", "a line was cut"])
def test_a_kill_half_way_loses_nothing(folder: Path, killed_after: str) -> None:
    before = files(folder)
    if killed_after == "a line was cut":
        with (folder / NAMES[3]).open("a") as file:
            file.write('{"n":"cu')
    else:
        packed(folder)
        for name in NAMES[20:] if killed_after == "some files were removed" else NAMES:
            (folder / name).write_bytes(before[name])
    packed(folder)
    assert {name: data_of(folder / name) for name in packed_names(folder)} == before


def test_packing_again_gives_equal_bytes(folder: Path) -> None:
    once = packed(folder).read_bytes()
    packed(folder)
    unpack_below(folder)
    assert packed(folder).read_bytes() == once


def cut(data: bytes) -> bytes:
    return data[:-30]


def in_one_part(data: bytes) -> bytes:
    return pack(gzip.decompress(data).replace(b'{"n":3}', b'{"n":4}'))


def without_index(data: bytes) -> bytes:
    return pack(b'{"format":1}\n')


def of_a_file_elsewhere(data: bytes) -> bytes:
    return pack(b'{"files":{"../../x.jsonl":[0,0,3]},"format":1,"parts":[23]}\n') + pack(b"{}\n")


@pytest.mark.parametrize("change", [cut, in_one_part, without_index, of_a_file_elsewhere, lambda data: data[:20]])
def test_a_damaged_pack_is_named(folder: Path, change: Callable[[bytes], bytes]) -> None:
    path = packed(folder)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(UserError, match=DAMAGED):
        unpack_below(folder)
