"""A story of the work lifecycle through plain tools, as an agent plays it: a milestone with three tasks
that wait for each other, two gates of which one fails first, a second try, a review, and the next task.
People decide where people decide: at a terminal.

The folder is an empty project.
"""

import os
import subprocess

from harness import BINARY, FOLDER, LIMIT, Checks, main, session
from terminal import Terminal

check = Checks()

CONFIG = FOLDER.parent / "config"
ENVIRONMENT = {"XDG_CONFIG_HOME": str(CONFIG), "HOME": str(FOLDER.parent), "PATH": os.environ["PATH"]}
STORY = {}


def person(*words):
    """What a person at a terminal sees of a command that goes well."""
    with Terminal([BINARY, *words], FOLDER, {**os.environ, **ENVIRONMENT, "NO_COLOR": "1"}) as terminal:
        code = terminal.end()
        assert code == 0, (words, code, terminal.said)
        return terminal.said


async def fails(agent, tool, **arguments):
    """The error that a tool of the lifecycle answers."""
    result = await agent.client.call_tool(tool, arguments)
    assert result.is_error is True, result
    return result.structured_content


@check("a person adds two gates, an agent may not")
async def gates(agent):
    person("gates", "add", "notes", "test -f notes.txt")
    person("gates", "add", "talk", "echo $WINDLASS_GATE_NAME; exit 0")
    listed = await agent.call("gate_list")
    assert [gate["name"] for gate in listed["gates"]] == ["notes", "talk"], listed
    error = await agent.refused("gate_add", name="mine", command="true")
    assert error.error.code == -32602, error
    refused = subprocess.run(
        [BINARY, "gates", "remove", "notes"],
        cwd=FOLDER,
        env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT,
    )
    assert refused.returncode == 6 and b"Only a person" in refused.stderr, refused


@check("a milestone with three tasks that wait for each other")
async def plan(agent):
    milestone = await agent.call("work_create", description="Version 1", kind="milestone")
    parent = milestone["id"]
    design = await agent.call("work_create", description="Design", parent_id=parent, context="Keep it small.")
    build = await agent.call("work_create", description="Build", parent_id=parent, blocked_by=[design["id"]])
    ship = await agent.call("work_create", description="Ship", parent_id=parent, blocked_by=[build["number"]])
    STORY.update(milestone=milestone, design=design, build=build, ship=ship)
    assert (milestone["kind"], design["kind"], design["depth"]) == ("milestone", "task", 1)
    assert ship["effectively_blocked"] and ship["blocked_by"] == [build["id"]], ship
    found = await agent.call("work_next_ready", milestone_id=parent)
    assert found["task"]["description"] == "Design", found
    assert found["task"]["contexts"]["own"] == "Keep it small.", found
    assert found["task"]["gates"] == ["notes", "talk"], found
    error = await fails(agent, "work_start", id=build["id"])
    assert error["error_type"] == "TaskBlocked" and error["hint"], error
    progress = await agent.call("work_progress", id=parent)
    assert (progress["total"], progress["ready"], progress["blocked"]) == (3, 1, 2), progress


@check("the first try fails at one gate, and the answer says what to do")
async def first_try(agent):
    task = STORY["design"]["id"]
    assert (await agent.call("work_start", id=task))["status"] == "in_progress"
    await agent.call("learning_add", task_id=task, content="Small designs are read")
    answer = await agent.call("work_submit", id=task, wait=True)
    (failure,) = answer["gate_failures"]
    assert (failure["name"], failure["attempt"], failure["max_retries"]) == ("notes", 1, 3), failure
    assert failure["exit_code"] == 1 and failure["escalated"] is False, failure
    assert answer["action_required"] == "fix_and_resubmit", answer
    assert answer["review"]["status"] == "gates_pending", answer
    STORY["review"] = answer["review"]["id"]


@check("mended and submitted again, the gates pass")
async def second_try(agent):
    (FOLDER / "notes.txt").write_text("mended\n")
    answer = await agent.call("work_submit", id=STORY["design"]["id"], wait=True)
    assert answer["review"]["id"] == STORY["review"] and answer["review"]["round"] == 2, answer
    assert answer["review"]["status"] == "agent_pending" and answer["gate_failures"] == [], answer
    results = await agent.call("gate_results", review_id=STORY["review"])
    told = [(result["name"], result["attempt"], result["status"]) for result in results["results"]]
    assert told == [
        ("notes", 1, "failed"),
        ("talk", 1, "passed"),
        ("notes", 2, "passed"),
        ("talk", 2, "passed"),
    ], told


@check("another session reviews, a person has the last word")
async def approval(agent):
    review = STORY["review"]
    async with session(**ENVIRONMENT) as other:
        await other.call("review_comment", review_id=review, body="Fine with me")
        error = await fails(agent, "review_approve", id=review)
        assert error["error_type"] == "OwnReview", error
        answer = await other.call("review_approve", id=review)
        assert answer["review"]["status"] == "human_pending", answer
        error = await fails(other, "review_approve", id=review)
        assert error["error_type"] == "HumanOnly", error
    assert "Fine with me" in person("reviews", "show", "1")
    assert "approved" in person("reviews", "approve", "1")
    task = await agent.call("work_get", id=STORY["design"]["id"])
    assert task["status"] == "completed" and task["completed_at"], task


@check("what waited is ready, and what was learnt is known above")
async def moves_on(agent):
    found = await agent.call("work_next_ready", milestone_id=STORY["milestone"]["id"])
    assert found["task"]["id"] == STORY["build"]["id"], found
    assert [it["content"] for it in found["task"]["learnings"]["parent"]] == ["Small designs are read"]
    tree = (await agent.call("work_tree", id=STORY["milestone"]["id"]))["tree"]
    assert [child["status"] for child in tree[0]["children"]] == ["completed", "pending", "pending"]


@check("the history tells the story in order")
async def history(agent):
    told, after = [], 0
    while True:
        types = ["task.started", "task.submitted", "task.completed", "review.", "gate.passed", "gate.failed"]
        page = await agent.call("event_replay", after=after, types=types, entity=STORY["design"]["id"], limit=5)
        assert all(event["seq"] > after for event in page["events"]), page
        told += [event["type"] for event in page["events"]]
        after = page["last_seq"]
        if not page["has_more"]:
            break
    assert told == [
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
        "review.advanced",
        "review.approved",
        "task.completed",
    ], told


async def run():
    async with session(**ENVIRONMENT) as agent:
        return await check.run(agent)


main(run)
