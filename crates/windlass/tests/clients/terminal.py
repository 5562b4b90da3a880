"""A person at a terminal: a command with a pseudoterminal of its own, and what a person does to it.

Whoever runs the tests may be an agent; a person's terminal is cut off from them (see detached.py) and
has only the variables that a test sets, and a few that everyone has.
"""

import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

LIMIT = 15

DETACHED = Path(__file__).with_name("detached.py")
EVERYONES = ("PATH", "HOME", "LANG", "TMPDIR", "TERM", "USER", "SHELL", "XDG_STATE_HOME")


class Process:
    """A process that is nobody's child here."""

    def __init__(self, words, folder, environment, terminal):
        ours, theirs = socket.socketpair()
        subprocess.run(
            ["setsid", "--fork", sys.executable, "-IS", DETACHED, str(terminal), str(theirs.fileno())],
            env={"PATH": os.environ["PATH"]},
            pass_fds=(terminal, theirs.fileno()),
            check=True,
        )
        theirs.close()
        self._control = ours
        self._code = None
        wish = {"words": [str(word) for word in words], "folder": str(folder), "environment": environment}
        self._tell(wish)

    def _tell(self, fact):
        self._control.sendall(json.dumps(fact).encode() + b"\n")

    def wait(self, timeout):
        if self._code is None:
            self._control.settimeout(timeout)
            told = self._control.recv(100)
            assert told, "the one who ran the command has ended"
            self._code = json.loads(told)
        return self._code

    def poll(self):
        if self._code is None and select.select([self._control], [], [], 0)[0]:
            self.wait(LIMIT)
        return self._code

    def send_signal(self, number):
        self._tell(int(number))

    def kill(self):
        self.send_signal(signal.SIGKILL)


class Terminal:
    def __init__(self, words, folder, environment):
        self.master, slave = pty.openpty()
        own = {
            name: value
            for name, value in environment.items()
            if name in EVERYONES or os.environ.get(name) != value
        }
        self.process = Process(words, folder, own, slave)
        os.close(slave)
        self.said = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=LIMIT)
        self.hang_up()

    def hang_up(self):
        """Closes the terminal, as a window does."""
        if self.master is not None:
            os.close(self.master)
            self.master = None

    def type(self, text):
        os.write(self.master, text.encode())

    def _read(self, seconds):
        """Whether there was more to read."""
        ready, _, _ = select.select([self.master], [], [], max(seconds, 0))
        if not ready:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False  # Nobody has the other end open any more.
        self.said += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)

    def expect(self, text):
        """Waits until the text is on the screen."""
        end = time.monotonic() + LIMIT
        while text not in self.said:
            assert time.monotonic() < end, f"no {text!r} in {self.said!r}"
            if not self._read(end - time.monotonic()) and text not in self.said:
                raise AssertionError(f"ended without {text!r}: {self.said!r}")

    def end(self):
        """The exit code, once everything was read."""
        end = time.monotonic() + LIMIT
        while self._read(min(0.5, end - time.monotonic())):
            if self.process.poll() is not None and not select.select([self.master], [], [], 0)[0]:
                break
            assert time.monotonic() < end, f"does not end: {self.said!r}"
        return self.process.wait(timeout=LIMIT)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.signal(signal.SIGKILL)


def processes_with(variable):
    """PIDs of all living processes that have this in their environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if variable.encode() in file.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            pass
    return found


def until(what, condition):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)
