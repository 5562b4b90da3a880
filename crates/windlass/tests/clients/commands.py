"""The test checklist of the design of commands and jobs, and what was added to it.

The folder holds a Makefile, a package.json, a justfile and a Taskfile; `task` is not installed. The
allowlist is in `../config`, and `config.toml` sets a grace of one second.
"""

import json
import os
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path

from mcp.shared.exceptions import MCPError

from harness import FOLDER, LIMIT, MODERN, Checks, anyio, main, session, windlass

check = Checks()

CONFIG = FOLDER.parent / "config"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"

# All that the server finds on its PATH: the missing runner is missing on every machine.
PROGRAMS = ("make", "npm", "node", "just", "sh", "sleep", "seq", "env", "echo", "touch")


async def start(s, name, **more):
    return await s.call("task_start", unique_name=name, **more)


async def running(s, name, **more):
    """The PID of a job that goes on."""
    started = await start(s, name, **{"wait_seconds": 0, **more})
    assert started["state"] == "running", started
    return started["pid"]


async def stop(s, pid):
    return await s.call("task_stop", pid=pid, grace_period=2)


async def ended(s, pid):
    return await s.call("task_wait", pid=pid, timeout=LIMIT)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@check("list_tasks has every command with every field")
async def listed(s):
    answer = await s.call("list_tasks")
    tasks = {task["unique_name"]: task for task in answer["tasks"]}
    assert len(tasks) == len(answer["tasks"]), answer
    assert tasks["build"] == {
        "unique_name": "build",
        "source_name": "build",
        "runner": "make",
        "command": "make build",
        "runner_available": True,
        "allowlisted": True,
        "file_path": "Makefile",
        "line": 1,
        "cwd": ".",
        "kind": "task",
        "description": "Build it",
    }, tasks["build"]
    for task in tasks.values():
        assert set(task) - {"description"} == set(tasks["build"]) - {"description"}, task
    assert set(answer) == {"tasks", "total"}, answer


@check("a name that is found more than once carries its runner")
async def duplicates(s):
    tasks = (await s.call("list_tasks", query="test"))["tasks"]
    found = {task["unique_name"]: (task["source_name"], task["runner"]) for task in tasks}
    assert found == {
        "test-m": ("test", "make"),
        "test-n": ("test", "npm"),
        "test-j": ("test", "just"),
    }, found
    error = await s.refused("task_start", unique_name="test")
    assert error.code == -32012, error
    for name, said in [("test-m", "make tests\n"), ("test-n", "npm tests\n"), ("test-j", "just tests\n")]:
        done = await start(s, name, wait_seconds=9)
        assert done["state"] == "exited" and done["exit_code"] == 0, done
        assert done["initial_output"].endswith(said), done


@check("list_tasks filters by runner, and refuses one that is none")
async def runners(s):
    for runner in ("make", "npm", "just", "task"):
        tasks = (await s.call("list_tasks", runner=runner))["tasks"]
        assert tasks and {task["runner"] for task in tasks} == {runner}, tasks
    assert (await s.call("list_tasks", runner="cargo"))["tasks"] == []
    error = await s.refused("list_tasks", runner="mak")
    assert error.code == -32602 and "make" in str(error.data), error.data


@check("a runner that is not installed is told, and how to install it")
async def missing_runner(s):
    (task,) = (await s.call("list_tasks", runner="task"))["tasks"]
    assert task["runner_available"] is False and task["allowlisted"] is True, task
    error = await s.refused("task_start", unique_name="lint")
    assert error.code == -32011, error
    assert error.message.startswith("Runner 'task' is not available for task 'lint'. "), error.message
    assert error.data["error_type"] == "RunnerUnavailable", error.data
    assert error.data["hint"].startswith("Install task: "), error.data
    assert error.data["runner"] == "task", error.data


@check("what nobody allowed is refused with the code, message and hint of the design")
async def not_allowlisted(s):
    (task,) = (await s.call("list_tasks", query="deploy"))["tasks"]
    assert task["allowlisted"] is False, task
    error = await s.refused("task_start", unique_name="deploy")
    assert error.code == -32010, error
    assert error.message.startswith("Task 'deploy' is not allowlisted for MCP execution. "), error.message
    assert error.data["error_type"] == "NotAllowlisted", error.data
    assert error.data["hint"] == "Ask a human to grant MCP access to this task", error.data
    assert error.data["reason"] == "an entry of scope Deny matches", error.data
    assert not (FOLDER / "deployed").exists()


@check("a command that is not there is refused with the code, message and hint of the design")
async def not_found(s):
    for tool in ("task_start", "task_status"):
        error = await s.refused(tool, unique_name="nonexistent-task")
        assert error.code == -32012, error
        assert error.message.startswith("Task 'nonexistent-task' not found. "), error.message
        assert error.data["error_type"] == "TaskNotFound", error.data
        assert error.data["hint"] == "Use 'list_tasks' to see available tasks", error.data
    error = await s.refused("task_start", unique_name="biuld")
    assert error.data["did_you_mean"] == "build", error.data


@check("what ends within a second is answered with its output and exit code, and no PID")
async def fast(s):
    assert await start(s, "build") == {
        "state": "exited",
        "exit_code": 0,
        "initial_output": "building\nbuilt\n",
    }


@check("an exit code that is not zero is answered, with what was said on standard error")
async def failing(s):
    done = await start(s, "fail")
    assert done["state"] == "exited" and done["exit_code"] == 2, done
    assert "pid" not in done and done["initial_output"].startswith("broken\n"), done


@check("arguments and variables reach the command as they were given")
async def arguments(s):
    words = ["--verbose", "a b", "$(touch injected)", "-f", "ü"]
    done = await start(s, "words", args=words, env={"NODE_ENV": "deep-red"}, wait_seconds=9)
    assert done["exit_code"] == 0, done
    (said,) = [line for line in done["initial_output"].splitlines() if line.startswith("[")]
    assert json.loads(said) == [*words, "deep-red"], said
    done = await start(s, "hello", args=["you"], wait_seconds=9)
    assert done["initial_output"] == "hello you\n", done
    # A recipe inserts its argument into a script, where it would become two words.
    error = await s.refused("task_start", unique_name="hello", args=["you --there"])
    assert error.code == -32602 and "just would insert" in error.message, error
    assert not (FOLDER / "injected").exists()


@check("what goes on is answered after a second with its PID and what it wrote so far")
async def long(s):
    begin = time.monotonic()
    started = await start(s, "long")
    assert 0.9 < time.monotonic() - begin < 5, "a second of capture"
    pid = started.pop("pid")
    assert started == {"state": "running", "initial_output": "ready\n"}, started
    assert alive(pid)
    for job in (
        *(await s.call("status"))["running"],
        *(await s.call("task_status", unique_name="long"))["jobs"],
    ):
        assert (job["pid"], job["unique_name"], job["state"]) == (pid, "long", "running"), job
        assert abs(job["started_at"] - time.time()) < 30, job
        assert job["command"] == "make long" and job["args"] == [] and job["cwd"] == ".", job
        assert job["file_path"] == "Makefile" and job["source_name"] == "long", job
    assert (await s.call("task_status", unique_name="build"))["jobs"][0]["state"] == "exited"
    output = await s.call("task_output", pid=pid, lines=100, show_truncation=True)
    next_byte = output.pop("next")
    assert next_byte == 6, next_byte
    assert output == {
        "pid": pid,
        "lines": ["ready"],
        "total_lines": 1,
        "total_bytes": 6,
        "truncated": False,
        "buffer_full": False,
    }, output
    stopped = await s.call("task_stop", pid=pid, grace_period=5)
    assert stopped["pid"] == pid and stopped["status"] == "graceful", stopped
    assert stopped["message"].startswith("Process stopped gracefully"), stopped
    assert stopped["grace_period_used"] == 5, stopped
    assert not alive(pid)
    assert (await s.call("status"))["running"] == []
    (job,) = (await s.call("task_status", unique_name="long"))["jobs"]
    assert job["state"] != "running", job
    assert (await s.call("task_stop", pid=pid))["message"].startswith("Process had already ended")


@check("the same command may run more than once, each with its own PID and arguments")
async def several(s):
    pids = [await running(s, "wait-for", args=[word]) for word in ("one", "two")]
    jobs = (await s.call("task_status", unique_name="wait-for"))["jobs"]
    assert sorted((job["pid"], job["args"]) for job in jobs) == sorted(
        zip(pids, (["one"], ["two"]))
    ), jobs
    for pid in pids:
        await stop(s, pid)


@check("what ignores the request to end is killed after the grace period")
async def stubborn(s):
    for given, grace, said in [({"grace_period": 0.3}, 0.3, "0.3 seconds"), ({}, 1, "1 second")]:
        pid = await running(s, "stubborn")
        await s.call("task_wait", pid=pid, until="pattern", pattern="up")
        stopped = await s.call("task_stop", pid=pid, **given)
        message = f"Process did not stop within {said} and was killed"
        assert stopped == {
            "pid": pid,
            "status": "killed",
            "message": message,
            "grace_period_used": grace,
        }, stopped
        assert not alive(pid)


@check("a PID that is no job is refused")
async def no_job(s):
    for tool in ("task_output", "task_stop"):
        error = await s.refused(tool, pid=1)
        assert error.code == -32012 and error.data["error_type"] == "JobNotFound", error
    result = await s.client.call_tool("task_wait", {"pid": 1})
    assert result.is_error and result.structured_content["error_type"] == "JobNotFound", result
    assert alive(1)


@check("the last lines can be had, and how many are missing")
async def tail(s):
    done = await start(s, "lines", env={"LINES": "900"})
    # More than fits the first answer: the PID says where the rest is.
    assert done["truncated"] is True and done["exit_code"] == 0, done
    assert len(done["initial_output"]) <= 8192 and "line 900\n" in done["initial_output"], done
    pid = done["pid"]
    output = await s.call("task_output", pid=pid, lines=2)
    assert output["lines"] == ["this is line 899", "this is line 900"], output
    assert output["total_lines"] == 900 and output["truncated"] is True, output
    shown = await s.call("task_output", pid=pid, lines=1000, show_truncation=True)
    assert shown["truncated"] is True and shown["buffer_full"] is False, shown
    count = 900 - (len(shown["lines"]) - 1)
    assert shown["lines"][0] == f"[{count} earlier lines are not shown]", shown["lines"][0]
    assert shown["lines"][1] == f"this is line {count + 1}", shown["lines"][1]


@check("pages by a byte cursor put the whole output together")
async def pages(s):
    whole = "".join(f"this is line {number}\n" for number in range(1, 901))
    done = await start(s, "lines", env={"LINES": "900"})
    pid, at, text, count = done["pid"], 0, "", 0
    while True:
        page = await s.call("task_output", pid=pid, **{"from": at})
        text += "".join(f"{line}\n" for line in page["lines"])
        assert page["total_bytes"] == len(whole) and "dropped" not in page, page
        count += 1
        if page["next"] == at:
            break
        assert len("\n".join(page["lines"])) <= 8192, len(page["lines"])
        at = page["next"]
    assert text == whole and at == len(whole) and count > 2, (len(text), at, count)


@check("a cursor that was overtaken says how much was dropped")
async def dropped(s):
    done = await start(s, "lines", env={"LINES": "3000"}, wait_seconds=9)
    page = await s.call("task_output", pid=done["pid"], **{"from": 0})
    assert page["buffer_full"] is True and page["total_lines"] == 3000, page
    first = "this is line 2001"
    assert page["lines"][0] == first, page["lines"][0]
    assert page["dropped"] == sum(len(f"this is line {n}\n") for n in range(1, 2001)), page["dropped"]


@check("the outputs can be had apart")
async def streams(s):
    # A job that ended at once is known by its name.
    done = await start(s, "streams")
    assert sorted(done["initial_output"].split()) == ["err", "out", "out"], done
    (job,) = (await s.call("task_status", unique_name="streams"))["jobs"]
    for stream, lines in [("stdout", ["out", "out"]), ("stderr", ["err"])]:
        output = await s.call("task_output", pid=job["pid"], stream=stream)
        assert output["lines"] == lines, output


@check("only matching lines can be had, with their neighbours")
async def grep(s):
    pid = (await start(s, "lines", env={"LINES": "900"}))["pid"]
    output = await s.call("task_output", pid=pid, grep="line [67]50$", context=1)
    assert output["lines"] == [
        *("649-this is line 649", "650:this is line 650", "651-this is line 651"),
        *("749-this is line 749", "750:this is line 750", "751-this is line 751"),
    ], output
    assert output["matches"] == 2, output
    error = await s.refused("task_output", pid=pid, grep="(")
    assert error.code == -32602 and "regular expression" in error.message, error


@check("task_wait waits for the end, for a line, for a port, and no longer than it was told")
async def waits(s):
    pid = await running(s, "ticks")
    waited = await s.call("task_wait", pid=pid, timeout=0.1)
    assert waited["outcome"] == "timed_out" and waited["state"] == "running", waited
    waited = await s.call("task_wait", pid=pid, until="pattern", pattern="tick [3-9]")
    assert waited["outcome"] == "matched" and waited["line"] == "tick 3", waited
    waited = await s.call("task_wait", pid=pid)
    assert waited["outcome"] == "ended" and waited["exit_code"] == 0, waited
    waited = await s.call("task_wait", pid=pid, until="pattern", pattern="tick 99")
    assert waited["outcome"] == "ended", waited


@check("a port counts when the job itself listens on it")
async def port(s):
    with socket.create_server(("127.0.0.1", 0)) as held:
        taken = held.getsockname()[1]
        with socket.create_server(("127.0.0.1", 0)) as probe:
            free = str(probe.getsockname()[1])
        pid = await running(s, "serve", env={"PORT": free})
        waited = await s.call("task_wait", pid=pid, until="port", port=int(free), timeout=LIMIT)
        assert waited["outcome"] == "listening", waited
        socket.create_connection(("127.0.0.1", int(free)), timeout=LIMIT).close()
        waited = await s.call("task_wait", pid=pid, until="port", port=taken, timeout=0.3)
        assert waited["outcome"] == "held_by_another", waited
    await stop(s, pid)


@check("wait_seconds waits longer than a second, and tells how it goes")
async def wait_seconds(s):
    told = []

    async def hear(progress, total, message):
        told.append((progress, total, message))

    result = await s.client.call_tool(
        "task_start", {"unique_name": "slow", "wait_seconds": 9}, progress_callback=hear
    )
    done = result.structured_content
    assert done["state"] == "exited" and done["initial_output"] == "begun\nover\n", done
    assert told and told[0][1] == 9 and told[0][2] == "slow: begun", told
    assert [step for step, _, _ in told] == sorted({step for step, _, _ in told}), told


@check("a dry run shows what would be run and whether it may, and runs nothing")
async def dry_run(s):
    answer = await start(s, "build", dry_run=True)
    plan = answer["dry_run"]
    assert answer["state"] == "dry_run" and plan["would_start"] is True, answer
    assert plan["command"] == "make build" and plan["cwd"] == ".", plan
    assert plan["file_path"] == "Makefile" and plan["line"] > 0, plan
    for name, more, field, said in [
        ("deploy", {}, "reason", "an entry of scope Deny matches"),
        ("build", {"args": ["-f", "x"]}, "refusal", "takes no arguments"),
        ("build", {"env": {"PATH": "/tmp"}}, "refusal", "PATH"),
        ("lint", {}, "runner_available", "False"),
    ]:
        plan = (await start(s, name, dry_run=True, **more))["dry_run"]
        assert plan["would_start"] is False and said in str(plan[field]), plan
    assert not (FOLDER / "deployed").exists()


@check("output is told as it comes to a client that asked for the log")
async def logged(s):
    def of(pid):
        return [it for it in s.logged if it.data["pid"] == pid]

    silent = await running(s, "ticks")
    await ended(s, silent)
    meta = None
    if MODERN:
        meta = {LOG_LEVEL: "info"}
    else:
        await s.client.set_logging_level("info")
    result = await s.client.call_tool(
        "task_start", {"unique_name": "ticks", "wait_seconds": 9}, meta=meta
    )
    done = result.structured_content
    assert done["exit_code"] == 0, done
    pid = (await s.call("task_status", unique_name="ticks"))["jobs"][0]["pid"]
    lines = [f"tick {number}" for number in range(1, 6)]
    await s.until(lambda: [line for it in of(pid) for line in it.data.get("lines", [])] == lines)
    first = of(pid)[0]
    assert first.level == "info" and first.logger == f"job:{pid}", first
    assert first.data["type"] == "stdout" and first.data["unique_name"] == "ticks", first
    if MODERN:
        # A log belongs to its request there; another request that asks for none hears nothing.
        before = len(s.logged)
        await start(s, "build")
        assert len(s.logged) == before, s.logged[before:]
    else:
        last = await s.until(lambda: [it for it in of(pid) if it.data.get("event") == "ended"])
        assert last[0].data["exit_code"] == 0 and last[0].level == "notice", last
        await s.client.set_logging_level("error")
        before = len(s.logged)
        await start(s, "build")
        assert len(s.logged) == before, s.logged[before:]
    assert not of(silent), of(silent)


@check("a job and its log are resources, under both schemes, with a cursor")
async def resources(s):
    pid = await running(s, "ticks")
    await ended(s, pid)
    job = await s.read(f"windlass://job/{pid}")
    assert (job["pid"], job["unique_name"], job["state"]) == (pid, "ticks", "exited"), job
    assert job["exit_code"] == 0, job
    assert await s.read(f"job://{pid}") == job
    log = await s.read(f"windlass://joblog/{pid}")
    assert log["lines"] == [f"tick {number}" for number in range(1, 6)], log
    rest = await s.read(f"windlass://joblog/{pid}?from=14")
    assert rest["lines"] == ["tick 3", "tick 4", "tick 5"] and rest["next"] == 35, rest
    assert await s.read(f"joblog://{pid}?from=14") == rest
    for uri in ("job://1", "windlass://joblog/1"):
        error = await s.unreadable(uri)
        assert error.data["error_type"] == "ResourceNotFound", error.data


@check("who watches a job hears of its output and of its end")
async def watched(s):
    pid = await running(s, "long")
    job, log = f"windlass://job/{pid}", f"joblog://{pid}"
    async with s.watching(job, log) as following:
        await stop(s, pid)
        assert job in {await following(), await following()} or job in s.heard, s.heard
    assert (await s.read(job))["state"] != "running"
    pid = await running(s, "ticks")
    log = f"windlass://joblog/{pid}"
    async with s.watching(log) as following:
        # News of the job before may still be on their way.
        while await following() != log:
            pass
        seen = (await s.read(log))["lines"]
        assert "tick 1" in seen, seen
        await ended(s, pid)
    assert (await s.read(log))["lines"][-1] == "tick 5"


@check("a start that is called off while it waits leaves no job")
async def called_off(s):
    marker = FOLDER / "pid-of-waiting"
    marker.unlink(missing_ok=True)
    try:
        with anyio.move_on_after(0.6) as scope:
            await start(s, "waiting", wait_seconds=30)
        assert scope.cancelled_caught
    except MCPError as error:
        raise AssertionError("answered") from error
    pid = int(await s.until(lambda: marker.exists() and marker.read_text().strip()))
    await s.until(lambda: not alive(pid))
    jobs = (await s.call("task_status", unique_name="waiting"))["jobs"]
    assert [job["state"] for job in jobs] == ["failed"] or jobs[0]["state"] == "exited", jobs
    # A wait that is called off leaves the job alone.
    pid = await running(s, "long")
    with anyio.move_on_after(0.2):
        await s.call("task_wait", pid=pid, timeout=9)
    assert (await s.call("task_wait", pid=pid, timeout=0))["state"] == "running"
    await stop(s, pid)


@check("tools that decide what is allowed are not offered, and not answered")
async def no_allowlist_tools(s):
    names = {tool.name for tool in (await s.client.list_tools()).tools}
    assert {"list_tasks", "status", "task_start", "task_status", "task_output", "task_stop"} <= names
    for name in ("allowlist_allow", "allowlist_deny", "allowlist_revoke"):
        assert name not in names, name
        error = await s.refused(name, target="deploy")
        assert error.code == -32602, error
    assert (await s.call("allowlist_list", name="deploy"))["explanation"]["allowlisted"] is False


@check("events tell of jobs")
async def events(_):
    said = json.loads(windlass("log", "--json", "--limit", "100"))
    kinds = [event["type"] for event in said["events"]]
    assert "job.started" in kinds and "job.ended" in kinds, kinds


@check("the end of the session ends its jobs")
async def last(s):
    async with connected(s.path) as other:
        pid = await running(other, "stubborn")
    await s.until(lambda: not alive(pid))


def connected(path):
    # Beside the plan, which has a tool of the same name, `list_tasks` would carry its toolset.
    arguments = ("mcp", "--toolsets", "commands,knowledge")
    return session(
        arguments=arguments, XDG_CONFIG_HOME=str(CONFIG), HOME=str(FOLDER.parent), PATH=path
    )


async def run():
    with tempfile.TemporaryDirectory() as path:
        for program in PROGRAMS:
            found = shutil.which(program)
            assert found, f"{program} is not installed"
            os.symlink(os.path.realpath(found), Path(path, program))
        os.symlink(os.path.realpath(sys.executable), Path(path, "python3"))
        async with connected(path) as s:
            s.path = path
            return await check.run(s)


main(run)
