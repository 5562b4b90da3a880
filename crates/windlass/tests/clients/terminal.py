"""A person at a terminal: a command with a pseudoterminal of its own, and what a person does to it."""

import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import time

LIMIT = 15


class Terminal:
    def __init__(self, words, folder, environment):
        self.master, slave = pty.openpty()

        def sit_down():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            preexec_fn=sit_down,
        )
        os.close(slave)
        self.said = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
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
        os.kill(self.process.pid, number)

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
