from pathlib import Path

import pytest

from drretail.env.catalog.tantivy import TantivyCatalog
from drretail.errors import UserError


def test_a_folder_without_an_index_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        TantivyCatalog(tmp_path)
