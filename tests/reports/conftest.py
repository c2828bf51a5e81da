"""The evidence that tests of reports share."""

import pytest

from drretail.records.evidence import Evidence
from drretail.reports.text.evidence_ids import calculation_evidence_id, file_evidence_id, web_evidence_id
from tests import build

PAGE = "https://garden.example/feeders_(wild)"
WEB = web_evidence_id(PAGE)
SUM = calculation_evidence_id("2 * 12.50")
FILE = file_evidence_id("list.txt")


@pytest.fixture
def evidence() -> tuple[Evidence, ...]:
    return (
        build.evidence("P:F1", title="Bruma Feeder, Large", url="http://ecommerce.com/F1"),
        build.evidence("P:F2", title="Tallis Bath | grey", url="http://ecommerce.com/F2"),
        build.evidence(WEB, title="Feeding birds", url=PAGE),
        build.evidence("O:0000000012", title="Order 0000000012"),
        build.evidence("U:profile", title="Profile of user A1"),
        build.evidence("U:orders@A2_1", title="Orders of user A2_1"),
        build.evidence(SUM, build.text("2 * 12.50 = 25.0", "record")),
        build.evidence(FILE),
    )
