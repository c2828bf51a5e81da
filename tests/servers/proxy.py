"""A TCP proxy in front of a real server that makes trouble when told to, at any time and for open connections too."""

import socket
import threading
from contextlib import suppress

PIECE = 65_536


class Proxy:
    """Passes bytes on between clients of ``port`` on this machine and a server; close it."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._flowing = threading.Event()
        self._flowing.set()
        self._listener: socket.socket | None = None
        self.port = 0
        self.accept()

    def accept(self) -> None:
        """Takes connections, on the same port as before."""
        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._serve, args=(listener,), daemon=True).start()

    def refuse(self) -> None:
        """As if the server were down: open connections are cut, new ones refused, until ``accept``."""
        listener, self._listener = self._listener, None
        if listener is not None:
            # Closing alone would leave the port open for as long as a thread waits in accept().
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        with self._lock:
            open_now, self._open = self._open, set()
        for connection in open_now:
            cut(connection)

    def stall(self) -> None:
        """Connections stay open and nothing passes, in either direction, until ``flow``."""
        self._flowing.clear()

    def flow(self) -> None:
        """Heals everything but ``refuse``."""
        self._flowing.set()

    def close(self) -> None:
        self.refuse()
        self.flow()

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._server)
            except OSError:
                cut(client)
                continue
            with self._lock:
                self._open |= {client, server}
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, target), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(PIECE):
                self._flowing.wait()
                target.sendall(piece)
        for connection in (source, target):
            with self._lock:
                self._open.discard(connection)
            cut(connection)


def cut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
