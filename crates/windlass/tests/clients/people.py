"""What people do at a terminal: allow and forbid, run commands, answer questions, press Ctrl-C.

The folder is a project without an allowlist; every check begins with none.
"""

import json
import os
import random
import signal
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor

from harness import BINARY, FOLDER, Checks, main
from terminal import LIMIT, Terminal, processes_with, until

check = Checks()

CONFIG = FOLDER.parent / "config"
ALLOWLIST = CONFIG / "windlass" / "allowlist.toml"
TAG = f"PEOPLE_OF_TEST={FOLDER}"
ENVIRONMENT = {
    **os.environ,
    "XDG_CONFIG_HOME": str(CONFIG),
    "HOME": str(FOLDER.parent),
    "NO_COLOR": "1",
    **dict([TAG.split("=", 1)]),
}

NASTY = r"""#!/bin/sh
sh -c 'trap "" TERM INT HUP; sh -c "trap \"\" TERM; sleep 600 & wait" & while :; do sleep 600; done' &
setsid sh -c 'sleep 600 & sleep 600' &
(setsid sh -c 'trap "" TERM HUP; while :; do sleep 600; done' & exit 0) &
echo up
wait
"""


def write(name, text):
    path = FOLDER / name
    path.write_text(text)
    if name.endswith(".sh"):
        path.chmod(0o755)


def start_anew():
    ALLOWLIST.unlink(missing_ok=True)
    (FOLDER / "ran").unlink(missing_ok=True)


def windlass(*words):
    """At a terminal."""
    return Terminal([BINARY, *words], FOLDER, ENVIRONMENT)


def done(*words):
    """What a person sees of a command that goes well. What they allow here, they have seen."""
    if words[0] == "allow":
        words = (*words, "--yes")
    with windlass(*words) as terminal:
        code = terminal.end()
        assert code == 0, (words, code, terminal.said)
        return terminal.said


def without_terminal(*words, **more):
    return subprocess.run(
        [BINARY, *words],
        cwd=FOLDER,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT,
        **more,
    )


def why(name):
    said = json.loads(without_terminal("allowed", name, "--json").stdout)["explanation"]
    return said["allowlisted"], said["reason"]


def ran():
    """Whether the command has run; asks once."""
    mark = FOLDER / "ran"
    found = mark.exists()
    mark.unlink(missing_ok=True)
    return found


@check("a person allows, looks, denies and takes back")
async def grants():
    start_anew()
    assert "Nothing is allowed yet" in done("allowed")
    said = done("allow", "mark")
    assert said.startswith("Allowed mark of ") and "current definition" in said, said
    assert why("mark") == (True, "allowed by an entry of scope Task"), why("mark")
    assert why("other")[0] is False
    assert "mark" in done("allowed") and "is allowed" in done("allowed", "mark")
    done("deny", "mark")
    assert why("mark") == (False, "an entry of scope Deny matches"), why("mark")
    assert "Still denied: mark of " in done("revoke", "mark")
    assert why("mark") == (False, "an entry of scope Deny matches"), why("mark")
    with windlass("revoke", "mark") as terminal:
        assert terminal.end() == 4 and "--deny removes the denial" in terminal.said, terminal.said
    done("revoke", "--deny", "mark")
    assert why("mark") == (False, "no entry allows it"), why("mark")
    for words in (("revoke", "mark"), ("revoke", "--deny", "mark")):
        with windlass(*words) as terminal:
            assert terminal.end() == 4, terminal.said
    done("allow", "./Makefile", "--scope", "file")
    assert why("mark")[0] is True and why("other")[0] is True and why("nasty")[0] is False
    done("allow", ".")
    assert why("nasty") == (True, "allowed by an entry of scope Directory"), why("nasty")
    done("deny", "./Makefile")
    assert why("mark")[0] is False and why("nasty")[0] is True


@check("a grant is pinned, unless a person says otherwise")
async def pins():
    start_anew()
    makefile = (FOLDER / "Makefile").read_text()
    done("allow", "mark")
    done("allow", "other", "--no-pin")
    write("Makefile", makefile.replace("touch ran", "touch ran again"))
    assert why("mark")[0] is False and "changed" in why("mark")[1], why("mark")
    assert why("other")[0] is True, why("other")
    done("allow", "mark")
    assert why("mark")[0] is True
    write("Makefile", makefile)
    assert why("mark")[0] is False


@check("what a person wrote into the allowlist stays, and only the person can read it")
async def kept():
    start_anew()
    ALLOWLIST.parent.mkdir(parents=True, exist_ok=True)
    mine = f'# mine\n\n[[entries]] # a folder\npath = "{FOLDER}/web" # the site\nscope = "Deny"\n'
    ALLOWLIST.write_text(mine)
    done("allow", "mark")
    done("deny", "other")
    done("revoke", "mark")
    text = ALLOWLIST.read_text()
    assert text.startswith(mine), text
    assert 'tasks = ["other"]' in text and '"mark"' not in text, text
    assert stat.S_IMODE(ALLOWLIST.stat().st_mode) == 0o600
    ALLOWLIST.write_text("[[entries]\n")
    with windlass("allow", "mark") as terminal:
        assert terminal.end() == 3, terminal.said
        assert "allowlist.toml:1" in terminal.said, terminal.said
    assert ALLOWLIST.read_text() == "[[entries]\n"


@check("changes at the same time are all kept")
async def at_once():
    start_anew()
    with ThreadPoolExecutor(6) as people:
        list(people.map(lambda number: done("allow", f"many-{number}"), range(6)))
    assert all(why(f"many-{number}")[0] for number in range(6)), ALLOWLIST.read_text()


@check("windlass run asks about what nobody allowed, and shows what it is")
async def asked():
    start_anew()
    with windlass("run", "mark") as terminal:
        terminal.expect("[o/c/f/d/x/N] ")
        for words in (
            "'mark' is not allowed: no entry allows it.",
            "It would run: make mark",
            "as defined at Makefile:1:",
            "touch ran",
        ):
            assert words in terminal.said, terminal.said
        assert not (FOLDER / "ran").exists()
        terminal.type("o\n")
        assert terminal.end() == 0, terminal.said
    assert ran() and not ALLOWLIST.exists()


@check("each answer does what it says")
async def answers():
    for answer, code, runs, then in [
        ("o", 0, True, (False, False, False)),
        ("once", 0, True, (False, False, False)),
        ("c", 0, True, (True, False, False)),
        ("f\ny", 0, True, (True, True, False)),
        ("f\nn", 9, False, (False, False, False)),
        ("d\ny", 0, True, (True, True, True)),
        ("d\n", 9, False, (False, False, False)),
        ("x", 6, False, (False, False, False)),
        ("n", 9, False, (False, False, False)),
        ("", 9, False, (False, False, False)),
        ("y", 9, False, (False, False, False)),
        ("O", 9, False, (False, False, False)),
    ]:
        start_anew()
        with windlass("run", "mark") as terminal:
            terminal.expect("[o/c/f/d/x/N] ")
            terminal.type(f"{answer}\n")
            assert terminal.end() == code, (answer, terminal.said)
        assert ran() is runs, answer
        assert tuple(why(name)[0] for name in ("mark", "other", "nasty")) == then, answer
    start_anew()
    with windlass("run", "mark") as terminal:
        terminal.expect("[o/c/f/d/x/N] ")
        terminal.type("\x04")
        assert terminal.end() == 9, terminal.said
    assert not ran()


@check("who was answered once is not asked again, and never means never")
async def remembered():
    start_anew()
    for answer in ("c", None):
        with windlass("run", "mark") as terminal:
            if answer:
                terminal.expect("[o/c/f/d/x/N] ")
                terminal.type(f"{answer}\n")
            assert terminal.end() == 0 and ran(), terminal.said
    assert "Allow it?" not in terminal.said, terminal.said
    start_anew()
    with windlass("run", "mark") as terminal:
        terminal.expect("[o/c/f/d/x/N] ")
        terminal.type("x\n")
        assert terminal.end() == 6
    with windlass("run", "mark") as terminal:
        assert terminal.end() == 6 and "Allow it?" not in terminal.said, terminal.said
    assert not ran()


@check("a definition that changes while the question stands is not run")
async def changed_meanwhile():
    makefile = (FOLDER / "Makefile").read_text()
    for answer in ("o", "c"):
        start_anew()
        with windlass("run", "mark") as terminal:
            terminal.expect("[o/c/f/d/x/N] ")
            write("Makefile", makefile.replace("touch ran", "touch ran evil"))
            terminal.type(f"{answer}\n")
            assert terminal.end() == 6, (answer, terminal.said)
        write("Makefile", makefile)
        assert not ran(), answer


@check("output comes as it is written, and the exit code is the command's")
async def live():
    start_anew()
    done("allow", "talk")
    gate = FOLDER / "gate"
    gate.unlink(missing_ok=True)
    with windlass("run", "talk", "--", "a b") as terminal:
        # It waits for the gate, so that what is seen now was passed on at once.
        terminal.expect("first a b\nsecond\n")
        gate.touch()
        assert terminal.end() == 7, terminal.said
        assert terminal.said.endswith("first a b\nsecond\nthird\n"), terminal.said
    gate.touch()
    apart = without_terminal("run", "talk")
    assert apart.returncode == 7, apart
    assert (apart.stdout, apart.stderr) == (b"first \nthird\n", b"second\n"), apart


@check("whoever stops reading ends the command")
async def closed_pipe():
    start_anew()
    done("allow", "forever")
    piped = subprocess.run(
        ["sh", "-c", '"$0" run forever | head -1', BINARY],
        cwd=FOLDER,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT,
    )
    assert piped.stdout == b"again\n" and piped.stderr == b"", piped
    until("the end of the tree", lambda: not processes_with(TAG))


@check("bytes pass through unchanged")
async def binary():
    start_anew()
    done("allow", "bytes")
    content = bytes(range(256)) + random.Random(7).randbytes(2_000_000) + b"\xc3"
    (FOLDER / "content").write_bytes(content)
    passed = without_terminal("run", "bytes")
    assert passed.returncode == 0 and passed.stdout == content, len(passed.stdout)


@check("Ctrl-C, a closed window and a kill leave nothing of the tree")
async def ended():
    start_anew()
    done("allow", "nasty")

    def press_ctrl_c(terminal):
        terminal.type("\x03")
        assert terminal.end() == 130, terminal.said

    def kill(terminal):
        terminal.kill()
        assert terminal.process.wait(timeout=LIMIT) == -signal.SIGKILL

    def close(terminal):
        terminal.hang_up()
        terminal.process.wait(timeout=LIMIT)

    def terminate(terminal):
        terminal.signal(signal.SIGTERM)
        assert terminal.end() == 143, terminal.said

    def twice(terminal):
        terminal.type("\x03\x03")
        assert terminal.end() == 130, terminal.said

    for ending in (press_ctrl_c, kill, close, terminate, twice):
        with windlass("run", "nasty") as terminal:
            terminal.expect("up\n")
            until("the tree", lambda: len(processes_with(TAG)) >= 10)
            ending(terminal)
            until(f"the end of the tree ({ending.__name__})", lambda: not processes_with(TAG))


@check("a command that waits for its input gets none")
async def no_input():
    start_anew()
    done("allow", "reads")
    with windlass("run", "reads") as terminal:
        assert terminal.end() == 0 and terminal.said.endswith("read:\n"), terminal.said


async def run():
    many = "".join(f"many-{number}:\n\t@echo {number}\n" for number in range(6))
    write("Makefile", f"mark:\n\t@touch ran\nother:\n\t@echo other\n{many}")
    write("nasty.sh", NASTY)
    write(
        "talk.sh",
        '#!/bin/sh\necho "first $1"\nsleep 0.1\necho second >&2\n'
        "while ! [ -e gate ]; do sleep 0.02; done\nsleep 0.1\necho third\nexit 7\n",
    )
    write("forever.sh", "#!/bin/sh\nwhile :; do echo again; sleep 0.01; done\n")
    write("bytes.sh", "#!/bin/sh\nexec cat content\n")
    write("reads.sh", "#!/bin/sh\nread line\necho read: $line\n")
    return await check.run()


main(run)
