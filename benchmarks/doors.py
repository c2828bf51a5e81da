"""How much longer an agent takes through a run's gateway than by calls in its own process.

    PYTHONPATH=. python benchmarks/doors.py WORLD [--rounds 7] [--json doors.json]

Fifty searches, each followed by the page of its first result: once by the door in this process, once by a process that
asks the gateway as Tavily, by Python's own HTTP client over one connection. Both take turns, and the fastest round of
each counts: others are slower by what the machine does beside. As often it asks a bare server on the same protocol that
answers at once, which says what a round trip costs by itself.
"""

import asyncio
import json
import sys
import time

from figures import hold, keep, parser_of
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from drretail.api.worlds import world_of
from drretail.doors.doors import open_doors
from drretail.doors.world_door import WorldDoor
from drretail.env.catalog.base import CatalogQuery
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.tools.local_server import bound, port_of, serving

CALLS = 50
AT_MOST = 1.3
AGENT = """
import json, sys, time
from http.client import HTTPConnection
port, here, bare, *queries = json.load(sys.stdin)
def asking(port):
    connection = HTTPConnection("127.0.0.1", port)
    def ask(path, **body):
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        return connection.getresponse().read()
    return ask
def timed(work):
    began = time.perf_counter(), time.process_time()
    return work(), time.perf_counter() - began[0], time.process_time() - began[1]
def research():
    pages = 0
    for query in queries:
        hits = json.loads(ask(f"{here}/tavily/search", query=query, max_results=10))["results"]
        pages += len(json.loads(ask(f"{here}/tavily/extract", urls=hits[0]["url"]))["results"])
    return pages
ask, ping = asking(port), asking(bare)
ask(f"{here}/tavily/search", query="first"), ping("/")
bare = timed(lambda: [ping("/") for _ in range(2 * len(queries))])[1]
print(json.dumps([*timed(research), bare]))
"""


def queries_of(world: World) -> list[str]:
    """The first words of products' titles."""
    hits = world.catalog.search(CatalogQuery("", limit=CALLS)).hits
    products = world.store.products([hit.product_id for hit in hits])
    return [" ".join(item.title.split()[:5]) for item in products.values()]


def bare_server() -> Starlette:
    async def answer(_: Request) -> Response:
        return PlainTextResponse("ok")

    return Starlette(routes=[Route("/", answer, methods=["POST"])])


async def in_process(world: World, queries: list[str]) -> tuple[int, float, float]:
    """Pages read, seconds, and seconds of the processor."""
    door = WorldDoor(Session(SessionSettings(world)))
    await door.search("first")
    began, used, pages = time.perf_counter(), time.process_time(), 0
    for query in queries:
        hits = await door.search(query)
        page = await door.page(hits[0].url)
        pages += bool(page.text and page.status == 200)
    return pages, time.perf_counter() - began, time.process_time() - used


async def through_door(world: World, queries: list[str]) -> tuple[int, float, float, float]:
    """The same by an agent in a process of its own, and the seconds of as many bare round trips."""
    async with open_doors(Session(SessionSettings(world)), None, "") as doors:
        listening = bound(0)
        async with serving(bare_server(), listening):
            pipe = asyncio.subprocess.PIPE
            agent = await asyncio.create_subprocess_exec(sys.executable, "-c", AGENT, stdin=pipe, stdout=pipe)
            asked = [doors.place.port, f"/r/{doors.place.token}", port_of(listening), *queries]
            said, _ = await agent.communicate(json.dumps(asked).encode())
        listening.close()
    pages, seconds, used, bare = json.loads(said)
    return pages, seconds, used, bare


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("world")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    with world_of(given.world) as world:
        queries = queries_of(world)
        rounds = [
            (asyncio.run(in_process(world, queries)), asyncio.run(through_door(world, queries)))
            for _ in range(given.rounds)
        ]
    hold(all(own[0] == door[0] == len(queries) for own, door in rounds), "both read a page for every query")
    own, door, bare = (min(seconds) for seconds in zip(*((o[1], d[1], d[3]) for o, d in rounds), strict=True))
    figures = {"own": own, "door": door, "ratio": door / own, "bare_round_trips": bare, "searches": len(queries)}
    print(f"{len(queries)} searches and as many pages, fastest of {given.rounds} rounds:")
    print(f"  in its own process   {own * 1000:7.0f} ms")
    print(f"  through the gateway  {door * 1000:7.0f} ms, {door / own:.2f} × (goal {AT_MOST})")
    print(f"  {2 * len(queries)} bare round trips  {bare * 1000:7.0f} ms")
    keep(given.json, figures)


if __name__ == "__main__":
    main()
