"""What the client scripts share: sessions in both eras, named checks, raw lines, the command line.

A script is run as `script.py BINARY FOLDER MODE`: the windlass binary, a folder with the sample
project, and how to negotiate: `legacy` (the initialize handshake) or `auto` (which must end at
2026-07-28). Every wait is for a condition and has a limit.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from pathlib import Path

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

# The old way of subscribing is deprecated, and is what half of this tests.
warnings.simplefilter("ignore", MCPDeprecationWarning)

BINARY, FOLDER, MODE = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
MODERN = MODE != "legacy"
VERSION = "2026-07-28" if MODERN else "2025-11-25"

# How long any single condition may take to come true.
LIMIT = 10
# How long a whole script may take; the test that runs it waits a little longer.
SCRIPT_LIMIT = 150


class Checks:
    """Named checks that run in the order of their definition; one that fails stops no other."""

    def __init__(self):
        self.all = []

    def __call__(self, name):
        def register(function):
            self.all.append((name, function))
            return function

        return register

    async def run(self, *scene):
        failed = 0
        for name, function in self.all:
            begin = time.monotonic()
            try:
                with anyio.fail_after(2 * LIMIT):
                    await function(*scene)
                print(f"ok      {name} ({time.monotonic() - begin:.1f} s)")
            except Exception:
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc()}")
        print(f"{len(self.all) - failed} of {len(self.all)} checks passed ({MODE})")
        return failed


def main(function):
    """Runs a script whose function answers how many checks failed."""

    async def limited():
        with anyio.fail_after(SCRIPT_LIMIT):
            return await function()

    sys.exit(1 if anyio.run(limited) else 0)


class Session:
    """A client, what the server told it without being asked, and what the server logged."""

    def __init__(self, client, log):
        self.client = client
        self._log = log
        self.heard = []
        self.logged = []
        self._told, self._news = anyio.create_memory_object_stream(1000)
        self.prompts_changed = anyio.Event()
        self.tools_changed = False

    async def on_message(self, message):
        if isinstance(message, types.ResourceUpdatedNotification):
            self.heard.append(message.params.uri)
            self._told.send_nowait(message.params.uri)
        elif isinstance(message, types.LoggingMessageNotification):
            self.logged.append(message.params)
        elif isinstance(message, types.PromptListChangedNotification):
            self.prompts_changed.set()
        elif isinstance(message, types.ToolListChangedNotification):
            self.tools_changed = True

    async def call(self, tool, **arguments):
        """The structured answer of a tool, which must be there as text as well."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error is not True, result
        text = json.loads(result.content[0].text)
        assert text == result.structured_content, (text, result.structured_content)
        return result.structured_content

    async def until(self, condition):
        """Waits for something that the server tells by itself; answers what the condition does."""
        with anyio.fail_after(LIMIT):
            while not (found := condition()):
                await anyio.sleep(0.02)
            return found

    async def refused(self, tool, **arguments):
        """The error of a tool."""
        try:
            result = await self.client.call_tool(tool, arguments)
        except MCPError as error:
            return error
        raise AssertionError(f"{tool} {arguments} answered {result}")

    async def read(self, uri):
        """The JSON behind a resource."""
        result = await self.client.read_resource(uri)
        (content,) = result.contents
        assert content.uri == uri, content.uri
        assert content.mime_type == "application/json", content.mime_type
        return json.loads(content.text)

    async def unreadable(self, uri):
        try:
            result = await self.client.read_resource(uri)
        except MCPError as error:
            return error
        raise AssertionError(f"{uri} answered {result}")

    def log(self):
        return Path(self._log.name).read_text()

    @contextlib.asynccontextmanager
    async def watching(self, *uris):
        """Hears of changes of these resources, in the way of the era."""
        async def heard():
            with anyio.fail_after(LIMIT):
                return await self._news.receive()

        if MODERN:
            async with self.client.listen(resource_subscriptions=list(uris)) as listening:
                assert listening.honored.resource_subscriptions == list(uris), listening.honored

                async def following():
                    with anyio.fail_after(LIMIT):
                        event = await anext(listening)
                    assert await heard() == event.uri
                    return event.uri

                yield following
            # The client sends the end of the listening from a task of its own: after an answer to
            # something else it is on its way, before whatever is sent next.
            await self.call("task_next")
            return
        for uri in uris:
            await self.client.subscribe_resource(uri)
        try:
            yield heard
        finally:
            for uri in uris:
                await self.client.unsubscribe_resource(uri)


# The state of the tests, and what keeps npm's notices out of the output of jobs.
PASSED_ON = ["XDG_STATE_HOME", "npm_config_update_notifier"]


def own_environment(more):
    """A server that a client starts gets only what it is given: where the user's projects are noted, too."""
    noted = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {**noted, **more}


@contextlib.asynccontextmanager
async def session(folder=FOLDER, arguments=("mcp", "--toolsets", "all", "--output-schemas"), **environment):
    """A client connected to a server of its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        server = StdioServerParameters(
            command=BINARY, args=list(arguments), cwd=folder, env=own_environment(environment)
        )
        opened = Session(None, log)
        transport = stdio_client(server, errlog=log)
        client = Client(
            transport,
            mode=MODE,
            message_handler=opened.on_message,
            read_timeout_seconds=LIMIT,
        )
        async with client:
            assert client.protocol_version == VERSION, client.protocol_version
            opened.client = client
            yield opened


async def every_page(fetch, items):
    """All items of a list, however many pages it has."""
    found, cursor = [], None
    while True:
        page = await fetch(cursor=cursor)
        found.extend(getattr(page, items))
        cursor = page.next_cursor
        if cursor is None:
            return found


def windlass(*words, folder=FOLDER):
    """What a command prints, run by another process than the server."""
    done = subprocess.run(
        [BINARY, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=LIMIT,
    )
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done.stdout


class RawServer:
    """A server spoken to in lines, for what no client lets one see."""

    def __init__(self, **environment):
        self._process = subprocess.Popen(
            [BINARY, "mcp"],
            cwd=FOLDER,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines, self.log = [], []
        self._messages = queue.Queue()
        self._logged = threading.Condition()
        self._readers = [
            threading.Thread(target=reader, daemon=True)
            for reader in (self._read_messages, self._read_log)
        ]
        for reader in self._readers:
            reader.start()
        self._next_id = 0
        if MODERN:
            self.request("server/discover")
        else:
            answer = self.request(
                "initialize",
                protocolVersion=VERSION,
                capabilities={},
                clientInfo={"name": "raw", "version": "1"},
            )
            assert answer["result"]["protocolVersion"] == VERSION, answer
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read_messages(self):
        for line in self._process.stdout:
            self.lines.append(line)
            self._messages.put(line)

    def _read_log(self):
        for line in self._process.stderr:
            with self._logged:
                self.log.append(line)
                self._logged.notify_all()

    def send(self, message):
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def start(self, method, **params):
        """Sends a request and answers its id."""
        self._next_id += 1
        if MODERN:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": VERSION,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        self.send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        return self._next_id

    def answer(self, request):
        while True:
            message = json.loads(self._messages.get(timeout=LIMIT))
            if message.get("id") == request:
                return message

    def request(self, method, **params):
        return self.answer(self.start(method, **params))

    def call(self, tool, **arguments):
        return self.request("tools/call", name=tool, arguments=arguments)

    def wait_for_log(self, *words):
        """Waits for a line of the log that has all of these words."""
        with self._logged:
            found = self._logged.wait_for(
                lambda: any(all(word in line for word in words) for line in self.log), LIMIT
            )
        assert found, (words, self.log)

    def terminate(self):
        self._process.send_signal(signal.SIGTERM)

    def hang_up(self):
        self._process.stdin.close()

    def runs(self):
        return self._process.poll() is None

    def wait(self):
        """The exit code, once everything it wrote was read."""
        code = self._process.wait(timeout=LIMIT)
        for reader in self._readers:
            reader.join(timeout=LIMIT)
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.runs():
            self._process.kill()
        self._process.wait(timeout=LIMIT)
        self._process.stdin.close()
