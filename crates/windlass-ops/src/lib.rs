//! Everything Windlass can do, declared once and used by every surface.
//!
//! Nothing here prints, reads the environment or knows MCP; nothing here knows SQL or Loro.

mod about;
mod access;
mod arguments;
mod board;
mod briefing;
mod budget;
mod code;
mod commands;
mod completion;
mod config;
mod context;
mod entity_fields;
mod focus;
mod git;
mod granted_texts;
mod idempotency;
mod input;
mod interchange;
mod job_host;
mod job_reader;
mod knowledge;
mod list;
mod memory;
mod naming;
mod operation;
mod os;
mod outputs;
mod pace;
mod paging;
mod pipeline;
mod plain_file;
mod plan;
mod prelude;
mod prompts;
mod remote;
mod resources;
mod runs;
mod runtime_keys;
mod runtime_settings;
mod schema;
mod semantic;
mod serving;
mod sessions;
mod settings;
mod state_contents;
mod sweeper;
mod sync;
mod telemetry;
mod view;
mod workflow;
mod workspace;

pub use access::{Access, tool_name};
pub use arguments::Number;
pub use code::{check_script_jail, sdk_declarations, sdk_method_name};
pub use commands::{
    AllowInput, Choice, GrantPlan, Launch, StartInput, confirm_text, diff_view, orphaned_jobs,
    stale_grants, start_result,
};
pub use completion::{CompletionSource, complete};
pub use config::{
    CodeConfig, CommandsConfig, Config, McpConfig, RunsConfig, WorkflowConfig, parse_toolsets,
};
pub use context::{Context, FinishedCall, Progress, ReadContext, Settings};
pub use git::Worktree;
pub use granted_texts::{GrantedTexts, TextKind};
pub use idempotency::{IDEMPOTENCY_KEY, IdempotencyKey};
pub use interchange::export_to;
pub use job_host::{
    EnvironmentLookup, JobHost, Lifetime, Machine, PRIVATE, StorageVariables, dead_job_sockets,
};
pub use list::{OPERATIONS, find};
pub use naming::{Naming, method_of, referenced};
pub use operation::{
    AnyOutput, Audience, BoxedOutput, Declaration, Effect, Entry, ErrorStyle, Example, Operation,
    ReadOperation, Running, Toolset,
};
pub use pipeline::{Response, call, guard};
pub use plain_file::read_text;
pub use plan::{STACKS, Stack, seed_stack};
pub use prompts::{PromptArgument, PromptInfo, PromptText, get_prompt, list_prompts};
pub use remote::{Synced, keep_syncing};
pub use resources::{
    ResourceInfo, ResourceText, Subscription, TemplateInfo, read_resource, resource_templates,
    resources, subscribe,
};
pub use runs::{RuntimeCheck, check_runtimes};
pub use semantic::{
    Availability, Download, DownloadSettings, Embedded, MODEL, Models, download, embed_waiting,
    has_texts_to_embed, keep_embedding,
};
pub use serving::{LiveAgents, RunningServer, keep_serving, running_servers, serve_as};
pub use sessions::{
    StartedSession, Wanted, abandon_session, calls_path, closes_session, config_path,
    connect_session, context_path, disconnect_session, end_session, filter_of, launch_session,
    start_session, was_connected,
};
pub use settings::{SETTING_KEYS, SettingKey, SettingKind};
pub use state_contents::{StateContents, check_plain};
pub use sweeper::{Swept, end_orphaned_jobs, keep_sweeping, sweep};
pub use sync::{AutomaticImport, CommitPacks, import_new_packs, keep_importing, packs_for_commit};
pub use telemetry::{
    Destination, ExportNews, SpanCounts, SpanTarget, TelemetryConfig, TelemetryVariables,
    span_target, try_export,
};
pub use view::{Block, Column, Cut, Render, Span, Style, View};
pub use windlass_commands::Command as RepositoryCommand;
pub use windlass_commands::allowlist::{Allowlist, Owner};
pub use windlass_interchange::{ExportFormat, plans_in};
pub use windlass_process::ShimCommand;
pub use windlass_runs::hosts::Workflow;
pub use windlass_sandbox::{WorkerCommand, worker_main};
pub use workflow::{abandoned_reviews, look_after_gates};
pub use workspace::{Workspace, folders_of};
