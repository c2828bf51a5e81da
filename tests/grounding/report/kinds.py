"""What the scanner says of a report, in one line."""

from drretail.grounding.report.citations import Cited, scan


def tokens_of(report: str) -> str:
    """ "mark → ends of addresses, or why it is not read < beginning of the block above" of every token of the text."""
    tokens = [token for token in scan(report, None).tokens if not token.is_listed]
    return " | ".join(
        f"{report[token.start : token.end].partition('](')[0]} → {' '.join(map(_end, token.cited))}"
        + ("" if token.block is None else f" < {report[slice(*token.block)][:12].strip()}")
        for token in tokens
    )


def _end(cited: Cited) -> str:
    return cited.reason or (cited.url or cited.name).rstrip("/").rpartition("/")[2]
