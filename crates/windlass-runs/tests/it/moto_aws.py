"""ECS, Systems Manager and CloudWatch Logs of moto, which keeps what it is given and executes nothing.

What is missing is added here: the command of a task or of a machine is executed, and its output is
put into CloudWatch by PutLogEvents, as an agent of AWS does it.
"""

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3
from moto.core.responses import ActionResult
from moto.ecs.models import EC2ContainerServiceBackend, Task
from moto.moto_api import state_manager
from moto.moto_server.threaded_moto_server import ThreadedMotoServer
from moto.ssm.models import SimpleSystemManagerBackend
from moto.ssm.responses import SimpleSystemManagerResponse

WORKSPACE, PROGRAMS = sys.argv[1:3]
REGION, GROUP = "eu-central-1", "/windlass"
MACHINES = []
os.environ.update({"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "secret-of-the-test",
                   "AWS_DEFAULT_REGION": REGION})


def client(service):
    return boto3.client(service, endpoint_url=ADDRESS)


def executed(command, stream, name):
    """Executes a command whose output goes to a log stream."""
    logs = client("logs")
    logs.create_log_stream(logGroupName=GROUP, logStreamName=stream)

    def put(line):
        event = {"timestamp": int(time.time() * 1000), "message": line or " "}
        logs.put_log_events(logGroupName=GROUP, logStreamName=stream, logEvents=[event])

    environment = {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "HOME": "/tmp", "TOKEN": TOKEN,
                   "MACHINE": name, "AWS_ENDPOINT_URL": ADDRESS, "AWS_ACCESS_KEY_ID": "machine",
                   "AWS_SECRET_ACCESS_KEY": "of-the-machine", "AWS_DEFAULT_REGION": REGION}
    return Program(command, WORKSPACE, environment, put)


run_task, stop_task = EC2ContainerServiceBackend.run_task, EC2ContainerServiceBackend.stop_task
describe_tasks = EC2ContainerServiceBackend.describe_tasks


def run_task_and_execute(self, *arguments, **named):
    tasks = run_task(self, *arguments, **named)
    for task in tasks:
        override = task.overrides["containerOverrides"][0]
        # moto only shows the first container of a definition.
        task.program = executed(override["command"], f"run/{override['name']}/{task.id}", "task")
    return tasks


def advance(task):
    """A task goes on to STOPPED only when its program has ended."""
    if task.program.has_ended():
        task.containers[0].exitCode = task.program.process.returncode & 0xFF
        task.stopped_reason = task.stopped_reason or "Essential container in task exited"
        task.desired_status = "STOPPED"
        task._tick += 1


def stop_task_and_program(self, cluster_str, task_str, reason):
    task = describe_tasks(self, cluster_str, [task_str])[0]
    task.desired_status, task.stopped_reason = "STOPPED", reason
    task.program.signal(signal.SIGTERM)
    return task


EC2ContainerServiceBackend.run_task = run_task_and_execute
EC2ContainerServiceBackend.stop_task = stop_task_and_program
Task.advance = advance
state_manager.set_transition("ecs::task", {"progression": "manual", "times": 1})

send_command = SimpleSystemManagerBackend.send_command
get_invocation = SimpleSystemManagerBackend.get_command_invocation


def send_command_and_execute(self, *arguments, **named):
    asked = list(named["instance_ids"])
    command = send_command(self, *arguments, **named)
    # moto adds all machines where no tags are named.
    command.instance_ids = asked
    command.invocations = [it for it in command.invocations if it["InstanceId"] in asked]
    text = "\n".join(command.parameters["commands"])
    command.programs = {}
    for invocation in command.invocations:
        invocation.update({"Status": "Pending", "StatusDetails": "Pending"})
        machine = invocation["InstanceId"]
        stream = f"{command.command_id}/{machine}/aws-runShellScript/stdout"
        command.programs[machine] = executed(["sh", "-c", text], stream, machine)
    return command


def get_invocation_of_program(self, command_id, instance_id, plugin_name):
    command = self.get_command_by_id(command_id)
    invocation = get_invocation(self, command_id, instance_id, plugin_name)
    program = command.programs[instance_id]
    status = "InProgress"
    if program.has_ended():
        code = program.process.returncode
        status = "Cancelled" if command.status == "Cancelled" else "Failed" if code else "Success"
        invocation["ResponseCode"] = code
        invocation["StandardOutputContent"] = "\n".join(program.lines)[:24000]
    answer = dict(invocation)
    invocation.update({"Status": status, "StatusDetails": status})
    return answer if answer["Status"] == "Pending" else invocation


def cancel_command(self):
    command = self.ssm_backend.get_command_by_id(self._get_param("CommandId"))
    command.status = "Cancelled"
    for machine in self._get_param("InstanceIds", command.instance_ids):
        command.programs[machine].signal(signal.SIGTERM)
    return ActionResult({})


def describe_instance_information(self):
    asked = self._get_param("Filters")[0]
    found = [it for it in MACHINES if asked["Key"] != "InstanceIds" or it in asked["Values"]]
    return ActionResult({"InstanceInformationList": [
        {"InstanceId": machine, "PingStatus": "Online"} for machine in found]})


SimpleSystemManagerBackend.send_command = send_command_and_execute
SimpleSystemManagerBackend.get_command_invocation = get_invocation_of_program
SimpleSystemManagerResponse.cancel_command = cancel_command
SimpleSystemManagerResponse.describe_instance_information = describe_instance_information

moto = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
moto.start()
ADDRESS = "http://127.0.0.1:%d" % moto.get_host_and_port()[1]

client("logs").create_log_group(logGroupName=GROUP)
ec2, ecs = client("ec2"), client("ecs")
ecs.create_cluster(clusterName="builds")
subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
group = ec2.describe_security_groups()["SecurityGroups"][0]["GroupId"]
log = {"logDriver": "awslogs", "options": {"awslogs-group": GROUP, "awslogs-region": REGION,
                                           "awslogs-stream-prefix": "run"}}
ecs.register_task_definition(
    family="windlass-run", networkMode="awsvpc", requiresCompatibilities=["FARGATE"],
    containerDefinitions=[{"name": "main", "image": "project:latest", "memory": 512,
                           "logConfiguration": log}])
images = ec2.describe_images()["Images"]
made = ec2.run_instances(ImageId=images[0]["ImageId"], MinCount=2, MaxCount=2, SubnetId=subnet)
MACHINES += sorted(it["InstanceId"] for it in made["Instances"])
client("ssm").put_parameter(Name="/project/TOKEN", Value=TOKEN, Type="SecureString")


class Handler(BaseHTTPRequestHandler):
    """What the test asks about."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        about = {"address": ADDRESS, "subnet": subnet, "group": group, "machines": MACHINES}
        data = json.dumps(about).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
