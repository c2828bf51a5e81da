"""Writes drretail/api/recordings/demo.json anew, out of an experiment that a language model ran and judged.

python scripts/record_demo.py EXPERIMENT; docs/testing.md says how the experiment is made.
"""

import json
import sys
import tempfile
from pathlib import Path

from drretail.api.demo_recording import RECORDINGS
from drretail.llm.scripted import record


def main(experiment: Path) -> None:
    judges = sorted({path.name for path in (experiment / "verdicts").glob("*/*") if path.name != "code"})
    with tempfile.TemporaryDirectory() as folder:
        made = record(experiment, Path(folder) / "all.json", judges=judges)
        script = json.loads((Path(folder) / "all.json").read_text(encoding="utf-8"))
    for rule in script["rules"]:  # notes name labels, and counts of tokens are the provider's own: neither is played
        rule.pop("note", None)
        rule["answer"].pop("usage", None)
    text = json.dumps(script, ensure_ascii=False, indent=1)
    (RECORDINGS / "demo.json").write_text(f"{text}\n", encoding="utf-8")
    print(f"{made.answers} answers kept, {made.ambiguous} ambiguous ones left out, {made.failures} calls had failed.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
