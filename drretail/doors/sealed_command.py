"""Run by ``sealing.py`` in a network namespace of its own: a command whose only network is the run's gateway.

    unshare --map-root-user --net --mount python sealed_command.py FOLDER PORT COMMAND …

Every name resolves to one address of the namespace, whose ports 80 and 443 lead to the gateway, as does PORT of
localhost. Nothing else is there: no other address, no IPv6, no socket under /run. Needs the standard library alone.
"""

import fcntl
import os
import socket
import struct
import subprocess
import sys
import threading
from contextlib import suppress
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


def answer_names() -> None:
    """Serves DNS: every name is at ``PLACE``, and has no other records."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))

    def serve() -> None:
        while True:
            query, client = server.recvfrom(4096)
            with suppress(ValueError, OSError):
                end = query.index(b"\0", 12) + 5
                is_address = query[end - 4 : end - 2] == b"\0\1"
                answer = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + socket.inet_aton(PLACE) if is_address else b""
                counts = struct.pack(">HHHH", 1, int(is_address), 0, 0)
                server.sendto(query[:2] + b"\x81\x80" + counts + query[12:end] + answer, client)

    threading.Thread(target=serve, daemon=True).start()


def relay(listening: socket.socket, gate: str, is_tls: bool) -> None:
    """Leads every connection to the gateway's socket; TLS as a proxy's client would."""

    def copy(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def lead(client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as inner, suppress(OSError):
            inner.connect(gate)
            if is_tls:
                inner.sendall(b"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answer = b""
                while not answer.endswith(b"\r\n\r\n"):
                    answer += inner.recv(1) or b"\r\n\r\n"
            answering = threading.Thread(target=copy, args=(inner, client), daemon=True)
            answering.start()
            copy(client, inner)
            answering.join()

    def serve() -> None:
        while True:
            client, _ = listening.accept()
            threading.Thread(target=lead, args=(client,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()


def main(folder: str, port: str, *command: str) -> int:
    """The exit code of the command; a signal that ends it ends this process, too."""
    raise_loopback()
    hide_host(folder)
    answer_names()
    for address in ((PLACE, 80), (PLACE, 443), ("127.0.0.1", int(port))):
        relay(socket.create_server(address, backlog=64), f"{folder}/gate", is_tls=address[1] == 443)
    code = subprocess.run(command).returncode  # noqa: S603
    if code < 0:
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
