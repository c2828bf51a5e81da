"""The README's picture of a report: python -m scripts.take_pictures REPORT.html (needs Chromium and playwright)."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent.parent / "docs" / "images"
SIZE = {"width": 1280, "height": 860}


def main(report: Path) -> None:
    """An answer with the evidence of a claim beside it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=SIZE, color_scheme="light")  # pyright: ignore[reportArgumentType]
        page.goto(report.resolve().as_uri())
        page.locator("#questions > summary").click()
        badge = page.locator(".report a.badge:not(.full, .uncited):visible").first
        badge.click()
        page.locator("#panel").wait_for()
        page.wait_for_timeout(500)  # the page moves aside for the panel
        badge.evaluate("badge => badge.closest('.answer').scrollIntoView()")
        page.screenshot(path=IMAGES / "claims.png", clip={"x": 0, "y": 0, "width": 1280, "height": 640})
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
