"""Resources, templates, completions, prompts and subscriptions, in the way of each era."""

import mcp_types as types
from mcp.client.subscriptions import ListenNotSupportedError, PromptsListChanged
from mcp.shared.exceptions import MCPError

from harness import LIMIT, MODERN, Checks, RawServer, anyio, every_page, main, session, windlass

check = Checks()


@check("resources and templates are listed, each with a description and a type")
async def listed(s):
    resources = await every_page(s.client.list_resources, "resources")
    templates = await every_page(s.client.list_resource_templates, "resource_templates")
    uris = [resource.uri for resource in resources]
    assert len(uris) == len(set(uris)), uris
    for path in (
        *("schema", "stats", "entities", "decisions", "decisions/active", "tasks"),
        *("tasks/active", "tasks/ready", "tasks/blocked", "prompts", "graph"),
    ):
        assert f"windlass://{path}" in uris, path
    shapes = [template.uri_template.split("{?")[0] for template in templates]
    for shape in ("entities/{type}", "entity/{id}", "tasks/due/{date}"):
        assert f"windlass://{shape}" in shapes, shape
    names = [item.name for item in (*resources, *templates)]
    assert len(names) == len(set(names)), names
    for item in (*resources, *templates):
        others = {"progress": "text/plain", "learnings": "text/plain", "briefing": "text/markdown"}
        others["snapshot"] = "text/markdown"
        expected = others.get(item.name, "application/json")
        assert item.description and item.mime_type == expected, item


@check("every listed resource can be read, under both schemes")
async def every_resource(s):
    for resource in await every_page(s.client.list_resources, "resources"):
        if resource.mime_type != "application/json":
            continue
        value = await s.read(resource.uri)
        alias = resource.uri.replace("windlass://", "medulla://")
        assert await s.read(alias) == value, alias


@check("every template can be filled in and read")
async def every_template(s):
    number = await made(s, "task", "Due", properties={"due_date": "2027-03-01"})
    for uri, titles in [
        ("entities?type=decision&status=accepted&tag=database", ["Use PostgreSQL"]),
        ("entities/note", ["Meeting notes"]),
        ("decisions?limit=1&offset=1", ["Use SQLite"]),
        ("tasks?limit=2", ["Set up auth", "Deploy"]),
        ("tasks/due/2027-03-01", ["Due"]),
        ("graph?limit=1", ["Use PostgreSQL"]),
    ]:
        page = await s.read(f"windlass://{uri}")
        assert [entity["title"] for entity in page["entities"]] == titles, (uri, page)
    assert (await s.read(f"windlass://entity/{number}"))["title"] == "Due"


@check("stats, schema and graph say what they should")
async def fixed_resources(s):
    stats = await s.read("windlass://stats")
    assert stats["entity_counts"]["decision"] == 2 and stats["relation_count"] == 2, stats
    assert stats["last_modified"], stats
    schema = await s.read("windlass://schema")
    text = str(schema)
    for kind in ("decision", "task", "note", "prompt", "component", "link"):
        assert kind in text, kind
    graph = await s.read("windlass://graph")
    edges = {(r["source_number"], r["relation_type"], r["target_number"]) for r in graph["relations"]}
    assert edges == {(2, "blocks", 3), (2, "implements", 1)}, edges


@check("pages of a resource follow each other and end")
async def resource_pages(s):
    whole = (await s.read("windlass://entities?limit=100"))["entities"]
    found, offset = [], 0
    while offset is not None:
        page = await s.read(f"windlass://entities?limit=2&offset={offset}")
        assert page["limit"] == 2 and page["offset"] == offset, page
        assert page["total"] == len(whole), page
        found.extend(page["entities"])
        offset = page.get("next_offset")
    assert found == whole
    assert (await s.read("windlass://entities?offset=1000"))["entities"] == []


@check("lists of one page refuse a cursor")
async def cursors(s):
    for fetch in (
        s.client.list_tools,
        s.client.list_resources,
        s.client.list_resource_templates,
        s.client.list_prompts,
    ):
        error = await refusal(fetch(cursor="nonsense"))
        assert error.code == -32602, (fetch, error.code)


@check("bad URIs have the codes of the design, or of the protocol since 2026-07-28")
async def bad_uris(s):
    for uri, code, kind in [
        ("windlass://nothing", -32006, "InvalidResourceUri"),
        ("http://example.com/", -32006, "InvalidResourceUri"),
        ("medulla://entities/bug", -32006, "InvalidResourceUri"),
        ("windlass://entities?type=bug", -32006, "InvalidResourceUri"),
        ("windlass://tasks/due/tomorrow", -32006, "InvalidResourceUri"),
        ("windlass://tasks?limit=0", -32006, "InvalidResourceUri"),
        ("windlass://tasks?limit=101", -32006, "InvalidResourceUri"),
        ("medulla://entity/999", -32005, "ResourceNotFound"),
    ]:
        error = await s.unreadable(uri)
        assert error.code == (-32602 if MODERN else code), (uri, error.code, error.data)
        assert error.data["error_type"] == kind, (uri, error.data)


@check("arguments of templates are completed")
async def completions(s):
    def template(uri):
        return types.ResourceTemplateReference(uri=uri)

    async def complete(uri, name, value):
        answer = await s.client.complete(template(uri), {"name": name, "value": value})
        return answer.completion.values

    assert await complete("windlass://entities/{type}{?limit,offset}", "type", "de") == ["decision"]
    assert len(await complete("windlass://entities/{type}{?limit,offset}", "type", "")) == 8
    filtered = "windlass://entities{?type,status,tag,limit,offset}"
    assert await complete(filtered, "tag", "data") == ["database"]
    assert "in_progress" in await complete(filtered, "status", "in")
    assert await complete("windlass://entity/{id}", "id", "5") == ["5"]
    whole = (await s.call("entity_get", id="1"))["id"]
    assert await complete("windlass://entity/{id}", "id", whole[:13]) == [whole]
    due = "windlass://tasks/due/{date}{?limit,offset}"
    assert await complete(due, "date", "2027") == ["2027-03-01"]
    assert await complete(due, "date", "1999") == []


@check("a change of the prompts is told")
async def prompts_changed(s):
    if MODERN:
        async with s.client.listen(prompts_list_changed=True) as listening:
            assert listening.honored.prompts_list_changed is True, listening.honored
            windlass("add", "prompt", "From another process")
            with anyio.fail_after(LIMIT):
                assert await anext(listening) == PromptsListChanged()
    else:
        assert not s.prompts_changed.is_set()
        windlass("add", "prompt", "From another process")
        with anyio.fail_after(LIMIT):
            await s.prompts_changed.wait()
    (prompt,) = await every_page(s.client.list_prompts, "prompts")
    windlass("delete", prompt.name.rsplit("-", 1)[1], "--yes")


@check("prompts are listed and filled in")
async def prompts(s):
    assert await every_page(s.client.list_prompts, "prompts") == []
    number = await made(
        s,
        "prompt",
        "Review a change!",
        content="How to look at a change.\nMore.",
        properties={"template": "Review {{what}} for {{ why }}.", "variables": ["what", "why"]},
    )
    (prompt,) = await every_page(s.client.list_prompts, "prompts")
    assert prompt.name == f"review-a-change-{number}", prompt
    assert prompt.title == "Review a change!", prompt
    assert prompt.description == "How to look at a change.", prompt
    assert [(a.name, a.required) for a in prompt.arguments] == [("what", True), ("why", True)]
    filled = await s.client.get_prompt(prompt.name, {"what": "main.rs", "why": "speed"})
    (message,) = filled.messages
    assert message.role == "user", message
    assert message.content.text == "Review main.rs for speed.", message.content.text
    for name, arguments, word in [
        (prompt.name, {"what": "it"}, "why"),
        (prompt.name, {"what": "it", "why": "fun", "how": "well"}, "how"),
        ("no-such-prompt-999", {}, "no-such-prompt-999"),
        ("meeting-notes-4", {}, "meeting-notes-4"),
    ]:
        error = await refusal(s.client.get_prompt(name, arguments))
        assert error.code == -32602 and word in error.message, (error.code, error.message)
    await s.call("entity_delete", id=str(number))


@check("what is filled into a prompt is not itself filled in")
async def values_are_not_templates(s):
    number = await made(
        s,
        "prompt",
        "Twice",
        properties={"template": "{{first}} {{second}}", "variables": ["first", "second"]},
    )
    arguments = {"first": "{{second}}", "second": "{{first}}"}
    filled = await s.client.get_prompt(f"twice-{number}", arguments)
    await s.call("entity_delete", id=str(number))
    assert filled.messages[0].content.text == "{{second}} {{first}}", filled.messages


@check("many prompts come in pages")
async def prompt_pages(s):
    operations = [
        {"op": "create", "type": "prompt", "title": f"Prompt {index}"} for index in range(60)
    ]
    report = await s.call("entity_batch", operations=operations)
    first = await s.client.list_prompts()
    assert len(first.prompts) == 50 and first.next_cursor, len(first.prompts)
    found = await every_page(s.client.list_prompts, "prompts")
    assert [prompt.title for prompt in found] == [f"Prompt {index}" for index in range(60)]
    ended = [{"op": "delete", "id": result["id"]} for result in report["results"]]
    assert (await s.call("entity_batch", operations=ended))["failed"] == 0


@check("only what was subscribed to is told, with the URI as it was given")
async def told_only_of_what_was_asked(s):
    tasks, decisions = "medulla://tasks/ready", "windlass://entities/decision"
    async with s.watching(tasks, decisions) as following:
        before = len(s.heard)
        await made(s, "note", "Of interest to no one")
        await made(s, "decision", "Of interest")
        assert await following() == decisions
        assert s.heard[before:] == [decisions], s.heard[before:]
        windlass("update", "2", "--title", "Set up login")
        assert await following() == tasks


@check("one entity can be watched, and its end is told")
async def one_entity(s):
    number = await made(s, "note", "Watched")
    uri = f"windlass://entity/{number}"
    async with s.watching(uri) as following:
        before = len(s.heard)
        await s.call("entity_update", id="4", title="Another note")
        await s.call("entity_update", id=str(number), title="Watched, changed")
        assert await following() == uri
        windlass("delete", str(number), "--yes")
        assert await following() == uri
        assert set(s.heard[before:]) == {uri}, s.heard[before:]


@check("after the end of a subscription nothing more is told")
async def unsubscribed(s):
    tasks, notes = "windlass://entities/task", "windlass://entities/note"
    async with s.watching(notes) as following:
        async with s.watching(tasks) as following_tasks:
            await made(s, "task", "Heard of")
            assert await following_tasks() == tasks
        before = len(s.heard)
        await made(s, "task", "Not heard of")
        await made(s, "note", "Heard of")
        assert await following() == notes
        assert s.heard[before:] == [notes], s.heard[before:]


@check("what cannot be watched is refused or left out")
async def unwatchable(s):
    bad = ("windlass://nothing", "windlass://entity/999")
    if MODERN:
        good = "windlass://tasks"
        async with s.client.listen(resource_subscriptions=[*bad, good]) as listening:
            assert listening.honored.resource_subscriptions == [good], listening.honored
            assert not listening.honored.tools_list_changed, listening.honored
        error = await refusal(s.client.subscribe_resource("windlass://tasks"))
        assert error.code == -32601, error.code
        return
    for uri, code in zip(bad, (-32006, -32005)):
        error = await refusal(s.client.subscribe_resource(uri))
        assert error.code == code, (uri, error.code)
    await s.client.unsubscribe_resource("windlass://never/subscribed")
    try:
        async with s.client.listen(resource_subscriptions=["windlass://tasks"]):
            raise AssertionError("the new way is not there for old clients")
    except ListenNotSupportedError:
        pass


@check("the end of the server ends what listens to it")
async def end_of_server(_):
    with RawServer() as server:
        if MODERN:
            uris = ["windlass://tasks"]
            request = server.start(
                "subscriptions/listen", notifications={"resourceSubscriptions": uris}
            )
            server.wait_for_log("subscriptions/listen", "started")
            server.terminate()
            answer = server.answer(request)
            assert answer["result"]["resultType"] == "complete", answer
            meta = answer["result"]["_meta"]
            assert meta["io.modelcontextprotocol/subscriptionId"] == request, answer
        else:
            assert server.request("resources/subscribe", uri="windlass://tasks")["result"] == {}
            server.terminate()
        assert server.wait() == 0


async def made(s, kind, title, **more):
    """The number of a new entity."""
    return (await s.call("entity_create", type=kind, title=title, **more))["sequence_number"]


async def refusal(request):
    try:
        result = await request
    except MCPError as error:
        return error
    raise AssertionError(f"answered {result}")


async def run():
    async with session() as s:
        return await check.run(s)


main(run)
