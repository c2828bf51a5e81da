"""Commands write to pipes and devices as to files, and leave them what they are."""

import os
import stat
import threading
from pathlib import Path

from tests.cli.commands import Command


def test_queries_can_be_written_to_a_pipe(drretail: Command, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = list[str]()
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    ended = drretail("queries", "shipped", "--to", "pipe")
    reader.join(10)
    assert ended.returncode == 0, ended.stderr
    assert read[0].startswith('{"')
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


def test_a_report_can_be_written_to_standard_output(succeeds: Command, shop: str, queries: str, tmp_path: Path) -> None:
    succeeds("run", "--world", shop, "--queries", queries, "--to", "exp", "--no-floors")
    (tmp_path / "link.html").symlink_to("page.html")
    succeeds("report", "exp", "-o", "link.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert (tmp_path / "link.html").is_symlink()
    result = succeeds("report", "exp", "--format", "html", "-o", "/dev/stdout")
    assert result.stdout.startswith(page)
