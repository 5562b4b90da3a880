# What all servers share that stand in for services: it precedes each of them.
#
# Nothing that a server started outlives it, however it ends: a process of its own watches it and
# ends what is left, with everything below. A server ends with the test that started it.

import os
import signal
import subprocess
import sys
import threading


def below(pids):
    """These processes and all below them."""
    parents = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as file:
                parents[int(name)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError, IndexError):
            continue
    found = {pid for pid in pids if pid in parents}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def watch():
    """Starts the process that watches this one. Returns where it is told of processes."""
    told, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.close(tell)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        left = set()
        with os.fdopen(told) as lines:
            for line in lines:
                pid = int(line)
                left.add(pid) if pid > 0 else left.discard(-pid)
        for pid in below(left):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os._exit(0)
    os.close(told)
    return tell


WATCHER = watch()
# A secret that steps may use. It is no argument, which others could see.
TOKEN = os.environ.pop("STANDIN_TOKEN")


def ends_with_the_test():
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=ends_with_the_test, daemon=True).start()


class Program:
    """A program that runs in a group of its own, and what it writes."""

    def __init__(self, command, folder, environment, on_line=None, at_end=None):
        self.lines, self.on_line, self.at_end = [], on_line, at_end
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        os.write(WATCHER, f"{self.process.pid}\n".encode())
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            text = line.decode("utf-8", "replace").rstrip("\n")
            self.lines.append(text)
            if self.on_line:
                self.on_line(text)
        self.process.wait()
        os.write(WATCHER, f"-{self.process.pid}\n".encode())
        if self.at_end:
            self.at_end()

    def has_ended(self):
        return not self.reader.is_alive()

    def signal(self, number):
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
