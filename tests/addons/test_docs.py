"""What add-ons name stands on its page."""

from drretail.addons.exports.formats import PLUGINS
from drretail.addons.imports.formats import FORMATS
from tests.test_docs import is_on_its_page


def test_every_form_of_imports_and_exports_is_on_its_page() -> None:
    is_on_its_page("exchange.md", FORMATS)
    is_on_its_page("exchange.md", PLUGINS.own)
