"""How a world goes live on servers, what its readers see of it, and that there is one writer at a time."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from drretail.env.catalog.base import CatalogQuery
from drretail.env.copying import writer_to
from drretail.env.manifest import WorldRows
from drretail.env.servers.clients import Servers, connect
from drretail.env.servers.integrity import check_servers
from drretail.env.servers.live_generation import LIVE, WORLDS, Lease, collections_of, read_live, writer_lease
from drretail.env.servers.loading import Load, write_servers
from drretail.env.servers.naming import ServerSettings
from drretail.env.world import Manifest, OrderRow, World, default_pool, open_world
from drretail.errors import ToolError, UserError
from drretail.progress import Progress
from tests.shop import ORDERS, PRODUCTS

EVERYTHING = CatalogQuery("")


class Notes(Progress):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)


@pytest.fixture
def opened(servers: Servers) -> Iterator[Callable[[], World]]:
    """Opens what is live now."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(open_world(f"servers:{servers.name}", servers=servers.settings))


def write(
    servers: Servers, orders: Iterable[OrderRow] = ORDERS, progress: Progress | None = None, **given: Any
) -> Manifest:
    """``given`` are other fields of ``WorldRows``."""
    fields: dict[str, Any] = {"seed": "42", "pool": default_pool(), **given}
    return write_servers(servers, WorldRows(PRODUCTS, orders, **fields), progress)


def numbers(servers: Servers) -> set[int]:
    """Of the generations of which there is anything in MongoDB."""
    names = servers.database.list_collection_names()
    return {int(name[1:].partition("_")[0]) for name in names if name != WORLDS}


def test_the_last_two_generations_stay_and_older_ones_go(servers: Servers, opened: Callable[[], World]) -> None:
    write(servers)
    oldest = opened()
    write(servers, ORDERS[1:])
    assert numbers(servers) == {1, 2}
    assert oldest.store.products([PRODUCTS[0].product_id])
    write(servers, ORDERS[2:])
    assert numbers(servers) == {2, 3}
    indices = servers.elastic.indices.get_alias(index=f"{servers.name}-g*").body
    aliases = {name: list(index["aliases"]) for name, index in indices.items()}
    assert aliases == {f"{servers.name}-g2": [], f"{servers.name}-g3": [servers.name]}
    for read in (
        lambda: oldest.store.product(PRODUCTS[1].product_id),  # the first one was read before, and is remembered
        lambda: oldest.store.products([PRODUCTS[1].product_id]),
        lambda: oldest.store.user(ORDERS[0].user_id),
        lambda: oldest.store.order(ORDERS[0].order_id),
        lambda: oldest.catalog.search(EVERYTHING),
    ):
        with pytest.raises(ToolError) as caught:
            read()
        assert caught.value.kind == "unavailable"

    worlds = servers.database[WORLDS]
    left = (worlds.find_one({"_id": LIVE}) or {})["generations"][:1]
    retired = [{"number": 2, "index": f"{servers.name}-g2"}]
    worlds.update_one({"_id": LIVE}, {"$set": {"generations": left, "retired": retired}})
    write(servers, ORDERS[3:])
    assert numbers(servers) == {3, 4}
    assert (worlds.find_one({"_id": LIVE}) or {})["retired"] == []


def test_writing_what_is_live_already_keeps_rows(servers: Servers, opened: Callable[[], World]) -> None:
    made = write(servers)
    notes = Notes()
    again = write(servers, progress=notes, origin={"parameters": {"cap": 5}})
    assert again.fingerprint == made.fingerprint
    assert any("live at" in note for note in notes.lines)
    assert numbers(servers) == {1}
    assert opened().manifest.parameters == {"cap": 5}

    unread = iter(ORDERS)
    write(servers, unread, expected=made.fingerprint, progress=notes)
    assert next(unread) == ORDERS[0]
    assert "and whole" in notes.lines[-1]


DAMAGES: dict[str, tuple[Callable[[Servers], object], str]] = {
    "an order is missing": (lambda servers: servers.database["g1_orders"].delete_one({}), "2 of 3 orders"),
    "a product was changed": (
        lambda servers: servers.database["g1_products"].update_one({}, {"$set": {"title": "X"}}),
        "fingerprint",
    ),
    "the index is missing": (
        lambda servers: servers.elastic.indices.delete(index=f"{servers.name}-g1"),
        "0 of 4 products in the index",
    ),
    "the index holds another product": (
        lambda servers: (
            servers.elastic.delete(index=f"{servers.name}-g1", id=PRODUCTS[0].product_id),
            servers.elastic.index(index=f"{servers.name}-g1", id="B99", document={"product_id": "B99"}, refresh=True),
        ),
        "index_products",
    ),
}


@pytest.mark.parametrize("expected", [False, True], ids=["as ingest", "as world copy"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_world_is_replaced(servers: Servers, damage: str, expected: bool) -> None:
    made = write(servers)
    spoil, said = DAMAGES[damage]
    spoil(servers)
    assert check_servers(f"servers:{servers.name}", servers.settings)
    notes = Notes()
    write(servers, expected=made.fingerprint if expected else "", progress=notes)
    assert [f"is damaged ({said}): it is loaded anew" in note for note in notes.lines].count(True) == 1
    assert not any("live at" in note and "whole" in note for note in notes.lines)
    assert check_servers(f"servers:{servers.name}", servers.settings) == []
    assert read_live(servers).number == 2


def test_a_damaged_manifest_is_replaced_and_another_format_not(servers: Servers, opened: Callable[[], World]) -> None:
    write(servers)
    worlds = servers.database[WORLDS]
    worlds.update_one({"_id": LIVE}, {"$unset": {"generations.0.manifest": 1}})
    with pytest.raises(UserError, match="damaged"):
        opened()
    write(servers)
    assert opened().manifest.counts.products == len(PRODUCTS)
    worlds.update_one({"_id": LIVE}, {"$set": {"format": 2}})
    for read_or_replace in (opened, lambda: write(servers)):
        with pytest.raises(UserError, match="of format 2"):
            read_or_replace()


def test_a_load_of_other_rows_does_not_go_live(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    fill = Load.fill

    def disturbed(load: Load, rows: WorldRows) -> None:
        fill(load, rows)
        collections_of(servers.database, 1)["orders"].insert_one({"_id": "strange"})

    with monkeypatch.context() as patch:
        patch.setattr(Load, "fill", disturbed)
        with pytest.raises(UserError, match="do not hold what was sent"):
            write(servers)
    assert numbers(servers) == set()
    made = write(servers)
    with pytest.raises(UserError, match="another fingerprint"):
        write(servers, ORDERS[1:], expected="f" * 64)
    assert read_live(servers).manifest == made
    assert made.counts.orders == len(ORDERS)
    write(servers, ORDERS[1:])
    assert read_live(servers).manifest.counts.orders == len(ORDERS) - 1


def test_a_number_that_another_program_uses_is_not_taken(servers: Servers) -> None:
    theirs = servers.database["g1_of_another_kind"]
    theirs.insert_one({"_id": "theirs"})
    taken = f"{servers.name}-g2"
    servers.elastic.indices.create(index=taken)
    for first in range(4):
        write(servers, ORDERS[first:])
    assert read_live(servers).number == 6
    assert list(theirs.find()) == [{"_id": "theirs"}]
    assert servers.elastic.indices.exists(index=taken)


@pytest.mark.parametrize("what", ["an index", "an alias"])
def test_a_name_of_another_program_is_refused(servers: Servers, name_world: Callable[[], str], what: str) -> None:
    theirs = servers.name if what == "an index" else f"{name_world()}-theirs"
    servers.elastic.indices.create(index=theirs)
    if what == "an alias":
        servers.elastic.indices.put_alias(index=theirs, name=servers.name)
    try:
        message = f"has {what}.* called '{servers.name}'.*choose another name"
        with pytest.raises(UserError, match=message), writer_to(f"servers:{servers.name}", servers.settings):
            pass
        write(servers)  # for whom it comes later, it stays
        assert servers.elastic.indices.exists(index=theirs)
        assert servers.elastic.indices.exists_alias(index=theirs, name=servers.name) == (what == "an alias")
    finally:
        servers.elastic.options(ignore_status=404).indices.delete(index=theirs)


def test_a_load_cut_after_it_went_live_is_not_taken_for_unfinished(
    servers: Servers, opened: Callable[[], World], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("drretail.env.servers.loading.forget_unfinished", cut)
        with pytest.raises(KeyboardInterrupt):
            write(servers)
    before = opened()
    write(servers, ORDERS[1:])
    assert before.store.orders(ORDERS[0].user_id).total == sum(row.user_id == ORDERS[0].user_id for row in ORDERS)
    assert numbers(servers) == {1, 2}


def test_an_index_has_the_shards_of_the_settings(servers: Servers, server_settings: ServerSettings) -> None:
    with connect(replace(server_settings, shards=2), servers.name) as two:
        write(two)
    settings = servers.elastic.indices.get_settings(index=read_live(servers).index)
    assert settings[read_live(servers).index]["settings"]["index"]["number_of_shards"] == "2"


def a_lease(servers: Servers, seconds: float) -> Lease:
    return Lease(servers.database[WORLDS], servers.name, seconds)


def test_a_second_writer_is_kept_out_until_the_first_has_ended_also_by_an_error(servers: Servers) -> None:
    with (
        writer_lease(servers),
        pytest.raises(UserError, match=f"Another process is writing the world servers:{servers.name}"),
        writer_lease(servers),
    ):
        pass
    with pytest.raises(KeyError), writer_lease(servers):
        raise KeyError
    assert a_lease(servers, 60).take()


@pytest.mark.parametrize("background", [False, True], ids=["of a terminal", "of a script"])
def test_a_process_that_is_ended_by_sigterm_gives_its_lease_back(servers: Servers, background: bool) -> None:
    script = (
        "import signal, sys, time\n"
        f"{'signal.signal(signal.SIGINT, signal.SIG_IGN)' if background else ''}\n"
        "from drretail.cli.entry import Interruption\n"
        "from drretail.env.servers.clients import connect\n"
        "from drretail.env.servers.live_generation import writer_lease\n"
        "from drretail.env.servers.naming import ServerSettings\n"
        "Interruption()\n"
        "with connect(ServerSettings(*sys.argv[1:3]), sys.argv[3]) as servers, writer_lease(servers):\n"
        "    print('taken', flush=True)\n"
        "    time.sleep(60)\n"
    )
    settings = servers.settings
    command = [sys.executable, "-c", script, settings.mongo_url, settings.es_url, servers.name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "taken\n"
        assert not a_lease(servers, 60).take()
        process.terminate()
    assert a_lease(servers, 60).take()


@pytest.mark.parametrize("one_ran_out", [False, True])
def test_of_many_that_come_at_once_one_may_write(servers: Servers, one_ran_out: bool) -> None:
    if one_ran_out:
        assert a_lease(servers, 0).take()
        time.sleep(0.05)
    start = threading.Barrier(8)

    def take(_: int) -> bool:
        start.wait()
        return a_lease(servers, 60).take()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(take, range(8))).count(True) == 1


def test_a_living_writer_keeps_its_lease_and_one_that_died_for_no_longer_than_it_lasts(servers: Servers) -> None:
    with writer_lease(servers, seconds=0.8) as lease:
        time.sleep(1.2)
        assert not a_lease(servers, 60).take()
        lease.check()
    assert a_lease(servers, 0.3).take()
    assert not a_lease(servers, 60).take()
    time.sleep(0.4)
    assert a_lease(servers, 60).take()


def test_who_slept_longer_than_its_lease_goes_on_only_when_nobody_came(servers: Servers) -> None:
    sleeper = a_lease(servers, 0.1)
    assert sleeper.take()
    time.sleep(0.2)
    sleeper.check()
    time.sleep(0.2)
    other = a_lease(servers, 60)
    assert other.take()
    with pytest.raises(UserError, match="took over"):
        sleeper.check()
    other.give_back()
    with pytest.raises(UserError, match="took over"):
        sleeper.check()  # what it knows of the world may be stale
