"""The report's pages, as ``drretail report`` writes them, kept up to date in the browser: what has changed in an
experiment's folder, as a whole and for each query.
"""

import asyncio
import hashlib
import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from drretail.packs import PACKS
from drretail.run_file import JOURNAL, RUN_FILE
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import conversation_page, index_page, question_page
from drretail.viewer.page.frame import TALK, Links, page_name, talk_page_name, template
from drretail.viewer.page.question import Questions, RenderedQuestion

_AT_LEAST = 0.7
"""The least number of seconds between two looks at the folder, however many windows ask."""
_OF_ALL = ("experiment.json", "profiles")
"""Files that every question's page depends on."""
_OF_RUNS = ("runs", "verdicts", "readings")
# Of a file's name alone: a folder may be called exp-r2, and a model deepseek-r1.
_RUN = re.compile(r"[/\\](?P<query>[^/\\]+)-r\d+\.[^/\\]*$")


@dataclass(slots=True)
class FileWatch:
    """Compares names, sizes and times of files, which works on every system and every mounted folder."""

    experiment: Path
    clock: Callable[[], float] = time.monotonic
    _looked: float = field(default=float("-inf"), init=False)
    _versions: dict[str, str] = field(default_factory=dict[str, str], init=False)
    """Versions by query; "" is for everything, "*" for the files that all queries share."""

    def version(self) -> str:
        """A text that changes if a run, a verdict or a score is added or changed."""
        return self._look()[""]

    def version_of(self, query_id: str) -> str:
        """The same for the files behind one query's page."""
        versions = self._look()
        return versions.get(query_id, versions["*"])

    def _look(self) -> dict[str, str]:
        if self.clock() - self._looked >= _AT_LEAST:
            of_runs = [stamp for name in _OF_RUNS for stamp in _stamps(self.experiment / name)]
            # Packs hold verdicts on several queries.
            packs = [stamp for stamp in of_runs if any(f"{name} " in stamp for name in PACKS)]
            of_all = _digest([*packs, *(stamp for name in _OF_ALL for stamp in _stamps(self.experiment / name))])
            by_query: dict[str, list[str]] = defaultdict(list)
            for stamp in of_runs:
                match = _RUN.search(stamp)
                by_query[match["query"] if match else ""].append(stamp)
            of_index = [stamp for name in ("scores.json", "sources") for stamp in _stamps(self.experiment / name)]
            versions = {query: _digest([of_all, *stamps]) for query, stamps in by_query.items() if query}
            everything = _digest([of_all, *of_index, *by_query[""], *versions.values()])
            self._versions = {**versions, "*": of_all, "": everything}
            self._looked = self.clock()
        return self._versions


def _digest(stamps: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(stamps)).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _stamps(place: Path) -> Iterator[str]:
    """The stamps of a file, or of all files below a folder.

    A journal's stamp is only its name, since it grows at every step of a run.
    """
    if place.is_file():
        yield _stamp(place)
    for folder, _, names in os.walk(place):
        for name in names:
            path = Path(folder) / name
            yield str(path) if name.endswith(JOURNAL) else _stamp(path)


def _stamp(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError:  # deleted meanwhile
        return ""
    return f"{path} {stat.st_size} {stat.st_mtime_ns}"


INDEX = "index.html"
_LINKS = Links(in_folder=True, index=INDEX)
_HELD = 16
"""The number of pages that are kept as they were last rendered."""
_META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="(?P<policy>[^"]*)">\n?')
_BODY = re.compile(r"<body[^>]*>\n?")


@dataclass(slots=True)
class ReportPages:
    """An index and a page for each question; of the index, the lines of changed questions alone are made again."""

    experiment: Path
    watch: FileWatch
    links: tuple[tuple[str, str], ...]
    """Address and name of the server's other pages."""
    _lines: dict[str, tuple[str, RenderedQuestion]] = field(
        default_factory=dict[str, tuple[str, RenderedQuestion]], init=False
    )
    """What the index shows, by query, with the version that it was made from."""
    _answers: dict[str, tuple[str, tuple[str, str]]] = field(
        default_factory=dict[str, tuple[str, tuple[str, str]]], init=False
    )
    """The pages sent last with their policies, by name, with the experiment's version."""
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    def routes(self) -> list[Route]:
        return [Route("/", self.index), Route("/changes", self.changes), Route("/{name}.html", self.page)]

    async def changes(self, request: Request) -> Response:
        """The current version, which a browser asks for every two seconds."""
        return JSONResponse({"version": self.watch.version()})

    async def index(self, request: Request) -> Response:
        return await self._answer(INDEX)

    async def page(self, request: Request) -> Response:
        return await self._answer(f"{request.path_params['name']}.html")

    async def _answer(self, name: str) -> Response:
        answer = self._kept(name)
        if answer is None:
            # Votes are answered meanwhile. If two clients ask for a page, the second gets the one made for the first.
            async with self._one_at_a_time:
                answer = self._kept(name) or await run_in_threadpool(self._rendered, name)
        page, policy = answer
        return HTMLResponse(page, headers={"content-security-policy": policy})

    def _kept(self, name: str) -> tuple[str, str] | None:
        version, answer = self._answers.get(name, ("", None))
        return answer if version == self.watch.version() else None

    def _rendered(self, name: str) -> tuple[str, str]:
        version, view = self.watch.version(), read_view(self.experiment)
        if name == INDEX:
            # Only what tables show of a question: the texts of many questions would take much memory
            for question in view.questions:
                query_id = question.query.query_id
                current, (cached, _) = self.watch.version_of(query_id), self._lines.get(query_id, ("", None))
                if cached != current:
                    self._lines[query_id] = current, Questions(view).lines(question)
            rendered = [self._lines[question.query.query_id][1] for question in view.questions]
            page = index_page(view, rendered)
        elif name.startswith(TALK):
            places = ((question, place) for question in view.questions for place in question.places)
            talk = next((place for place in places if talk_page_name(place[1]) == name), None)
            if talk is None:
                raise HTTPException(404, "There is no such run.")
            page = conversation_page(view, talk[0], view.runs[talk[1]], _LINKS)
        else:
            question = next((question for question in view.questions if page_name(question) == name), None)
            if question is None:
                raise HTTPException(404, "There is no such page.")
            page = question_page(view, Questions(view, talk_pages=True).render(question), _LINKS)
        # With a bar of links on top, for which the policy is extended
        meta = _META.search(page)
        assert meta is not None, "every page of the report says its policy"
        total = len(view.runs)
        ended, begun = (len(list(self.experiment.glob(f"runs/*/*{ending}"))) for ending in (RUN_FILE, JOURNAL))
        progress = f"{ended} of {total} runs have ended{f', {begun} begun' if begun else ''}" if ended < total else ""
        bar = template("live/bar.html.jinja").render(links=self.links, version=version, progress=progress)
        page = page[: meta.start()] + page[meta.end() :]
        answer = _BODY.sub(lambda body: f"{body[0]}{bar}", page, count=1), grown(unescape(meta["policy"]))
        self._answers = dict([*self._answers.items(), (name, (version, answer))][-_HELD:])
        return answer


def grown(policy: str) -> str:
    """A policy that also allows the server's own style and script, and requests from the page to the server."""
    rules = [rule.strip() for rule in policy.split(";")]
    allowed = [f"{rule} 'self'" if rule.startswith(("style-src ", "script-src ")) else rule for rule in rules]
    return "; ".join([*allowed, "connect-src 'self'", "frame-ancestors 'none'"])
