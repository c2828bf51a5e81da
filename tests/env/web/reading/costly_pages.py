"""Pages that are made to cost: what each takes of processor and memory, one process for all of them.

Run as ``python -m tests.env.web.reading.costly_pages``: a JSON object by name, [seconds, megabytes].
"""

import gc
import json
import time
from collections.abc import Callable
from pathlib import Path

from drretail.env.web.fetching.fetched import Fetched
from drretail.env.web.reading.page import read_page

MOST = 10_000_000
"""Bytes of a body that the fetcher takes."""
WORDS = "feeder bird seed water clean garden wooden small large tray window metal easy hang winter squirrel proof "


def prose(length: int) -> str:
    return (WORDS * (length // len(WORDS) + 1))[:length]


PAGES: dict[str, Callable[[], str]] = {
    "deep divs": lambda: "<div>" * (MOST // 5),
    "deep bold": lambda: "<b>" * 1_000_000 + prose(3000),
    "deep tables": lambda: "<table><tr><td>" * 100_000 + prose(3000),
    "deep lists": lambda: "<ul><li>" * 200_000 + prose(3000),
    "one paragraph": lambda: "<p>" + prose(MOST),
    "one word": lambda: "<p>" + "a" * MOST,
    "paragraphs": lambda: f"<p>{prose(400)}.</p>" * (MOST // 410),
    "lines": lambda: "<p>x" + "\n" * MOST,
    "a million links": lambda: "".join(f'<a href="https://x.example/{n}">l{n}</a> ' for n in range(1_000_000)),
    "links with text": lambda: f'<p><a href="https://x.example/">{prose(80)}</a> {prose(30)}</p>' * 70_000,
    "table": lambda: "<table>" + ("<tr>" + "<td>a b</td>" * 10 + "</tr>") * 60_000,
    "specifications": lambda: (
        f"<p>{prose(500_000)}</p>" + f"<dl>{'<dt>a x</dt><dd>y</dd>' * 50}</dl>".replace("x", "bird") * 150
    ),
    "wide cells": lambda: "<table>" + '<tr><td colspan="1000000" rowspan="1000000">a</td></tr>' * 1000,
    "brackets": lambda: "<p>" + "[" * MOST,
    "links in markdown": lambda: "<p>" + "[a](b " * (MOST // 6),
    "marks of markdown": lambda: "<p>" + "*_`\\" * (MOST // 4),
    "angle brackets": lambda: "<" * MOST,
    "scripts": lambda: "<script>x</script>" * 400_000,
    "classes": lambda: f'<div class="{"nav " * 2000}">{prose(200)}</div>' * 1000,
    "deep data": lambda: f'<script type="application/ld+json">{"[" * 1_000_000}</script><p>{prose(5000)}',
    "many products": lambda: (
        '<script type="application/ld+json">'
        + json.dumps([{"@type": "Product", "name": "x", "offers": [{"price": 1}] * 100}] * 2000)
        + f"</script><p>{prose(5000)}"
    ),
    "entities": lambda: "<p>" + "&amp;&#x1F600;" * (MOST // 16),
    "marks on letters": lambda: "<p>" + ("a" + "\u0300" * 1000) * 4000,
}


def read(markup: str) -> None:
    body = f"<html><body>{markup}".encode()[:MOST]
    read_page(Fetched("https://x.example/", "https://x.example/", "ok", 200, "text/html", "utf-8", body))


def megabytes(field: str) -> float:
    (line,) = [
        each for each in Path("/proc/self/status").read_text(encoding="utf-8").splitlines() if each.startswith(field)
    ]
    return int(line.split()[1]) / 1000


def cost(page: Callable[[], str]) -> tuple[float, float]:
    """Seconds of a processor, and megabytes at the most beyond what the process held before."""
    markup = page()
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the highest mark begins anew
    before, began = megabytes("VmRSS"), time.process_time()
    read(markup)
    return time.process_time() - began, megabytes("VmHWM") - before


if __name__ == "__main__":
    read(f"<p>{prose(20_000)}</p>")  # what is loaded once costs no page
    print(json.dumps({name: cost(page) for name, page in PAGES.items()}))
