"""The gateway as a proxy, and a network of a command's own: sealing.py, sealed_command.py."""

import asyncio
import json
import ssl
import sys
from pathlib import Path

import httpx2
import pytest

from drretail.doors.doors import Doors
from drretail.doors.gateway import Authority
from drretail.doors.sealing import sealed, why_unsealed
from drretail.env.world import World
from tests.doors.conftest import at_doors

GUIDE = "https://birds.example/clean"
LEAKING = """
import json, os, socket, sys
def tried(action):
    try:
        return action()
    except OSError as problem:
        return type(problem).__name__
def connect(family, *address):
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        tried.settimeout(2)
        tried.connect(address)
        return "connected"
def ask(server, port=53):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.settimeout(1)
        asked.sendto(b"x", (server, port))
        return asked.recv(9)
here = int(sys.argv[1])
print(json.dumps({
    "name": socket.gethostbyname("anything.example"),
    "ipv6 name": tried(lambda: socket.getaddrinfo("anything.example", 443, socket.AF_INET6)),
    "direct": tried(lambda: connect(socket.AF_INET, "1.1.1.1", 443)),
    "name server": str(tried(lambda: ask("8.8.8.8"))),
    "ipv6": tried(lambda: connect(socket.AF_INET6, "2606:4700:4700::1111", 443)),
    "other port": tried(lambda: connect(socket.AF_INET, "93.184.216.34", 22)),
    "host's loopback": tried(lambda: connect(socket.AF_INET, "127.0.0.1", here)),
    "host's sockets": os.listdir("/run"),
}))
"""
READING = """
import ssl, sys, urllib.request
trusting = ssl.create_default_context(cafile=sys.argv[2])
print(urllib.request.urlopen(sys.argv[1], context=trusting).read().decode())
"""
NOTHING = {"ConnectionRefusedError", "OSError", "TimeoutError", "gaierror"}


def test_https_ends_at_the_gateway_for_clients_that_trust_its_authority(world: World) -> None:
    async def use(doors: Doors) -> None:
        trusting = ssl.create_default_context(cafile=str(doors.place.certificate))
        async with httpx2.AsyncClient(proxy=doors.place.proxy, verify=trusting) as client:
            assert "every two weeks" in (await client.get(GUIDE)).text
            assert (await client.get("https://10.0.0.1/")).status_code == 404
        async with httpx2.AsyncClient(proxy=doors.place.proxy) as client:
            with pytest.raises(httpx2.ConnectError, match="CERTIFICATE"):
                await client.get(GUIDE)
        assert doors.place.folder.stat().st_mode & 0o077 == 0

    session = at_doors(world, use)
    assert [step.name for step in session.trajectory.steps()] == ["open_page"]


@pytest.mark.parametrize("name", ["ä" * 300, "a..b"])
def test_no_authority_names_what_is_no_host(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnicodeError):
        Authority(tmp_path).context_of(name)


@pytest.mark.skipif(why_unsealed() is not None, reason=str(why_unsealed()))
def test_nothing_leaves_a_sealed_command_but_to_the_gateway(world: World) -> None:
    async def use(doors: Doors) -> None:
        async def output(*words: str) -> bytes:
            made = await asyncio.create_subprocess_exec(*sealed(words, doors.place), stdout=asyncio.subprocess.PIPE)
            return (await made.communicate())[0]

        # A server of this machine beside the gateway, which a command of the network cannot see.
        other = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        port = other.sockets[0].getsockname()[1]
        said = json.loads(await output(sys.executable, "-c", LEAKING, str(port)))
        assert said.pop("name") == "93.184.216.34"
        assert said.pop("host's sockets") in ([], ["mount"])  # what mount itself notes there
        assert {name: text for name, text in said.items() if text not in NOTHING} == {}
        for url, text in (
            (GUIDE, b"every two weeks"),
            ("http://ecommerce.com/B0TEST0001", b"24.99"),
            (f"{doors.place.here}/cart", b"The cart is empty."),
        ):
            assert text in await output(sys.executable, "-c", READING, url, str(doors.place.certificate))
        other.close()

    at_doors(world, use)
