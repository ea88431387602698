"""A session explorer as its page sees it: the messages alone, or the whole page in a bare tab of a browser."""

import base64
import json
from contextlib import contextmanager
from typing import Any

from lineage_kit.view.widgets.timeline_widget import SessionTimeline
from support.browser import launched


def ask(explorer, what, **more):
    """What the page would be sent for a message of its own; None where nothing is sent."""
    sent = []
    timeline = explorer._timeline
    timeline.send = lambda content, buffers=None: sent.append((content, buffers))
    try:
        timeline._handle_custom_msg({"ask": what, **more}, [])
    finally:
        del timeline.send
    return sent[-1] if sent else None


PAGE = """
async ([source, style, state]) => {
  const sheet = document.createElement("style");
  sheet.textContent = style;
  document.head.append(sheet);
  const listeners = new Map();
  const fire = (name, ...told) => [...(listeners.get(name) ?? [])].forEach((work) => work(...told));
  const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  let changed = {};
  window.apply = (outcomes) => outcomes.forEach((one) => {
    if (one.message) return fire("msg:custom", one.message, one.buffers.map(bytes));
    Object.assign(state, one.state);
    Object.keys(one.state).forEach((name) => fire(`change:${name}`));
  });
  window.sent = [];
  const python = async (what) => {
    window.sent.push(what);
    window.apply(await window.toPython(what));
  };
  window.model = {
    get: (name) => state[name],
    set(name, value) { state[name] = changed[name] = value; fire(`change:${name}`); },
    save_changes() { const saved = changed; changed = {}; python({ saved }); },
    send: (content) => python({ content }),
    on: (name, work) => listeners.set(name, [...(listeners.get(name) ?? []), work]),
    off: (name, work) => listeners.set(name, (listeners.get(name) ?? []).filter((one) => one !== work)),
  };
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  window.leave = widget.render({ model: window.model, el: document.querySelector("main") });
}
"""


class Mounted:
    """An explorer whose page stands in a bare tab; messages and settings go both ways as in a notebook."""

    def __init__(self, explorer, tab):
        self.explorer, self.tab, self.page = explorer, tab, tab.page
        self._timeline = explorer._timeline
        self._outcomes: list[Any] = []
        self._timeline.send = lambda content, buffers=None: self._outcomes.append(
            {"message": content, "buffers": [base64.b64encode(part).decode() for part in buffers or []]}
        )
        names = ["timeline", "overview", "details", "banners", "selected", "surface_at"]
        self._timeline.observe(lambda change: self._outcomes.append({"state": {change["name"]: change["new"]}}), names)
        self.page.set_content("<!doctype html><html><body style='margin:0'><main></main></body></html>")
        self.page.expose_function("toPython", self._to_python)
        state = json.loads(json.dumps({name: getattr(self._timeline, name) for name in names}))
        self.page.evaluate(PAGE, [str(SessionTimeline._esm), str(SessionTimeline._css), state])
        self.settle()

    def _to_python(self, what):
        if "content" in what:
            self._timeline._handle_custom_msg(what["content"], [])
        for name, value in what.get("saved", {}).items():
            setattr(self._timeline, name, value)
        return self._taken()

    def _taken(self):
        outcomes, self._outcomes[:] = list(self._outcomes), []
        return outcomes

    def tell(self):
        """Sends the page what Python has changed by itself."""
        self.page.evaluate("(outcomes) => window.apply(outcomes)", self._taken())
        self.settle()

    def settle(self, milliseconds=350):
        """Lets timers that wait for more keys, and frames, go by."""
        self.page.wait_for_timeout(milliseconds)


@contextmanager
def mounted(explorer, **context):
    with launched(**context) as tab:
        yield Mounted(explorer, tab)
        assert tab.asked == []
        assert tab.errors == []
