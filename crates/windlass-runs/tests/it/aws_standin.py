"""ECS, Systems Manager and CloudWatch Logs that execute what they are given.

Every request and every answer is checked against the service descriptions of botocore, and every
signature is computed again. What the services would do in minutes happens at once: a task goes one
state further with each question about it.
"""

import json
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from botocore import session as botocore_session
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.validate import ParamValidator

WORKSPACE = sys.argv[1]
CREDENTIALS = Credentials("test", "secret-of-the-test")
SERVICES = {
    "AmazonEC2ContainerServiceV20141113": "ecs",
    "AmazonSSM": "ssm",
    "Logs_20140328": "logs",
}
LOADED = {name: botocore_session.get_session().get_service_model(name) for name in SERVICES.values()}
LOCK = threading.RLock()
CALLS, VIOLATIONS, STREAMS, TASKS, COMMANDS = {}, [], {}, {}, {}
MOST = {"tasks": 0}
FAULTS = {"throttle": 0, "errors": 0, "never_start": False, "kill_task": False, "hold": False,
          "lose_machine": False}
# What starts something, and all that was said in it.
STARTS, STARTED = ("RunTask", "SendCommand"), []


class Refused(Exception):
    def __init__(self, code, message="refused"):
        super().__init__(message)
        self.code = code


def executed(command, stream, name):
    """Executes a command whose lines go to a log stream."""
    lines = STREAMS.setdefault(stream, [])
    environment = {"PATH": os.environ["PATH"], "TOKEN": TOKEN, "HOME": "/tmp", "MACHINE": name}
    return Program(command, WORKSPACE, environment, lines.append)


def describe_task_definition(_):
    return {"taskDefinition": {"family": "windlass-run", "containerDefinitions": [
        {"name": "sidecar"},
        {"name": "main", "logConfiguration": {"logDriver": "awslogs", "options": {
            "awslogs-group": "/windlass", "awslogs-region": "eu-central-1",
            "awslogs-stream-prefix": "run"}}}]}}


def run_task(given):
    size = len(json.dumps(given["overrides"]))
    if size > 8192:
        raise Refused("InvalidParameterException", "Container Overrides length must be at most 8192")
    token = given["clientToken"]
    for task in TASKS.values():
        if task["token"] == token:
            return {"tasks": [shown(task)], "failures": []}
    name = uuid.uuid4().hex
    arn = f"arn:aws:ecs:eu-central-1:123456789012:task/{given['cluster']}/{name}"
    override = given["overrides"]["containerOverrides"][0]
    TASKS[arn] = {"arn": arn, "token": token, "startedBy": given["startedBy"], "state": "PROVISIONING",
                  "command": override["command"], "name": name, "script": None, "reason": None,
                  "container": override["name"]}
    # A run is over when its script has said so, though its processes may still end.
    open_tasks = [it for it in TASKS.values() if not it["script"] or not any(
        ":z:" in line for line in it["script"].lines)]
    MOST["tasks"] = max(MOST["tasks"], len(open_tasks))
    return {"tasks": [shown(TASKS[arn])], "failures": []}


def shown(task):
    container = {"name": task["container"], "lastStatus": task["state"]}
    if task["state"] == "STOPPED" and task["script"]:
        container["exitCode"] = task["script"].process.returncode & 0xFF
    shown = {"taskArn": task["arn"], "lastStatus": task["state"], "containers": [container]}
    if task["reason"]:
        shown["stoppedReason"] = task["reason"]
    return shown


def advance(task):
    state, script = task["state"], task["script"]
    if state == "PROVISIONING":
        task["state"] = state if FAULTS["never_start"] else "PENDING"
    elif state == "PENDING":
        task["state"] = "ACTIVATING"
    elif state == "ACTIVATING":
        stream = f"run/{task['container']}/{task['name']}"
        task["script"] = executed(task["command"], stream, "task")
        task["state"] = "RUNNING"
    elif state == "RUNNING":
        if FAULTS["kill_task"] and script.lines:
            script.signal(signal.SIGKILL)
            task["reason"] = "OutOfMemoryError: Container killed due to memory usage"
        if script.has_ended():
            task["reason"] = task["reason"] or "Essential container in task exited"
            task["state"] = "DEACTIVATING"
    elif state in ("DEACTIVATING", "STOPPING", "DEPROVISIONING"):
        following = {"DEACTIVATING": "STOPPING", "STOPPING": "DEPROVISIONING"}
        task["state"] = following.get(state, "STOPPED")


def describe_tasks(given):
    found, failures = [], []
    for arn in given["tasks"]:
        if arn in TASKS:
            found.append(shown(TASKS[arn]))
            advance(TASKS[arn])
        else:
            failures.append({"arn": arn, "reason": "MISSING"})
    return {"tasks": found, "failures": failures}


def list_tasks(given):
    wanted = given.get("desiredStatus", "RUNNING") == "STOPPED"
    arns = [task["arn"] for task in TASKS.values()
            if task["startedBy"] == given["startedBy"] and (task["state"] == "STOPPED") == wanted]
    return {"taskArns": arns}


def stop_task(given):
    task = TASKS.get(given["task"])
    if task is None:
        raise Refused("InvalidParameterException", "The referenced task was not found")
    task["reason"] = given.get("reason")
    if task["script"]:
        task["script"].signal(signal.SIGTERM)
    else:
        task["state"] = "STOPPED"
    return {"task": shown(task)}


def send_command(given):
    command = str(uuid.uuid4())
    group = given.get("CloudWatchOutputConfig", {}).get("CloudWatchLogGroupName")
    text = "\n".join(given["Parameters"]["commands"])
    machines = {
        machine: {"asked": 0, "script": executed(
            ["sh", "-c", text], f"{command}/{machine}/aws-runShellScript/stdout", machine)}
        for machine in given["InstanceIds"]}
    COMMANDS[command] = {"id": command, "comment": given["Comment"], "machines": machines,
                         "has_log": bool(group), "cancelled": False}
    return {"Command": {"CommandId": command, "InstanceIds": list(machines),
                        "Comment": given["Comment"]}}


def get_command_invocation(given):
    command, machine = COMMANDS.get(given["CommandId"]), given["InstanceId"]
    if command is None or machine not in command["machines"]:
        raise Refused("InvocationDoesNotExist")
    invocation = command["machines"][machine]
    invocation["asked"] += 1
    if invocation["asked"] == 1:
        raise Refused("InvocationDoesNotExist")
    script = invocation["script"]
    answer = {"CommandId": command["id"], "InstanceId": machine, "Status": "InProgress",
              "StatusDetails": "InProgress", "StandardOutputContent": "", "StandardErrorContent": ""}
    if FAULTS["lose_machine"] and machine == "i-0000000000000000c":
        script.signal(signal.SIGKILL)
        return dict(answer, Status="TimedOut", StatusDetails="DeliveryTimedOut")
    if invocation["asked"] == 2:
        answer["Status"] = answer["StatusDetails"] = "Pending"
    elif script.has_ended():
        status = "Success" if script.process.returncode == 0 else "Failed"
        status = "Cancelled" if command["cancelled"] else status
        answer["Status"] = answer["StatusDetails"] = status
        answer["StandardOutputContent"] = "\n".join(script.lines)[:24000]
    return answer


def list_commands(_):
    return {"Commands": [{"CommandId": it["id"], "Comment": it["comment"],
                          "InstanceIds": list(it["machines"])} for it in COMMANDS.values()]}


def cancel_command(given):
    command = COMMANDS[given["CommandId"]]
    command["cancelled"] = True
    for machine in given.get("InstanceIds") or command["machines"]:
        command["machines"][machine]["script"].signal(signal.SIGTERM)
    return {}


def describe_instance_information(given):
    key, values = given["Filters"][0]["Key"], given["Filters"][0]["Values"]
    known = [{"InstanceId": "i-0000000000000000a", "PingStatus": "ConnectionLost"},
             {"InstanceId": "i-0000000000000000b", "PingStatus": "Online"},
             {"InstanceId": "i-0000000000000000c", "PingStatus": "Online"}]
    if key == "InstanceIds":
        known = [it for it in known if it["InstanceId"] in values]
    return {"InstanceInformationList": known}


def get_log_events(given):
    lines = STREAMS.get(given["logStreamName"])
    if lines is None:
        raise Refused("ResourceNotFoundException")
    start = int(given.get("nextToken", "f/0").split("/")[1])
    page = lines[start:start + 7]
    # A page may begin with what was returned before.
    again = lines[max(0, start - 1):start] if page else []
    events = [{"timestamp": 1, "ingestionTime": 1, "message": line} for line in again + page]
    return {"events": events, "nextForwardToken": f"f/{start + len(page)}", "nextBackwardToken": "b/0"}


ACTIONS = {
    "DescribeTaskDefinition": describe_task_definition, "RunTask": run_task,
    "DescribeTasks": describe_tasks, "ListTasks": list_tasks, "StopTask": stop_task,
    "SendCommand": send_command, "GetCommandInvocation": get_command_invocation,
    "ListCommands": list_commands, "CancelCommand": cancel_command,
    "DescribeInstanceInformation": describe_instance_information, "GetLogEvents": get_log_events,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/x-amz-json-1.1")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        with LOCK:
            seen = {"calls": CALLS, "violations": VIOLATIONS, "tasks": len(TASKS),
                    "commands": len(COMMANDS), "most_tasks": MOST["tasks"]}
            if self.path == "/texts":
                seen = {"started": STARTED, "logs": list(STREAMS.values())}
            data = json.dumps(seen)
        self.answer(200, json.loads(data))

    def check_signature(self, service, body):
        given = self.headers.get("authorization", "")
        request = AWSRequest("POST", f"http://{self.headers['host']}/", data=body)
        names = given.split("SignedHeaders=")[1].split(",")[0].split(";")
        for name in names:
            request.headers[name] = self.headers[name]
        request.context["timestamp"] = self.headers["x-amz-date"]
        signer = SigV4Auth(CREDENTIALS, service, "eu-central-1")
        canonical = signer.canonical_request(request)
        signature = signer.signature(signer.string_to_sign(request, canonical), request)
        if f"Signature={signature}" not in given:
            raise Refused("InvalidSignatureException", "The signature does not match")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/control":
            with LOCK:
                FAULTS.update(json.loads(body))
            return self.answer(200, {})
        prefix, action = self.headers["x-amz-target"].split(".")
        with LOCK:
            status, answer = self.executed(SERVICES[prefix], action, body)
        while FAULTS["hold"] and action in STARTS:
            time.sleep(0.02)
        self.answer(status, answer)

    def executed(self, service, action, body):
        CALLS[action] = CALLS.get(action, 0) + 1
        for fault in ("throttle", "errors"):
            if FAULTS[fault] > 0:
                FAULTS[fault] -= 1
                code = {"throttle": 400, "errors": 500}[fault]
                kind = {"throttle": "ThrottlingException", "errors": "ServerException"}[fault]
                return code, {"__type": kind, "message": "Rate exceeded"}
        try:
            self.check_signature(service, body)
            model = LOADED[service].operation_model(action)
            given = json.loads(body)
            self.check(action, given, model.input_shape)
            if action in STARTS:
                STARTED.append(given)
            answer = ACTIONS[action](given)
            self.check(action, answer, model.output_shape)
            return 200, answer
        except Refused as refused:
            kind = f"com.amazon.coral.service#{refused.code}"
            return 400, {"__type": kind, "message": str(refused)}

    def check(self, action, value, shape):
        report = ParamValidator().validate(value, shape)
        unknown = [] if shape is None else [key for key in value if key not in shape.members]
        if report.has_errors() or unknown:
            VIOLATIONS.append(f"{action}: {report.generate_report()} {unknown}")


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
