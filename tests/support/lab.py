"""JupyterLab in headless Chromium: a server with nothing of the user's in it, and a notebook driven in its page.

    with serving(folder, home) as lab, running() as browser, LabPage.opened(browser, lab, "some.ipynb") as page:
        page.run_all()
        page.output(2).get_by_role("button").click()
        assert page.value("clicks.count") == 1
        assert page.troubles() == []

The page reaches this machine and no other. Playwright is imported late, so that this file can be collected
where it is not installed.
"""

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple

from support.browser import PATIENCE, places_in

# ---- the server


class Lab(NamedTuple):
    """A running server: its address without a slash at the end, its token, the file it logs to."""

    url: str
    token: str
    log: Path


@contextlib.contextmanager
def alone(folder):
    """Holds a lock that lies in `folder`: one at a time, even across processes. A killed holder holds it no more."""
    import fcntl  # not on Windows, where this file can at least be collected

    with (folder / "lab.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def serving(folder, home):
    """A JupyterLab whose files are those in `folder`; all it and its kernels write of their own goes into `home`."""
    places = places_in(home)
    config = {
        "ServerApp": {
            "allow_root": True,
            "ip": "127.0.0.1",
            "open_browser": False,
            "port": 0,
            "root_dir": str(folder),
        },
        # It would start npm to look for language servers.
        "LanguageServerManager": {"autodetect": False},
        "LabApp": {
            "check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
            "expose_app_in_browser": True,
            "extension_manager": "readonly",
            # Only the extensions of this environment, not those of the machine.
            "labextensions_path": [str(Path(sys.prefix, "share", "jupyter", "labextensions"))],
            "news_url": None,
        },
    }
    settings = {
        "apputils-extension/notification": {"checkForUpdates": False, "fetchNews": "false"},
        # It saves when it is told to.
        "docmanager-extension/plugin": {"autosave": False},
    }
    write(Path(places["JUPYTER_CONFIG_DIR"], "jupyter_server_config.json"), config)
    for name, values in settings.items():
        write(Path(places["JUPYTERLAB_SETTINGS_DIR"], "@jupyterlab", f"{name}.jupyterlab-settings"), values)

    token, log = secrets.token_hex(16), home / "lab.log"
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON", "PYTEST_"))}
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab"],
            cwd=folder,
            env={**kept, **places, "JUPYTER_TOKEN": token},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield ready(process, Lab("", token, log), Path(places["JUPYTER_RUNTIME_DIR"], f"jpserver-{process.pid}.json"))
    finally:
        stop(process)


def write(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values), encoding="utf-8")


def ready(process, lab, info):
    """The server, once it answers. It writes the port it found into `info`."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError, ValueError):
            lab = lab._replace(url=f"http://127.0.0.1:{json.loads(info.read_text(encoding='utf-8'))['port']}")
            asked = urllib.request.Request(f"{lab.url}/api/status", headers={"Authorization": f"token {lab.token}"})
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=PATIENCE):
                return lab
        time.sleep(0.05)
    raise AssertionError(f"JupyterLab did not start:\n{lab.log.read_text(encoding='utf-8', errors='replace')[-4000:]}")


def stop(process):
    """Asks the server to end, which ends its kernels first; ends it where it does not."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


# ---- the page

HERE = r"(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?#]|$)"
FOREIGN = re.compile(rf"^(?:https?|wss?|ftp)://(?!{HERE})", re.IGNORECASE)

# What these scripts begin with: the notebook's panel, its kernel and its cells.
PANEL = """
    const panel = window.jupyterapp.shell.currentWidget;
    const kernel = panel.sessionContext.session.kernel;
    const cells = [...panel.content.model.cells];
"""

# Something once the notebook is there and its kernel idle; the text of a dialog where one stands in the way.
IS_READY = """
(path) => {
    const dialog = document.querySelector(".jp-Dialog");
    if (dialog) return dialog.innerText;
    const panel = window.jupyterapp?.shell.currentWidget;
    return panel?.context?.path === path && panel.context.isReady && panel.sessionContext.isReady
        && panel.sessionContext.session?.kernel?.status === "idle" && "ready";
}
"""

# One run of code in the notebook's kernel that shows on no cell: stdout and the value as text, or the error.
EXECUTE = f"""
async (code) => {{
    {PANEL}
    const seen = {{text: "", error: null}};
    const future = kernel.requestExecute({{code, store_history: false, stop_on_error: false}});
    future.onIOPub = ({{header, content}}) => {{
        if (header.msg_type === "stream" && content.name === "stdout") seen.text += content.text;
        if (header.msg_type === "execute_result") seen.text += content.data["text/plain"] ?? "";
        if (header.msg_type === "error") seen.error = content.traceback.join("\\n");
    }};
    await future.done;
    return seen;
}}
"""

OUTPUTS = f"() => {{ {PANEL} return cells.filter(c => c.type === 'code').map(c => c.outputs.toJSON()); }}"

SCROLL = f"""
async (number) => {{
    {PANEL}
    const index = cells.indexOf(cells.filter(cell => cell.type === "code")[number]);
    await panel.content.scrollToItem(index, "smart");
    return index;
}}
"""


class LabPage:
    """A notebook open in JupyterLab. `page` is Playwright's page, for all that is not said here."""

    def __init__(self, page, path):
        self.page, self.path = page, path
        self.errors: list[str] = []  # what the console calls an error, and exceptions nobody caught
        self.foreign: list[str] = []  # addresses on other hosts that were asked for; none was reached
        page.set_default_timeout(PATIENCE * 1000)
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("crash", lambda _: self.errors.append("the page crashed"))
        page.context.route(FOREIGN, self._refuse)
        page.context.route_web_socket(FOREIGN, self._refuse_socket)

    def _refuse(self, route):
        self.foreign.append(route.request.url)
        route.abort("blockedbyclient")

    def _refuse_socket(self, socket):
        self.foreign.append(socket.url)
        socket.close()

    @classmethod
    @contextlib.contextmanager
    def opened(cls, browser, lab, path, **options):
        """The notebook at `path`, its kernel idle; options are those of Playwright's `new_context`."""
        options = {"viewport": {"width": 1400, "height": 1000}, "service_workers": "block", **options}
        with browser.new_context(**options) as context:
            page = cls(context.new_page(), path)
            page.page.goto(f"{lab.url}/lab/tree/{path}?reset&token={lab.token}", wait_until="commit")
            page.wait()
            yield page

    def wait(self):
        """Waits until the notebook is there and its kernel idle; fails with what stands in the way."""
        from playwright.sync_api import TimeoutError

        try:
            seen = self.page.wait_for_function(IS_READY, arg=self.path).json_value()
        except TimeoutError:
            seen = f"not ready after {PATIENCE} seconds"
        assert seen == "ready", "\n".join([seen, *self.troubles()])

    # ---- Python

    def run_all(self):
        """Runs every cell, as the menu does, and waits for the end; an error in a cell is raised."""
        self._evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        self.wait()
        wrong = [
            "\n".join(one["traceback"]) for cell in self.outputs() for one in cell if one["output_type"] == "error"
        ]
        assert wrong == [], "\n\n".join(wrong)

    def python(self, code):
        """Runs code in the notebook's kernel, leaving no trace on the page; what it prints and its value, as text."""
        seen = self._evaluate(EXECUTE, code)
        assert seen["error"] is None, seen["error"]
        return seen["text"]

    def value(self, expression):
        """The value of a Python expression in the notebook's kernel, by way of JSON."""
        return json.loads(self.python(f"print(__import__('json').dumps({expression}))"))

    def outputs(self):
        """For every code cell its outputs, as they would be saved."""
        return self._evaluate(OUTPUTS)

    def save(self):
        """Saves the notebook, as the menu does."""
        self._evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")

    # ---- what is seen

    def output(self, number):
        """The locator of a code cell's output (counted from 0), scrolled into view."""
        index = self._evaluate(SCROLL, number)
        return self.page.locator(f"[data-windowed-list-index='{index}'] .jp-Cell-outputArea")

    def screenshot(self, path, locator=None):
        """Writes a PNG of the page or of one element and gives its bytes."""
        return (locator or self.page).screenshot(path=path, animations="disabled")

    def troubles(self):
        """All that should not have happened on the page so far, one line each."""
        return [*(f"asked for {url}" for url in self.foreign), *(f"console: {text}" for text in self.errors)]

    def _evaluate(self, script, value=None):
        """What an (async) function in the page returns; unlike Playwright's own, this gives up after a while."""
        timed = f"""
        (value) => Promise.race([
            ({script.strip()})(value),
            new Promise((_, refuse) => setTimeout(() => refuse(new Error("no answer")), {PATIENCE * 1000})),
        ])"""
        return self.page.evaluate(timed, value)
