"""The report's pages, as ``drretail report`` writes them. Each is made when it is asked for and anything in the folder
has changed.
"""

import asyncio
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from drretail.run_file import JOURNAL, RUN_FILE
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import conversation_page, index_page, question_page
from drretail.viewer.page.frame import TALK, Links, page_name, talk_page_name, template
from drretail.viewer.page.question import Questions

_AT_LEAST = 0.7
"""The least number of seconds between two looks at the folder, however many windows ask."""
_SHOWN = ("experiment.json", "profiles", "runs", "verdicts", "readings", "scores.json", "sources")
"""The files and folders that pages are made from."""


@dataclass(slots=True)
class FileWatch:
    """Compares names, sizes and times of files, which works on every system and every mounted folder."""

    experiment: Path
    clock: Callable[[], float] = time.monotonic
    _looked: float = field(default=float("-inf"), init=False)
    _version: str = field(default="", init=False)

    def version(self) -> str:
        """A text that changes if a run, a verdict or a score is added or changed."""
        if self.clock() - self._looked >= _AT_LEAST:
            stamps = "\n".join(sorted(stamp for name in _SHOWN for stamp in _stamps(self.experiment / name)))
            self._version = hashlib.sha256(stamps.encode("utf-8", "surrogateescape")).hexdigest()[:16]
            self._looked = self.clock()
        return self._version


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
    """An index and a page for each question."""

    experiment: Path
    watch: FileWatch
    links: tuple[tuple[str, str], ...]
    """Address and name of the server's other pages."""
    _answers: dict[str, tuple[str, tuple[str, str]]] = field(
        default_factory=dict[str, tuple[str, tuple[str, str]]], init=False
    )
    """The pages sent last with their policies, by name, with the experiment's version."""
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    def routes(self) -> list[Route]:
        return [Route("/", self.index), Route("/{name}.html", self.page)]

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
            lines = Questions(view)
            page = index_page(view, [lines.lines(question) for question in view.questions])
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
        bar = template("live/bar.html.jinja").render(links=self.links, progress=progress)
        page = page[: meta.start()] + page[meta.end() :]
        answer = _BODY.sub(lambda body: f"{body[0]}{bar}", page, count=1), grown(unescape(meta["policy"]))
        self._answers = dict([*self._answers.items(), (name, (version, answer))][-_HELD:])
        return answer


def grown(policy: str) -> str:
    """A policy that also allows the server's own style."""
    rules = [rule.strip() for rule in policy.split(";")]
    allowed = [f"{rule} 'self'" if rule.startswith("style-src ") else rule for rule in rules]
    return "; ".join([*allowed, "frame-ancestors 'none'"])
