"""The command line in a process of its own, for benchmarks that need an experiment first."""

import subprocess
import sys

MAIN = "from drretail.cli.entry import main; main()"


def drretail(*args: str) -> None:
    """Runs ``drretail`` with these arguments; its results are not shown. Raises CalledProcessError when it fails."""
    subprocess.run([sys.executable, "-c", MAIN, *args], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 -- ourselves
