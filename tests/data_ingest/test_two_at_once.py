"""Two processes that write one place: one does, the other says who it is that does."""

import re
from pathlib import Path

import pytest

from drretail.locks import locked_folder
from tests.cli.commands import Command
from tests.data_ingest.raw_rows import small_shop
from tests.shop import build_shop

WRITES = r"Error: Another process is writing .*: wait until it has ended\."


@pytest.mark.parametrize("command", [["ingest", "raw", "--world", "w"], ["world", "copy", "other", "w"]])
def test_the_second_touches_nothing_and_says_who_is_the_first(
    drretail: Command, tmp_path: Path, command: list[str]
) -> None:
    small_shop(tmp_path / "raw")
    build_shop(tmp_path / "other")
    (tmp_path / "w" / ".stages").mkdir(parents=True)
    with locked_folder(tmp_path / "w", "the world"):
        ended = drretail(*command)
        assert ended.returncode == 2
        assert re.fullmatch(WRITES, ended.stderr.strip())
        assert re.search(r"\(process \d+, since ", ended.stderr)
        assert sorted(path.name for path in (tmp_path / "w").iterdir()) == [".lock", ".stages"]
