"""No command of an add-on prints what a terminal obeys."""

import re
import signal
import time
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import urlopen

from drretail.records.tables.screen import UNSAFE
from tests.addons.imports.foreign import drb
from tests.cli.commands import environment
from tests.cli.forked import ForkServer
from tests.cli.test_terminals import EVIL, place, prints_no_escape_codes, provider

__all__ = ["place", "provider"]


def test_an_import_prints_no_escape_codes(fork_server: ForkServer, place: Path) -> None:
    drb(place / "theirs.jsonl", f"# Report\n\nTake {EVIL} this one [1].\n\n[1] https://a.example/ {EVIL}", EVIL)
    prints_no_escape_codes(fork_server, place, "import", "drb", "theirs.jsonl", "--to", "imported")


def test_a_providers_error_page_prints_no_escape_codes(fork_server: ForkServer, place: Path, provider: str) -> None:
    labels = f"claim,source,label\n{EVIL},{EVIL},{EVIL}\n".replace("\r", "")
    (place / "labels.csv").write_text(labels, encoding="utf-8")
    card = ("lab", "card", "--labels", "labels.csv", "--to", "exp")
    prints_no_escape_codes(fork_server, place, *card, "--judge", "openai:x", "--base-url", provider)


def test_a_server_of_pages_prints_nothing_of_its_clients_and_folder(fork_server: ForkServer, place: Path) -> None:
    server = fork_server.start(("view", "exp"), place, environment(place))
    while "http://" not in server.stdout:
        assert not server.has_ended, server.stderr
        time.sleep(0.01)
    address = re.findall(r"http://[^/\s]+", server.stdout)[0]
    for path in ("/", "/%1b%5b2J%07", f"/?q={quote(EVIL)}"):
        with suppress(HTTPError):
            urlopen(f"{address}{path}", timeout=60).read()
    server.send_signal(signal.SIGINT)
    ended = server.wait()
    shown = ended.stdout + ended.stderr
    assert "Traceback" not in shown
    assert set(UNSAFE.findall(shown)) <= {"\r"}
