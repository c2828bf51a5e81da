"""Files as they are written: whole or not at all. check_entries: tests/experiments/test_experiment.py."""

import errno
import gzip
import multiprocessing
import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from drretail.errors import UserError, file_error
from drretail.files import (
    LOCK,
    PART,
    LineAppender,
    is_unfinished,
    locked_folder,
    made_whole,
    pack,
    read_json,
    read_jsonl,
    write_atomically,
    write_json,
    write_lines,
)


def test_a_cut_last_line_is_left_out_and_appending_starts_on_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"n":1}\n{"n":2}\n{"n":"€'.encode()[:-1])
    assert list(read_jsonl(path)) == [{"n": 1}, {"n": 2}]
    appender = LineAppender(path)
    appender.append('{"n":3}')
    appender.close()
    assert list(read_jsonl(path)) == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_a_full_disk_is_told_with_the_file_and_leaves_the_old_one_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    write_atomically(tmp_path / "file", "old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space") as told:
        write_json(tmp_path / "file", {})
    assert (tmp_path / "file").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert file_error(told.value).startswith(f"{tmp_path}/file cannot be written, the disk is full")
    with Path("/dev/full").open("wb") as full_disk:
        appender = LineAppender(tmp_path / "file")
        os.dup2(full_disk.fileno(), appender._file.fileno())  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(OSError, match="No space") as told:
        appender.append("x")
    assert file_error(told.value).startswith(f"{tmp_path}/file cannot be written, the disk is full")
    with suppress(OSError):
        appender.close()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"n":\n{"n":2}\n', "line 1, is not JSON"),
        (
            "a.jsonl",
            '{"text": "für"}\n'.encode("latin-1"),
            r"a\.jsonl is not in UTF-8 \(byte 11\): save it as UTF-8\.$",
        ),
        ("a.jsonl.gz", pack(b'{"n":1}\n' * 1000)[:-20], "cannot be read"),
        ("a.jsonl.gz", pack(b'{"n":1}\n' + b" " * (2 << 20)), "holds more than 1 MB of text"),
    ],
    ids=["no JSON", "no UTF-8", "cut", "too much"],
)
def test_lines_that_cannot_be_read_are_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, message: str
) -> None:
    monkeypatch.setattr("drretail.files.MOST_UNPACKED", 1 << 20)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message):
        list(read_jsonl(tmp_path / name))


def test_packed_lines_are_the_same_bytes_each_time_and_may_hold_every_character_of_json(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz", "c.jsonl"):
        write_lines(tmp_path / name, ['{"text":"one\u2028two\x85three"}'])
        assert list(read_jsonl(tmp_path / name)) == [{"text": "one\u2028two\x85three"}]
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert gzip.decompress(pack(b"x")) == b"x"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "holds no JSON object"),
        ('{"format": 2}', "format 2"),
        ("{}", "no format"),
    ],
)
def test_a_document_of_another_kind_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "a.json").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_json(tmp_path / "a.json")


def test_a_place_that_takes_no_file_is_named_as_the_user_named_it() -> None:
    with pytest.raises(FileNotFoundError) as raised:
        write_lines(Path("/proc/q.jsonl"), ["x"])
    assert raised.value.filename == "/proc/q.jsonl"


def test_a_pipe_is_written_through_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = list[str]()
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_atomically(pipe, "told")
    reader.join(10)
    assert read == ["told"]
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


def test_what_a_link_points_to_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a").write_text("old")
    for name in ("a", "dangling"):
        link = tmp_path / f"link-{name}"
        link.symlink_to(f"elsewhere/{name}")
        write_atomically(link, "new")
        assert link.is_symlink()
        assert (tmp_path / "elsewhere" / name).read_text() == "new"


def test_a_link_in_the_place_of_the_unfinished_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / f".a{PART}").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic links"):
        write_atomically(tmp_path / "a", "new")
    assert (tmp_path / "precious").read_text() == "mine"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_keeps_to_the_umask_and_a_replaced_one_keeps_its_mode(tmp_path: Path, umask: int, mode: int) -> None:
    path, before = tmp_path / "a", os.umask(umask)
    try:
        write_atomically(path, "x")
        assert stat.S_IMODE(path.stat().st_mode) == mode
        path.chmod(0o640)
        write_atomically(path, "new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(before)


KILLED = """
import os, sys
from pathlib import Path
from drretail import files
os.fsync = lambda _: os.kill(os.getpid(), 9)
files.write_atomically(Path(sys.argv[1]), "new")
"""


def test_what_a_killed_write_left_goes_with_the_next_one(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a.json")])
    (left,) = tmp_path.iterdir()
    assert is_unfinished(left)
    assert not is_unfinished(tmp_path / "Pet_Supplies.jsonl.gz.part")  # of a download, which goes on from there
    write_atomically(tmp_path / "a.json", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_writers_of_one_file_leave_each_others_work_alone(tmp_path: Path) -> None:
    path = tmp_path / "a"

    def write(number: int) -> None:
        for _ in range(30):
            write_atomically(path, f"{number}" * 1000)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    assert len(set(path.read_text())) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("content", ["", "left"])
def test_a_folder_gets_its_name_when_it_is_whole_and_is_as_open_as_any_folder(tmp_path: Path, content: str) -> None:
    to = tmp_path / "s"
    (tmp_path / f"s{PART}" / "s" / content).mkdir(parents=True)  # as a kill leaves it
    (tmp_path / "s.part").mkdir()
    with made_whole(to) as made:
        assert made.name == "s"
        assert not to.exists()
        assert {path.name: is_unfinished(path) for path in tmp_path.iterdir()} == {f"s{PART}": True, "s.part": False}
        assert not any(made.parent.iterdir())
        with pytest.raises(UserError, match="Another process is writing"), made_whole(to):
            pass
        made.mkdir()
        (made / "x").write_text("x")
    (tmp_path / "plain").mkdir()
    assert to.stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert {path.name for path in tmp_path.iterdir()} == {"s", "plain", "s.part"}
    with pytest.raises(UserError, match="is there already"), made_whole(to):
        pass


@pytest.mark.parametrize(("given", "stays"), [({"is_shared": True}, "first"), ({"is_replaced": True}, "second")])
def test_of_two_that_make_one_folder_one_stays(tmp_path: Path, given: dict[str, bool], stays: str) -> None:
    with made_whole(tmp_path / "s", **given) as second:
        second.mkdir()
        (second / "second").touch()
        (tmp_path / "s").mkdir()
        (tmp_path / "s" / "first").touch()
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [stays]


HOLD = """
import os, sys
from pathlib import Path
from drretail.files import locked_folder
with locked_folder(Path(sys.argv[1])):
    print(flush=True)
"""


def test_a_second_writer_is_told_which_process_writes(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", f"{HOLD}    sys.stdin.read()", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        refused = rf"writing the shop \(process {holder.pid}, since .* UTC\): wait"
        with pytest.raises(UserError, match=refused), locked_folder(tmp_path, "the shop"):
            pass
    finally:
        holder.communicate()


def test_the_lock_of_a_killed_process_is_free_and_one_that_was_given_back_leaves_nothing(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", f"{HOLD}    os.kill(os.getpid(), 9)", str(tmp_path)])
    assert (tmp_path / LOCK).exists()
    with locked_folder(tmp_path, "the shop"):
        assert (tmp_path / LOCK).read_text().startswith(f"{os.getpid()} ")
    assert list(tmp_path.iterdir()) == []


def _count(folder: Path, rounds: int) -> None:
    for _ in range(rounds):
        while True:
            with suppress(UserError), locked_folder(folder, "the count"):
                number = int((folder / "count").read_text())
                (folder / "count").write_text(str(number + 1))
                break


def test_of_many_writers_there_is_one_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    with multiprocessing.get_context("spawn").Pool(3) as processes:
        processes.starmap_async(_count, [(tmp_path, 30)] * 3, chunksize=1).get(60)
    assert (tmp_path / "count").read_text() == "90"
