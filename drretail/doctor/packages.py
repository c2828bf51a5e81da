"""What is installed, by what it is needed for."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from drretail.doctor.checkup import Sign


@dataclass(frozen=True, slots=True)
class Package:
    """``extra`` None: part of every installation."""

    name: str
    prevents: str
    extra: str | None = None


PACKAGES = (
    Package("langchain", "ask, run"),
    Package("langgraph", "ask, run"),
    Package("langchain-anthropic", "--model anthropic:…"),
    Package("anthropic", "--model anthropic:…"),
    Package("tantivy", "embedded worlds"),
    Package("duckdb", "ingest"),
    Package("pymongo", "--world servers:NAME"),
    Package("elasticsearch", "--world servers:NAME"),
    Package("langchain-openai", "--model openai:…, and every server that speaks its protocol", "openai"),
    Package("langchain-ollama", "--model ollama:…", "ollama"),
    Package("langchain-google-genai", "--model google:…", "google"),
    Package("pyspark", "ingest --engine spark", "spark"),
)


def examine_packages(packages: tuple[Package, ...] = PACKAGES) -> Iterator[Sign]:
    for package in packages:
        try:
            yield Sign(what=package.name, state="ok", found=version(package.name))
        except PackageNotFoundError:
            wanted = "drretail" if package.extra is None else f"'drretail[{package.extra}]'"
            yield Sign(
                what=package.name,
                state="broken" if package.extra is None else "absent",
                found="not installed",
                prevents=package.prevents,
                mend=f"pip install {wanted}",
            )
