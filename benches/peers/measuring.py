"""Runs programs and MCP servers with time limits, and takes their times.

Nothing here knows which tools there are.
"""

import json
import os
import select
import signal
import statistics
import subprocess
import time


class Failed(Exception):
    """A step that did not work, with the reason."""


def _kill(process):
    """Ends a process with everything that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(words, folder, environment, limit, text=None):
    """Runs a program until it exits, and returns its standard output."""
    try:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE if text is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as problem:
        raise Failed(str(problem)) from problem
    try:
        given = None if text is None else text.encode()
        output, problems = process.communicate(given, timeout=limit)
    except subprocess.TimeoutExpired as expired:
        _kill(process)
        raise Failed(f"no end after {limit:.0f} s") from expired
    if process.returncode != 0:
        said = reason((problems or output).decode(errors="replace"))
        raise Failed(f"exit code {process.returncode}: {said}")
    return output.decode(errors="replace")


def reason(text):
    """The line of an output that says best why a program failed."""
    lines = [line.removeprefix("npm error").strip() for line in text.splitlines()
             if not line.startswith(("npm warn", "npm error code", "npm error path",
                                     "npm error command"))]
    lines = [line for line in lines if line] or [""]
    return next((line for line in lines if "error" in line.lower()), lines[0])[:300]


class Server:
    """An MCP server on standard input and output."""

    def __init__(self, words, folder, environment, limit):
        self.limit = limit
        try:
            self.process = subprocess.Popen(
                words,
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as problem:
            raise Failed(str(problem)) from problem
        self.received = b""
        self.number = 0
        client = {"name": "peers", "version": "0"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        try:
            self.request("initialize", params)
        except Failed:
            self.close()
            raise
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _line(self, until):
        """The next line. Read in this thread: handing it over would take longer than some calls."""
        output = self.process.stdout.fileno()
        while b"\n" not in self.received:
            ready, _, _ = select.select([output], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise Failed(f"no response after {self.limit:.0f} s")
            piece = os.read(output, 1 << 20)
            if not piece:
                raise Failed("the server ended")
            self.received += piece
        line, self.received = self.received.split(b"\n", 1)
        return line

    def _send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as problem:
            raise Failed("the server ended") from problem

    def request(self, method, params):
        """Sends a request and returns its result."""
        self.number += 1
        self._send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        until = time.monotonic() + self.limit
        while True:
            message = json.loads(self._line(until))
            if message.get("id") == self.number and "method" not in message:
                break
        if "error" in message:
            raise Failed(message["error"].get("message", "an error"))
        return message["result"]

    def call(self, tool, arguments):
        """Calls a tool and returns its text."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise Failed(text[:300])
        return text

    def close(self):
        _kill(self.process)


def median_time(work, repeats, budget):
    """The median time in seconds of a piece of work, repeated while there is time.

    The first time is not counted if there is another one: it fills caches. What the work returns, if
    anything, is called afterwards, to clean up without being measured.
    """
    begun = time.monotonic()
    times = []
    for turn in range(repeats + 1):
        start = time.perf_counter()
        clean_up = work(turn)
        times.append(time.perf_counter() - start)
        if clean_up:
            clean_up()
        if time.monotonic() - begun > budget:
            break
    return statistics.median(times[1:] or times)


def size_of(folder):
    """The bytes of all files in a folder."""
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except FileNotFoundError:
                pass
    return total
