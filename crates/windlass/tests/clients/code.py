"""Scripts through the real client, in the way of each era."""

import json

from harness import Checks, anyio, main, session

check = Checks()


async def execute(s, code, **more):
    """The result of a script, whichever way it ended."""
    result = await s.client.call_tool("execute", {"code": code, **more})
    body = result.structured_content
    assert json.loads(result.content[0].text) == body, result
    assert result.is_error is (not body["ok"]), result
    return body


async def failed(s, code, expected, **more):
    body = await execute(s, code, **more)
    assert not body["ok"] and body["error"]["code"] == expected, body
    return body


@check("a story in one call, whose events tell it in order")
async def story(s):
    body = await execute(
        s,
        """
        interface Made { sequence_number: number }
        const made: Made[] = [];
        for (const title of ["First", "Second", "Third"])
          made.push(await entities.create({ type: "task", title }));
        const [first, second, third] = made.map(it => it.sequence_number);
        await relations.create({ source_id: `${first}`, target_id: `${second}`, relation_type: "blocks" });
        await relations.create({ source_id: `${second}`, target_id: `${third}`, relation_type: "blocks" });
        const blocked = await tasks.blocked(third);
        await tasks.complete(first);
        const ready = (await tasks.ready({ limit: 100 })).tasks.map(it => it.sequence_number);
        console.info("made", made.length);
        return { first, second, ready, blocked: blocked !== undefined };
        """,
        correlation_id="story-in-one-call",
    )
    assert body["ok"], body
    value = body["value"]
    assert value["second"] in value["ready"] and value["first"] not in value["ready"], value
    assert body["logs"] == [{"level": "info", "text": "made 3"}], body
    assert "warnings" not in body and "calls" not in body, body
    assert body["correlation_id"] == "story-in-one-call", body
    events = await s.call("event_list", correlation_id=body["correlation_id"], after=0)
    kinds = [event["type"] for event in events["events"]]
    assert kinds[:3] == ["entity.created"] * 3 and kinds[3:5] == ["relation.created"] * 2, kinds
    assert all(event["actor"] == "agent" for event in events["events"]), events


@check("errors have the codes and the shape of the contract")
async def errors(s):
    body = await failed(s, "const x: any = {}\nx.missing.f()", "js_runtime_error")
    assert "line 2" in body["error"]["data"]["stack"], body
    assert body["error"]["data"]["line"] == 2, body
    body = await failed(s, "await entities.get(1); await entities.get(999)", "sdk_error")
    assert body["error"]["data"]["tag"] == "EntityNotFound", body
    assert [call["status"] for call in body["calls"]] == ["ok", "error"], body
    assert body["calls"][1]["error"] == "ENTITY_NOT_FOUND", body
    await failed(s, "for (;;) {}", "timeout", timeout_ms=200)
    body = await failed(s, "const = 1", "invalid_params")
    assert body["error"]["data"]["line"] == 1, body
    await failed(s, "await new Promise(() => {})", "deadlock")
    await failed(s, "const a = []; for (;;) a.push('x'.repeat(1000) + a.length)", "memory_limit")
    await failed(s, "for (;;) await tasks.next()", "too_many_calls")
    await failed(s, "1", "invalid_params", timeout_ms=0)
    await failed(s, "1", "invalid_params", unknown=1)
    assert (await execute(s, "1 + 1"))["value"] == 2


@check("a script can do no more than its session")
async def bounds(s):
    body = await failed(s, "await allowlist.allow('x')", "sdk_error")
    assert body["error"]["data"]["tag"] == "HumanOnly", body
    body = await failed(s, "await code.execute('1')", "sdk_error")
    assert body["error"]["data"]["tag"] == "unknown_method", body
    async with session(arguments=("mcp", "--read-only", "--toolsets", "all")) as reader:
        tools = (await reader.client.list_tools()).tools
        tool = next(tool for tool in tools if tool.name == "execute")
        assert tool.annotations.read_only_hint is True, tool
        assert (await execute(reader, "(await entities.get(1)).title"))["value"] == "Use PostgreSQL"
        for code in (
            "await entities.create({ type: 'note', title: 'no' })",
            "await entities.delete(1)",
            "await tasks.claim()",
            "await commands.start('x')",
        ):
            body = await failed(reader, code, "sdk_error")
            assert body["error"]["data"]["tag"] == "UnknownTool", body


@check("describe finds methods and declares them")
async def described(s):
    found = await s.call("describe", query="claim a task")
    assert "tasks.claim" not in found["methods"], "it is declared, not only named"
    assert "declare const tasks: {" in found["declarations"], found
    assert "claim(" in found["declarations"], found
    everything = await s.call("describe")
    names = everything["methods"]
    assert "entities.create" in names and "allowlist.allow" not in names, names
    tools = (await s.client.list_tools()).tools
    description = next(tool for tool in tools if tool.name == "execute").description
    assert len(description) < 2048 and "entities: create get" in description, description


@check("progress is told, and a call that is called off ends the script")
async def progress(s):
    told = []

    async def hear(done, total, message):
        told.append((done, message))

    await s.client.call_tool(
        "execute", {"code": "for (let i = 0; i < 20; i++) await tasks.next()"}, progress_callback=hear
    )
    await s.until(lambda: told)
    assert told[0] == (1, "call 1: tasks.next"), told
    with anyio.move_on_after(1):
        await s.client.call_tool("execute", {"code": "for (;;) {}"})
        raise AssertionError("it ended")
    assert (await execute(s, "2 + 2"))["value"] == 4


@check("long values are cut and stay values")
async def cut(s):
    body = await execute(s, "Array.from({ length: 20000 }, (_, i) => ({ i, t: 'x'.repeat(50) }))")
    assert body["truncated"] and len(json.dumps(body["value"])) < 80_000, body["truncated"]
    assert body["value"][-1]["_truncated"]["items"] == 20000, body["value"][-1]


@check("scripts of one session run at the same time")
async def together(s):
    async with anyio.create_task_group() as group:
        values = []

        async def one(number):
            body = await execute(s, f"await new Promise(r => setTimeout(r, 300)); {number}")
            values.append(body["value"])

        with anyio.fail_after(5):
            for number in range(6):
                group.start_soon(one, number)
    assert sorted(values) == list(range(6)), values


async def run():
    async with session() as s:
        return await check.run(s)


main(run)
