"""The whole story of the work lifecycle in one script of `execute`, and every act that is for people tried
by an agent in scripts. The folder is an empty project; a person prepares it at a terminal.
"""

import os

from harness import BINARY, FOLDER, Checks, main, session
from terminal import Terminal

check = Checks()

CONFIG = FOLDER.parent / "config"
ENVIRONMENT = {"XDG_CONFIG_HOME": str(CONFIG), "HOME": str(FOLDER.parent), "PATH": os.environ["PATH"]}
ENVIRONMENT |= {name: os.environ[name] for name in ["XDG_STATE_HOME"] if name in os.environ}

STORY = """
const milestone = await tasks.create({ description: "Version 1", kind: "milestone" });
const design = await tasks.create({ description: "Design", parentId: milestone.id });
const build = await tasks.create({ description: "Build", parentId: milestone.id, blockedBy: [design.id] });
const ship = await tasks.create({ description: "Ship", parentId: milestone.id, blocked_by: [build.id] });
let blocked;
try { await tasks.start(build.id) } catch (error) { blocked = error.tag }
const first = (await tasks.nextReady({ milestoneId: milestone.id })).task;
await tasks.start(first.id);
await learnings.add({ task_id: design.id, content: "Small designs are read" });
const failed = await tasks.submit(design.id, { wait: true });
// The gate asks for a file. Scripts have none; the repository's own command makes it.
const fixed = await commands.start("fix");
const passed = await tasks.submit({ id: design.id, wait: true });
const results = await gates.results(passed.review.id);
const approved = await reviews.approve(passed.review.id);
const next = (await tasks.nextReady({ milestoneId: milestone.id })).task;
const kinds = ["task.started", "task.submitted", "task.completed", "review.", "gate.passed", "gate.failed"];
const { events: told } = await events.replay({ types: kinds, entity: design.id, limit: 100 });
return {
  blocked, first: first.description, failures: failed.gate_failures.map((gate) => gate.name),
  fixed: fixed.state ?? fixed.status, gates: passed.gate_failures.length,
  results: results.results.map((result) => `${result.name} ${result.attempt} ${result.status}`),
  status: (await tasks.get(design.id)).status, next: next.description,
  told: told.map((event) => event.type),
  together: new Set(told.map((event) => event.correlation_id)).size,
};
"""


def person(*words):
    with Terminal([BINARY, *words], FOLDER, {**os.environ, **ENVIRONMENT, "NO_COLOR": "1"}) as terminal:
        code = terminal.end()
        assert code == 0, (words, code, terminal.said)


@check("one script plans, works, fails at a gate, mends, hands in again, approves and goes on")
async def whole_story(agent):
    answer = await agent.call("execute", code=STORY)
    assert answer["ok"] is True, answer
    told = answer["value"]
    assert told["blocked"] == "TaskBlocked" and told["first"] == "Design", told
    assert told["failures"] == ["notes"] and told["gates"] == 0, told
    assert told["results"] == [
        "notes 1 failed",
        "talk 1 passed",
        "notes 2 passed",
        "talk 2 passed",
    ], told
    assert told["status"] == "completed" and told["next"] == "Build", told
    assert told["told"] == [
        "task.started",
        "task.submitted",
        "review.created",
        "gate.failed",
        "gate.passed",
        "task.submitted",
        "review.resubmitted",
        "gate.passed",
        "gate.passed",
        "review.advanced",
        "review.approved",
        "task.completed",
    ], told
    assert told["together"] == 1, "one script, one correlation id"


# Every act that is for people, as a script would try it.
FOR_PEOPLE = {
    "tasks.forceComplete(1)",
    "tasks.setStatus(1, 'completed')",
    "tasks.delete(1)",
    "gates.add('mine', 'true')",
    "gates.update('notes', { command: 'true' })",
    "gates.remove('notes')",
    "help.respond(1, 'yes')",
    "help.resume(1)",
    "commands.allow('fix')",
    "commands.deny('fix')",
    "commands.revoke('fix')",
}


@check("what is for people is refused to scripts")
async def for_people(agent):
    methods = (await agent.call("execute", code="return Object.keys(commands)"))["value"]
    for attempt in sorted(FOR_PEOPLE):
        space, method = attempt.split("(")[0].split(".")
        if space == "commands" and method not in methods:
            continue
        code = f"try {{ return await {attempt} }} catch (error) {{ return error.tag }}"
        answer = await agent.call("execute", code=code)
        assert answer["value"] == "HumanOnly", (attempt, answer)


async def run():
    (FOLDER / "Makefile").write_text("fix:\n\t@touch notes.txt\n")
    (FOLDER / ".windlass/config.toml").write_text("[workflow]\nhuman_review = false\n")
    person("allow", "fix", "--yes")
    person("allow", ".windlass/config.toml", "--yes")
    person("gates", "add", "notes", "test -f notes.txt")
    person("gates", "add", "talk", "echo $WINDLASS_GATE_NAME")
    async with session(arguments=("mcp", "--toolsets", "code"), **ENVIRONMENT) as agent:
        return await check.run(agent)


main(run)
