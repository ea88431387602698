"""A real browser with the network cut, for the tests of what people see."""

import importlib.util
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

# Seconds. Generous: the machine may be busy with other tests. Nothing waits this long unless it is broken.
PATIENCE = 120
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # No name is looked up but this machine's: what a page does not ask for by itself fails as well.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
]
INSIDE = ("file:", "data:", "blob:", "about:")


def chromium():
    """The path of a Chromium, or None."""
    named = os.environ.get("LINEAGE_KIT_CHROMIUM")
    return next(filter(None, map(shutil.which, [named] if named else NAMES)), None)


def missing():
    """Why no browser can be driven here, in words, or None."""
    if None in map(importlib.util.find_spec, ("playwright", "jupyterlab")):
        return "playwright or jupyterlab is not installed: `make .venv/.ready` installs both"
    if chromium() is None:
        named = os.environ.get("LINEAGE_KIT_CHROMIUM")
        wanted = f"LINEAGE_KIT_CHROMIUM names {named}, which is not there" if named else "no Chromium on the PATH"
        return f"{wanted}: install Chromium, or set LINEAGE_KIT_CHROMIUM to one"
    return None


def need_browser():
    """Skips the test where no browser can be driven, and says why; in CI nothing is skipped, there it fails."""
    if reason := missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def places_in(home):
    """Environment variables that keep Jupyter, IPython and what follows the XDG rules inside `home`."""
    names = {
        "HOME": "",
        "IPYTHONDIR": "ipython",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "XDG_CACHE_HOME": "cache",
        "XDG_CONFIG_HOME": "config",
        "XDG_DATA_HOME": "data",
    }
    return {name: str(Path(home, part)) for name, part in names.items()}


@contextmanager
def running():
    """A headless Chromium (Playwright's Browser) with a home of its own, closed at the end."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(),
            args=FLAGS,
            env={**os.environ, **places_in(home)},
            timeout=PATIENCE * 1000,
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Tab:
    """A page of the browser, and what went wrong in it: `asked` holds the addresses it must not ask for."""

    page: Any
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@contextmanager
def launched(allowed=INSIDE, **context):
    """A fresh tab. Requests to addresses that start with none of `allowed` are aborted and counted."""
    need_browser()
    settings = {"viewport": {"width": 1300, "height": 850}, "reduced_motion": "reduce", "color_scheme": "light"}
    with running() as browser:
        inside = browser.new_context(**settings | context)
        opened = Tab(inside.new_page())

        def route(each):
            if each.request.url.startswith(tuple(allowed)):
                each.continue_()
            else:
                opened.asked.append(each.request.url)
                each.abort()

        inside.route("**/*", route)
        opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
        opened.page.on("console", lambda said: opened.errors.append(said.text) if said.type == "error" else None)
        yield opened
