"""Files come whole or not at all, from a server that does everything wrong."""

import gzip
import json
import random
import shutil
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx2
import pytest

from drretail.data_ingest.download.addresses import Wanted, wanted_files
from drretail.data_ingest.download.download import DownloadReport, download
from drretail.errors import UnknownName, UserError
from drretail.progress import Progress
from tests.data_ingest.download.server import Answer, Script, serve

DATA = gzip.compress(random.Random(3).randbytes(300_000))
PATH = "/raw/Pet_Supplies.jsonl.gz"


@pytest.fixture
def server() -> Generator[Script]:
    with serve(Script({PATH: DATA, "/other/Pet_Supplies.jsonl.gz": DATA})) as script:
        yield script


@pytest.fixture
def waited() -> list[float]:
    return []


def fetch(server: Script, folder: Path, waited: list[float], *paths: str) -> DownloadReport:
    urls = tuple(server.address + path for path in paths or (PATH,))
    with httpx2.Client(follow_redirects=True, timeout=5, trust_env=False) as client:
        return download([Wanted("Pet_Supplies", urls)], folder, client, Progress(), sleep=waited.append)


def check_whole(folder: Path) -> None:
    assert [path.name for path in folder.iterdir()] == ["Pet_Supplies.jsonl.gz"]
    assert (folder / "Pet_Supplies.jsonl.gz").read_bytes() == DATA


def test_a_file_comes_once(server: Script, tmp_path: Path, waited: list[float]) -> None:
    first = fetch(server, tmp_path, waited)
    again = fetch(server, tmp_path, waited)
    check_whole(tmp_path)
    assert [first.files[0].state, again.files[0].state] == ["fetched", "already there"]
    assert server.asked == [(PATH, None)]


def test_dropped_connections_are_resumed_where_they_broke_off(
    server: Script, tmp_path: Path, waited: list[float]
) -> None:
    server.answers[PATH] = [Answer(cut=100_000), Answer(cut=50_000), Answer()]
    fetch(server, tmp_path, waited)
    check_whole(tmp_path)
    assert [asked for _, asked in server.asked] == [None, "bytes=100000-", "bytes=150000-"]


def test_an_interrupted_download_goes_on_in_another_run(server: Script, tmp_path: Path, waited: list[float]) -> None:
    server.answers[PATH] = [Answer(cut=100_000), Answer(status=404)]
    with pytest.raises(UserError, match=r"404.*goes on from there"):
        fetch(server, tmp_path, waited)
    state = json.loads((tmp_path / "Pet_Supplies.jsonl.gz.part.json").read_text())
    assert state == {"url": server.address + PATH, "tag": '"one"', "size": len(DATA)}
    server.answers[PATH] = [Answer()]
    fetch(server, tmp_path, waited)
    check_whole(tmp_path)
    assert server.asked[-1] == (PATH, "bytes=100000-")


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
def test_a_file_that_came_wrong_is_fetched_anew(
    server: Script, tmp_path: Path, waited: list[float], first: Answer
) -> None:
    server.answers[PATH] = [first, Answer()]
    report = fetch(server, tmp_path, waited, "/gone/Pet_Supplies.jsonl.gz", PATH)
    check_whole(tmp_path)
    assert report.files[0].url == f"{server.address}{PATH}", "of another address, where the first has none"


def test_a_length_that_is_too_small_is_found_out(server: Script, tmp_path: Path, waited: list[float]) -> None:
    server.answers[PATH] = [Answer(says=len(DATA) - 1000)]
    with pytest.raises(UserError, match=r"came damaged 2 times \(.*ends too early"):
        fetch(server, tmp_path, waited)
    assert list(tmp_path.iterdir()) == []


def test_a_busy_server_is_asked_again_when_it_says(server: Script, tmp_path: Path, waited: list[float]) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    busy = [Answer(429, {"Retry-After": after}) for after in ("7", soon, "100000")]
    server.answers[PATH] = [*busy, Answer(503), Answer()]
    fetch(server, tmp_path, waited)
    check_whole(tmp_path)
    assert waited[0] == 7
    assert 80 < waited[1] <= 90
    assert waited[2:] == [300, 8]


def test_a_server_that_stays_busy_is_given_up(server: Script, tmp_path: Path, waited: list[float]) -> None:
    server.answers[PATH] = [Answer(503)]
    with pytest.raises(UserError, match="it is busy, 6 times"):
        fetch(server, tmp_path, waited)
    assert waited == [1, 2, 4, 8, 16]


def test_redirects_are_followed_and_circles_left(server: Script, tmp_path: Path, waited: list[float]) -> None:
    server.answers["/moved/Pet_Supplies.jsonl.gz"] = [Answer(302, {"Location": PATH})]
    server.answers["/circle"] = [Answer(301, {"Location": "/circle"})]
    server.answers[PATH] = [Answer(cut=100_000), Answer()]
    fetch(server, tmp_path, waited, "/circle", "/moved/Pet_Supplies.jsonl.gz")
    check_whole(tmp_path)
    assert server.asked[-1] == (PATH, "bytes=100000-")


def test_nothing_is_fetched_where_there_is_no_room(
    server: Script, tmp_path: Path, waited: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr("shutil.disk_usage", lambda _path: usage)
    with pytest.raises(UserError, match=r"no room in .* for Pet_Supplies\.jsonl\.gz: 0\.3 MB are still to come"):
        fetch(server, tmp_path, waited)


def test_many_files_come_side_by_side_and_in_order(tmp_path: Path) -> None:
    files = {f"/{number}.jsonl": f'{{"n": {number}}}\n'.encode() * 1000 for number in range(12)}
    with serve(Script(files)) as server, httpx2.Client(trust_env=False) as client:
        wanted = [Wanted("Books", (server.address + path,)) for path in files]
        report = download(wanted, tmp_path, client, Progress(), parallel=4)
    assert [file.name for file in report.files] == [path[1:] for path in files]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {p[1:]: data for p, data in files.items()}


def test_a_proxy_of_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "http://raw.example/Books.jsonl"
    with serve(Script({url: b'{"n": 1}\n'})) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.address)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        with httpx2.Client() as client:
            download([Wanted("Books", (url,))], tmp_path, client, Progress())
    assert proxy.asked == [(url, None)]


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


def test_a_file_that_nobody_has_does_not_keep_the_others_from_coming(server: Script, tmp_path: Path) -> None:
    urls = [(server.address + "/raw/Missing.jsonl.gz",), (server.address + PATH,)]
    with (
        httpx2.Client(follow_redirects=True, timeout=5, trust_env=False) as client,
        pytest.raises(UserError, match=r"Missing\.jsonl\.gz answers 404"),
    ):
        download([Wanted("Pet_Supplies", url) for url in urls], tmp_path, client, Progress(), parallel=1)
    check_whole(tmp_path)


def test_an_address_where_nobody_listens_is_given_up_soon(tmp_path: Path) -> None:
    waited: list[float] = []
    wanted = [Wanted("Pet_Supplies", ("http://127.0.0.1:9/Pet_Supplies.jsonl.gz",))]
    with (
        httpx2.Client(timeout=5, trust_env=False) as client,
        pytest.raises(UserError, match=r"127\.0\.0\.1:9/Pet_Supplies\.jsonl\.gz cannot be had"),
    ):
        download(wanted, tmp_path, client, Progress(), sleep=waited.append)
    assert sum(waited) < 5


def test_a_server_that_ignores_ranges_starts_from_the_beginning(
    server: Script, tmp_path: Path, waited: list[float]
) -> None:
    server.answers[PATH] = [Answer(cut=100_000), Answer(ignores_range=True)]
    fetch(server, tmp_path, waited)
    check_whole(tmp_path)
