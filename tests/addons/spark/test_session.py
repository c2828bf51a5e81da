"""What Spark says before it starts Java, its numbers of lines, and what ``doctor`` says of Java."""

import re
import socket
import stat
import sys
from pathlib import Path
from types import ModuleType

import pytest

from drretail.addons.spark.engine import Block, Blocks
from drretail.addons.spark.session import check_installed, check_master, examine_java, find_java
from drretail.data_ingest.ingest import ingest_files
from drretail.errors import UserError, install_line
from tests.data_ingest.raw_rows import small_shop


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that can be imported: the real one is only installed for slow tests."""
    monkeypatch.setitem(sys.modules, "pyspark", ModuleType("pyspark"))


def java_that_says(folder: Path, version: str) -> Path:
    """A JAVA_HOME whose java prints a version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder


def test_without_pyspark_the_line_to_install_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(UserError, match=re.escape(f"needs pyspark: {install_line('spark')}.")):
        ingest_files([small_shop(tmp_path / "raw")], tmp_path / "world", engine="spark")
    assert not (tmp_path / "world").exists()


def test_java_17_and_later_will_do_and_older_or_none_or_a_broken_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for enough in ("17", "21.0.2"):
        monkeypatch.setenv("JAVA_HOME", str(java_that_says(tmp_path / enough, enough)))
        check_installed()
    (tmp_path / "17" / "bin" / "java").write_text("no program")
    assert "does not start" in examine_java({"JAVA_HOME": str(tmp_path / "17")}).found
    for version, number in (("1.8.0_392", 8), ("11.0.2", 11)):
        monkeypatch.setenv("JAVA_HOME", str(java_that_says(tmp_path / version, version)))
        with pytest.raises(UserError, match=rf"needs Java 17 or later, and .*bin/java is Java {number}: set JAVA_HOME"):
            check_installed()
    assert examine_java({"JAVA_HOME": str(tmp_path / "11.0.2")}).state == "absent"
    assert examine_java({"PATH": ""}).found == "none"
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert find_java() is None
    with pytest.raises(UserError, match="needs Java 17 or later and finds none: install it, or set JAVA_HOME"):
        check_installed()


def test_a_master_that_does_not_answer_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        here = f"127.0.0.1:{server.getsockname()[1]}"
        check_master(f"spark://{here}")
        with socket.create_server(("127.0.0.1", 0)) as closing:
            gone = f"127.0.0.1:{closing.getsockname()[1]}"
        # One that answers is enough where several stand by.
        check_master(f"spark://{gone},{here}")
        with pytest.raises(UserError, match=rf"There is no Spark master at spark://{gone} \(.*refused"):
            check_master(f"spark://{gone}")


def test_ids_within_blocks_become_line_numbers_within_files() -> None:
    # The ids of a block have consecutive numbers; which block a task reads first says nothing about its place.
    blocks = Blocks([Block(0, 100, 3, 3, 0), Block(0, 0, 10, 9, 8_589_934_592), Block(1, 0, 2, 2, 3)])
    assert [blocks.line(0, 0, 8_589_934_592), blocks.line(0, 0, 8_589_934_601)] == [1, 10]
    assert [blocks.line(0, 100, 0), blocks.line(0, 100, 2)] == [11, 13]
    assert [blocks.line(1, 0, 3), blocks.line(1, 0, 4)] == [1, 2]
    assert (blocks.plain(0), blocks.all_plain) == (12, False)


def test_a_folder_named_from_here_has_an_address_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from drretail.addons.spark.session import _settings  # pyright: ignore[reportPrivateUsage]

    monkeypatch.chdir(tmp_path)
    Path("work").mkdir()
    address = (tmp_path / "work" / "log4j2.properties").as_uri()
    assert _settings("local", Path("work"), 0)["spark.driver.extraJavaOptions"].endswith(f"={address}")
