"""Files in foreign forms, made up after what their projects describe."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

REPORT = """Sure, here is the report.

# Kettles

The Alder holds 1.7 litres [1]. It is quiet [2][3], and costs $39 (see https://shop.example/alder).

## References
[1] https://lab.example/kettles - A test of kettles
[2],
[3] http://www.lab.example/kettles
[4] https://lab.example/unused - Never cited
"""
CHINESE = """好的，以下是报告。

# 水壶

水壶容量为1.7升[1]。另见https://lab.example/zh。

参考文献：
[1] https://lab.example/水壶 - 评测
"""


def jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def text(path: Path, message: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(message, encoding="utf-8")
    return path


def drb(path: Path, *reports: str) -> Path:
    """A file of deep_research_bench with these reports on the tasks 1, 2, 3, …"""
    rows = ({"id": at, "prompt": f"Question {at}?", "article": each} for at, each in enumerate(reports, 1))
    return jsonl(path, rows)
