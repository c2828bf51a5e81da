"""Evidence and products that the grounding tests share."""

import pytest

from drretail.grounding.report.evidence_ids import calculation_evidence_id, file_evidence_id, web_evidence_id
from drretail.records.evidence import Evidence, EvidenceKind, EvidenceText

PAGE = "https://garden.example/feeders_(wild)"
WEB = web_evidence_id(PAGE)
SUM = calculation_evidence_id("2 * 12.50")
FILE = file_evidence_id("list.txt")


def entry(
    evidence_id: str, kind: EvidenceKind, key: str, title: str, *, url: str | None = None, text: str = "x"
) -> Evidence:
    shown = EvidenceText(sha256="0", form="record", text=text, shown=True, path="0", seq=0)
    return Evidence(id=evidence_id, kind=kind, key=key, title=title, url=url, texts=(shown,))


@pytest.fixture
def evidence() -> tuple[Evidence, ...]:
    return (
        entry("P:F1", "product", "F1", "Bruma Feeder, Large", url="http://ecommerce.com/F1"),
        entry("P:F2", "product", "F2", "Tallis Bath | grey", url="http://ecommerce.com/F2"),
        entry(WEB, "web", PAGE, "Feeding birds", url=PAGE),
        entry("O:0000000012", "order", "0000000012", "Order 0000000012"),
        entry("U:profile", "user", "profile of A1", "Profile of user A1"),
        entry("U:orders@A2_1", "user", "orders of A2_1", "Orders of user A2_1"),
        entry(SUM, "calculation", "2*12.50", "2 * 12.50", text="2 * 12.50 = 25.0"),
        entry(FILE, "file", "list.txt", "list.txt"),
    )
