"""One writer at a time, even when one dies or falls asleep."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from drretail.env.servers.clients import Servers
from drretail.env.servers.live_generation import WORLDS, Lease, writer_lease
from drretail.errors import UserError


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
