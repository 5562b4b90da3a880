//! The keys of `[runtimes.NAME]`, with their meaning.

use crate::settings::SettingKind::{Flag, List, Seconds, Text, Whole};
use crate::settings::{SettingKey, SettingKind, for_people};

/// A name, what its value is, and what it means.
type Row = (&'static str, SettingKind, &'static str);

const fn keys<const N: usize>(rows: [Row; N]) -> [SettingKey; N] {
    let mut keys = [const { for_people("", Text, "") }; N];
    let mut at = 0;
    while at < N {
        let (name, kind, doc) = rows[at];
        keys[at] = for_people(name, kind, doc);
        at += 1;
    }
    keys
}

/// The keys of `[runtimes]`.
pub const RUNTIME_KEYS: &[SettingKey] = &keys([
    (
        "runtimes.docker.image",
        Text,
        "The image that steps run in; without one the runtime is not available",
    ),
    (
        "runtimes.docker.program",
        Text,
        "docker, podman, or the path of a program with the same arguments",
    ),
    (
        "runtimes.docker.network",
        Text,
        "The network of the container; none by default",
    ),
    (
        "runtimes.docker.user",
        Text,
        "The user in the container; by default the one that runs Windlass",
    ),
    (
        "runtimes.docker.memory",
        Text,
        "The memory of the container, for example 2g",
    ),
    (
        "runtimes.docker.cpus",
        Text,
        "The processors of the container, for example 1.5",
    ),
    (
        "runtimes.docker.pids",
        Text,
        "The processes of the container at most",
    ),
    (
        "runtimes.docker.pull",
        Text,
        "When the image is pulled: missing, always, never or newer",
    ),
    (
        "runtimes.docker.max_parallel",
        Whole,
        "Containers at once, 1 to 1000",
    ),
    (
        "runtimes.github-runner.repository",
        Text,
        "The repository whose workflow executes runs: owner/name",
    ),
    (
        "runtimes.github-runner.api",
        Text,
        "The address of GitHub's interface; https://HOST/api/v3 for GitHub Enterprise",
    ),
    (
        "runtimes.github-runner.workflow",
        Text,
        "The name of the workflow's file",
    ),
    (
        "runtimes.github-runner.ref",
        Text,
        "The branch or tag that is run; by default the default branch",
    ),
    (
        "runtimes.github-runner.token",
        Text,
        "env:NAME; by default GITHUB_TOKEN, GH_TOKEN, or what gh auth token prints",
    ),
    (
        "runtimes.github-runner.max_parallel",
        Whole,
        "Workflow runs at once, 1 to 1000",
    ),
    (
        "runtimes.github-runner.poll_seconds",
        Seconds,
        "The shortest time between two questions about a run",
    ),
    (
        "runtimes.github-runner.start_within_seconds",
        Seconds,
        "How long a run may wait for a runner",
    ),
    (
        "runtimes.ecs-task.task_definition",
        Text,
        "The task definition that executes runs: family or family:revision",
    ),
    (
        "runtimes.ecs-task.cluster",
        Text,
        "The cluster; by default that of the account",
    ),
    (
        "runtimes.ecs-task.container",
        Text,
        "The container of the task definition; its first by default",
    ),
    (
        "runtimes.ecs-task.launch_type",
        Text,
        "FARGATE, EC2 or EXTERNAL; by default what the cluster decides",
    ),
    ("runtimes.ecs-task.subnets", List, "The subnets of the task"),
    (
        "runtimes.ecs-task.security_groups",
        List,
        "The security groups of the task",
    ),
    (
        "runtimes.ecs-task.assign_public_ip",
        Flag,
        "Whether the task gets a public address",
    ),
    (
        "runtimes.ecs-task.workspace",
        Text,
        "The folder of the project in the image; its working folder by default",
    ),
    (
        "runtimes.ecs-task.region",
        Text,
        "The region; AWS_REGION by default",
    ),
    (
        "runtimes.ecs-task.endpoint",
        Text,
        "The address of AWS, if it is another",
    ),
    (
        "runtimes.ecs-task.max_parallel",
        Whole,
        "Tasks at once, 1 to 1000",
    ),
    (
        "runtimes.ecs-task.poll_seconds",
        Seconds,
        "The shortest time between two questions about a task",
    ),
    (
        "runtimes.ecs-task.start_within_seconds",
        Seconds,
        "How long a task may take to begin",
    ),
    (
        "runtimes.ssm.target",
        Text,
        "The machine: i-…, mi-…, or tag:Name=value for the first that is online",
    ),
    (
        "runtimes.ssm.targets",
        List,
        "Instead of target: machines and tags; the run is executed on all of them that are online",
    ),
    (
        "runtimes.ssm.workspace",
        Text,
        "The folder of the project on the machine",
    ),
    (
        "runtimes.ssm.document",
        Text,
        "The document that runs shell text",
    ),
    (
        "runtimes.ssm.log_group",
        Text,
        "The CloudWatch log group of outputs; without one, outputs are short",
    ),
    (
        "runtimes.ssm.parameters",
        Text,
        "The path of parameters with secrets; else the machine's environment has them",
    ),
    (
        "runtimes.ssm.region",
        Text,
        "The region; AWS_REGION by default",
    ),
    (
        "runtimes.ssm.endpoint",
        Text,
        "The address of AWS, if it is another",
    ),
    (
        "runtimes.ssm.max_parallel",
        Whole,
        "Commands at once, 1 to 1000",
    ),
    (
        "runtimes.ssm.poll_seconds",
        Seconds,
        "The shortest time between two questions about a command",
    ),
    (
        "runtimes.ssm.start_within_seconds",
        Seconds,
        "How long a command may take to begin",
    ),
]);
