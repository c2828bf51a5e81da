"""The tests' own troublemakers, in front of small servers."""

import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx2
import pytest

from tests.servers.front import always, front_of, only_with, times
from tests.servers.proxy import Proxy, proxied


class Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        while piece := self.request.recv(1000):
            self.request.sendall(piece)


class EchoServer(socketserver.ThreadingTCPServer):
    daemon_threads = True


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    with EchoServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        host, port = server.server_address[:2]
        with proxied(str(host), int(port)) as made:
            yield made
        server.shutdown()


def connected(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=0.3)


def said_back(connection: socket.socket, text: bytes) -> bytes:
    connection.sendall(text)
    return connection.recv(1000)


class TestProxy:
    def test_passes_bytes_on(self, proxy: Proxy) -> None:
        with connected(proxy) as connection:
            assert said_back(connection, b"one") == b"one"

    def test_holds_answers_up_by_the_delay(self, proxy: Proxy) -> None:
        with connected(proxy) as connection:
            proxy.delay = 0.1
            began = time.monotonic()
            assert said_back(connection, b"one") == b"one"
            assert time.monotonic() - began >= 0.1

    def test_a_stalled_connection_is_open_and_silent_until_it_flows(self, proxy: Proxy) -> None:
        with connected(proxy) as connection:
            proxy.stall()
            with pytest.raises(TimeoutError):
                said_back(connection, b"one")
            proxy.flow()
            assert connection.recv(1000) == b"one"

    def test_cuts_open_connections_and_takes_new_ones(self, proxy: Proxy) -> None:
        with connected(proxy) as connection:
            assert said_back(connection, b"one") == b"one"
            proxy.drop()
            assert connection.recv(1000) == b""
        with connected(proxy) as connection:
            assert said_back(connection, b"two") == b"two"

    def test_cuts_after_so_many_bytes_of_answers(self, proxy: Proxy) -> None:
        with connected(proxy) as connection:
            proxy.cut_after(5)
            assert said_back(connection, b"12345") == b"12345"
            with pytest.raises((ConnectionError, AssertionError)):
                assert said_back(connection, b"6") == b"6"

    def test_refuses_and_later_takes_connections_on_the_same_port(self, proxy: Proxy) -> None:
        port = proxy.port
        proxy.refuse()
        with pytest.raises(ConnectionError):
            connected(proxy)
        proxy.accept()
        assert proxy.port == port
        with connected(proxy) as connection:
            assert said_back(connection, b"one") == b"one"


class Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *args: Any, **_named: Any) -> None:
        del args


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Hello) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class TestFront:
    def test_passes_requests_on(self, url: str) -> None:
        with front_of(url) as front:
            reply = httpx2.get(f"{front.url}/a?b=c", trust_env=False)
            assert (reply.status_code, reply.text) == (200, "hello")
            assert [(request.method, request.path) for request in front.seen] == [("GET", "/a?b=c")]

    def test_refuses_for_a_while_what_its_rule_names(self, url: str) -> None:
        with front_of(url) as front:
            front.rule = times(2, 429, "_bulk")
            statuses = [httpx2.get(f"{front.url}/{path}", trust_env=False).status_code for path in ("_bulk", "x")]
            statuses += [httpx2.get(f"{front.url}/_bulk", trust_env=False).status_code for _ in range(2)]
            assert statuses == [429, 200, 429, 200]
            assert front.refused == 2

    def test_refuses_for_ever(self, url: str) -> None:
        with front_of(url) as front:
            front.rule = always(503)
            assert [httpx2.get(front.url, trust_env=False).status_code for _ in range(2)] == [503, 503]

    def test_asks_for_the_right_password(self, url: str) -> None:
        with front_of(url) as front:
            front.rule = only_with("ApiKey right")
            for key, status in (("right", 200), ("wrong", 401)):
                headers = {"Authorization": f"ApiKey {key}"}
                assert httpx2.get(front.url, headers=headers, trust_env=False).status_code == status
