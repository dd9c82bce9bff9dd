"""Drives a headless Chromium by Chrome's DevTools protocol, over a pipe: nothing has to be installed for it."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class BrowserError(Exception):
    """A command that the browser refused, or a script that threw."""


def find():
    """The path of a browser, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    """One browser with one page."""

    def __init__(self, path, width=1440, height=900):
        self.profile = tempfile.mkdtemp(prefix="studio-browser-")
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()
        arguments = [
            path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars=false",
            f"--user-data-dir={self.profile}", f"--window-size={width},{height}",
            "--remote-debugging-pipe", "about:blank",
        ]

        def place_pipes():
            # The browser reads commands from descriptor 3 and answers on 4.
            os.dup2(to_child, 10)
            os.dup2(from_child, 11)
            os.dup2(10, 3)
            os.dup2(11, 4)

        self.process = subprocess.Popen(
            arguments, preexec_fn=place_pipes, pass_fds=(3, 4, to_child, from_child),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Performance", "Accessibility"):
            self.command(f"{domain}.enable")
        self.resize(width, height)

    def close(self):
        """Ends the browser and removes its profile."""
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    # Commands

    def command(self, method, timeout=60, **parameters):
        """Sends a command and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while True:
            answer = self.receive(deadline - time.monotonic())
            if answer is None:
                raise BrowserError(f"{method}: no answer")
            if answer.get("id") != self.number:
                self.events.append(answer)
                continue
            if "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def receive(self, timeout):
        """The next message; None if there is none in time."""
        deadline = time.monotonic() + timeout
        while b"\0" not in self.buffer:
            rest = deadline - time.monotonic()
            if rest <= 0 or not select.select([self.read_end], [], [], rest)[0]:
                return None
            piece = os.read(self.read_end, 1 << 16)
            if not piece:
                raise BrowserError("the browser has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    # Pages

    def open(self, address):
        """Opens an address and waits until it is loaded."""
        self.command("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def run(self, script):
        """The value of an expression of JavaScript, which may be a promise."""
        result = self.command("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def wait(self, condition, timeout=20):
        """Waits until an expression is true, and returns its value."""
        deadline = time.monotonic() + timeout
        while True:
            value = self.run(condition)
            if value:
                return value
            if time.monotonic() > deadline:
                raise BrowserError(f"not true after {timeout} s: {condition}")
            time.sleep(0.03)

    def resize(self, width, height):
        """Sets the size of the page."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=False)

    def dark(self, is_dark):
        """Sets what the page sees of the user's choice of colours."""
        value = "dark" if is_dark else "light"
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def screenshot(self, path):
        """Writes what is seen as PNG."""
        data = self.command("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    # Mouse and keys

    def center(self, selector):
        """The middle of the first element that a selector finds."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;"
            "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        if box is None:
            raise BrowserError(f"there is no {selector}")
        return box

    def click(self, selector=None, at=None, count=1):
        """Clicks in the middle of an element, or at a point."""
        x, y = at or self.center(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=count)

    def drag(self, selector, dx):
        """Drags an element to the side."""
        x, y = self.center(selector)
        self.command("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for step in range(1, 6):
            self.command("Input.dispatchMouseEvent", type="mouseMoved", x=x + dx * step / 5, y=y, button="left")
        self.command("Input.dispatchMouseEvent", type="mouseReleased", x=x + dx, y=y, button="left", clickCount=1)

    def wheel(self, x, y, delta):
        """Turns the wheel of the mouse."""
        self.command("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=delta)

    def type(self, text):
        """Enters a text where the focus is."""
        self.command("Input.insertText", text=text)

    def key(self, name, code=None, modifiers=0):
        """Presses a key by its name."""
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37,
                 "ArrowRight": 39, "End": 35, "Home": 36, "PageDown": 34, "PageUp": 33}
        text = {"Enter": "\r"}.get(name, name if len(name) == 1 else "")
        values = dict(key=name, code=code or name, windowsVirtualKeyCode=codes.get(name, 0), modifiers=modifiers)
        self.command("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **values)
        self.command("Input.dispatchKeyEvent", type="keyUp", **values)

    def problems(self):
        """Errors and warnings that the page has caused until now."""
        found = []
        while True:
            message = self.receive(0.05)
            if message is None:
                break
            self.events.append(message)
        for event in self.events:
            method = event.get("method")
            if method == "Runtime.exceptionThrown":
                details = event["params"]["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif method == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"):
                entry = event["params"]["entry"]
                found.append(f"{entry['text']} {entry.get('url', '')}")
        self.events = []
        return found
