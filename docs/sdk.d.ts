// Made by `cargo run -p xtask -- docs`. Do not edit.

/** What a call that failed throws. */
interface SdkError extends Error {
  /** A stable code, as TASK_CLAIMED. */
  readonly code: string;
  /** The kind of error, as TaskClaimed. */
  readonly tag: string;
  /** What to do about it. */
  readonly hint?: string;
}
/** What is logged comes back with the answer. */
declare const console: Readonly<
  Record<"debug" | "log" | "info" | "warn" | "error", (...values: unknown[]) => void>
>;
/** A timer that would be due after the deadline throws. */
declare function setTimeout(callback: (...values: any[]) => void, milliseconds?: number, ...values: any[]): number;
declare function clearTimeout(timer: number): void;

type CommandsListInput = {
  /** Only commands of this runner, for example make or npm. */
  runner?: string;
  /** Only commands whose name or description holds this text. */
  query?: string;
  /** How many to pass over, where an earlier answer did not hold all. */
  offset?: number;
};
type CommandsListAnswer = {
  tasks: {
    unique_name: string;
    source_name: string;
    runner: string;
    command: string;
    runner_available: boolean;
    allowlisted: boolean;
    file_path: string;
    description?: string;
  }[];
  errors?: {
    file_path: string;
    line: number;
    message: string;
  }[];
  next_offset?: number;
};
type CommandsStartInput = {
  /** The unique name of the command, as list_tasks has it. */
  unique_name: string;
  /** Arguments for the command. */
  args?: string[];
  /** Variables of the environment. */
  env?: Record<string, string>;
  /** The folder to run in, inside the project; by default that of the command. */
  cwd?: string;
  /** How many seconds to wait for its end before answering, 0 to 3,600; 1 if absent. */
  wait_seconds?: number;
  /** Only say what would be run, and whether it may. */
  dry_run?: boolean;
};
type CommandsStartAnswer = {
  state: string;
  pid?: number;
  exit_code?: number;
  initial_output: string;
  truncated?: boolean;
  reason?: string;
  dry_run?: {
    command: string;
    cwd: string;
    file_path: string;
    line: number;
    runner_available: boolean;
    allowlisted: boolean;
    reason: string;
    would_start: boolean;
    refusal?: string;
  };
};
type JobsListInput = {
  /** Only jobs of this command. */
  name?: string;
  /** Only jobs that run. */
  running?: boolean;
  /** How many to answer, 1 to 100. */
  limit?: number;
};
type JobsListAnswer = {
  jobs: {
    pid: number;
    unique_name: string;
    source_name: string;
    state: string;
    started_at: number;
    elapsed_seconds: number;
    command: string;
    args: string[];
    cwd: string;
    file_path: string;
    exit_code?: number;
    reason?: string;
    session: string;
  }[];
};
type JobsRunningAnswer = {
  running: {
    pid: number;
    unique_name: string;
    source_name: string;
    state: string;
    started_at: number;
    elapsed_seconds: number;
    command: string;
    args: string[];
    cwd: string;
    file_path: string;
    exit_code?: number;
    reason?: string;
    session: string;
  }[];
};
type JobsStatusInput = {
  /** The unique name of the command. */
  unique_name: string;
};
type JobsOutputInput = {
  /** The job. */
  pid: number;
  /** How many of the last lines, 1 to 1,000. */
  lines?: number;
  /** Whether a first line says how many earlier ones are not shown. */
  show_truncation?: boolean;
  /** Read on from this byte, in pages of whole lines; `next` of an earlier answer. */
  from?: number;
  /** Which output: both, stdout or stderr. */
  stream?: "both" | "stdout" | "stderr";
  /** Only lines that match this regular expression, with their numbers. */
  grep?: string;
  /** How many lines around each match, 0 to 50. */
  context?: number;
  /** Keep colours and other escape sequences. */
  ansi?: boolean;
  /** The most bytes of output to answer with, up to 65,536. */
  max_bytes?: number;
};
type JobsOutputAnswer = {
  pid: number;
  lines: string[];
  total_lines: number;
  total_bytes: number;
  truncated: boolean;
  buffer_full: boolean;
  next?: number;
  dropped?: number;
  matches?: number;
};
type JobsWaitInput = {
  /** The job. */
  pid: number;
  /** What to wait for. */
  until?: "exit" | "pattern" | "port";
  /** The regular expression of the line, with until pattern. */
  pattern?: string;
  /** The port on this machine, with until port. */
  port?: number;
  /** How many seconds to wait at most, up to 3,600. */
  timeout?: number;
};
type JobsWaitAnswer = {
  pid: number;
  outcome: "ended" | "matched" | "listening" | "held_by_another" | "timed_out";
  line?: string;
  state: string;
  exit_code?: number;
  reason?: string;
  waited_ms: number;
};
type JobsStopInput = {
  /** The job. */
  pid: number;
  /** Seconds between the request and the force, 0 to 600; 5 if absent. */
  grace_period?: number;
};
type JobsStopAnswer = {
  pid: number;
  status: string;
  message: string;
  grace_period_used: number;
};
type AllowlistAllowInput = {
  /** The unique name of a command, a file, or a folder. */
  target: string;
  /** What of it: the command alone, its whole file, or its whole folder. */
  scope?: "task" | "file" | "directory";
  /** Allow the command whatever becomes of its definition. */
  no_pin?: boolean;
};
type AllowlistAllowAnswer = {
  path: string;
  scope: string;
  tasks?: string[];
  pinned: boolean;
  allowlist: string;
};
type AllowlistDenyInput = {
  /** The unique name of a command, a file, or a folder. */
  target: string;
};
type AllowlistDenyAnswer = {
  path: string;
  tasks?: string[];
  allowlist: string;
};
type AllowlistListInput = {
  /** The unique name of a command to explain. */
  name?: string;
};
type AllowlistListAnswer = {
  explanation?: {
    unique_name: string;
    command: string;
    file_path: string;
    allowlisted: boolean;
    reason: string;
  };
  entries: {
    path: string;
    scope: string;
    tasks?: string[];
    pinned?: string[];
    allowlist: string;
  }[];
};
type AllowlistRevokeInput = {
  /** The unique name of a command, a file, or a folder, as it was allowed or denied. */
  target: string;
};
type AllowlistRevokeAnswer = {
  path: string;
  entries: number;
};
type RunsCreateInput = {
  /** What is to be run. */
  spec: {
    /** The id of the run; generated where it is left out. */
    runId?: string;
    /** An issue that the run belongs to, for example a GitHub issue. */
    issueId?: string;
    /** What the run is, for people. */
    title: string;
    /** Where the steps run. */
    runtime: "dummy" | "local" | "docker" | "github-runner" | "ecs-task" | "ssm";
    /** The steps, run one after another; the first that fails ends the run. */
    steps: {
      /** What the step is called. */
      name: string;
      /** The shell that runs the command. */
      shell: "bash" | "pwsh" | "sh";
      /** The text that the shell runs. bash and sh stop at the first command that fails. */
      command: string;
      /** The folder in which it runs, relative to the project; the project itself where left out. */
      cwd?: string;
      /** Seconds after which the step and all its processes are ended. */
      timeoutSec?: number;
      /** What must hold when the command has ended. Without it, the exit code must be 0. */
      expect?: {
        /** The exit code, 0 where left out. */
        exitCode?: number;
        /** Each must match somewhere in standard output; ^ and $ are the ends of a line. */
        stdoutRegex?: string[];
        /** Each must match somewhere in standard error; ^ and $ are the ends of a line. */
        stderrRegex?: string[];
        /** Each must exist, relative to the step's folder. */
        fileExists?: string[];
      };
      /** Globs, relative to the step's folder, of files to keep when the step has ended. */
      artifacts?: string[];
    }[];
    /** Environment of all steps: a value, env:NAME, file:PATH, or value:TEXT for a text that begins like one of these. What comes from env: or file: is a secret and is masked in all outputs. */
    envRefs?: Record<string, string>;
  };
};
type RunsCreateAnswer = {
  runId: string;
  issueId?: string;
  title: string;
  runtime: "dummy" | "local" | "docker" | "github-runner" | "ecs-task" | "ssm";
  status: "created" | "running" | "success" | "failed" | "timeout" | "cancelled";
  steps: {
    name: string;
    status: "pending" | "running" | "success" | "failed" | "timeout" | "skipped";
  }[];
  createdAt: string;
  parentRunId?: string;
  playbookId?: string;
};
type RunsExecuteInput = {
  /** The id of the run. */
  runId: string;
  /** Whether to wait for its end. */
  wait?: boolean;
};
type RunsExecuteAnswer = {
  runId: string;
  status: "created" | "running" | "success" | "failed" | "timeout" | "cancelled";
  steps: {
    name: string;
    status: "pending" | "running" | "success" | "failed" | "timeout" | "skipped";
    exitCode?: number;
    stdout?: string;
    stderr?: string;
    outputTruncated?: boolean;
    startedAt?: string;
    completedAt?: string;
    durationMs?: number;
    failure?: {
      kind: "exitCode" | "stdoutRegex" | "stderrRegex" | "fileExists" | "timeout" | "cancelled" | "start" | "environment" | "interrupted" | "notRecorded";
      message: string;
      hint?: string;
      step?: number;
    };
    artifacts?: {
      kind: "log" | "file";
      name: string;
      key?: string;
      bytes?: number;
      sha256?: string;
      skipped?: string;
    }[];
  }[];
  startedAt?: string;
  completedAt?: string;
  durationMs?: number;
  failure?: {
    kind: "exitCode" | "stdoutRegex" | "stderrRegex" | "fileExists" | "timeout" | "cancelled" | "start" | "environment" | "interrupted" | "notRecorded";
    message: string;
    hint?: string;
    step?: number;
  };
};
type RunsStatusInput = {
  /** The id of the run. */
  runId: string;
};
type RunsStatusAnswer = {
  runId: string;
  status: "created" | "running" | "success" | "failed" | "timeout" | "cancelled";
  createdAt: string;
  startedAt?: string;
  completedAt?: string;
  durationMs?: number;
};
type RunsReadInput = {
  /** The id of the run. */
  runId: string;
};
type RunsReadAnswer = {
  runId: string;
  status: "created" | "running" | "success" | "failed" | "timeout" | "cancelled";
  createdAt: string;
  startedAt?: string;
  completedAt?: string;
  durationMs?: number;
  issueId?: string;
  title: string;
  runtime: "dummy" | "local" | "docker" | "github-runner" | "ecs-task" | "ssm";
  steps: {
    name: string;
    status: "pending" | "running" | "success" | "failed" | "timeout" | "skipped";
    exitCode?: number;
    stdout?: string;
    stderr?: string;
    outputTruncated?: boolean;
    startedAt?: string;
    completedAt?: string;
    durationMs?: number;
    failure?: {
      kind: "exitCode" | "stdoutRegex" | "stderrRegex" | "fileExists" | "timeout" | "cancelled" | "start" | "environment" | "interrupted" | "notRecorded";
      message: string;
      hint?: string;
      step?: number;
    };
    artifacts?: {
      kind: "log" | "file";
      name: string;
      key?: string;
      bytes?: number;
      sha256?: string;
      skipped?: string;
    }[];
  }[];
  failure?: {
    kind: "exitCode" | "stdoutRegex" | "stderrRegex" | "fileExists" | "timeout" | "cancelled" | "start" | "environment" | "interrupted" | "notRecorded";
    message: string;
    hint?: string;
    step?: number;
  };
  parentRunId?: string;
  playbookId?: string;
};
type PlaybooksListAnswer = {
  playbooks: {
    id: string;
    name: string;
    description?: string;
    spec: {
      runId?: string;
      issueId?: string;
      title: string;
      runtime: "dummy" | "local" | "docker" | "github-runner" | "ecs-task" | "ssm";
      steps: {
        name: string;
        shell: "bash" | "pwsh" | "sh";
        command: string;
        cwd?: string;
        timeoutSec?: number;
        expect?: {
          exitCode?: number;
          stdoutRegex?: string[];
          stderrRegex?: string[];
          fileExists?: string[];
        };
        artifacts?: string[];
      }[];
      envRefs?: Record<string, string>;
    };
    vars?: Record<string, {
      default?: string;
      description?: string;
      required: boolean;
      pattern?: string;
    }>;
    file?: string;
  }[];
  problems?: {
    file: string;
    line: number;
    message: string;
  }[];
};
type PlaybooksGetInput = {
  /** Its id. */
  id: string | number;
};
type PlaybooksGetAnswer = {
  id: string;
  name: string;
  description?: string;
  spec: {
    runId?: string;
    issueId?: string;
    title: string;
    runtime: "dummy" | "local" | "docker" | "github-runner" | "ecs-task" | "ssm";
    steps: {
      name: string;
      shell: "bash" | "pwsh" | "sh";
      command: string;
      cwd?: string;
      timeoutSec?: number;
      expect?: {
        exitCode?: number;
        stdoutRegex?: string[];
        stderrRegex?: string[];
        fileExists?: string[];
      };
      artifacts?: string[];
    }[];
    envRefs?: Record<string, string>;
  };
  vars?: Record<string, {
    default?: string;
    description?: string;
    required: boolean;
    pattern?: string;
  }>;
  file?: string;
};
type PlaybooksRunInput = {
  /** The id of the playbook. */
  id: string | number;
  /** Values of its variables. */
  vars?: Record<string, string>;
  /** Whether to wait for its end. */
  wait?: boolean;
};
type PlaybooksCheckAnswer = {
  valid: boolean;
  files: {
    id: string;
    file: string;
    allowlisted: boolean;
    reason: string;
  }[];
  problems: {
    file: string;
    line: number;
    message: string;
  }[];
};
type RunsListInput = {
  /** Only runs of this status: created, running, success, failed, timeout or cancelled. */
  status?: string;
  /** Only runs of this playbook. */
  playbookId?: string;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
};
type RunsListAnswer = {
  runs: {
    runId: string;
    title: string;
    runtime: string;
    status: "created" | "running" | "success" | "failed" | "timeout" | "cancelled";
    createdAt: string;
    completedAt?: string;
    durationMs?: number;
    playbookId?: string;
    parentRunId?: string;
    failure?: string;
  }[];
};
type RunsLogsInput = {
  /** The id of the run. */
  runId: string;
  /** The step, counted from 0; the running or the last one that ran if absent. */
  step?: number;
  /** Which output: stdout or stderr. */
  stream?: "both" | "stdout" | "stderr";
  /** Read on from this byte; `next` of an earlier answer. */
  from?: number;
  /** The most bytes to answer with, up to 65,536. */
  maxBytes?: number;
};
type RunsLogsAnswer = {
  runId: string;
  step: number;
  stepName: string;
  stream: "both" | "stdout" | "stderr";
  text: string;
  next: number;
  live: boolean;
  more: boolean;
};
type RunsArtifactsInput = {
  /** The id of the run. */
  runId: string;
  /** The key of one artifact, to read it. */
  key?: string;
  /** Read on from this byte. */
  from?: number;
  /** The most bytes to answer with, up to 65,536. */
  maxBytes?: number;
};
type RunsArtifactsAnswer = {
  runId: string;
  artifacts: {
    step: number;
    kind: "log" | "file";
    name: string;
    key?: string;
    bytes?: number;
    sha256?: string;
    skipped?: string;
  }[];
  content?: {
    key: string;
    text: string;
    bytes: number;
    next?: number;
  };
};
type RunsCancelInput = {
  /** The id of the run. */
  runId: string;
};
type RunsRerunInput = {
  /** The id of the run. */
  runId: string;
};
type PlanListTasksInput = {
  /** Only tasks of this status: draft, pending, in_progress, done, blocked or skipped. */
  filter_status?: string;
  /** Only tasks of the feature of this name. */
  filter_feature?: string;
  /** Only tasks of the discipline of this name. */
  filter_discipline?: string;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type PlanListTasksAnswer = {
  tasks: {
    id: number;
    title: string;
    status: string;
    priority: string;
    feature?: string;
    discipline?: string;
    feature_display?: string;
    discipline_display?: string;
  }[];
  total: number;
  offset: number;
  next_offset?: number;
};
type PlanGetTaskInput = {
  /** The number of the task. */
  id: number;
};
type PlanGetTaskAnswer = {
  id: number;
  entity_id: string;
  feature?: string;
  discipline?: string;
  title: string;
  description?: string;
  status: string;
  priority: string;
  tags: string[];
  depends_on: number[];
  acceptance_criteria: string[];
  context_files: string[];
  output_artifacts: string[];
  hints?: string;
  estimated_turns?: number;
  pseudocode?: string;
  enriched_at?: string;
  provenance?: string;
  created_at: string;
  updated_at: string;
  completed_at?: string;
  comments: {
    id: number;
    author: string;
    body: string;
    discipline?: string;
    priority?: string;
    created_at: string;
    updated_at?: string;
  }[];
  dependencies: {
    id: number;
    title: string;
    status: string;
  }[];
  dependants: {
    id: number;
    title: string;
    status: string;
  }[];
};
type PlanCreateTaskInput = {
  /** The name of its feature. */
  feature: string;
  /** The name of its discipline. */
  discipline: string;
  /** What is to be done, in a few words. */
  title: string;
  /** What is to be done, at length. */
  description?: string;
  /** low, medium, high or critical; medium if absent. */
  priority?: string;
  /** draft or pending; pending if absent. */
  status?: string;
  /** What must hold when it is done, one text each. */
  acceptance_criteria?: string[];
  /** Numbers of the tasks that must be done first. */
  depends_on?: number[];
  /** Words to find it by. */
  tags?: string[];
  /** Files to read first: paths in the project, at most 30. */
  context_files?: string[];
  /** Files that the work brings about: paths in the project. */
  output_artifacts?: string[];
  /** Advice for whoever does it. */
  hints?: string;
  /** How many turns an agent may need. */
  estimated_turns?: number;
};
type PlanCreateTaskAnswer = {
  id: number;
  entity_id: string;
  feature?: string;
  discipline?: string;
  title: string;
  description?: string;
  status: string;
  priority: string;
  tags: string[];
  depends_on: number[];
  acceptance_criteria: string[];
  context_files: string[];
  output_artifacts: string[];
  hints?: string;
  estimated_turns?: number;
  pseudocode?: string;
  enriched_at?: string;
  provenance?: string;
  created_at: string;
  updated_at: string;
  completed_at?: string;
};
type PlanUpdateTaskInput = {
  /** The number of the task. */
  id: number;
  /** What is to be done, in a few words. */
  title?: string;
  /** What is to be done, at length. */
  description?: string;
  /** low, medium, high or critical. */
  priority?: string;
  /** What must hold when it is done, one text each. */
  acceptance_criteria?: string[];
  /** Numbers of the tasks that must be done first. */
  depends_on?: number[];
  /** Words to find it by. */
  tags?: string[];
  /** Files to read first: paths in the project, at most 30. */
  context_files?: string[];
  /** Files that the work brings about: paths in the project. */
  output_artifacts?: string[];
  /** Advice for whoever does it. */
  hints?: string;
  /** How many turns an agent may need. */
  estimated_turns?: number;
};
type PlanDeleteTaskInput = {
  /** The number of the task. */
  id: number;
};
type PlanDeleteTaskAnswer = {
  deleted: boolean;
  id?: number;
  name?: string;
  title: string;
};
type PlanSetTaskStatusInput = {
  /** The number of the task. */
  id: number;
  /** draft, pending, in_progress, done, blocked or skipped. */
  status: string;
};
type PlanEnrichTaskInput = {
  /** The number of the task. */
  id: number;
  /** How it could be done, step by step. */
  pseudocode: string;
  /** What must hold when it is done, one text each. */
  acceptance_criteria?: string[];
  /** Files to read first: paths in the project, at most 30. */
  context_files?: string[];
};
type PlanAddTaskCommentInput = {
  /** The number of the task. */
  task_id: number;
  /** Who says it. */
  author: string;
  /** What there is to say. */
  body: string;
  /** The craft that it concerns, by name. */
  discipline?: string;
  /** How much it matters: low, medium, high or critical. */
  priority?: string;
};
type PlanAddTaskCommentAnswer = {
  id: number;
  author: string;
  body: string;
  discipline?: string;
  priority?: string;
  created_at: string;
  updated_at?: string;
};
type PlanUpdateTaskCommentInput = {
  /** The number of the task. */
  task_id: number;
  /** The number of the comment within the task. */
  comment_id: number;
  /** What it says from now on. */
  body: string;
};
type PlanDeleteTaskCommentInput = {
  /** The number of the task. */
  task_id: number;
  /** The number of the comment within the task. */
  comment_id: number;
};
type FeaturesListAnswer = {
  features: {
    name: string;
    display_name: string;
    acronym?: string;
    icon?: string;
    color?: string;
    description?: string;
  }[];
};
type FeaturesGetInput = {
  /** The name of the feature. */
  name: string;
};
type FeaturesGetAnswer = {
  name: string;
  id: number;
  display_name: string;
  acronym?: string;
  description?: string;
  knowledge_paths: string[];
  context_files: string[];
  architecture?: string;
  boundaries?: string;
  dependencies: string[];
  learnings: {
    id: number;
    text: string;
    reason?: string;
    source: string;
    task_id?: number;
    hit_count: number;
    created_at: string;
  }[];
  created_at: string;
  updated_at: string;
};
type FeaturesCreateInput = {
  /** The name of the feature. */
  name: string;
  /** What people call it. */
  display_name: string;
  /** What it is for. */
  description?: string;
  /** Four of A-Z and 0-9, unique; made from the name if absent. */
  acronym?: string;
  /** Folders and files that explain it: paths in the project. */
  knowledge_paths?: string[];
  /** Files to read first: paths in the project, at most 30. */
  context_files?: string[];
  /** How it is built. */
  architecture?: string;
  /** What does not belong to it. */
  boundaries?: string;
  /** Features that it builds on, by name. */
  dependencies?: string[];
};
type FeaturesUpdateInput = {
  /** The name of the feature. */
  name: string;
  /** What people call it. */
  display_name?: string;
  /** What it is for. */
  description?: string;
  /** Four of A-Z and 0-9, unique. */
  acronym?: string;
  /** Folders and files that explain it: paths in the project. */
  knowledge_paths?: string[];
  /** Files to read first: paths in the project, at most 30. */
  context_files?: string[];
  /** How it is built. */
  architecture?: string;
  /** What does not belong to it. */
  boundaries?: string;
  /** Features that it builds on, by name. */
  dependencies?: string[];
};
type FeaturesDeleteInput = {
  /** The name of the feature. */
  name: string;
};
type FeaturesAppendLearningInput = {
  /** The name of the feature. */
  feature_name: string;
  /** What was learnt, at most 500 characters. */
  text: string;
  /** Who found it out: auto, agent or human; who asks, if absent. */
  source?: string;
  /** Why it is so, at most 500 characters. */
  reason?: string;
  /** The number of the task that it came from. */
  task_id?: number;
};
type FeaturesAppendLearningAnswer = {
  feature: string;
  outcome: string;
  learning: {
    id: number;
    text: string;
    reason?: string;
    source: string;
    task_id?: number;
    hit_count: number;
    created_at: string;
  };
  dropped?: number;
};
type FeaturesAddContextFileInput = {
  /** The name of the feature. */
  feature_name: string;
  /** The path in the project, from its root. */
  file_path: string;
};
type FeaturesAddContextFileAnswer = {
  feature: string;
  added: boolean;
  context_files: string[];
};
type DisciplinesListAnswer = {
  disciplines: {
    name: string;
    display_name: string;
    acronym?: string;
    icon?: string;
    color?: string;
    description?: string;
  }[];
};
type DisciplinesGetInput = {
  /** The name of the discipline. */
  name: string;
};
type DisciplinesGetAnswer = {
  name: string;
  id: number;
  display_name: string;
  acronym?: string;
  icon?: string;
  color?: string;
  description?: string;
  system_prompt?: string;
  skills: string[];
  conventions?: string;
  mcp_servers: {
    name: string;
    command: string;
    args?: string[];
    env?: Record<string, string>;
  }[];
  mcp_tool_overrides: {
    additional_disabled?: string[];
  };
  created_at: string;
  updated_at: string;
};
type DisciplinesCreateInput = {
  /** The name of the discipline. */
  name: string;
  /** What people call it. */
  display_name: string;
  /** A sign for it, for example an emoji. */
  icon: string;
  /** Its colour, for example #3b82f6. */
  color: string;
  /** Four of A-Z and 0-9, unique; made from the name if absent. */
  acronym?: string;
  /** How an agent of this craft works. */
  system_prompt?: string;
  /** What it can do, one text each. */
  skills?: string[];
  /** The rules that its work follows. */
  conventions?: string;
  /** What it is for. */
  description?: string;
  /** Other MCP servers that its sessions get: name, command, args, env. */
  mcp_servers?: {
    name: string;
    command: string;
    args?: string[];
    env?: Record<string, string>;
  }[];
  /** Tools that its sessions do not get: additional_disabled. */
  mcp_tool_overrides?: {
    additional_disabled?: string[];
  };
};
type DisciplinesUpdateInput = {
  /** The name of the discipline. */
  name: string;
  /** What people call it. */
  display_name?: string;
  /** A sign for it, for example an emoji. */
  icon?: string;
  /** Its colour, for example #3b82f6. */
  color?: string;
  /** How an agent of this craft works. */
  system_prompt?: string;
  /** What it can do, one text each. */
  skills?: string[];
  /** The rules that its work follows. */
  conventions?: string;
  /** What it is for. */
  description?: string;
  /** Other MCP servers that its sessions get: name, command, args, env. */
  mcp_servers?: {
    name: string;
    command: string;
    args?: string[];
    env?: Record<string, string>;
  }[];
  /** Tools that its sessions do not get: additional_disabled. */
  mcp_tool_overrides?: {
    additional_disabled?: string[];
  };
};
type DisciplinesDeleteInput = {
  /** The name of the discipline. */
  name: string;
};
type PlanGetProjectInfoAnswer = {
  title: string;
  description?: string;
  created_at?: string;
  tasks: number;
  features: number;
  disciplines: number;
};
type PlanGetProjectProgressAnswer = {
  total: number;
  done: number;
  percent: number;
  by_status: Record<string, number>;
  by_feature: {
    name?: string;
    display_name?: string;
    total: number;
    done: number;
    percent: number;
    by_status: Record<string, number>;
  }[];
  by_discipline: {
    name?: string;
    display_name?: string;
    total: number;
    done: number;
    percent: number;
    by_status: Record<string, number>;
  }[];
};
type JournalAppendLearningInput = {
  /** What to write down. */
  text: string;
};
type JournalAppendLearningAnswer = {
  file: string;
  at: string;
  text: string;
};
type JournalReadLearningsAnswer = {
  file: string;
  text: string;
  omitted_bytes?: number;
};
type JournalAppendProgressInput = {
  /** What to write down. */
  text: string;
};
type RecipesListAnswer = {
  recipes: {
    name: string;
    purpose: string;
    tools: string[];
  }[];
};
type RecipesGetInput = {
  /** The name of the recipe. */
  recipe: string;
  /** A discipline, whose overrides may take more away. */
  discipline?: string;
};
type RecipesGetAnswer = {
  name: string;
  purpose: string;
  discipline?: string;
  tools: {
    name: string;
    fields?: string[];
  }[];
  off: {
    name: string;
    why: string;
  }[];
  unknown?: string[];
};
type SessionsStartInput = {
  /** What kind of session: the name of a recipe. */
  recipe: string;
  /** The craft, by name; that of the task if absent. */
  discipline?: string;
  /** The feature, by name; that of the task if absent. */
  feature?: string;
  /** The number of the task to work on. */
  task?: number;
};
type SessionsStartAnswer = {
  session: {
    id: string;
    recipe: string;
    discipline?: string;
    feature?: string;
    task_id?: number;
    status: string;
    started_at: string;
    ended_at?: string;
    exit_code?: number;
    closing?: string;
    tools: string[];
  };
  context_path: string;
  config_path: string;
  other_servers: string[];
};
type SessionsListInput = {
  /** Only those that have not ended. */
  open?: boolean;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type SessionsListAnswer = {
  sessions: {
    id: string;
    recipe: string;
    discipline?: string;
    feature?: string;
    task_id?: number;
    status: string;
    started_at: string;
    ended_at?: string;
    exit_code?: number;
    closing?: string;
    tools: string[];
  }[];
  total: number;
  offset: number;
  next_offset?: number;
};
type SessionsGetInput = {
  /** The session; the caller's own if absent. */
  id?: string | number;
};
type SessionsGetAnswer = {
  id: string;
  recipe: string;
  discipline?: string;
  feature?: string;
  task_id?: number;
  status: string;
  started_at: string;
  ended_at?: string;
  exit_code?: number;
  closing?: string;
  tools: string[];
  signals: {
    at: string;
    verb: string;
    body: Record<string, unknown>;
  }[];
};
type SessionsEndInput = {
  /** The session; the caller's own if absent. */
  id?: string | number;
};
type SessionsEndAnswer = {
  id: string;
  recipe: string;
  discipline?: string;
  feature?: string;
  task_id?: number;
  status: string;
  started_at: string;
  ended_at?: string;
  exit_code?: number;
  closing?: string;
  tools: string[];
  ended: boolean;
  review_id?: string;
};
type SessionsPromptInput = {
  /** The session; the caller's own if absent. */
  id?: string | number;
};
type SessionsPromptAnswer = {
  session: string;
  prompt: string;
};
type FocusDoneInput = {
  /** What was done, in a few sentences. */
  summary: string;
};
type FocusDoneAnswer = {
  verb: string;
  task_id: number;
  message: string;
};
type FocusPartialInput = {
  /** What was done. */
  summary: string;
  /** What remains to be done. */
  remaining: string;
};
type FocusStuckInput = {
  /** What is in the way. */
  reason: string;
};
type FocusAskInput = {
  /** What is to be decided. */
  question: string;
  /** Answers to choose from. */
  options?: string[];
  /** The answer that you would choose. */
  preferred?: string;
  /** Whether the work cannot go on without the answer. */
  blocking?: boolean;
};
type FocusFlagInput = {
  /** What was found. */
  what: string;
  /** info, warning or blocking. */
  severity: string;
  /** bug, stale, contradiction, ambiguity, overlap, performance, security or incomplete_prior. */
  category: string;
};
type FocusLearnedInput = {
  /** What was learnt, at most 500 characters. */
  text: string;
  /** discovery, decision or convention. */
  kind: string;
  /** Why it is so. */
  rationale?: string;
  /** project, feature or task. */
  scope?: string;
};
type FocusSuggestInput = {
  /** What is suggested, in a few words. */
  what: string;
  /** new_task, split, refactor, alternative or deprecate. */
  kind: string;
  /** Why it would be worth it. */
  why: string;
};
type FocusBlockedInput = {
  /** What it waits for: the number of a task, or something outside. */
  on: string;
  /** upstream_task or external. */
  kind: string;
  /** What exactly is missing. */
  detail?: string;
};
type EntitiesCreateInput = {
  /** What kind of entity to make. */
  type: "decision" | "task" | "note" | "prompt" | "component" | "link" | "feature" | "discipline";
  /** A short name, 1 to 500 characters. */
  title: string;
  /** The text itself, markdown welcome, at most 102,400 bytes. */
  content?: string;
  /** Words to find it by, at most 50 of at most 100 characters each. */
  tags?: string[];
  /** Fields of the type, for example status, priority and due_date of a task. */
  properties?: {
    /** Where it stands. decision: proposed, accepted, deprecated, superseded; task: todo, in_progress, done, blocked; component: active, deprecated, planned. */
    status?: string;
    /** decision: What made the decision necessary. */
    context?: string;
    /** decision: What follows from the decision, one text each. */
    consequences?: string[];
    /** decision: The decision that replaced this one; the status must then be superseded. */
    superseded_by?: string;
    /** task: How urgent the task is. One of: low, normal, high, urgent. */
    priority?: string;
    /** task: The day by which it should be done, YYYY-MM-DD. */
    due_date?: string;
    /** task: Who works on it. */
    assignee?: string;
    /** task: The feature that it belongs to, by name. */
    feature?: string;
    /** task: The craft that it needs, by name. */
    discipline?: string;
    /** note: What sort of note it is, for example meeting or research. */
    note_type?: string;
    /** prompt: The text, with {{variable}} where a value goes. */
    template?: string;
    /** prompt: The names of the variables in the template. */
    variables?: string[];
    /** prompt: A JSON schema of the wanted answer, as text. */
    output_schema?: string;
    /** component: What sort of part it is, for example service or library. */
    component_type?: string;
    /** component: Who looks after it. */
    owner?: string;
    /** link: The whole address, with its scheme. */
    url?: string;
    /** link: What sort of thing is there, for example docs or issue. */
    link_type?: string;
  };
};
type EntitiesCreateAnswer = {
  id: string;
  sequence_number: number;
  type: string;
  title: string;
  content?: string;
  tags: string[];
  created_at: string;
  updated_at: string;
  properties: Record<string, unknown>;
  former_numbers?: number[];
  truncated?: Record<string, unknown>;
};
type EntitiesGetInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** Skip this many characters of the content: where an earlier answer was truncated, go on here. */
  content_from?: number;
};
type EntitiesListInput = {
  /** Only entities of this type. */
  type?: "decision" | "task" | "note" | "prompt" | "component" | "link" | "feature" | "discipline";
  /** Only entities with this status, for example todo or accepted. */
  status?: string;
  /** Only entities with this tag. */
  tag?: string;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type EntitiesListAnswer = {
  entities: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
    content?: string;
    tags: string[];
    created_at: string;
    updated_at: string;
    properties: Record<string, unknown>;
    former_numbers?: number[];
    truncated?: Record<string, unknown>;
  }[];
  total: number;
  limit: number;
  offset: number;
  next_offset?: number;
};
type EntitiesUpdateInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** The new title. */
  title?: string;
  /** The new content. An empty text removes it. */
  content?: string;
  /** Replaces all tags. */
  tags?: string[];
  /** Tags to add. */
  add_tags?: string[];
  /** Tags to remove. */
  remove_tags?: string[];
  /** Fields of the type to change. */
  properties?: {
    /** Where it stands. decision: proposed, accepted, deprecated, superseded; task: todo, in_progress, done, blocked; component: active, deprecated, planned. */
    status?: string;
    /** decision: What made the decision necessary. */
    context?: string;
    /** decision: What follows from the decision, one text each. */
    consequences?: string[];
    /** decision: The decision that replaced this one; the status must then be superseded. */
    superseded_by?: string;
    /** task: How urgent the task is. One of: low, normal, high, urgent. */
    priority?: string;
    /** task: The day by which it should be done, YYYY-MM-DD. */
    due_date?: string;
    /** task: Who works on it. */
    assignee?: string;
    /** task: The feature that it belongs to, by name. */
    feature?: string;
    /** task: The craft that it needs, by name. */
    discipline?: string;
    /** note: What sort of note it is, for example meeting or research. */
    note_type?: string;
    /** prompt: The text, with {{variable}} where a value goes. */
    template?: string;
    /** prompt: The names of the variables in the template. */
    variables?: string[];
    /** prompt: A JSON schema of the wanted answer, as text. */
    output_schema?: string;
    /** component: What sort of part it is, for example service or library. */
    component_type?: string;
    /** component: Who looks after it. */
    owner?: string;
    /** link: The whole address, with its scheme. */
    url?: string;
    /** link: What sort of thing is there, for example docs or issue. */
    link_type?: string;
  };
};
type EntitiesDeleteInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type EntitiesDeleteAnswer = {
  id: string;
  sequence_number: number;
  type: string;
  title: string;
  deleted: boolean;
};
type EntitiesBatchInput = {
  /** What to do: objects with "op" (create, update or delete) and the arguments of entity_create, entity_update or entity_delete. */
  operations: {
    op: "create" | "update" | "delete";
    /** For update and delete: number or id. */
    id?: string | number;
    /** For create. */
    type?: "decision" | "task" | "note" | "prompt" | "component" | "link" | "feature" | "discipline";
    title?: string;
    content?: string;
    tags?: string[];
    add_tags?: string[];
    remove_tags?: string[];
    /** As in entity_create. */
    properties?: Record<string, unknown>;
  }[];
};
type EntitiesBatchAnswer = {
  results: {
    index: number;
    success: boolean;
    id?: string;
    sequence_number?: number;
    error?: {
      code: string;
      message: string;
      hint?: string;
    };
  }[];
  succeeded: number;
  failed: number;
};
type SearchFulltextInput = {
  /** The words to look for. */
  query: string;
  /** Only entities of this type. */
  type?: "decision" | "task" | "note" | "prompt" | "component" | "link" | "feature" | "discipline";
  /** How many to answer, 1 to 100. */
  limit?: number;
};
type SearchFulltextAnswer = {
  results: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
    status?: string;
    tags: string[];
    score: number;
    snippet?: string;
  }[];
  matched: "all" | "any";
  has_more: boolean;
};
type SearchQueryInput = {
  /** Filters and words, for example: type:task tag:auth login */
  query: string;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type GraphRelationsInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** Relations that start at it (from), end at it (to), or both. */
  direction?: "from" | "to" | "both";
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type GraphRelationsAnswer = {
  relations: {
    relation_type: string;
    source_id: string;
    source_number: number;
    source_type: string;
    source_title: string;
    target_id: string;
    target_number: number;
    target_type: string;
    target_title: string;
    created_at: string;
  }[];
  limit: number;
  offset: number;
  has_more: boolean;
};
type GraphPathInput = {
  /** Where to begin. */
  from_id: string;
  /** Where to end. */
  to_id: string;
  /** The longest path to look for, in steps, 1 to 50. */
  max_depth?: number;
};
type GraphPathAnswer = {
  path: string[];
  entities: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
  }[];
};
type GraphOrphansInput = {
  /** Only entities of this type. */
  type?: "decision" | "task" | "note" | "prompt" | "component" | "link" | "feature" | "discipline";
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type GraphOrphansAnswer = {
  entities: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
  }[];
  limit: number;
  offset: number;
  has_more: boolean;
};
type RelationsCreateInput = {
  /** Where the relation starts. */
  source_id: string;
  /** What the relation says. */
  relation_type: "implements" | "blocks" | "supersedes" | "references" | "belongs_to" | "documents" | "parent";
  /** Where the relation ends. */
  target_id: string;
};
type RelationsCreateAnswer = {
  relation_type: string;
  source: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
  };
  target: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
  };
  changed: boolean;
};
type RelationsDeleteInput = {
  /** Where the relation starts. */
  source_id: string;
  /** What the relation says. */
  relation_type: "implements" | "blocks" | "supersedes" | "references" | "belongs_to" | "documents" | "parent";
  /** Where the relation ends. */
  target_id: string;
};
type TasksReadyInput = {
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** Only tasks of this priority: low, normal, high or urgent. */
  priority?: string;
  /** How many to skip. */
  offset?: number;
};
type TasksReadyAnswer = {
  tasks: {
    id: string;
    sequence_number: number;
    title: string;
    status: string;
    priority: string;
    due_date?: string;
    assignee?: string;
    tags: string[];
    claimed_by?: string;
  }[];
  limit: number;
  offset: number;
  has_more: boolean;
};
type TasksNextAnswer = {
  task?: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
    content?: string;
    tags: string[];
    created_at: string;
    updated_at: string;
    properties: Record<string, unknown>;
    former_numbers?: number[];
    truncated?: Record<string, unknown>;
  };
};
type TasksBlockedInput = {
  /** Only this task: its number, or at least 4 hex digits of its id. */
  id?: string | number;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type TasksBlockedAnswer = {
  tasks: {
    id: string;
    sequence_number: number;
    title: string;
    status: string;
    priority: string;
    due_date?: string;
    assignee?: string;
    tags: string[];
    claimed_by?: string;
    blockers: {
      id: string;
      sequence_number: number;
      title: string;
      status: string;
      through?: number;
      hint?: string;
    }[];
  }[];
  limit: number;
  offset: number;
  has_more: boolean;
};
type TasksCompleteInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type TasksCompleteAnswer = {
  id: string;
  sequence_number: number;
  type: string;
  title: string;
  content?: string;
  tags: string[];
  created_at: string;
  updated_at: string;
  properties: Record<string, unknown>;
  former_numbers?: number[];
  truncated?: Record<string, unknown>;
  unblocked: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
  }[];
};
type TasksRescheduleInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** The new day, as YYYY-MM-DD. */
  due_date: string;
};
type TasksClaimInput = {
  /** Its number, or at least 4 hex digits of its id. The next ready task if absent. */
  id?: string | number;
  /** In whose name; this session's if absent. */
  owner?: string;
  /** How long the claim holds, 1 to 86,400 seconds. */
  lease_seconds?: number;
  /** Give the task back instead. */
  release?: boolean;
};
type TasksClaimAnswer = {
  claimed: boolean;
  owner: string;
  expires_at?: string;
  renewed?: boolean;
  released?: boolean;
  task?: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
    content?: string;
    tags: string[];
    created_at: string;
    updated_at: string;
    properties: Record<string, unknown>;
    former_numbers?: number[];
    truncated?: Record<string, unknown>;
  };
};
type DecisionsSupersedeInput = {
  /** The decision that no longer holds. */
  old_id: string;
  /** The decision that holds instead. */
  new_id: string;
};
type DecisionsSupersedeAnswer = {
  old: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
    content?: string;
    tags: string[];
    created_at: string;
    updated_at: string;
    properties: Record<string, unknown>;
    former_numbers?: number[];
    truncated?: Record<string, unknown>;
  };
  new: {
    id: string;
    sequence_number: number;
    type: string;
    title: string;
    content?: string;
    tags: string[];
    created_at: string;
    updated_at: string;
    properties: Record<string, unknown>;
    former_numbers?: number[];
    truncated?: Record<string, unknown>;
  };
};
type EventsListInput = {
  /** Only events after this number, oldest first. */
  after?: number;
  /** Only changes of this entity: its number, or at least 4 hex digits of its id. */
  entity?: string;
  /** Only events of this type, for example entity.created. */
  type?: string;
  /** Only events of one request or script. */
  correlation_id?: string;
  /** How many to answer, 1 to 100. */
  limit?: number;
};
type EventsListAnswer = {
  events: {
    seq: number;
    id: string;
    at: string;
    actor: string;
    source: string;
    session: string;
    correlation_id?: string;
    type: string;
    entity_id?: string;
    entity_type?: string;
    payload: Record<string, unknown>;
  }[];
};
type TasksCreateInput = {
  /** What is to be done, 1 to 500 characters. */
  description?: string;
  /** The same under another name. */
  title?: string;
  /** What to know before starting: markdown, seen by those below it too. */
  context?: string;
  /** The task that it is a part of: its number, or at least 4 hex digits of its id. */
  parent_id?: string;
  /** milestone, task or subtask. */
  kind?: string;
  /** low, normal, high or urgent. */
  priority?: string;
  /** Tasks that must be done first. */
  blocked_by?: string[];
  /** Words to find it by. */
  tags?: string[];
};
type TasksCreateAnswer = {
  id: string;
  number: number;
  kind: string;
  parent_id?: string;
  description: string;
  context?: string;
  context_chars?: number;
  priority: string;
  status: string;
  blocked_by: string[];
  blocks: string[];
  depth: number;
  effectively_blocked: boolean;
  claimed_by?: string;
  created_at: string;
  updated_at: string;
  started_at?: string;
  completed_at?: string;
};
type TasksGetInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type TasksGetAnswer = {
  id: string;
  number: number;
  kind: string;
  parent_id?: string;
  description: string;
  context?: string;
  context_chars?: number;
  priority: string;
  status: string;
  blocked_by: string[];
  blocks: string[];
  depth: number;
  effectively_blocked: boolean;
  claimed_by?: string;
  created_at: string;
  updated_at: string;
  started_at?: string;
  completed_at?: string;
  contexts: {
    own?: string;
    parent?: string;
    milestone?: string;
  };
  learnings: {
    own: {
      number: number;
      task_id: string;
      content: string;
      source_task_id: string;
      source: string;
      created_at: string;
    }[];
    parent: {
      number: number;
      task_id: string;
      content: string;
      source_task_id: string;
      source: string;
      created_at: string;
    }[];
    milestone: {
      number: number;
      task_id: string;
      content: string;
      source_task_id: string;
      source: string;
      created_at: string;
    }[];
  };
  gates: string[];
  start_commit?: string;
  start_branch?: string;
  submit_commit?: string;
  review?: {
    id: string;
    number: number;
    task_id: string;
    task_number?: number;
    status: string;
    submitted_by: string;
    round: number;
    summary?: string;
    gates: {
      gate_id: string;
      name: string;
      review_id: string;
      attempt: number;
      max_retries: number;
      status: string;
      exit_code?: number;
      message?: string;
      stdout?: string;
      stderr?: string;
      polls: number;
      started_at?: string;
      completed_at?: string;
    }[];
    submitted_at: string;
    gates_completed_at?: string;
    agent_completed_at?: string;
    human_completed_at?: string;
    created_at: string;
    updated_at: string;
  };
  help_request?: {
    id: string;
    number: number;
    task_id: string;
    task_number?: number;
    from_status: string;
    category: string;
    reason: string;
    suggested_options: string[];
    status: string;
    response?: string;
    chosen_option?: number;
    created_at: string;
    responded_at?: string;
    resumed_at?: string;
  };
};
type TasksListInput = {
  /** Only those right below this task; "none" for those without a parent. */
  parent_id?: string;
  /** Only these kinds: milestone, task, subtask. */
  kind?: string[];
  /** Only these statuses: pending, in_progress, in_review, awaiting_human, blocked, completed, cancelled. */
  status?: string[];
  /** Only those that can be worked on now. */
  ready?: boolean;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type TasksListAnswer = {
  tasks: {
    id: string;
    number: number;
    kind: string;
    parent_id?: string;
    description: string;
    context?: string;
    context_chars?: number;
    priority: string;
    status: string;
    blocked_by: string[];
    blocks: string[];
    depth: number;
    effectively_blocked: boolean;
    claimed_by?: string;
    created_at: string;
    updated_at: string;
    started_at?: string;
    completed_at?: string;
  }[];
  limit: number;
  offset: number;
  has_more: boolean;
};
type TasksUpdateInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** The new description. */
  description?: string;
  /** The new context. An empty text removes it. */
  context?: string;
  /** low, normal, high or urgent. */
  priority?: string;
};
type TasksDeleteInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type TasksDeleteAnswer = {
  id: string;
  number: number;
  description: string;
  deleted: boolean;
};
type TasksStartInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type TasksSubmitInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** Whether to wait until the gates have come to an end. */
  wait?: boolean;
};
type TasksSubmitAnswer = {
  review: {
    id: string;
    number: number;
    task_id: string;
    task_number?: number;
    status: string;
    submitted_by: string;
    round: number;
    summary?: string;
    gates: {
      gate_id: string;
      name: string;
      review_id: string;
      attempt: number;
      max_retries: number;
      status: string;
      exit_code?: number;
      message?: string;
      stdout?: string;
      stderr?: string;
      polls: number;
      started_at?: string;
      completed_at?: string;
    }[];
    submitted_at: string;
    gates_completed_at?: string;
    agent_completed_at?: string;
    human_completed_at?: string;
    created_at: string;
    updated_at: string;
  };
  gate_failures: {
    name: string;
    exit_code?: number;
    attempt: number;
    max_retries: number;
    stdout: string;
    stderr: string;
    escalated: boolean;
    message?: string;
  }[];
  action_required: string;
  escalated_to_human: boolean;
  message: string;
};
type TasksCancelInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type TasksForceCompleteInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type TasksSetStatusInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** pending, in_progress, in_review, awaiting_human, blocked, completed or cancelled. */
  status: string;
};
type TasksBlockInput = {
  /** The task that waits: its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** The task that must be done first. */
  blocked_by: string;
};
type TasksUnblockInput = {
  /** The task that waits: its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** The task that must be done first. */
  blocked_by: string;
};
type TasksTreeInput = {
  /** Its number, or at least 4 hex digits of its id. All roots if absent. */
  id?: string | number;
};
type TasksTreeAnswer = {
  tree: {
    id: string;
    number: number;
    kind: string;
    parent_id?: string;
    description: string;
    context?: string;
    context_chars?: number;
    priority: string;
    status: string;
    blocked_by: string[];
    blocks: string[];
    depth: number;
    effectively_blocked: boolean;
    claimed_by?: string;
    created_at: string;
    updated_at: string;
    started_at?: string;
    completed_at?: string;
    children: {
      id: string;
      number: number;
      kind: string;
      parent_id?: string;
      description: string;
      context?: string;
      context_chars?: number;
      priority: string;
      status: string;
      blocked_by: string[];
      blocks: string[];
      depth: number;
      effectively_blocked: boolean;
      claimed_by?: string;
      created_at: string;
      updated_at: string;
      started_at?: string;
      completed_at?: string;
      children: {
        id: string;
        number: number;
        kind: string;
        parent_id?: string;
        description: string;
        context?: string;
        context_chars?: number;
        priority: string;
        status: string;
        blocked_by: string[];
        blocks: string[];
        depth: number;
        effectively_blocked: boolean;
        claimed_by?: string;
        created_at: string;
        updated_at: string;
        started_at?: string;
        completed_at?: string;
        children: Record<string, unknown>[];
      }[];
    }[];
  }[];
  truncated: boolean;
};
type TasksProgressInput = {
  /** Only what is below this task: its number, or at least 4 hex digits of its id. */
  id?: string | number;
};
type TasksProgressAnswer = {
  total: number;
  completed: number;
  ready: number;
  blocked: number;
  pending: number;
  in_progress: number;
  in_review: number;
  awaiting_human: number;
  cancelled: number;
};
type TasksNextReadyInput = {
  /** Only below this task: its number, or at least 4 hex digits of its id. */
  milestone_id?: string;
};
type TasksNextReadyAnswer = {
  task?: {
    id: string;
    number: number;
    kind: string;
    parent_id?: string;
    description: string;
    context?: string;
    context_chars?: number;
    priority: string;
    status: string;
    blocked_by: string[];
    blocks: string[];
    depth: number;
    effectively_blocked: boolean;
    claimed_by?: string;
    created_at: string;
    updated_at: string;
    started_at?: string;
    completed_at?: string;
    contexts: {
      own?: string;
      parent?: string;
      milestone?: string;
    };
    learnings: {
      own: {
        number: number;
        task_id: string;
        content: string;
        source_task_id: string;
        source: string;
        created_at: string;
      }[];
      parent: {
        number: number;
        task_id: string;
        content: string;
        source_task_id: string;
        source: string;
        created_at: string;
      }[];
      milestone: {
        number: number;
        task_id: string;
        content: string;
        source_task_id: string;
        source: string;
        created_at: string;
      }[];
    };
    gates: string[];
    start_commit?: string;
    start_branch?: string;
    submit_commit?: string;
    review?: {
      id: string;
      number: number;
      task_id: string;
      task_number?: number;
      status: string;
      submitted_by: string;
      round: number;
      summary?: string;
      gates: {
        gate_id: string;
        name: string;
        review_id: string;
        attempt: number;
        max_retries: number;
        status: string;
        exit_code?: number;
        message?: string;
        stdout?: string;
        stderr?: string;
        polls: number;
        started_at?: string;
        completed_at?: string;
      }[];
      submitted_at: string;
      gates_completed_at?: string;
      agent_completed_at?: string;
      human_completed_at?: string;
      created_at: string;
      updated_at: string;
    };
    help_request?: {
      id: string;
      number: number;
      task_id: string;
      task_number?: number;
      from_status: string;
      category: string;
      reason: string;
      suggested_options: string[];
      status: string;
      response?: string;
      chosen_option?: number;
      created_at: string;
      responded_at?: string;
      resumed_at?: string;
    };
  };
  found: boolean;
};
type ReviewsGetInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type ReviewsGetAnswer = {
  id: string;
  number: number;
  task_id: string;
  task_number?: number;
  status: string;
  submitted_by: string;
  round: number;
  summary?: string;
  gates: {
    gate_id: string;
    name: string;
    review_id: string;
    attempt: number;
    max_retries: number;
    status: string;
    exit_code?: number;
    message?: string;
    stdout?: string;
    stderr?: string;
    polls: number;
    started_at?: string;
    completed_at?: string;
  }[];
  submitted_at: string;
  gates_completed_at?: string;
  agent_completed_at?: string;
  human_completed_at?: string;
  created_at: string;
  updated_at: string;
};
type ReviewsGetActiveInput = {
  /** The task: its number, or at least 4 hex digits of its id. */
  task_id: string;
};
type ReviewsGetActiveAnswer = {
  review?: {
    id: string;
    number: number;
    task_id: string;
    task_number?: number;
    status: string;
    submitted_by: string;
    round: number;
    summary?: string;
    gates: {
      gate_id: string;
      name: string;
      review_id: string;
      attempt: number;
      max_retries: number;
      status: string;
      exit_code?: number;
      message?: string;
      stdout?: string;
      stderr?: string;
      polls: number;
      started_at?: string;
      completed_at?: string;
    }[];
    submitted_at: string;
    gates_completed_at?: string;
    agent_completed_at?: string;
    human_completed_at?: string;
    created_at: string;
    updated_at: string;
  };
  active: boolean;
};
type ReviewsListInput = {
  /** Only those of this task: its number, or at least 4 hex digits of its id. */
  task_id?: string;
  /** Only those of this status: gates_pending, gates_escalated, agent_pending, human_pending, approved, changes_requested, withdrawn. */
  status?: string;
  /** Only those that still wait for something. */
  active?: boolean;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type ReviewsListAnswer = {
  reviews: {
    id: string;
    number: number;
    task_id: string;
    task_number?: number;
    status: string;
    submitted_by: string;
    round: number;
    summary?: string;
    gates: {
      gate_id: string;
      name: string;
      review_id: string;
      attempt: number;
      max_retries: number;
      status: string;
      exit_code?: number;
      message?: string;
      stdout?: string;
      stderr?: string;
      polls: number;
      started_at?: string;
      completed_at?: string;
    }[];
    submitted_at: string;
    gates_completed_at?: string;
    agent_completed_at?: string;
    human_completed_at?: string;
    created_at: string;
    updated_at: string;
  }[];
  limit: number;
  offset: number;
  has_more: boolean;
};
type ReviewsCommentInput = {
  /** The review: its number, or at least 4 hex digits of its id. */
  review_id: string;
  /** What to say. */
  body: string;
  /** The file that it is about. */
  file_path?: string;
  /** The first line, counted from 1. */
  line_start?: number;
  /** The last line. */
  line_end?: number;
  /** left for the state before the change, right for the one after it. */
  side?: string;
};
type ReviewsCommentAnswer = {
  id: string;
  number: number;
  review_id: string;
  task_id: string;
  author: string;
  file_path?: string;
  line_start?: number;
  line_end?: number;
  side?: string;
  body: string;
  created_at: string;
  resolved_at?: string;
};
type ReviewsListCommentsInput = {
  /** The review: its number, or at least 4 hex digits of its id. */
  review_id: string;
  /** Only what is not settled. */
  open?: boolean;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type ReviewsListCommentsAnswer = {
  comments: {
    id: string;
    number: number;
    review_id: string;
    task_id: string;
    author: string;
    file_path?: string;
    line_start?: number;
    line_end?: number;
    side?: string;
    body: string;
    created_at: string;
    resolved_at?: string;
  }[];
  limit: number;
  offset: number;
  has_more: boolean;
};
type ReviewsResolveCommentInput = {
  /** The comment: its number, or at least 4 hex digits of its id. */
  comment_id: string;
};
type ReviewsApproveInput = {
  /** The review: its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type ReviewsRequestChangesInput = {
  /** The review: its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** What is missing, in short. */
  summary?: string;
  /** What to change, where. */
  comments?: {
    /** What to say. */
    body: string;
    /** The file that it is about. */
    file_path?: string;
    /** The first line, counted from 1. */
    line_start?: number;
    /** The last line. */
    line_end?: number;
    /** left for the state before the change, right for the one after it. */
    side?: string;
  }[];
};
type ReviewsShowInput = {
  /** The review: its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type ReviewsShowAnswer = {
  review: {
    id: string;
    number: number;
    task_id: string;
    task_number?: number;
    status: string;
    submitted_by: string;
    round: number;
    summary?: string;
    gates: {
      gate_id: string;
      name: string;
      review_id: string;
      attempt: number;
      max_retries: number;
      status: string;
      exit_code?: number;
      message?: string;
      stdout?: string;
      stderr?: string;
      polls: number;
      started_at?: string;
      completed_at?: string;
    }[];
    submitted_at: string;
    gates_completed_at?: string;
    agent_completed_at?: string;
    human_completed_at?: string;
    created_at: string;
    updated_at: string;
  };
  gate_failures: {
    name: string;
    exit_code?: number;
    attempt: number;
    max_retries: number;
    stdout: string;
    stderr: string;
    escalated: boolean;
    message?: string;
  }[];
  comments: {
    id: string;
    number: number;
    review_id: string;
    task_id: string;
    author: string;
    file_path?: string;
    line_start?: number;
    line_end?: number;
    side?: string;
    body: string;
    created_at: string;
    resolved_at?: string;
  }[];
  start_commit?: string;
  diff?: string;
  diff_truncated: boolean;
  untracked_files: string[];
};
type GatesAddInput = {
  /** What it is called; unique in its scope. */
  name: string;
  /** Shell text, command:NAME for a command of the repository, or playbook:ID. */
  command: string;
  /** Only for this task and all below it: its number, or at least 4 hex digits of its id. All work if absent. */
  task_id?: string;
  /** How long one execution may take, in seconds. */
  timeout_secs?: number;
  /** After so many failed attempts a person decides. */
  max_retries?: number;
  /** How long to wait before a gate that exits with 75 is asked again. */
  poll_interval_secs?: number;
  /** How long a gate may exit with 75. */
  max_pending_secs?: number;
};
type GatesAddAnswer = {
  id: string;
  number?: number;
  scope: string;
  task_id?: string;
  name: string;
  command: string;
  timeout_secs: number;
  max_retries: number;
  poll_interval_secs: number;
  max_pending_secs: number;
  waiting?: string;
  created_at?: string;
  updated_at?: string;
};
type GatesListInput = {
  /** Only those of this very task: its number, or at least 4 hex digits of its id. */
  task_id?: string;
};
type GatesListAnswer = {
  gates: {
    id: string;
    number?: number;
    scope: string;
    task_id?: string;
    name: string;
    command: string;
    timeout_secs: number;
    max_retries: number;
    poll_interval_secs: number;
    max_pending_secs: number;
    waiting?: string;
    created_at?: string;
    updated_at?: string;
  }[];
  total: number;
};
type GatesGetEffectiveInput = {
  /** The task: its number, or at least 4 hex digits of its id. */
  task_id: string;
};
type GatesUpdateInput = {
  /** The gate: its number, its name, or at least 4 hex digits of its id. */
  id: string | number;
  /** The new name. */
  name?: string;
  /** The new command. */
  command?: string;
  /** How long one execution may take, in seconds. */
  timeout_secs?: number;
  /** After so many failed attempts a person decides. */
  max_retries?: number;
  /** How long to wait before a gate that exits with 75 is asked again. */
  poll_interval_secs?: number;
  /** How long a gate may exit with 75. */
  max_pending_secs?: number;
};
type GatesRemoveInput = {
  /** The gate: its number, its name, or at least 4 hex digits of its id. */
  id: string | number;
};
type GatesResultsInput = {
  /** The review: its number, or at least 4 hex digits of its id. */
  review_id: string;
  /** Only the last attempt of each gate. */
  last?: boolean;
  /** Whether to wait until the gates have come to an end. */
  wait?: boolean;
};
type GatesResultsAnswer = {
  review_id: string;
  status: string;
  results: {
    gate_id: string;
    name: string;
    review_id: string;
    attempt: number;
    max_retries: number;
    status: string;
    exit_code?: number;
    message?: string;
    stdout?: string;
    stderr?: string;
    polls: number;
    started_at?: string;
    completed_at?: string;
  }[];
};
type GatesRerunInput = {
  /** The review: its number, or at least 4 hex digits of its id. */
  review_id: string;
  /** The name of a gate, or its id. */
  gate?: string;
  /** Whether to wait until the gates have come to an end. */
  wait?: boolean;
};
type HelpRequestInput = {
  /** The task: its number, or at least 4 hex digits of its id. */
  task_id: string;
  /** clarification, decision, technical_blocker or unexpected. */
  category: string;
  /** What you need to know, and why. */
  reason: string;
  /** Answers to choose from, at most 10. */
  suggested_options?: string[];
};
type HelpRequestAnswer = {
  id: string;
  number: number;
  task_id: string;
  task_number?: number;
  from_status: string;
  category: string;
  reason: string;
  suggested_options: string[];
  status: string;
  response?: string;
  chosen_option?: number;
  created_at: string;
  responded_at?: string;
  resumed_at?: string;
};
type HelpRespondInput = {
  /** The help request: its number, or at least 4 hex digits of its id. */
  id: string | number;
  /** The answer. */
  response?: string;
  /** One of the suggestions, counted from 0. */
  chosen_option?: number;
  /** Let the task go on at once. */
  resume?: boolean;
};
type HelpResumeInput = {
  /** The task: its number, or at least 4 hex digits of its id. */
  task_id: string;
};
type HelpGetActiveInput = {
  /** The task: its number, or at least 4 hex digits of its id. */
  task_id: string;
};
type HelpGetActiveAnswer = {
  help_request?: {
    id: string;
    number: number;
    task_id: string;
    task_number?: number;
    from_status: string;
    category: string;
    reason: string;
    suggested_options: string[];
    status: string;
    response?: string;
    chosen_option?: number;
    created_at: string;
    responded_at?: string;
    resumed_at?: string;
  };
  active: boolean;
};
type HelpListInput = {
  /** Only those of this task: its number, or at least 4 hex digits of its id. */
  task_id?: string;
  /** Only those of this status: pending, responded, resolved, cancelled. */
  status?: string;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
};
type HelpListAnswer = {
  help_requests: {
    id: string;
    number: number;
    task_id: string;
    task_number?: number;
    from_status: string;
    category: string;
    reason: string;
    suggested_options: string[];
    status: string;
    response?: string;
    chosen_option?: number;
    created_at: string;
    responded_at?: string;
    resumed_at?: string;
  }[];
  limit: number;
  offset: number;
  has_more: boolean;
};
type LearningsAddInput = {
  /** The task: its number, or at least 4 hex digits of its id. */
  task_id: string;
  /** What was learnt, 1 to 500 characters. */
  content: string;
};
type LearningsAddAnswer = {
  number: number;
  task_id: string;
  content: string;
  source_task_id: string;
  source: string;
  created_at: string;
};
type LearningsListInput = {
  /** The task: its number, or at least 4 hex digits of its id. */
  task_id: string;
};
type LearningsListAnswer = {
  learnings: {
    number: number;
    task_id: string;
    content: string;
    source_task_id: string;
    source: string;
    created_at: string;
  }[];
  total: number;
};
type LearningsGetInheritedInput = {
  /** The task: its number, or at least 4 hex digits of its id. */
  task_id: string;
};
type LearningsGetInheritedAnswer = {
  own: {
    number: number;
    task_id: string;
    content: string;
    source_task_id: string;
    source: string;
    created_at: string;
  }[];
  parent: {
    number: number;
    task_id: string;
    content: string;
    source_task_id: string;
    source: string;
    created_at: string;
  }[];
  milestone: {
    number: number;
    task_id: string;
    content: string;
    source_task_id: string;
    source: string;
    created_at: string;
  }[];
};
type ReposRegisterInput = {
  /** A folder, relative to the project. The project itself if absent. */
  path?: string;
};
type ReposRegisterAnswer = {
  id: string;
  number: number;
  path: string;
  name: string;
  vcs_type?: string;
  created_at: string;
  updated_at: string;
};
type ReposGetInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type ReposGetByPathInput = {
  /** A folder, relative to the project. The project itself if absent. */
  path?: string;
};
type ReposGetByPathAnswer = {
  repo?: {
    id: string;
    number: number;
    path: string;
    name: string;
    vcs_type?: string;
    created_at: string;
    updated_at: string;
  };
  found: boolean;
};
type ReposListAnswer = {
  repos: {
    id: string;
    number: number;
    path: string;
    name: string;
    vcs_type?: string;
    created_at: string;
    updated_at: string;
  }[];
  total: number;
};
type ReposUnregisterInput = {
  /** Its number, or at least 4 hex digits of its id. */
  id: string | number;
};
type EventsReplayInput = {
  /** Only events after this number. */
  after?: number;
  /** Only these types, or all that begin so: task.started, gate. */
  types?: string[];
  /** Only changes of this task or entity: its number, or at least 4 hex digits of its id. */
  entity?: string;
  /** How many to answer, 1 to 100. */
  limit?: number;
};
type EventsReplayAnswer = {
  events: {
    seq: number;
    id: string;
    at: string;
    actor: string;
    source: string;
    session: string;
    correlation_id?: string;
    type: string;
    entity_id?: string;
    entity_type?: string;
    payload: Record<string, unknown>;
  }[];
  last_seq: number;
  has_more: boolean;
};
type EventsSubscribeInput = {
  /** Only events after this number; those from now on if absent. */
  after?: number;
  /** Only these types, or all that begin so: task.started, gate. */
  types?: string[];
  /** Only changes of this task or entity: its number, or at least 4 hex digits of its id. */
  entity?: string;
  /** How many to answer, 1 to 100. */
  limit?: number;
  /** How long to wait, 0 to 300 seconds. */
  timeout_seconds?: number;
};
type CodeDescribeInput = {
  /** What to look for; any words will do. */
  query?: string;
};
type CodeDescribeAnswer = {
  methods: {
    name: string;
    about: string;
  }[];
  declarations: string;
};
declare const commands: {
  /** List what the repository knows how to run: make targets, package scripts, just recipes and the like, each by the unique name that task_start takes, with whether it may be run and can be. */
  list(input?: CommandsListInput): Promise<CommandsListAnswer>;
  /** Start a command of the repository as a job, if a person allowed it. What ends within a second is answered with its output and exit code; what goes on is answered with its PID and goes on in the background: see task_output, task_wait and task_stop. */
  start(uniqueName: CommandsStartInput["unique_name"], more?: Partial<CommandsStartInput>): Promise<CommandsStartAnswer>;
  start(input: CommandsStartInput): Promise<CommandsStartAnswer>;
};
declare const jobs: {
  /** List jobs of the project, newest first: what was started, by whom, and how it ended. */
  list(input?: JobsListInput): Promise<JobsListAnswer>;
  /** List all running jobs of the project, whoever started them. */
  running(): Promise<JobsRunningAnswer>;
  /** List the jobs of one command: those that run, and those that ended within the last hour. There may be several, with different arguments. */
  status(uniqueName: JobsStatusInput["unique_name"]): Promise<JobsListAnswer>;
  status(input: JobsStatusInput): Promise<JobsListAnswer>;
  /** Read what a job has written: its last lines, everything from a cursor on, or only lines that match. Works while it runs and for an hour after it ended. */
  output(pid: JobsOutputInput["pid"], more?: Partial<JobsOutputInput>): Promise<JobsOutputAnswer>;
  output(input: JobsOutputInput): Promise<JobsOutputAnswer>;
  /** Wait for a job: until it ends, until it writes a line that matches, or until it listens on a port. Answers when that has happened, when the job ended before, or when the time is over. */
  wait(pid: JobsWaitInput["pid"], more?: Partial<JobsWaitInput>): Promise<JobsWaitAnswer>;
  wait(input: JobsWaitInput): Promise<JobsWaitAnswer>;
  /** Stop a job and all of its processes: a request to end, a grace period, then by force. When this answers, none of its processes is left. */
  stop(pid: JobsStopInput["pid"], more?: Partial<JobsStopInput>): Promise<JobsStopAnswer>;
  stop(input: JobsStopInput): Promise<JobsStopAnswer>;
};
declare const allowlist: {
  /** Allow agents to run a command, all commands of a file, or all of a folder. A command is allowed as it stands: if its definition changes, it has to be allowed again. Only a person can do this. Only people may call this. */
  allow(target: AllowlistAllowInput["target"], more?: Partial<AllowlistAllowInput>): Promise<AllowlistAllowAnswer>;
  allow(input: AllowlistAllowInput): Promise<AllowlistAllowAnswer>;
  /** Forbid agents to run a command, a file's commands or a folder's, whatever else allows it. Only a person can do this. Only people may call this. */
  deny(target: AllowlistDenyInput["target"]): Promise<AllowlistDenyAnswer>;
  deny(input: AllowlistDenyInput): Promise<AllowlistDenyAnswer>;
  /** Show what people allowed and denied, or why one command may be run or not. */
  list(name?: AllowlistListInput["name"]): Promise<AllowlistListAnswer>;
  list(input?: AllowlistListInput): Promise<AllowlistListAnswer>;
  /** Take back what the allowlist says about a command, a file or a folder: what was allowed, and what was denied. Only a person can do this. Only people may call this. */
  revoke(target: AllowlistRevokeInput["target"]): Promise<AllowlistRevokeAnswer>;
  revoke(input: AllowlistRevokeInput): Promise<AllowlistRevokeAnswer>;
};
declare const runs: {
  /** Make a run from a specification: steps that are executed in order, with what is expected of each. Nothing is executed before run_execute. */
  create(input: RunsCreateInput): Promise<RunsCreateAnswer>;
  /** Execute a run that was created, once: its steps in order, until one does not do what is expected of it. Answers when it has ended, unless it is not to be waited for. */
  execute(runId: RunsExecuteInput["runId"], more?: Partial<RunsExecuteInput>): Promise<RunsExecuteAnswer>;
  execute(input: RunsExecuteInput): Promise<RunsExecuteAnswer>;
  /** Where a run stands: its status and its times. */
  status(runId: RunsStatusInput["runId"]): Promise<RunsStatusAnswer>;
  status(input: RunsStatusInput): Promise<RunsStatusAnswer>;
  /** Everything about a run: its status and each step with its exit code, its times and the end of its output. */
  read(runId: RunsReadInput["runId"]): Promise<RunsReadAnswer>;
  read(input: RunsReadInput): Promise<RunsReadAnswer>;
  /** List runs, newest first. */
  list(input?: RunsListInput): Promise<RunsListAnswer>;
  /** Read the whole output of a step, while it runs as well as later, page by page. Secrets are masked. */
  logs(runId: RunsLogsInput["runId"], more?: Partial<RunsLogsInput>): Promise<RunsLogsAnswer>;
  logs(input: RunsLogsInput): Promise<RunsLogsAnswer>;
  /** List what was kept of a run, or read one piece of it, page by page. */
  artifacts(runId: RunsArtifactsInput["runId"], more?: Partial<RunsArtifactsInput>): Promise<RunsArtifactsAnswer>;
  artifacts(input: RunsArtifactsInput): Promise<RunsArtifactsAnswer>;
  /** Call a run off, whichever process executes it. Its processes are stopped; steps that have not begun are skipped. Answers when it has ended. */
  cancel(runId: RunsCancelInput["runId"]): Promise<RunsStatusAnswer>;
  cancel(input: RunsCancelInput): Promise<RunsStatusAnswer>;
  /** Make a new run of the same specification as an earlier one. It is created, not executed. */
  rerun(runId: RunsRerunInput["runId"]): Promise<RunsCreateAnswer>;
  rerun(input: RunsRerunInput): Promise<RunsCreateAnswer>;
};
declare const playbooks: {
  /** List all playbooks: those that are built in, and those of the project in .windlass/playbooks/. */
  list(): Promise<PlaybooksListAnswer>;
  /** One playbook: what it does, its variables, and the specification of its runs. */
  get(id: PlaybooksGetInput["id"]): Promise<PlaybooksGetAnswer>;
  get(input: PlaybooksGetInput): Promise<PlaybooksGetAnswer>;
  /** Make a run of a playbook and execute it. A playbook of the project that executes anything on this machine has to be allowed by a person first, as it stands. */
  run(id: PlaybooksRunInput["id"], more?: Partial<PlaybooksRunInput>): Promise<RunsExecuteAnswer>;
  run(input: PlaybooksRunInput): Promise<RunsExecuteAnswer>;
  /** Check the playbook files of the project: what is wrong in them, by file and line, and which a person has still to allow. */
  check(): Promise<PlaybooksCheckAnswer>;
};
declare const plan: {
  /** List all tasks with status, priority, feature and discipline, by number. Narrowed by any of the three filters. */
  listTasks(input?: PlanListTasksInput): Promise<PlanListTasksAnswer>;
  /** Get full task details including comments, and the tasks that it depends on and that wait for it, with where they stand. */
  getTask(id: PlanGetTaskInput["id"]): Promise<PlanGetTaskAnswer>;
  getTask(input: PlanGetTaskInput): Promise<PlanGetTaskAnswer>;
  /** Create a new task of a feature and a discipline, both of which must exist. It is pending, or a draft that is to be enriched first. */
  createTask(feature: PlanCreateTaskInput["feature"], discipline: PlanCreateTaskInput["discipline"], title: PlanCreateTaskInput["title"], more?: Partial<PlanCreateTaskInput>): Promise<PlanCreateTaskAnswer>;
  createTask(input: PlanCreateTaskInput): Promise<PlanCreateTaskAnswer>;
  /** Update task fields. What is not given stays as it is; lists are replaced as a whole, and an empty text clears a field. */
  updateTask(id: PlanUpdateTaskInput["id"], more?: Partial<PlanUpdateTaskInput>): Promise<PlanCreateTaskAnswer>;
  updateTask(input: PlanUpdateTaskInput): Promise<PlanCreateTaskAnswer>;
  /** Delete a task. Fails if other tasks depend on it, and names them. */
  deleteTask(id: PlanDeleteTaskInput["id"]): Promise<PlanDeleteTaskAnswer>;
  deleteTask(input: PlanDeleteTaskInput): Promise<PlanDeleteTaskAnswer>;
  /** Set the status of a task: draft, pending, in_progress, done, blocked or skipped. */
  setTaskStatus(id: PlanSetTaskStatusInput["id"], status: PlanSetTaskStatusInput["status"]): Promise<PlanCreateTaskAnswer>;
  setTaskStatus(input: PlanSetTaskStatusInput): Promise<PlanCreateTaskAnswer>;
  /** Enrich a draft task with pseudocode, and promote it to pending. Criteria and files that are given replace those of the draft. */
  enrichTask(id: PlanEnrichTaskInput["id"], pseudocode: PlanEnrichTaskInput["pseudocode"], more?: Partial<PlanEnrichTaskInput>): Promise<PlanCreateTaskAnswer>;
  enrichTask(input: PlanEnrichTaskInput): Promise<PlanCreateTaskAnswer>;
  /** Add a comment to a task. */
  addTaskComment(taskId: PlanAddTaskCommentInput["task_id"], author: PlanAddTaskCommentInput["author"], body: PlanAddTaskCommentInput["body"], more?: Partial<PlanAddTaskCommentInput>): Promise<PlanAddTaskCommentAnswer>;
  addTaskComment(input: PlanAddTaskCommentInput): Promise<PlanAddTaskCommentAnswer>;
  /** Edit an existing comment. */
  updateTaskComment(taskId: PlanUpdateTaskCommentInput["task_id"], commentId: PlanUpdateTaskCommentInput["comment_id"], body: PlanUpdateTaskCommentInput["body"]): Promise<PlanAddTaskCommentAnswer>;
  updateTaskComment(input: PlanUpdateTaskCommentInput): Promise<PlanAddTaskCommentAnswer>;
  /** Delete a comment of a task. */
  deleteTaskComment(taskId: PlanDeleteTaskCommentInput["task_id"], commentId: PlanDeleteTaskCommentInput["comment_id"]): Promise<PlanDeleteTaskAnswer>;
  deleteTaskComment(input: PlanDeleteTaskCommentInput): Promise<PlanDeleteTaskAnswer>;
  /** Get project title, description and creation date, and how many tasks, features and disciplines it has. */
  getProjectInfo(): Promise<PlanGetProjectInfoAnswer>;
  /** Get task completion stats: total, done, by status, by feature and by discipline. */
  getProjectProgress(): Promise<PlanGetProjectProgressAnswer>;
};
declare const features: {
  /** List all features with descriptions. */
  list(): Promise<FeaturesListAnswer>;
  /** Get full feature details including learnings and context files. */
  get(name: FeaturesGetInput["name"]): Promise<FeaturesGetAnswer>;
  get(input: FeaturesGetInput): Promise<FeaturesGetAnswer>;
  /** Create a new feature: a part of the product that tasks belong to. */
  create(name: FeaturesCreateInput["name"], displayName: FeaturesCreateInput["display_name"], more?: Partial<FeaturesCreateInput>): Promise<FeaturesGetAnswer>;
  create(input: FeaturesCreateInput): Promise<FeaturesGetAnswer>;
  /** Update feature fields. What is not given stays as it is; lists are replaced as a whole, and an empty text clears a field. */
  update(name: FeaturesUpdateInput["name"], more?: Partial<FeaturesUpdateInput>): Promise<FeaturesGetAnswer>;
  update(input: FeaturesUpdateInput): Promise<FeaturesGetAnswer>;
  /** Delete a feature. Fails if tasks reference it, or features depend on it, and names them. */
  delete(name: FeaturesDeleteInput["name"]): Promise<PlanDeleteTaskAnswer>;
  delete(input: FeaturesDeleteInput): Promise<PlanDeleteTaskAnswer>;
  /** Add a learning to a feature. One that says the same as another is counted as a hit of it, one that says the opposite takes its place. At most 50 are kept. */
  appendLearning(featureName: FeaturesAppendLearningInput["feature_name"], text: FeaturesAppendLearningInput["text"], more?: Partial<FeaturesAppendLearningInput>): Promise<FeaturesAppendLearningAnswer>;
  appendLearning(input: FeaturesAppendLearningInput): Promise<FeaturesAppendLearningAnswer>;
  /** Register a relevant file path on a feature. A file that is registered already stays registered once. */
  addContextFile(featureName: FeaturesAddContextFileInput["feature_name"], filePath: FeaturesAddContextFileInput["file_path"]): Promise<FeaturesAddContextFileAnswer>;
  addContextFile(input: FeaturesAddContextFileInput): Promise<FeaturesAddContextFileAnswer>;
};
declare const disciplines: {
  /** List all disciplines. */
  list(): Promise<DisciplinesListAnswer>;
  /** Get full discipline details. */
  get(name: DisciplinesGetInput["name"]): Promise<DisciplinesGetAnswer>;
  get(input: DisciplinesGetInput): Promise<DisciplinesGetAnswer>;
  /** Create a new discipline: a craft that tasks need. */
  create(name: DisciplinesCreateInput["name"], displayName: DisciplinesCreateInput["display_name"], icon: DisciplinesCreateInput["icon"], color: DisciplinesCreateInput["color"], more?: Partial<DisciplinesCreateInput>): Promise<DisciplinesGetAnswer>;
  create(input: DisciplinesCreateInput): Promise<DisciplinesGetAnswer>;
  /** Update discipline fields. What is not given stays as it is; lists are replaced as a whole, and an empty text clears a field. */
  update(name: DisciplinesUpdateInput["name"], more?: Partial<DisciplinesUpdateInput>): Promise<DisciplinesGetAnswer>;
  update(input: DisciplinesUpdateInput): Promise<DisciplinesGetAnswer>;
  /** Delete a discipline. Fails if tasks reference it, and names them. */
  delete(name: DisciplinesDeleteInput["name"]): Promise<PlanDeleteTaskAnswer>;
  delete(input: DisciplinesDeleteInput): Promise<PlanDeleteTaskAnswer>;
};
declare const journal: {
  /** Append to .windlass/learnings.txt, with the time before it. */
  appendLearning(text: JournalAppendLearningInput["text"]): Promise<JournalAppendLearningAnswer>;
  appendLearning(input: JournalAppendLearningInput): Promise<JournalAppendLearningAnswer>;
  /** Read .windlass/learnings.txt: what was learnt in this project. */
  readLearnings(): Promise<JournalReadLearningsAnswer>;
  /** Append to .windlass/progress.txt, with the time before it. */
  appendProgress(text: JournalAppendProgressInput["text"]): Promise<JournalAppendLearningAnswer>;
  appendProgress(input: JournalAppendProgressInput): Promise<JournalAppendLearningAnswer>;
  /** Read .windlass/progress.txt: what was done in this project, in order. */
  readProgress(): Promise<JournalReadLearningsAnswer>;
};
declare const recipes: {
  /** List the recipes: which kinds of session there are, what each is for, and which tools it allows. */
  list(): Promise<RecipesListAnswer>;
  /** Show a recipe: which tools remain, with a discipline's overrides if one is named, and why each other one is off. */
  get(recipe: RecipesGetInput["recipe"], more?: Partial<RecipesGetInput>): Promise<RecipesGetAnswer>;
  get(input: RecipesGetInput): Promise<RecipesGetAnswer>;
};
declare const sessions: {
  /** Start a session for an agent: put it on record, claim its task, and write its context file and the configuration that a client is given. A task brings its feature and discipline along. */
  start(input: SessionsStartInput): Promise<SessionsStartAnswer>;
  /** List sessions, the latest first: who works on what, with which recipe, and how it ended. */
  list(input?: SessionsListInput): Promise<SessionsListAnswer>;
  /** Show one session: its task and tools, what was said in it, and how it ended. */
  get(id?: SessionsGetInput["id"]): Promise<SessionsGetAnswer>;
  get(input?: SessionsGetInput): Promise<SessionsGetAnswer>;
  /** End a session: its last closing word decides about its task, and the claim is given back. Ending it again changes nothing. */
  end(id?: SessionsEndInput["id"]): Promise<SessionsEndAnswer>;
  end(input?: SessionsEndInput): Promise<SessionsEndAnswer>;
  /** The briefing of a session for its agent: project, task, feature, discipline, and the tools that it has. Print it into the client's first message. */
  prompt(id?: SessionsPromptInput["id"]): Promise<SessionsPromptAnswer>;
  prompt(input?: SessionsPromptInput): Promise<SessionsPromptAnswer>;
};
declare const focus: {
  /** The task is done. Closes the session; the last closing word counts. */
  done(summary: FocusDoneInput["summary"]): Promise<FocusDoneAnswer>;
  done(input: FocusDoneInput): Promise<FocusDoneAnswer>;
  /** Part of the task is done. Closes the session; what remains is kept for the next one. */
  partial(summary: FocusPartialInput["summary"], remaining: FocusPartialInput["remaining"]): Promise<FocusDoneAnswer>;
  partial(input: FocusPartialInput): Promise<FocusDoneAnswer>;
  /** No way on with the task. Closes the session; after three such sessions in a row the task waits for a person. */
  stuck(reason: FocusStuckInput["reason"]): Promise<FocusDoneAnswer>;
  stuck(input: FocusStuckInput): Promise<FocusDoneAnswer>;
  /** Ask a person for a decision. A blocking question makes the task wait for the answer when the session ends without having done it. */
  ask(question: FocusAskInput["question"], more?: Partial<FocusAskInput>): Promise<FocusDoneAnswer>;
  ask(input: FocusAskInput): Promise<FocusDoneAnswer>;
  /** Flag something that others should know of: a fault, a contradiction, stale text. */
  flag(what: FocusFlagInput["what"], severity: FocusFlagInput["severity"], category: FocusFlagInput["category"]): Promise<FocusDoneAnswer>;
  flag(input: FocusFlagInput): Promise<FocusDoneAnswer>;
  /** Write down what was learnt: for the project, the feature or the task. */
  learned(text: FocusLearnedInput["text"], kind: FocusLearnedInput["kind"], more?: Partial<FocusLearnedInput>): Promise<FocusDoneAnswer>;
  learned(input: FocusLearnedInput): Promise<FocusDoneAnswer>;
  /** Suggest something beyond the task. A new task is made as a draft, for a person to approve. */
  suggest(what: FocusSuggestInput["what"], kind: FocusSuggestInput["kind"], why: FocusSuggestInput["why"]): Promise<FocusDoneAnswer>;
  suggest(input: FocusSuggestInput): Promise<FocusDoneAnswer>;
  /** Something must happen first. The task waits for it when the session ends without having done it. */
  blocked(on: FocusBlockedInput["on"], kind: FocusBlockedInput["kind"], more?: Partial<FocusBlockedInput>): Promise<FocusDoneAnswer>;
  blocked(input: FocusBlockedInput): Promise<FocusDoneAnswer>;
};
declare const entities: {
  /** Create an entity: a decision, task, note, prompt, component or link. Answers the whole entity with its number, by which every other tool takes it. */
  create(type: EntitiesCreateInput["type"], title: EntitiesCreateInput["title"], more?: Partial<EntitiesCreateInput>): Promise<EntitiesCreateAnswer>;
  create(input: EntitiesCreateInput): Promise<EntitiesCreateAnswer>;
  /** Get one entity with everything it holds, by number or by the start of its id. */
  get(id: EntitiesGetInput["id"], more?: Partial<EntitiesGetInput>): Promise<EntitiesCreateAnswer>;
  get(input: EntitiesGetInput): Promise<EntitiesCreateAnswer>;
  /** List entities by number, narrowed by type, status and tag. Pages of at most 100. */
  list(type?: EntitiesListInput["type"], more?: Partial<EntitiesListInput>): Promise<EntitiesListAnswer>;
  list(input?: EntitiesListInput): Promise<EntitiesListAnswer>;
  /** Change an entity. Only what you give changes. A property set to null is cleared. */
  update(id: EntitiesUpdateInput["id"], more?: Partial<EntitiesUpdateInput>): Promise<EntitiesCreateAnswer>;
  update(input: EntitiesUpdateInput): Promise<EntitiesCreateAnswer>;
  /** Delete an entity. Its relations end with it; its number is never given again. A task that other tasks depend on cannot be deleted. */
  delete(id: EntitiesDeleteInput["id"]): Promise<EntitiesDeleteAnswer>;
  delete(input: EntitiesDeleteInput): Promise<EntitiesDeleteAnswer>;
  /** Do several creates, updates and deletes in one durable write, in order. Each sees what those before it did; one that fails is reported and the others go on. */
  batch(input: EntitiesBatchInput): Promise<EntitiesBatchAnswer>;
};
declare const search: {
  /** Find entities by their words, best first: title above tags above text. Any text is a valid query; the last word also finds longer ones that begin with it. Read what you find with entity_get. */
  fulltext(query: SearchFulltextInput["query"], more?: Partial<SearchFulltextInput>): Promise<SearchFulltextAnswer>;
  fulltext(input: SearchFulltextInput): Promise<SearchFulltextAnswer>;
  /** Find entities by filters and words together. Filters: type:task status:todo priority:high tag:auth created:>2026-01-01 updated:<2026-02-01; everything else is text to look for. Several filters of one kind widen (tags narrow); without text the newest come first. */
  query(query: SearchQueryInput["query"], more?: Partial<SearchQueryInput>): Promise<SearchFulltextAnswer>;
  query(input: SearchQueryInput): Promise<SearchFulltextAnswer>;
};
declare const graph: {
  /** Show the relations of an entity: what it points to, what points to it, or both. */
  relations(id: GraphRelationsInput["id"], more?: Partial<GraphRelationsInput>): Promise<GraphRelationsAnswer>;
  relations(input: GraphRelationsInput): Promise<GraphRelationsAnswer>;
  /** Find the shortest chain of relations between two entities, whichever way each relation points. The path is empty if there is none. */
  path(fromId: GraphPathInput["from_id"], toId: GraphPathInput["to_id"], more?: Partial<GraphPathInput>): Promise<GraphPathAnswer>;
  path(input: GraphPathInput): Promise<GraphPathAnswer>;
  /** List entities that nothing is related to: knowledge that hangs in the air. */
  orphans(type?: GraphOrphansInput["type"], more?: Partial<GraphOrphansInput>): Promise<GraphOrphansAnswer>;
  orphans(input?: GraphOrphansInput): Promise<GraphOrphansAnswer>;
};
declare const relations: {
  /** Relate two entities: implements (task to decision), blocks (task to task: the source must be done first), supersedes (new decision to old), belongs_to (task to component), documents (note to component), parent (child task to parent task), references (any to any). */
  create(sourceId: RelationsCreateInput["source_id"], relationType: RelationsCreateInput["relation_type"], targetId: RelationsCreateInput["target_id"]): Promise<RelationsCreateAnswer>;
  create(input: RelationsCreateInput): Promise<RelationsCreateAnswer>;
  /** Remove a relation between two entities. Removing "blocks" releases the task that waited. */
  delete(sourceId: RelationsDeleteInput["source_id"], relationType: RelationsDeleteInput["relation_type"], targetId: RelationsDeleteInput["target_id"]): Promise<RelationsCreateAnswer>;
  delete(input: RelationsDeleteInput): Promise<RelationsCreateAnswer>;
};
declare const tasks: {
  /** List tasks that can be worked on now: nothing blocks them and no other session holds them. Most urgent first, then by due date. */
  ready(input?: TasksReadyInput): Promise<TasksReadyAnswer>;
  /** Get the task to work on next, with everything it holds: the first of task_ready. Take it with task_claim where others work beside you. */
  next(): Promise<TasksNextAnswer>;
  /** List tasks that wait and what they wait for, or what one task waits for. */
  blocked(id?: TasksBlockedInput["id"], more?: Partial<TasksBlockedInput>): Promise<TasksBlockedAnswer>;
  blocked(input?: TasksBlockedInput): Promise<TasksBlockedAnswer>;
  /** Mark a task as done. Tells which tasks can be worked on because of it. */
  complete(id: TasksCompleteInput["id"]): Promise<TasksCompleteAnswer>;
  complete(input: TasksCompleteInput): Promise<TasksCompleteAnswer>;
  /** Give a task another due date. */
  reschedule(id: TasksRescheduleInput["id"], dueDate: TasksRescheduleInput["due_date"]): Promise<EntitiesCreateAnswer>;
  reschedule(input: TasksRescheduleInput): Promise<EntitiesCreateAnswer>;
  /** Claim a task, so that no other session is given it; without an id, the next ready one. The claim is a lease: claim again before it ends to keep it, or give the task back with release. */
  claim(id?: TasksClaimInput["id"], more?: Partial<TasksClaimInput>): Promise<TasksClaimAnswer>;
  claim(input?: TasksClaimInput): Promise<TasksClaimAnswer>;
  /** Create a piece of work: a milestone, a task or a subtask. Without a kind it is what fits under its parent; without a parent it is a task of its own. */
  create(description?: TasksCreateInput["description"], more?: Partial<TasksCreateInput>): Promise<TasksCreateAnswer>;
  create(input?: TasksCreateInput): Promise<TasksCreateAnswer>;
  /** Read a piece of work with all that helps to do it: what those above it say, what was learnt, its gates, its review, and the question that it waits with. */
  get(id: TasksGetInput["id"]): Promise<TasksGetAnswer>;
  get(input: TasksGetInput): Promise<TasksGetAnswer>;
  /** List pieces of work by number: all, those under a parent, or those of some kind or status. */
  list(input?: TasksListInput): Promise<TasksListAnswer>;
  /** Change what a piece of work says: its description, its context, its priority. Its status is changed by work_start, work_submit and the like. */
  update(id: TasksUpdateInput["id"], more?: Partial<TasksUpdateInput>): Promise<TasksCreateAnswer>;
  update(input: TasksUpdateInput): Promise<TasksCreateAnswer>;
  /** Delete a piece of work. Only a person may; an agent cancels with work_cancel. One that others wait for cannot be deleted, nor one with children. Only people may call this. */
  delete(id: TasksDeleteInput["id"]): Promise<TasksDeleteAnswer>;
  delete(input: TasksDeleteInput): Promise<TasksDeleteAnswer>;
  /** Start a piece of work: it is in progress from now on and claimed for this session. One that another session began and let go is taken over. Where there is git, the commit and the branch are noted. */
  start(id: TasksStartInput["id"]): Promise<TasksCreateAnswer>;
  start(input: TasksStartInput): Promise<TasksCreateAnswer>;
  /** Hand work in: a review is made and the gates run. Answers at once with the review, or with wait when the gates have come to an end: which failed, why, and what to do. After failed gates, mend the work and submit again. */
  submit(id: TasksSubmitInput["id"], more?: Partial<TasksSubmitInput>): Promise<TasksSubmitAnswer>;
  submit(input: TasksSubmitInput): Promise<TasksSubmitAnswer>;
  /** Cancel a piece of work that is not completed. Its review is withdrawn and its question taken back. What waits for it still waits: take the edge away with work_unblock. */
  cancel(id: TasksCancelInput["id"]): Promise<TasksCreateAnswer>;
  cancel(input: TasksCancelInput): Promise<TasksCreateAnswer>;
  /** Complete a piece of work that is in review, whatever its gates and its reviewers say. Only a person may. Only people may call this. */
  forceComplete(id: TasksForceCompleteInput["id"]): Promise<TasksCreateAnswer>;
  forceComplete(input: TasksForceCompleteInput): Promise<TasksCreateAnswer>;
  /** Put a piece of work where it belongs, from wherever it is. Only a person may. in_review needs a review, and awaiting_human a help request. Only people may call this. */
  setStatus(id: TasksSetStatusInput["id"], status: TasksSetStatusInput["status"]): Promise<TasksCreateAnswer>;
  setStatus(input: TasksSetStatusInput): Promise<TasksCreateAnswer>;
  /** Make a piece of work wait for another one. */
  block(id: TasksBlockInput["id"], blockedBy: TasksBlockInput["blocked_by"]): Promise<TasksCreateAnswer>;
  block(input: TasksBlockInput): Promise<TasksCreateAnswer>;
  /** Take back that a piece of work waits for another one. */
  unblock(id: TasksUnblockInput["id"], blockedBy: TasksUnblockInput["blocked_by"]): Promise<TasksCreateAnswer>;
  unblock(input: TasksUnblockInput): Promise<TasksCreateAnswer>;
  /** Show a piece of work with all below it, or all that has no parent: milestones, their tasks, their subtasks. At most 500 are shown. */
  tree(id?: TasksTreeInput["id"]): Promise<TasksTreeAnswer>;
  tree(input?: TasksTreeInput): Promise<TasksTreeAnswer>;
  /** Count the work: how much there is, how much is completed, ready, blocked, in review or waiting for a person. */
  progress(id?: TasksProgressInput["id"]): Promise<TasksProgressAnswer>;
  progress(input?: TasksProgressInput): Promise<TasksProgressAnswer>;
  /** Get the piece of work to start next, with all that helps to do it: the most urgent one that nothing blocks, that no other session holds, and that has no unfinished children. */
  nextReady(input?: TasksNextReadyInput): Promise<TasksNextReadyAnswer>;
};
declare const decisions: {
  /** Replace a decision by a newer one: the old one becomes superseded and points to the new one, and a supersedes relation joins them. */
  supersede(oldId: DecisionsSupersedeInput["old_id"], newId: DecisionsSupersedeInput["new_id"]): Promise<DecisionsSupersedeAnswer>;
  supersede(input: DecisionsSupersedeInput): Promise<DecisionsSupersedeAnswer>;
};
declare const events: {
  /** Read the history: every change, who made it and when. Newest first, or everything after a given event in order. */
  list(input?: EventsListInput): Promise<EventsListAnswer>;
  /** Tell the history again, oldest first, from after a given event. Call again with the last seq to go on. */
  replay(input?: EventsReplayInput): Promise<EventsReplayAnswer>;
  /** Wait for the next events that match, and answer them as soon as there are any; nothing if none come in time. Without after, only what happens from now on counts. Call again with the last seq to go on. */
  subscribe(input?: EventsSubscribeInput): Promise<EventsReplayAnswer>;
};
declare const reviews: {
  /** Read a review: where it stands and what its gates came to. */
  get(id: ReviewsGetInput["id"]): Promise<ReviewsGetAnswer>;
  get(input: ReviewsGetInput): Promise<ReviewsGetAnswer>;
  /** Find the review that a task is in. */
  getActive(taskId: ReviewsGetActiveInput["task_id"]): Promise<ReviewsGetActiveAnswer>;
  getActive(input: ReviewsGetActiveInput): Promise<ReviewsGetActiveAnswer>;
  /** List reviews, newest first. */
  list(input?: ReviewsListInput): Promise<ReviewsListAnswer>;
  /** Say something about work in review: about lines of a file, or about the whole. */
  comment(reviewId: ReviewsCommentInput["review_id"], body: ReviewsCommentInput["body"], more?: Partial<ReviewsCommentInput>): Promise<ReviewsCommentAnswer>;
  comment(input: ReviewsCommentInput): Promise<ReviewsCommentAnswer>;
  /** List what was said in a review, oldest first. */
  listComments(reviewId: ReviewsListCommentsInput["review_id"], more?: Partial<ReviewsListCommentsInput>): Promise<ReviewsListCommentsAnswer>;
  listComments(input: ReviewsListCommentsInput): Promise<ReviewsListCommentsAnswer>;
  /** Mark a comment as settled. */
  resolveComment(commentId: ReviewsResolveCommentInput["comment_id"]): Promise<ReviewsCommentAnswer>;
  resolveComment(input: ReviewsResolveCommentInput): Promise<ReviewsCommentAnswer>;
  /** Approve work in review. An agent ends the agent's phase, of another session's work where there is another session; the last phase is a person's, whose approval completes the task. A person also lets work pass whose gates were given up. */
  approve(id: ReviewsApproveInput["id"]): Promise<TasksSubmitAnswer>;
  approve(input: ReviewsApproveInput): Promise<TasksSubmitAnswer>;
  /** Send work back: the review ends, the task is in progress again, and handing it in makes a new review. */
  requestChanges(id: ReviewsRequestChangesInput["id"], more?: Partial<ReviewsRequestChangesInput>): Promise<TasksSubmitAnswer>;
  requestChanges(input: ReviewsRequestChangesInput): Promise<TasksSubmitAnswer>;
  /** Show a review as a reviewer needs it: what its gates came to, what was said, and the change since work on the task began, where there is git. */
  show(id: ReviewsShowInput["id"]): Promise<ReviewsShowAnswer>;
  show(input: ReviewsShowInput): Promise<ReviewsShowAnswer>;
};
declare const gates: {
  /** Add a gate: a check that work has to pass before it is reviewed. Only a person may. Exit code 0 passes, 75 means ask again later, any other fails. Only people may call this. */
  add(name: GatesAddInput["name"], command: GatesAddInput["command"], more?: Partial<GatesAddInput>): Promise<GatesAddAnswer>;
  add(input: GatesAddInput): Promise<GatesAddAnswer>;
  /** List gates: those of .windlass/gates.toml and those that people added, for all work or for one task. */
  list(input?: GatesListInput): Promise<GatesListAnswer>;
  /** List the gates that the work of a task has to pass, in their order: the project's, then those of the tasks above it, then its own. */
  getEffective(taskId: GatesGetEffectiveInput["task_id"]): Promise<GatesListAnswer>;
  getEffective(input: GatesGetEffectiveInput): Promise<GatesListAnswer>;
  /** Change a gate that was added. Only a person may, and not while a review is under way that it belongs to. Only people may call this. */
  update(id: GatesUpdateInput["id"], more?: Partial<GatesUpdateInput>): Promise<GatesAddAnswer>;
  update(input: GatesUpdateInput): Promise<GatesAddAnswer>;
  /** Remove a gate that was added. Only a person may, and not while a review is under way that it belongs to. Only people may call this. */
  remove(id: GatesRemoveInput["id"]): Promise<GatesAddAnswer>;
  remove(input: GatesRemoveInput): Promise<GatesAddAnswer>;
  /** Show what each attempt of each gate of a review came to, with what it wrote. */
  results(reviewId: GatesResultsInput["review_id"], more?: Partial<GatesResultsInput>): Promise<GatesResultsAnswer>;
  results(input: GatesResultsInput): Promise<GatesResultsAnswer>;
  /** Run gates of a review again on the work as it is: those that failed, or the named one. Each failure counts as an attempt; once they are used up, only a person may. */
  rerun(reviewId: GatesRerunInput["review_id"], more?: Partial<GatesRerunInput>): Promise<TasksSubmitAnswer>;
  rerun(input: GatesRerunInput): Promise<TasksSubmitAnswer>;
};
declare const help: {
  /** Ask a person for help: the task waits until a person has answered and lets it go on. Not for gates that fail. */
  request(taskId: HelpRequestInput["task_id"], category: HelpRequestInput["category"], reason: HelpRequestInput["reason"], more?: Partial<HelpRequestInput>): Promise<HelpRequestAnswer>;
  request(input: HelpRequestInput): Promise<HelpRequestAnswer>;
  /** Answer a help request, in words or by one of its suggestions. Only a person may. help_resume then lets the task go on. Only people may call this. */
  respond(id: HelpRespondInput["id"], response?: HelpRespondInput["response"], more?: Partial<HelpRespondInput>): Promise<HelpRequestAnswer>;
  respond(input: HelpRespondInput): Promise<HelpRequestAnswer>;
  /** Let a task go on that waited for an answer, where it was. Only a person may, once the answer is given. Only people may call this. */
  resume(taskId: HelpResumeInput["task_id"]): Promise<HelpRequestAnswer>;
  resume(input: HelpResumeInput): Promise<HelpRequestAnswer>;
  /** Find the question that a task waits with. */
  getActive(taskId: HelpGetActiveInput["task_id"]): Promise<HelpGetActiveAnswer>;
  getActive(input: HelpGetActiveInput): Promise<HelpGetActiveAnswer>;
  /** List help requests, newest first. */
  list(input?: HelpListInput): Promise<HelpListAnswer>;
};
declare const learnings: {
  /** Keep what was learnt in a task. When the task is completed it is known in its parent too. */
  add(taskId: LearningsAddInput["task_id"], content: LearningsAddInput["content"]): Promise<LearningsAddAnswer>;
  add(input: LearningsAddInput): Promise<LearningsAddAnswer>;
  /** List what is known in a task: learnt there, or passed up by what is below it. */
  list(taskId: LearningsListInput["task_id"]): Promise<LearningsListAnswer>;
  list(input: LearningsListInput): Promise<LearningsListAnswer>;
  /** List what is known in a task, in its parent and in its milestone. */
  getInherited(taskId: LearningsGetInheritedInput["task_id"]): Promise<LearningsGetInheritedAnswer>;
  getInherited(input: LearningsGetInheritedInput): Promise<LearningsGetInheritedAnswer>;
};
declare const repos: {
  /** Register a place where work is checked: the project, or a linked worktree of it. Handing work in registers the place by itself. */
  register(path?: ReposRegisterInput["path"]): Promise<ReposRegisterAnswer>;
  register(input?: ReposRegisterInput): Promise<ReposRegisterAnswer>;
  /** Read what is known of a registered place. */
  get(id: ReposGetInput["id"]): Promise<ReposRegisterAnswer>;
  get(input: ReposGetInput): Promise<ReposRegisterAnswer>;
  /** Find the registered place at a path. */
  getByPath(path?: ReposGetByPathInput["path"]): Promise<ReposGetByPathAnswer>;
  getByPath(input?: ReposGetByPathInput): Promise<ReposGetByPathAnswer>;
  /** List the places where work is checked. */
  list(): Promise<ReposListAnswer>;
  /** Forget a registered place. Reviews whose gates run there wait until it is registered again. */
  unregister(id: ReposUnregisterInput["id"]): Promise<ReposRegisterAnswer>;
  unregister(input: ReposUnregisterInput): Promise<ReposRegisterAnswer>;
};
declare const code: {
  /** Find methods of the SDK that scripts of execute can call, and get their TypeScript declarations. Ask for what you want to do (create a task), for names (tasks.claim, jobs.wait) or for a whole namespace (graph); without a query every method is listed with what it does. */
  describe(query?: CodeDescribeInput["query"]): Promise<CodeDescribeAnswer>;
  describe(input?: CodeDescribeInput): Promise<CodeDescribeAnswer>;
};
