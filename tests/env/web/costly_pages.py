"""Pages that are made to cost: what each takes of processor and memory, one process for all of them.

Run as ``python -m tests.env.web.costly_pages``: a JSON object by name, [seconds, megabytes].
"""

import gc
import json
import time
from collections.abc import Callable
from pathlib import Path

from drretail.env.web.base import Fetched
from drretail.env.web.page import read_web_page

MOST = 10_000_000
"""Bytes of a body that the fetcher takes."""
WORDS = "feeder bird seed water clean garden wooden small large tray window metal easy hang winter squirrel proof "


def prose(length: int) -> str:
    return (WORDS * (length // len(WORDS) + 1))[:length]


PAGES: dict[str, Callable[[int], str]] = {
    "deep divs": lambda size: "<div>" * (size // 5),
    "deep bold": lambda size: "<b>" * (size // 10) + prose(3000),
    "deep tables": lambda size: "<table><tr><td>" * (size // 100) + prose(3000),
    "deep lists": lambda size: "<ul><li>" * (size // 50) + prose(3000),
    "deep headings": lambda size: "<h1><div>" * (size // 500) + "Feeder",
    "deep footers": lambda size: "<title>A page</title>" + "<footer>" * (size // 500) + "Feeder",
    "one paragraph": lambda size: "<p>" + prose(size),
    "one word": lambda size: "<p>" + "a" * size,
    "paragraphs": lambda size: f"<p>{prose(400)}.</p>" * (size // 410),
    "lines": lambda size: "<p>x" + "\n" * size,
    "a million links": lambda size: "".join(f'<a href="https://x.example/{n}">l{n}</a> ' for n in range(size // 10)),
    "links with text": lambda size: f'<p><a href="https://x.example/">{prose(80)}</a> {prose(30)}</p>' * (size // 140),
    "attributes": lambda size: "<p " + " ".join(f"a{n}=1" for n in range(size // 100)) + ">x",
    "quoted attributes": lambda size: '<p a="<" ' + " ".join(f"a{n}='>'" for n in range(size // 200)) + ">x",
    "table": lambda size: "<table>" + ("<tr>" + "<td>a b</td>" * 10 + "</tr>") * (size // 160),
    # Beside an article, trafilatura's fallbacks look at it as well.
    "article and table": lambda size: f"<article><p>{prose(3000)}</p></article>{PAGES['table'](size)}",
    "wide cells": lambda size: "<table>" + '<tr><td colspan="1000000" rowspan="1000000">a</td></tr>' * (size // 10_000),
    "brackets": lambda size: "<p>" + "[" * size,
    "links in markdown": lambda size: "<p>" + "[a](b " * (size // 6),
    "marks of markdown": lambda size: "<p>" + "*_`\\" * (size // 4),
    "angle brackets": lambda size: "<" * size,
    "cdata": lambda size: "<![CDATA[" * (size // 200),
    "comments": lambda size: "<!--" * (size // 200),
    "scripts": lambda size: "<script>x</script>" * (size // 25),
    "classes": lambda size: f'<div class="{"nav " * 2000}">{prose(200)}</div>' * (size // 10_000),
    "entities": lambda size: "<p>" + "&amp;&#x1F600;" * (size // 16),
    "marks on letters": lambda size: "<p>" + ("a" + "\u0300" * 1000) * (size // 2500),
}
"""Markup by the bytes that it has at the most, or that cost as much."""


def read(markup: str) -> None:
    body = f"<html><body>{markup}".encode()[:MOST]
    read_web_page(Fetched("https://x.example/", "https://x.example/", "ok", 200, "text/html", "utf-8", body))


def megabytes(field: str) -> float:
    (line,) = [
        each for each in Path("/proc/self/status").read_text(encoding="utf-8").splitlines() if each.startswith(field)
    ]
    return int(line.split()[1]) / 1000


def cost(page: Callable[[int], str]) -> tuple[float, float]:
    """Seconds of a processor, and megabytes at the most beyond what the process held before."""
    markup = page(MOST)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the highest mark begins anew
    before, began = megabytes("VmRSS"), time.process_time()
    read(markup)
    return time.process_time() - began, megabytes("VmHWM") - before


if __name__ == "__main__":
    read(f"<p>{prose(20_000)}</p>")  # what is loaded once costs no page
    print(json.dumps({name: cost(page) for name, page in PAGES.items()}))
