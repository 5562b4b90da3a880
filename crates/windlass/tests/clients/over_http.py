"""The same server by URL: both eras, several clients at once, news, and the end of the server."""

import contextlib
import json
import os
import signal
import subprocess

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from harness import (
    BINARY,
    FOLDER,
    LIMIT,
    MODE,
    MODERN,
    VERSION,
    Checks,
    Session,
    every_page,
    main,
    windlass,
)

check = Checks()


class HttpServer:
    """A server process and where it listens."""

    def __init__(self, *options, **environment):
        self.process = subprocess.Popen(
            [BINARY, "--json", "serve", "--http", "127.0.0.1:0", *options],
            cwd=FOLDER,
            env={**os.environ, "WINDLASS_LOG_LEVEL": "error", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.url = json.loads(self.process.stdout.readline())["url"]

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    async def ended(self):
        """The exit code."""
        with anyio.fail_after(2 * LIMIT):
            return await anyio.to_thread.run_sync(self.process.wait)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=LIMIT)
        self.process.stdout.close()


@contextlib.asynccontextmanager
async def connected(server, path="/mcp"):
    """A client at one of the server's endpoints."""
    opened = Session(None, None)
    client = Client(
        server.url + path,
        mode=MODE,
        message_handler=opened.on_message,
        read_timeout_seconds=LIMIT,
    )
    async with client:
        assert client.protocol_version == VERSION, client.protocol_version
        opened.client = client
        yield opened


@check("the server says who it is and lists its tools")
async def who(server, s):
    assert s.client.server_info.name == "windlass"
    assert s.client.instructions
    tools = await every_page(s.client.list_tools, "tools")
    names = [tool.name for tool in tools]
    assert {"entity_create", "task_next", "search_fulltext"} <= set(names), names
    async with connected(server, "/mcp/knowledge") as other:
        some = [tool.name for tool in await every_page(other.client.list_tools, "tools")]
    assert set(some) <= set(names) and "entity_create" in some, some


@check("tools answer, and refuse, as on stdio")
async def calls(server, s):
    made = await s.call("entity_create", type="note", title="Over HTTP", content="x" * 20_000)
    number = str(made["sequence_number"])
    assert (await s.call("entity_get", id=number))["title"] == "Over HTTP"
    assert "Over HTTP" in windlass("list", "note")
    error = await s.refused("entity_get", id="999")
    assert (error.code, error.data["error_type"]) == (-32001, "EntityNotFound"), error
    assert (await s.refused("no_such_tool")).code == -32602


@check("resources, prompts and completions are there")
async def content(server, s):
    assert (await s.read("windlass://decisions"))["total"] == 2
    assert (await s.unreadable("windlass://entity/999")).code in (-32005, -32602)
    windlass("add", "prompt", "Greet", "--content", "Hello")
    prompts = await every_page(s.client.list_prompts, "prompts")
    assert prompts, "a prompt"
    got = await s.client.get_prompt(prompts[0].name)
    assert got.messages[0].content.text == "Hello", got


@check("news of this and of other processes come over the stream")
async def news(server, s):
    uri = "windlass://entities/task"
    async with s.watching(uri) as following:
        await s.call("entity_create", type="task", title="Made by this client")
        assert await following() == uri
        windlass("add", "task", "Made by another process")
        assert await following() == uri


@check("two clients at once are two sessions, and hear of each other")
async def two(server, s):
    task = str((await s.call("entity_create", type="task", title="Wanted"))["sequence_number"])
    start = ("--json", "session", "start", "--recipe", "yap")
    first, second = (json.loads(windlass(*start))["session"]["id"] for _ in range(2))
    async with (
        connected(server, f"/mcp/session/{first}") as one,
        connected(server, f"/mcp/session/{second}") as two,
    ):
        uri = f"windlass://entity/{task}"
        async with s.watching(uri) as following:
            await one.call("update_task", id=int(task), title="Wanted by one")
            assert await following() == uri
            await two.call("update_task", id=int(task), title="Wanted by two")
            assert await following() == uri
    events = (await s.call("event_list"))["events"]
    assert {first, second} <= {event["session"] for event in events}, events


@check("many calls at once are all answered")
async def many(server, s):
    async with anyio.create_task_group() as group:
        for _ in range(100):
            group.start_soon(s.call, "entity_list")


@check("a client is let in with the token, and not without it")
async def token(server, s):
    with HttpServer(WINDLASS_HTTP_TOKEN="secret") as guarded:
        headers = {"Authorization": "Bearer secret"}
        async with httpx2.AsyncClient(headers=headers) as http_client:
            transport = streamable_http_client(f"{guarded.url}/mcp", http_client=http_client)
            async with Client(transport, mode=MODE, read_timeout_seconds=LIMIT) as client:
                assert (await client.list_tools()).tools
        let_in = False
        try:
            async with connected(guarded):
                let_in = True
        except Exception:
            pass
        assert not let_in


@check("a listening client sees the end of the server")
async def the_end(server, s):
    with HttpServer() as other:
        if MODERN:
            async with connected(other) as client:
                async with client.client.listen(prompts_list_changed=True) as listening:
                    other.terminate()
                    with anyio.fail_after(LIMIT):
                        with contextlib.suppress(StopAsyncIteration, MCPError):
                            while True:
                                await anext(listening)
                assert await other.ended() == 0
        else:
            async with connected(other) as client:
                await client.call("task_next")
                other.terminate()
                assert await other.ended() == 0


async def run():
    with HttpServer() as server:
        async with connected(server) as s:
            failed = await check.run(server, s)
        server.terminate()
        assert await server.ended() == 0
    return failed


main(run)
