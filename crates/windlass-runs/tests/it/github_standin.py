"""A GitHub that executes what is dispatched, with act on this machine.

Every request and every answer is checked against GitHub's own OpenAPI description.
"""

import json
import re
import shutil
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from jsonschema import Draft202012Validator

REPOSITORY, ACT, DESCRIPTION = sys.argv[1:4]
BASE = "/repos/{owner}/{repo}"
LOCK = threading.RLock()
# The workflows that are executed at once; others are queued.
RUNNERS = threading.Semaphore(8)
RUNS, CALLS, VIOLATIONS = {}, {}, []
FAULTS = {"errors": 0, "limited": 0, "secondary": 0, "never_start": False, "hidden": False,
          "log_gone": False, "hold": False, "wrong": False}

with open(DESCRIPTION) as file:
    WHOLE = json.load(file)


def resolved(schema, depth=0):
    """A schema without references; `nullable` in the words of JSON Schema."""
    if isinstance(schema, list):
        return [resolved(it, depth) for it in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        target = WHOLE
        for part in schema["$ref"][2:].split("/"):
            target = target[part]
        return resolved(target, depth + 1)
    # A property may have any name, also that of a word which is left out of schemas.
    plain = {key: {name: resolved(it, depth) for name, it in value.items()}
             if key == "properties" else resolved(value, depth)
             for key, value in schema.items()
             if key not in ("example", "examples", "description", "nullable")}
    if schema.get("nullable") and isinstance(plain.get("type"), str):
        plain["type"] = [plain["type"], "null"]
        if "enum" in plain:
            plain["enum"] = plain["enum"] + [None]
    elif schema.get("nullable"):
        plain = {"anyOf": [plain, {"type": "null"}]}
    return plain


def sample(schema):
    """The smallest value that a schema allows."""
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return sample(schema[key][-1])
    if "allOf" in schema:
        merged = {}
        for part in schema["allOf"]:
            merged.update(sample(part))
        return merged
    kind = schema.get("type", "object")
    kind = kind[-1] if isinstance(kind, list) else kind
    if kind == "null":
        return None
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        required = schema.get("required", [])
        return {name: sample(schema.get("properties", {}).get(name, {})) for name in required}
    if kind == "string":
        return {"date-time": "2026-11-18T09:00:00Z"}.get(schema.get("format"), "https://example.com")
    return {"array": [], "integer": 1, "number": 1, "boolean": False}[kind]


SCHEMAS = {}


def described(template, method):
    """The schemas of an endpoint: of its body, and of its answers by status."""
    key = (template, method)
    if key not in SCHEMAS:
        endpoint = WHOLE["paths"][template][method]
        body = endpoint.get("requestBody", {}).get("content", {}).get("application/json", {})
        answers = {}
        for status, answer in endpoint["responses"].items():
            answer = resolved(answer) if "$ref" in answer else answer
            content = answer.get("content", {}).get("application/json", {})
            answers[int(status)] = resolved(content["schema"]) if "schema" in content else None
        SCHEMAS[key] = (resolved(body.get("schema")) if "schema" in body else None, answers)
    return SCHEMAS[key]


def check(where, schema, value):
    if schema is None:
        return
    for problem in Draft202012Validator(schema).iter_errors(value):
        VIOLATIONS.append(f"{where}: {list(problem.absolute_path)}: {problem.message[:300]}")


class Run:
    def __init__(self, number, inputs):
        self.id, self.inputs = 1000 + number, inputs
        self.created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.asked, self.cancelled, self.program = 0, False, None
        if not FAULTS["never_start"]:
            threading.Thread(target=self.execute, daemon=True).start()

    def execute(self):
        RUNNERS.acquire()
        if self.cancelled:
            return RUNNERS.release()
        folder = tempfile.mkdtemp()
        event, secrets = os.path.join(folder, "event.json"), os.path.join(folder, "secrets")
        with open(event, "w") as file:
            json.dump({"inputs": self.inputs}, file)
        with open(secrets, "w") as file:
            file.write(f"TOKEN={TOKEN}\n")
        environment = dict(os.environ, HOME=folder, XDG_CACHE_HOME=folder)
        act = [ACT, "workflow_dispatch", "-P", "ubuntu-latest=-self-hosted", "--eventpath", event,
               "--secret-file", secrets, "-W", ".github/workflows/windlass-run.yml"]

        def at_end():
            shutil.rmtree(folder, ignore_errors=True)
            RUNNERS.release()

        self.program = Program(act, REPOSITORY, environment, at_end=at_end)

    def log(self):
        lines = self.program.lines if self.program else []
        return "".join(f"2026-11-18T09:00:00.0000000Z {line}\n" for line in lines)

    def cancel(self):
        self.cancelled = True
        if self.program:
            self.program.signal(signal.SIGTERM)

    def status(self):
        """One state further with each question."""
        self.asked += 1
        if self.asked == 1 or (FAULTS["never_start"] and not self.cancelled):
            return "queued", None
        if self.program is None:
            return ("completed", "cancelled") if self.cancelled else ("queued", None)
        if not self.program.has_ended():
            return "in_progress", None
        if self.cancelled:
            return "completed", "cancelled"
        return "completed", "success" if self.program.process.returncode == 0 else "failure"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, data, kind="application/json; charset=utf-8", headers=()):
        self.send_response(status)
        if data:
            self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def answer(self, template, method, status, value=None, headers=()):
        _, answers = described(template, method)
        if status not in answers:
            VIOLATIONS.append(f"{method} {template}: {status} is not an answer of GitHub")
        elif value is not None:
            check(f"{method} {template} {status}", answers[status], value)
        data = b"" if value is None else json.dumps(value).encode()
        self.send(status, data, headers=headers)

    def made(self, template, method, status, changes):
        """An answer with everything that GitHub promises, and these values."""
        value = sample(described(template, method)[1][status])
        value.update(changes)
        return value

    def fault(self):
        if FAULTS["wrong"]:
            return self.send(200, b'{"id": "not a number"}')
        limited = {"message": "API rate limit exceeded"}
        with LOCK:
            if FAULTS["errors"]:
                FAULTS["errors"] -= 1
                return self.send(502, b"<html>Bad gateway</html>", "text/html")
            if FAULTS["limited"]:
                FAULTS["limited"] -= 1
                reset = ("x-ratelimit-reset", str(int(time.time()))), ("x-ratelimit-remaining", "0")
                return self.send(403, json.dumps(limited).encode(), headers=reset)
            if FAULTS["secondary"]:
                FAULTS["secondary"] -= 1
                return self.send(429, json.dumps(limited).encode(), headers=[("retry-after", "1")])
        return True

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/":
            with LOCK:
                seen = {"calls": CALLS, "violations": VIOLATIONS, "runs": len(RUNS)}
                return self.send(200, json.dumps(seen).encode())
        if url.path == "/texts":
            seen = {"started": [it.inputs for it in RUNS.values()],
                    "logs": [it.program.lines for it in RUNS.values()]}
            return self.send(200, json.dumps(seen).encode())
        if url.path.startswith("/blob/"):
            return self.send(200, RUNS[int(url.path[6:])].log().encode(), "text/plain")
        self.handle_request("get", url, None)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path == "/control":
            FAULTS.update(json.loads(body))
            return self.send(200, b"{}")
        self.handle_request("post", urlsplit(self.path), json.loads(body) if body else None)

    def handle_request(self, method, url, body):
        if self.fault() is not True:
            return
        path = re.sub("^/repos/[^/]+/[^/]+", BASE, url.path)
        template = re.sub(r"/workflows/[^/]+", "/workflows/{workflow_id}", path)
        template = re.sub(r"/runs/\d+", "/runs/{run_id}", template)
        template = re.sub(r"/jobs/\d+", "/jobs/{job_id}", template)
        number = re.search(r"/(?:runs|jobs)/(\d+)", path)
        with LOCK:
            CALLS[f"{method} {template[len(BASE):]}"] = CALLS.get(f"{method} {template[len(BASE):]}", 0) + 1
            if template not in WHOLE["paths"] or method not in WHOLE["paths"][template]:
                VIOLATIONS.append(f"{method} {path} does not exist")
                return self.send(404, b'{"message": "Not Found"}')
            if self.headers.get("authorization") != "Bearer of-the-test":
                return self.send(401, b'{"message": "Bad credentials"}')
            self.check_query(template, method, url)
            schema = described(template, method)[0]
            if body is not None:
                check(f"{method} {template}", schema, body)
            if not template.endswith("/dispatches"):
                run = RUNS.get(int(number[1])) if number else None
                return self.execute(template, method, run, parse_qs(url.query))
            made = Run(len(RUNS), body["inputs"])
            RUNS[made.id] = made
        while FAULTS["hold"]:
            time.sleep(0.02)
        self.answer(template, method, 204)

    def check_query(self, template, method, url):
        known = {it["name"] for it in resolved(WHOLE["paths"][template][method]["parameters"])}
        for name in parse_qs(url.query):
            if name not in known:
                VIOLATIONS.append(f"{method} {template}: the parameter {name} does not exist")

    def shown(self, template, run, moves):
        state, conclusion = run.status() if moves else ("queued", None)
        return {"id": run.id, "name": "windlass-run", "status": state, "conclusion": conclusion,
                "display_title": f"windlass {run.inputs['id']}", "created_at": run.created,
                "html_url": f"https://github.com/o/r/actions/runs/{run.id}"}

    def execute(self, template, method, run, query):
        tail = template[len(BASE):]
        if tail == "":
            self.answer(template, method, 200, self.made(template, method, 200, {"default_branch": "main"}))
        elif tail == "/actions/workflows/{workflow_id}":
            changes = {"path": ".github/workflows/windlass-run.yml", "state": "active"}
            self.answer(template, method, 200, self.made(template, method, 200, changes))
        elif tail == "/actions/workflows/{workflow_id}/runs":
            schema = described(template, method)[1][200]["properties"]["workflow_runs"]["items"]
            size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
            found = [] if FAULTS["hidden"] else list(RUNS.values())[::-1]
            found = found[(page - 1) * size:page * size]
            runs = [dict(sample(schema), **self.shown(template, it, False)) for it in found]
            self.answer(template, method, 200, {"total_count": len(RUNS), "workflow_runs": runs})
        elif tail == "/actions/runs/{run_id}":
            changes = self.shown(template, run, True)
            self.answer(template, method, 200, self.made(template, method, 200, changes))
        elif tail == "/actions/runs/{run_id}/jobs":
            schema = described(template, method)[1][200]["properties"]["jobs"]["items"]
            job = dict(sample(schema), id=run.id)
            self.answer(template, method, 200, {"total_count": 1, "jobs": [job]})
        elif tail == "/actions/jobs/{job_id}/logs":
            if FAULTS["log_gone"]:
                return self.send(410, b'{"message": "Gone"}')
            # Elsewhere, as at GitHub.
            place = f"http://127.0.0.1:{self.server.server_port}/blob/{run.id}"
            self.answer(template, method, 302, headers=[("location", place)])
        elif tail == "/actions/runs/{run_id}/cancel":
            run.cancel()
            self.answer(template, method, 202, {})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
