"""A headless Chromium, spoken to over its pipe: no driver, no port, nothing but the standard library."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
AXE = ROOT / ".ci" / "npm" / "node_modules" / "axe-core" / "axe.min.js"
NEEDED = (
    "The report is looked at in a real browser: apt-get install chromium, and "
    "npm install --no-fund --no-audit --prefix .ci/npm axe-core@4.14.1"
)


def find_chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if (path := shutil.which(name)) is not None:
            return path
    raise AssertionError(NEEDED)


def axe() -> str:
    assert AXE.exists(), NEEDED
    return AXE.read_text(encoding="utf-8")


@dataclass
class Tab:
    """One page. `complaints`: what it logged as an error, and exceptions of its scripts."""

    to: int
    back: int
    session: str = ""
    number: int = 0
    rest: bytes = b""
    complaints: list[str] = field(default_factory=list)
    loaded: bool = False

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            said = self._next()
            if said.get("id") == self.number:
                assert "error" not in said, said
                result: dict[str, Any] = said["result"]
                return result
            self._heard(said)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            data = os.read(self.back, 1 << 20)
            assert data, "the browser has gone"
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\0")
        said: dict[str, Any] = json.loads(line)
        return said

    def _heard(self, said: dict[str, Any]) -> None:
        method, params = said.get("method"), said.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params))
        entry = params.get("entry", {})
        if method == "Log.entryAdded" and entry.get("level") in ("error", "warning"):
            self.complaints.append(f"{entry.get('text')} {entry.get('url', '')}")
        if method == "Runtime.consoleAPICalled" and params.get("type") in ("error", "warning"):
            self.complaints.append(json.dumps(params))

    # ------------------------------------------------------------ what a test does

    def open(self, path: Path, width: int, *, dark: bool = False) -> None:
        self.loaded = False
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=1, mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=path.as_uri())
        while not self.loaded:
            self._heard(self._next())

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        found = self.ask("Runtime.evaluate", expression=script, awaitPromise=True,
                         returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def picture(self, path: Path) -> None:
        found = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def browser() -> Iterator[Tab]:
    """Chromium with its own folder; all of it is gone afterwards."""
    theirs_in, to = os.pipe()
    back, theirs_out = os.pipe()
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "bash", find_chromium(),
             "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-dev-shm-usage", f"--user-data-dir={folder}",
             "about:blank"],
            pass_fds=[theirs_in, theirs_out], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        tab = Tab(to, back)
        try:
            target = tab.ask("Target.createTarget", url="about:blank")["targetId"]
            session = tab.ask("Target.attachToTarget", targetId=target, flatten=True)
            tab.session = session["sessionId"]
            for domain in ("Page", "Runtime", "Log"):
                tab.ask(f"{domain}.enable")
            yield tab
        finally:
            process.terminate()
            process.wait(30)
            os.close(to)
            os.close(back)
