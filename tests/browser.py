"""A real browser with the network cut, for the tests of what people see."""

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
INSIDE = ("file:", "data:", "blob:", "about:")


@dataclass
class Tab:
    """A page of the browser, and what went wrong in it: `asked` holds the addresses it must not ask for."""

    page: object
    asked: list = field(default_factory=list)
    errors: list = field(default_factory=list)


def chromium():
    """The browser's executable: what LINEAGE_KIT_CHROMIUM names, else the first known name on the path, or None."""
    return os.environ.get("LINEAGE_KIT_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def missing(reason):
    """Skips a test that needs a browser; where CI is set, there has to be one, so it fails."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def launched(allowed=INSIDE, **context):
    """A fresh tab. Requests to addresses that start with none of `allowed` are aborted and counted."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing("no browser test: the Python package playwright is not installed")
    found = chromium()
    if found is None:
        missing("no browser test: Chromium is neither on the path nor named by LINEAGE_KIT_CHROMIUM")
    settings = {"viewport": {"width": 1300, "height": 850}, "reduced_motion": "reduce", "color_scheme": "light"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        try:
            inside = browser.new_context(**settings | context)
            tab = Tab(inside.new_page())

            def route(each):
                if each.request.url.startswith(tuple(allowed)):
                    each.continue_()
                else:
                    tab.asked.append(each.request.url)
                    each.abort()

            inside.route("**/*", route)
            tab.page.on("pageerror", lambda error: tab.errors.append(str(error)))
            tab.page.on("console", lambda said: tab.errors.append(said.text) if said.type == "error" else None)
            yield tab
        finally:
            browser.close()
