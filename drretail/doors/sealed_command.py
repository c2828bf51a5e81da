"""Run by ``sealing.py`` in a network namespace of its own: a command whose only network is the run's gateway.

    unshare --map-root-user --net --mount python sealed_command.py FOLDER PORT COMMAND …

Every name resolves to one address of the namespace, whose ports 80 and 443 lead to the gateway, as does PORT of
localhost. Nothing else is there: no other address, no IPv6, no socket under /run. Needs the standard library alone.
"""

import asyncio
import fcntl
import os
import socket
import struct
import subprocess
import sys
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

PLACE = "93.184.216.34"
"""Public, since clients that guard against private addresses resolve names themselves."""
_SET_ADDRESS, _SET_MASK, _SET_FLAGS = 0x8916, 0x891C, 0x8914
_UP = 0x41  # IFF_UP | IFF_RUNNING


def raise_loopback() -> None:
    """Brings up the loopback interface, with ``PLACE`` as a second address of it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))
        for request, address in ((_SET_ADDRESS, PLACE), (_SET_MASK, "255.255.255.255")):
            inet = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(control, request, struct.pack("16s16s", b"lo:1", inet))


def hide_host(folder: str) -> None:
    """Hides /run, where services of the host listen on sockets, and names this namespace's own name server."""
    resolver, own = Path("/etc/resolv.conf").resolve(), Path(folder, "resolv.conf")
    own.write_text("nameserver 127.0.0.1\noptions single-request timeout:1 attempts:1\n", encoding="ascii")
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)  # noqa: S607
    if not resolver.exists():  # it was in /run
        resolver.parent.mkdir(parents=True, exist_ok=True)
        resolver.touch()
    subprocess.run(["mount", "--bind", str(own), str(resolver)], check=True)  # noqa: S603, S607


class Names(asyncio.DatagramProtocol):
    """Serves DNS: every name is at ``PLACE``, and has no other records."""

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        with suppress(ValueError):
            end = data.index(b"\0", 12) + 5
            is_address = data[end - 4 : end - 2] == b"\0\1"
            answer = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + socket.inet_aton(PLACE) if is_address else b""
            counts = struct.pack(">HHHH", 1, int(is_address), 0, 0)
            self.transport.sendto(data[:2] + b"\x81\x80" + counts + data[12:end] + answer, addr)


async def lead(gate: str, is_tls: bool, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Leads a connection to the gateway's socket; TLS as a proxy's client would."""

    async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
        target.write_eof()

    with suppress(OSError, asyncio.IncompleteReadError), closing(writer):
        inner, outer = await asyncio.open_unix_connection(gate)
        with closing(outer):
            if is_tls:
                outer.write(b"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                await inner.readuntil(b"\r\n\r\n")
            await asyncio.gather(copy(reader, outer), copy(inner, writer))


async def main(folder: str, port: str, *command: str) -> int:
    """The exit code of the command; a signal that ends it ends this process, too."""
    raise_loopback()
    hide_host(folder)
    await asyncio.get_running_loop().create_datagram_endpoint(Names, ("127.0.0.1", 53))
    for host, number in ((PLACE, 80), (PLACE, 443), ("127.0.0.1", int(port))):
        await asyncio.start_server(partial(lead, f"{folder}/gate", number == 443), host, number)
    code = await (await asyncio.create_subprocess_exec(*command)).wait()
    if code < 0:
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
