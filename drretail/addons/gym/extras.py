"""The line of ``doctor`` on two extras that one environment can't hold with all that they do."""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from drretail.api.doctor import Sign

APART = "verifiers keeps openai below 3, and inspect asks OpenAI's models by 3.4: give each an environment of its own"


def examine_extras(_: Mapping[str, str]) -> Sign:
    """Whether both verifiers and inspect_ai are installed: then inspect can't ask models of OpenAI."""
    try:
        found = f"verifiers {version('verifiers')} and inspect-ai {version('inspect-ai')}"
    except PackageNotFoundError:
        return Sign(what="extras", state="ok", found="none that exclude each other")
    return Sign(what="extras", state="absent", found=found, mend=APART)
