"""Makes the fixtures of this folder: a world and an experiment of the present format, packed.

    PYTHONPATH=. python tests/formats/make.py

Made once a format, with the code that first wrote it, and kept: what later code makes of them is the test.
"""

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from drretail.records.base import FORMAT, canonical_json
from drretail.records.query import Query
from tests.shop import USER, build_shop

MAIN = "from drretail.cli.entry import main; main()"
HERE = Path(__file__).parent


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_shop(folder / "world")
        asked = Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="test")
        (folder / "queries.jsonl").write_text(f"{canonical_json(asked.model_dump(mode='json'))}\n", encoding="utf-8")
        agents = ["--agent", "react", "--agent", "plan_to_function", "--no-floors"]
        for command in (
            ["run", "--world", "world", "--queries", "queries.jsonl", "--to", "experiment", *agents],
            ["score", "experiment", "--world", "world", "--metrics", "faithfulness,checks"],
        ):
            subprocess.run([sys.executable, "-c", MAIN, *command], cwd=folder, check=True)
        with tarfile.open(HERE / f"format{FORMAT}.tar.xz", "w:xz") as packed:
            for path in sorted(
                each for each in folder.rglob("*") if each.is_file() and not each.name.endswith(("-shm", "-wal"))
            ):
                packed.add(path, path.relative_to(folder).as_posix())


if __name__ == "__main__":
    main()
