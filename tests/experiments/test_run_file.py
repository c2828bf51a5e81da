"""The file of a run: what is written is read again, and a damaged file is told in a sentence. Also tests packs.py."""

import json
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from drretail.errors import UserError
from drretail.experiments.journal import Effect
from drretail.experiments.run_file import (
    MEMBERS,
    Recorded,
    journal_path,
    read_evidence,
    read_journal,
    read_members,
    read_recorded,
    read_results,
    read_run,
    read_telemetry,
    write_run_file,
)
from drretail.files import pack
from drretail.records.base import FORMAT, sha256_of
from tests.build import evidence, run, text
from tests.run_files import cut, edit_member, edit_run, lines_of

RESULT = "A feeder.\u2028" * 40
SAID = {"role": "tool", "content": RESULT}
ASKED = {"role": "user", "content": [{"type": "text", "text": "A feeder?"}]}


def effect(number: int, request: dict[str, Any], response: Any = "yes") -> Effect:
    return Effect(
        key=f"{number}", scope="0", kind="model", request=request, response=response, started="2026-01-01", seconds=0.5
    )


CONVERSATION = [
    effect(turns, {"model": "m", "messages": [ASKED, *[SAID] * turns], "tools": [{"name": "search"}]})
    for turns in range(3)
]
MADE = Recorded(
    run(),
    (evidence("P:B1", text(RESULT)), evidence("U:1")),
    {sha256_of(each): each for each in (RESULT, "no message")},
    {"host": "h"},
    lines_of(CONVERSATION),
)
READERS: list[Callable[[Path], Any]] = [read_run, read_evidence, read_journal, read_results, read_telemetry]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "q1-r1.jsonl.gz"
    write_run_file(path, MADE)
    return path


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
texts |= st.sampled_from([RESULT, "a\nb", '{"$text": 3}', "3"])
values = st.recursive(
    texts | st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda of: st.lists(of, max_size=3) | st.dictionaries(texts | st.just("content"), of, max_size=3),
    max_leaves=6,
)
requests = st.dictionaries(texts, values | st.lists(values | st.just(SAID), max_size=4), max_size=3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(results=st.lists(texts), asked=st.lists(st.tuples(requests, values)), shown=st.lists(texts, max_size=2))
@example([], [], [])
@example([RESULT], [({"messages": [ASKED, SAID]}, None), ({"messages": [ASKED, SAID, SAID]}, None)], [RESULT])
def test_what_is_written_is_read_again(
    tmp_path: Path, results: list[str], asked: list[tuple[dict[str, Any], Any]], shown: list[str]
) -> None:
    path, texts = tmp_path / "q1-r1.jsonl.gz", {sha256_of(each): each for each in results}
    effects = [effect(number, request, response) for number, (request, response) in enumerate(asked)]
    entries = tuple(evidence(f"P:B{number}", text(each)) for number, each in enumerate(shown))
    write_run_file(path, Recorded(run(report=RESULT), entries, texts, {"host": RESULT}, lines_of(effects)))
    recorded = read_recorded(path)
    assert (recorded.run, recorded.evidence) == (run(report=RESULT), entries)
    assert recorded.telemetry == {"format": FORMAT, "host": RESULT}
    assert texts.items() <= recorded.texts.items()
    assert read_journal(path) == effects


def test_it_is_lines_of_json_after_an_index_and_holds_once_what_many_requests_share(path: Path) -> None:
    lines = subprocess.run(["zcat", path], capture_output=True, check=True, text=True).stdout.split("\n")[:-1]
    assert {*json.loads(lines[0])} == {"format", "sizes"}
    assert lines[1:] == [line for member in read_members(path, *MEMBERS).values() for line in member]
    assert sum(RESULT in json.dumps(json.loads(line), ensure_ascii=False) for line in lines) == 1
    journal = cut(path)
    assert path.with_name("q1-r1.journal.jsonl") == journal == journal_path(path)
    assert read_journal(path) == CONVERSATION


def test_a_run_is_read_without_what_follows_it(path: Path) -> None:
    data, member = path.read_bytes(), pack(f"{MADE.run.as_line()}\n".encode())
    end = data.index(member) + len(member)
    path.write_bytes(data[:end] + bytes(len(data) - end))
    assert read_run(path) == MADE.run
    for reader in (read_evidence, read_results, read_journal):
        with pytest.raises(UserError, match="is damaged: restore it, or delete it"):
            reader(path)
    assert read_telemetry(path) == {}


def test_a_file_that_is_cut_or_changed_anywhere_is_a_sentence_or_the_same(path: Path) -> None:
    data, whole = path.read_bytes(), [reader(path) for reader in READERS]
    places = [*range(20), *range(20, len(data), len(data) // 40)]
    changed = [data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :] for at in places]
    for damaged in (*(data[:at] for at in places), *changed):
        path.write_bytes(damaged)
        for reader, expected in zip(READERS, whole, strict=True):
            with suppress(UserError):
                assert reader(path) in (expected, {})


def test_one_of_another_format_or_shape_or_that_is_missing_is_refused(path: Path) -> None:
    edit_run(path, status="odd")
    with pytest.raises(UserError, match="is not as this version writes it: status"):
        read_run(path)
    for member, reader in zip(MEMBERS, READERS, strict=True):
        for lines in ([], ["{"], ['{"format": 1}'], ["[7]"]):
            edit_member(path, member, lambda _, lines=lines: lines)
            with suppress(UserError):
                reader(path)
        write_run_file(path, MADE)
    path.write_bytes(pack(b'{"format":9,"sizes":[1,1,1,1,1]}\n'))
    for reader in (read_run, read_evidence, read_results, read_journal):
        with pytest.raises(UserError, match="is of format 9"):
            reader(path)
    path.unlink()
    with pytest.raises(UserError, match="does not exist"):
        read_run(path)
    assert read_journal(path) == []
