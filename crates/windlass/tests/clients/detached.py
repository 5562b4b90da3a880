"""Runs a command at a terminal on behalf of terminal.py, cut off from whatever runs the tests.

It is started with no variables by `setsid --fork`, so that nothing of the tests is above it. Its
arguments are the descriptors of the terminal and of a socket, on which it gets the command and tells
how it goes, in lines of JSON.
"""

import fcntl
import json
import os
import socket
import subprocess
import sys
import termios
import threading
import time


def above():
    with open("/proc/self/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def is_left_alone():
    """Whether the process that started this one has ended. What is hidden has the number 0."""
    parent = above()
    try:
        with open(f"/proc/{parent}/comm") as file:
            return file.read().strip() != "setsid"
    except FileNotFoundError:
        return parent == 0


def hide():
    """Where orphans are given to another process than the first, hides what is above."""
    user = [] if os.getuid() == 0 else ["--user", "--map-current-user"]
    words = ["unshare", *user, "--pid", "--fork", "--mount-proc", sys.executable, "-IS", *sys.argv, "hidden"]
    os.execvp("unshare", words)


while not is_left_alone():
    time.sleep(0.01)
if above() != 1 and "hidden" not in sys.argv:
    hide()

terminal = int(sys.argv[1])
control = socket.socket(fileno=int(sys.argv[2]))
lines = control.makefile("rw")
wish = json.loads(lines.readline())


def sit_down():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


process = subprocess.Popen(
    wish["words"],
    cwd=wish["folder"],
    env=wish["environment"],
    stdin=terminal,
    stdout=terminal,
    stderr=terminal,
    preexec_fn=sit_down,
)
os.close(terminal)


def tell(fact):
    lines.write(json.dumps(fact) + "\n")
    lines.flush()


def obey():
    """Signals on demand; the end of the one who asked is the end of all."""
    for line in lines:
        process.send_signal(json.loads(line))
    if process.poll() is None:
        process.kill()


threading.Thread(target=obey, daemon=True).start()
code = process.wait()
try:
    tell(code)
except OSError:
    pass
os._exit(0)
