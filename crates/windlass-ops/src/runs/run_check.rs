use crate::prelude::*;
use std::time::Duration;

use windlass_runs::engine::Engine;
use windlass_runs::hosts::HostError;
use windlass_runs::spec::RuntimeName;

use super::execution::NOT_ALLOWED;

pub struct RunCheck;

/// How long a runtime may take to answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// Check whether runtimes can be used: their settings, and a harmless request to each that has any.
/// Nothing is executed.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only this runtime: dummy, local, docker, github-runner, ecs-task or ssm. One that cannot be
    /// used is an error then.
    #[serde(default)]
    pub runtime: Option<String>,
}

/// Whether a runtime can be used.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RuntimeCheck {
    pub runtime: String,
    pub ready: bool,
    /// What was seen, or what is wrong.
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Runtimes, and whether each can be used.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RuntimeChecks {
    pub runtimes: Vec<RuntimeCheck>,
}

impl Render for RuntimeChecks {
    fn view(&self) -> View {
        let view = self.runtimes.iter().fold(View::default(), |view, check| {
            let (mark, style) = if check.ready {
                ("✓", Style::Good)
            } else {
                ("·", Style::Dim)
            };
            view.line([
                Span::new(mark, style),
                Span::from(format!(" {}  ", check.runtime)),
                Span::new(check.message.clone(), Style::Dim),
            ])
        });
        if self.runtimes.iter().all(|check| check.ready) {
            return view;
        }
        let next = "windlass runs check NAME says what one of them needs.";
        view.blank().line([Span::new(next, Style::Dim)])
    }
}

// Not a `ReadOperation`: asking a container engine starts its client.
impl Operation for RunCheck {
    type Input = Input;
    type Output = RuntimeChecks;

    const DECLARATION: Declaration = Declaration::write("run_check", Toolset::Runs)
        .sdk("runs.check")
        .cli(&["runs", "check"])
        .idempotent()
        .long_running()
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "The one that is always there",
            &["runs", "check", "local"],
            r#"{"runtime": "local"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<RuntimeChecks> {
        let engine = context.host.runs()?.engine.clone();
        let Some(wanted) = input.runtime else {
            return Ok(RuntimeChecks {
                runtimes: check_all(&engine).await,
            });
        };
        let known: Vec<&str> = RuntimeName::ALL.iter().map(|it| it.name()).collect();
        let name = RuntimeName::ALL.into_iter().find(|it| it.name() == wanted);
        let name = name.ok_or_else(|| Error::invalid_enum("runtime", &wanted, &known))?;
        let check = check(&engine, name).await;
        if check.ready {
            return Ok(RuntimeChecks {
                runtimes: vec![check],
            });
        }
        let error =
            Error::new(ErrorKind::UnsupportedRuntime, check.message).with("runtime", wanted);
        let is_unallowed = context.workspace.has_unallowed_runtimes();
        Err(match check.hint {
            _ if is_unallowed => error.with_hint(NOT_ALLOWED),
            Some(hint) => error.with_hint(hint),
            None => error,
        })
    }
}

/// Checks all runtimes at the same time.
pub async fn check_all(engine: &Engine) -> Vec<RuntimeCheck> {
    futures::future::join_all(RuntimeName::ALL.map(|name| check(engine, name))).await
}

async fn check(engine: &Engine, name: RuntimeName) -> RuntimeCheck {
    let probed = match tokio::time::timeout(ANSWER_WITHIN, engine.probe(name)).await {
        Ok(probed) => probed,
        Err(_) => Err(HostError::new(format!(
            "no answer within {ANSWER_WITHIN:?}"
        ))),
    };
    let (ready, message, hint) = match probed {
        Ok(seen) => {
            let seen = seen.unwrap_or_else(|| "always there".to_owned());
            (true, seen, None)
        }
        Err(problem) => (false, problem.message, problem.hint),
    };
    RuntimeCheck {
        runtime: name.name().to_owned(),
        ready,
        message,
        hint,
    }
}
