"""Files come whole or not at all, from a server that does everything wrong."""

import gzip
import json
import random
import shutil
from collections.abc import Generator, Iterable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest

from drretail.addons.downloads.download import DownloadReport, WantedFile, download_files, wanted_files
from drretail.errors import UnknownName, UserError
from drretail.progress import Progress
from tests.build import files
from tests.data_ingest.mirror_server import Answer, Script, serve

DATA = gzip.compress(random.Random(3).randbytes(300_000))
PATH = "/raw/Pet_Supplies.jsonl.gz"


def fetched(folder: Path, wanted: Iterable[tuple[str, ...]], **given: Any) -> DownloadReport:
    """The report of files, each of which is to be had at any of its addresses."""
    with httpx2.Client(follow_redirects=True, timeout=5, trust_env=False) as client:
        return download_files(
            [WantedFile("Pet_Supplies", urls) for urls in wanted], folder, client, Progress(), **given
        )


class Fetch(NamedTuple):
    """A server, a folder that what it has is fetched into, and the seconds that were waited."""

    server: Script
    folder: Path
    waited: list[float]

    def __call__(self, *paths: str) -> DownloadReport:
        urls = tuple(self.server.address + path for path in paths or (PATH,))
        return fetched(self.folder, [urls], sleep=self.waited.append)

    def check_whole(self) -> None:
        assert files(self.folder) == {"Pet_Supplies.jsonl.gz": DATA}


@pytest.fixture
def fetch(tmp_path: Path) -> Generator[Fetch]:
    with serve(Script({PATH: DATA, "/other/Pet_Supplies.jsonl.gz": DATA})) as script:
        yield Fetch(script, tmp_path, [])


def test_a_file_comes_once(fetch: Fetch) -> None:
    assert [fetch().files[0].state for _ in range(2)] == ["fetched", "already there"]
    fetch.check_whole()
    assert fetch.server.asked == [(PATH, None)]


def test_dropped_connections_are_resumed_there_or_begin_anew_where_a_server_sends_all(fetch: Fetch) -> None:
    fetch.server.answers[PATH] = [Answer(cut=100_000), Answer(cut=50_000), Answer(ignores_range=True)]
    fetch()
    fetch.check_whole()
    assert [asked for _, asked in fetch.server.asked] == [None, "bytes=100000-", "bytes=150000-"]


def test_an_interrupted_download_goes_on_in_another_run(fetch: Fetch) -> None:
    fetch.server.answers[PATH] = [Answer(cut=100_000), Answer(status=404)]
    with pytest.raises(UserError, match=r"404.*goes on from there"):
        fetch()
    state = json.loads((fetch.folder / "Pet_Supplies.jsonl.gz.part.json").read_text())
    assert state == {"url": fetch.server.address + PATH, "tag": '"one"', "size": len(DATA)}
    fetch.server.answers[PATH] = [Answer()]
    fetch()
    fetch.check_whole()
    assert fetch.server.asked[-1] == (PATH, "bytes=100000-")


@pytest.mark.parametrize(
    "first",
    [
        Answer(cut=100_000, etag='"old"', body=b"x" * 200_000),
        Answer(says=len(DATA) + 1000),
        Answer(body=DATA[:100_000] + b"damaged" + DATA[100_007:]),
        Answer(body=b"<html>Sorry</html>"),
    ],
    ids=["changed meanwhile", "length too great", "damaged", "a page"],
)
def test_a_file_that_came_wrong_is_fetched_anew(fetch: Fetch, first: Answer) -> None:
    fetch.server.answers[PATH] = [first, Answer()]
    report = fetch("/gone/Pet_Supplies.jsonl.gz", PATH)
    fetch.check_whole()
    assert report.files[0].url == f"{fetch.server.address}{PATH}", "of another address, where the first has none"


@pytest.mark.parametrize(
    ("answer", "message", "waited"),
    [
        (Answer(says=len(DATA) - 1000), r"came damaged 2 times \(.*ends too early", []),
        (Answer(503), "it is busy, 6 times", [1, 2, 4, 8, 16]),
    ],
    ids=["length too small", "busy"],
)
def test_a_server_that_never_mends_is_given_up(fetch: Fetch, answer: Answer, message: str, waited: list[float]) -> None:
    fetch.server.answers[PATH] = [answer]
    with pytest.raises(UserError, match=message):
        fetch()
    assert list(fetch.folder.iterdir()) == []
    assert fetch.waited == waited


def test_a_busy_server_is_asked_again_when_it_says(fetch: Fetch) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    busy = [Answer(429, {"Retry-After": after}) for after in ("7", soon, "100000")]
    fetch.server.answers[PATH] = [*busy, Answer(503), Answer()]
    fetch()
    fetch.check_whole()
    seven, at_the_date, *others = fetch.waited
    assert (seven, others) == (7, [300, 8])
    assert 80 < at_the_date <= 90


def test_redirects_are_followed_and_circles_left(fetch: Fetch) -> None:
    fetch.server.answers["/moved/Pet_Supplies.jsonl.gz"] = [Answer(302, {"Location": PATH})]
    fetch.server.answers["/circle"] = [Answer(301, {"Location": "/circle"})]
    fetch.server.answers[PATH] = [Answer(cut=100_000), Answer()]
    fetch("/circle", "/moved/Pet_Supplies.jsonl.gz")
    fetch.check_whole()
    assert fetch.server.asked[-1] == (PATH, "bytes=100000-")


def test_nothing_is_fetched_where_there_is_no_room(fetch: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(fetch.folder)._replace(free=1000)
    monkeypatch.setattr("shutil.disk_usage", lambda _path: usage)
    with pytest.raises(UserError, match=r"no room in .* for Pet_Supplies\.jsonl\.gz: 0\.3 MB are still to come"):
        fetch()


def test_the_addresses_are_those_of_the_dataset() -> None:
    files = wanted_files(["Pet_Supplies"], None)
    assert len(files) == 2
    assert files[1].urls[0] == (
        "https://mcauleylab.ucsd.edu/public_datasets/data/amazon_2023/raw/review_categories/Pet_Supplies.jsonl.gz"
    )
    assert len(wanted_files([], "paper")) == 16
    assert len(wanted_files(["Books", "Pet_Supplies"], "ten")) == 22
    mirrored = wanted_files(["Books"], None, "https://mirror.example/a")
    assert mirrored[0].urls == ("https://mirror.example/a/raw/meta_categories/meta_Books.jsonl.gz",)
    with pytest.raises(UnknownName, match="Pet_Supplies"):
        wanted_files(["Pet_Suplies"], None)
    with pytest.raises(UserError, match="--preset paper"):
        wanted_files([], None)
    with pytest.raises(UserError, match="huggingface"):
        wanted_files(["Books"], None, "nowhere")


def test_many_files_come_side_by_side_and_in_order_and_one_that_no_host_has_is_left_out_by_name(tmp_path: Path) -> None:
    bodies = {f"{number}.jsonl": f'{{"n": {number}}}\n'.encode() * 1000 for number in range(12)}
    with serve(Script({f"/{name}": data for name, data in bodies.items()})) as server:
        urls = [(f"{server.address}/{name}",) for name in ("gone.jsonl", *bodies)]
        report = fetched(tmp_path, urls, parallel=4)
    assert [file.name for file in report.files] == [*bodies]
    assert files(tmp_path) == bodies
    assert report.account.adds_up
    ((reason, fate),) = report.account.left_out.items()
    assert (fate.count, fate.first, fate.failed, "404" in reason) == (1, "gone.jsonl", True, True)


def test_an_address_where_nobody_listens_is_given_up_soon(tmp_path: Path) -> None:
    waited: list[float] = []
    with pytest.raises(UserError, match=r"127\.0\.0\.1:9/Pet_Supplies\.jsonl\.gz cannot be had"):
        fetched(tmp_path, [("http://127.0.0.1:9/Pet_Supplies.jsonl.gz",)], sleep=waited.append)
    assert sum(waited) < 5
