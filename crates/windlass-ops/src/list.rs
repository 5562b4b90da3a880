//! The one ordered list. Its order is the order of the tools, of `--help` and of the reference.

use crate::code::{Describe, Execute};
use crate::commands::{
    Allow, Allowed, Deny, JobList, ListTasks, Revoke, Status, TaskOutput, TaskStart, TaskStatus,
    TaskStop, TaskWait,
};
use crate::focus::{Ask, Blocked, Done, Flag, Learned, Partial, Stuck, Suggest};
use crate::knowledge::{
    DecisionSupersede, EntityBatch, EntityCreate, EntityDelete, EntityGet, EntityList,
    EntityUpdate, EventList, GraphOrphans, GraphPath, GraphRelations, RelationCreate,
    RelationDelete, SearchFulltext, SearchQueryOperation, TaskBlocked, TaskClaim, TaskComplete,
    TaskNext, TaskReady, TaskReschedule,
};
use crate::operation::Entry;
use crate::plan::{
    AddFeatureContextFile, AddTaskComment, AppendFeatureLearning, AppendLearning, AppendProgress,
    CreateDiscipline, CreateFeature, CreateTask, DeleteDiscipline, DeleteFeature, DeleteTask,
    DeleteTaskComment, EnrichTask, GetDiscipline, GetFeature, GetProjectInfo, GetProjectProgress,
    GetTask, ListDisciplines, ListFeatures, ListTasks as ListPlanTasks, ReadLearnings,
    ReadProgress, SetTaskStatus, UpdateDiscipline, UpdateFeature, UpdateTask, UpdateTaskComment,
};
use crate::runs::{
    PlaybookCheck, PlaybookGet, PlaybookList, PlaybookRun, RunArtifacts, RunCancel, RunCreate,
    RunExecute, RunList, RunLogs, RunRead, RunRerun, RunStatus,
};
use crate::sessions::{
    RecipeGet, RecipeList, SessionEnd, SessionGet, SessionList, SessionPrompt, SessionStart,
};

/// Everything Windlass can do.
pub static OPERATIONS: &[Entry] = &[
    Entry::of::<ListTasks>(),
    Entry::of::<TaskStart>(),
    Entry::of::<JobList>(),
    Entry::of::<Status>(),
    Entry::of::<TaskStatus>(),
    Entry::of::<TaskOutput>(),
    Entry::of::<TaskWait>(),
    Entry::of::<TaskStop>(),
    Entry::of::<Allow>(),
    Entry::of::<Deny>(),
    Entry::of::<Allowed>(),
    Entry::of::<Revoke>(),
    Entry::of::<RunCreate>(),
    Entry::of::<RunExecute>(),
    Entry::of::<RunStatus>(),
    Entry::of::<RunRead>(),
    Entry::of::<PlaybookList>(),
    Entry::of::<PlaybookGet>(),
    Entry::of::<PlaybookRun>(),
    Entry::of::<PlaybookCheck>(),
    Entry::of::<RunList>(),
    Entry::of::<RunLogs>(),
    Entry::of::<RunArtifacts>(),
    Entry::of::<RunCancel>(),
    Entry::of::<RunRerun>(),
    Entry::of::<ListPlanTasks>(),
    Entry::of::<GetTask>(),
    Entry::of::<CreateTask>(),
    Entry::of::<UpdateTask>(),
    Entry::of::<DeleteTask>(),
    Entry::of::<SetTaskStatus>(),
    Entry::of::<EnrichTask>(),
    Entry::of::<AddTaskComment>(),
    Entry::of::<UpdateTaskComment>(),
    Entry::of::<DeleteTaskComment>(),
    Entry::of::<ListFeatures>(),
    Entry::of::<GetFeature>(),
    Entry::of::<CreateFeature>(),
    Entry::of::<UpdateFeature>(),
    Entry::of::<DeleteFeature>(),
    Entry::of::<AppendFeatureLearning>(),
    Entry::of::<AddFeatureContextFile>(),
    Entry::of::<ListDisciplines>(),
    Entry::of::<GetDiscipline>(),
    Entry::of::<CreateDiscipline>(),
    Entry::of::<UpdateDiscipline>(),
    Entry::of::<DeleteDiscipline>(),
    Entry::of::<GetProjectInfo>(),
    Entry::of::<GetProjectProgress>(),
    Entry::of::<AppendLearning>(),
    Entry::of::<ReadLearnings>(),
    Entry::of::<AppendProgress>(),
    Entry::of::<ReadProgress>(),
    Entry::of::<RecipeList>(),
    Entry::of::<RecipeGet>(),
    Entry::of::<SessionStart>(),
    Entry::of::<SessionList>(),
    Entry::of::<SessionGet>(),
    Entry::of::<SessionEnd>(),
    Entry::of::<SessionPrompt>(),
    Entry::of::<Done>(),
    Entry::of::<Partial>(),
    Entry::of::<Stuck>(),
    Entry::of::<Ask>(),
    Entry::of::<Flag>(),
    Entry::of::<Learned>(),
    Entry::of::<Suggest>(),
    Entry::of::<Blocked>(),
    Entry::of::<EntityCreate>(),
    Entry::of::<EntityGet>(),
    Entry::of::<EntityList>(),
    Entry::of::<EntityUpdate>(),
    Entry::of::<EntityDelete>(),
    Entry::of::<EntityBatch>(),
    Entry::of::<SearchFulltext>(),
    Entry::of::<SearchQueryOperation>(),
    Entry::of::<GraphRelations>(),
    Entry::of::<GraphPath>(),
    Entry::of::<GraphOrphans>(),
    Entry::of::<RelationCreate>(),
    Entry::of::<RelationDelete>(),
    Entry::of::<TaskReady>(),
    Entry::of::<TaskNext>(),
    Entry::of::<TaskBlocked>(),
    Entry::of::<TaskComplete>(),
    Entry::of::<TaskReschedule>(),
    Entry::of::<TaskClaim>(),
    Entry::of::<DecisionSupersede>(),
    Entry::of::<EventList>(),
    Entry::of::<Execute>(),
    Entry::of::<Describe>(),
];

/// The operation of that wire name.
pub fn find(name: &str) -> Option<&'static Entry> {
    OPERATIONS
        .iter()
        .find(|entry| entry.declaration.name == name)
}
