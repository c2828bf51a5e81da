"""A small hand-made sandbox for the queries of a test."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from drretail.env.manifest import Manifest
from drretail.files import write_json, write_lines
from drretail.records.query import Query


class Page(NamedTuple):
    """A page of a task, the size that it begins to stand in, and its label."""

    name: str
    title: str
    text: str
    since: str
    label: str


def seal(
    folder: Path,
    tasks: Mapping[str, Sequence[Page]],
    queries: Sequence[Query],
    manifest: Manifest | None = None,
    *,
    files: Mapping[str, str] | None = None,
    secret: str = "",
) -> Path:
    """A sandbox with these pages by query, in sizes of 32k and 64k, made for the world of ``manifest``.

    ``files`` are each user's; ``secret`` stands wherever nobody who answers may read.
    """
    about = {
        "format": 1, "seed": "1", "sizes": {"64k": 64000, "32k": 32000}, "counter": "characters/4", "web": "offline",
        "made_by": "test", "world_fingerprint": manifest.fingerprint if manifest else "0" * 64,
        "now": manifest.now.isoformat() if manifest else "2023-10-01T00:00:00",
    }  # fmt: skip
    write_json(folder / "sandbox.json", about)
    write_lines(folder / "queries.jsonl", [query.as_line() for query in queries])
    for query_id, pages in tasks.items():
        task = folder / "tasks" / query_id
        write_lines(task / "pages.jsonl.gz", (json.dumps(_line(page)) for page in pages))
        known = {"keyword": f"{secret}keyword", "why": f"{secret}why", "kind": f"{secret}kind"}
        write_lines(
            task / "labels.jsonl", (json.dumps({"url": url(page.name), "label": page.label, **known}) for page in pages)
        )
        write_json(task / "keywords.json", {"format": 1, "convergent": [{"text": f"{secret}word", "kind": "signal"}]})
        write_json(task / "gold.json", _gold(query_id, secret))
        for name, text in (files or {}).items():
            (task / "files").mkdir(exist_ok=True)
            (task / "files" / name).write_text(text)
    return folder


def url(name: str) -> str:
    return f"https://{name}.example/"


def _line(page: Page) -> dict[str, str]:
    return {"url": url(page.name), "title": page.title, "text": page.text, "from": page.since}


def _gold(query_id: str, secret: str) -> dict[str, object]:
    insights = [{"id": "s1", "text": f"{secret}insight", "stands_in": url("good")}]
    return {"format": 1, "query_id": query_id, "sandbox": {"insights": insights}}
