//! Executes the script of a run in one container, through the docker or podman command line.
//!
//! The project is mounted, and beside it a folder of the run: the script is there, and the script
//! writes its frames and artifacts there. So nothing depends on how the engine keeps logs, and a
//! server that was killed finds everything again.

mod client;

use std::ffi::OsString;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use windlass_process::Supervisor;

use self::client::{Client, StartContainer};
use super::{Follower, HostEnd, HostError, ScriptHost, ScriptJob, Started, not_configured};
use crate::runtimes::Unavailable;
use crate::script::{Place, SecretSource, Transfer};
use crate::spec::RuntimeName;

/// Where the folder of the run is in the container.
const SHARED: &str = "/windlass";

/// The file of frames in that folder.
const FRAMES: &str = "frames";

/// How often a file that does not grow is read again.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

pub(super) const EXAMPLE: &str = "[runtimes.docker]\nimage = \"debian:12\"";

/// The settings of the docker runtime.
#[derive(Debug, Clone)]
pub struct DockerOptions {
    /// The program: docker, podman, or one that accepts the same arguments.
    pub program: PathBuf,
    /// The image. Without one, the runtime is not configured.
    pub image: Option<String>,
    /// The path of the project inside the container.
    pub workspace: String,
    /// The user inside the container, for example `1000:1000`. By default the user of this process,
    /// so that files in the project belong to it.
    pub user: Option<String>,
    /// The network; `none` by default.
    pub network: String,
    /// Limits of the container, as `docker run` takes them: `1g`, `2`, `500`.
    pub memory: Option<String>,
    pub cpus: Option<String>,
    pub pids: Option<String>,
    /// When the image is pulled: `missing`, `always` or `never`.
    pub pull: Option<String>,
    /// More arguments of `docker run`, before the image.
    pub arguments: Vec<String>,
    /// The time between TERM and KILL.
    pub grace: Duration,
    /// How long pulling and starting may take.
    pub start_within: Duration,
    /// Containers at once.
    pub max_parallel: usize,
}

impl Default for DockerOptions {
    fn default() -> Self {
        Self {
            program: "docker".into(),
            image: None,
            workspace: "/workspace".to_owned(),
            user: None,
            network: "none".to_owned(),
            memory: None,
            cpus: None,
            pids: None,
            pull: None,
            arguments: Vec::new(),
            grace: Duration::from_secs(5),
            start_within: Duration::from_mins(15),
            max_parallel: 4,
        }
    }
}

/// Executes scripts in containers.
pub struct Docker {
    client: Client,
    options: DockerOptions,
    /// Where the folders of runs are.
    scratch: PathBuf,
}

impl Docker {
    /// The client runs under `supervisor`; the folders of runs are below `scratch`.
    pub fn new(supervisor: Supervisor, options: DockerOptions, scratch: PathBuf) -> Self {
        Self {
            client: Client::new(supervisor, options.program.clone()),
            options,
            scratch,
        }
    }

    fn arguments(&self, job: &ScriptJob) -> Vec<OsString> {
        let options = &self.options;
        let mount = |source: &Path, target: &str| {
            let mut mount = OsString::from("type=bind,source=");
            mount.push(source);
            mount.push(format!(",target={target}"));
            mount
        };
        let mut arguments: Vec<OsString> = vec![
            "run".into(),
            "--detach".into(),
            "--init".into(),
            "--name".into(),
            container_name(&job.token).into(),
            "--label".into(),
            format!("windlass.run={}", job.run_id).into(),
            "--mount".into(),
            mount(&job.root, &options.workspace),
            "--mount".into(),
            mount(&job.folder, SHARED),
            "--workdir".into(),
            options.workspace.clone().into(),
            "--network".into(),
            options.network.clone().into(),
        ];
        let user = options.user.clone().or_else(Client::own_user);
        for (flag, value) in [
            ("--user", &user),
            ("--memory", &options.memory),
            ("--cpus", &options.cpus),
            ("--pids-limit", &options.pids),
            ("--pull", &options.pull),
        ] {
            if let Some(value) = value {
                arguments.extend([flag.into(), value.into()]);
            }
        }
        if options.user.is_none() && self.client.maps_users() {
            arguments.push("--userns=keep-id".into());
        }
        // By name: every user of the machine can read the arguments.
        for name in job.secrets.keys() {
            arguments.extend(["--env".into(), name.into()]);
        }
        arguments.extend(options.arguments.iter().map(OsString::from));
        arguments.push(options.image.clone().unwrap_or_default().into());
        let command = format!("exec sh {SHARED}/run.sh >{SHARED}/{FRAMES}");
        arguments.extend(["sh".into(), "-c".into(), command.into()]);
        arguments
    }

    /// The folder of the run. The script writes there as whoever it is in the container.
    fn prepare(&self, job: &ScriptJob) -> std::io::Result<()> {
        if let Some(run) = job.folder.parent() {
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(run)?;
            std::fs::set_permissions(run, std::fs::Permissions::from_mode(0o700))?;
        }
        std::fs::create_dir_all(&job.folder)?;
        if self.options.user.is_some() {
            // Nobody else gets there: the folder above is closed.
            std::fs::set_permissions(&job.folder, std::fs::Permissions::from_mode(0o777))?;
        }
        std::fs::write(job.folder.join("run.sh"), &job.script.text)?;
        // The name of the folder is not known from the id alone.
        std::fs::write(
            self.pointer(&container_name(&job.token)),
            job.folder.as_os_str().as_encoded_bytes(),
        )
    }

    /// The file that says which folder a container has.
    fn pointer(&self, id: &str) -> PathBuf {
        self.scratch.join(format!("{id}.folder"))
    }

    fn folder(&self, id: &str) -> Result<PathBuf, HostError> {
        use std::os::unix::ffi::OsStringExt as _;

        let bytes = std::fs::read(self.pointer(id))
            .map_err(|problem| HostError::new(format!("{id}: its folder is gone: {problem}")))?;
        Ok(OsString::from_vec(bytes).into())
    }

    async fn start_container(&self, job: &ScriptJob) -> Result<Started, HostError> {
        let id = container_name(&job.token);
        self.prepare(job)
            .map_err(|problem| HostError::new(format!("{}: {problem}", job.folder.display())))?;
        let start = StartContainer {
            arguments: self.arguments(job),
            environment: job.secrets.clone(),
            said: job.folder.with_extension("start"),
            within: self.options.start_within,
        };
        match self.client.start(start).await {
            Ok(()) => Ok(Started { id, url: None }),
            // It was started before, by a process that could not say so any more.
            Err(problem) if problem.message.contains("already in use") => {
                Ok(Started { id, url: None })
            }
            Err(problem) => {
                self.remove(&id).await;
                Err(problem)
            }
        }
    }

    async fn read_frames(&self, id: &str, follower: &Follower) -> Result<HostEnd, HostError> {
        let path = self.folder(id)?.join(FRAMES);
        let arguments = ["wait", id];
        let wait = self.client.words(&arguments, None);
        tokio::pin!(wait);
        let mut offset = 0;
        let mut waited = None;
        loop {
            let read = read_from(&path, offset).await.unwrap_or_default();
            offset += read.len() as u64;
            let is_over = read.is_empty();
            follower.output(read).await;
            if let Some(waited) = waited.take_if(|_| is_over) {
                return Ok(self.end_of(id, waited).await);
            }
            tokio::select! {
                ended = &mut wait, if waited.is_none() => waited = Some(ended),
                () = tokio::time::sleep(LOOK_AGAIN), if waited.is_none() => {}
                else => {}
            }
        }
    }

    async fn end_of(&self, id: &str, waited: Result<String, HostError>) -> HostEnd {
        if let Err(problem) = waited {
            let problem = Some(problem.message);
            return HostEnd { problem };
        }
        let format = "{{.State.ExitCode}} {{.State.OOMKilled}} {{.State.Error}}";
        let arguments = ["inspect", "--format", format, id];
        let problem = match self.client.words(&arguments, None).await {
            Ok(text) => {
                let (code, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
                let (killed, error) = rest.split_once(' ').unwrap_or((rest, ""));
                match (killed, error.trim()) {
                    ("true", _) => "the container ran out of memory".to_owned(),
                    (_, "") => format!("the container ended with exit code {code}"),
                    (_, error) => format!("the container ended with exit code {code}: {error}"),
                }
            }
            Err(problem) => problem.message,
        };
        HostEnd {
            problem: Some(problem),
        }
    }

    async fn remove(&self, id: &str) {
        let _ = self
            .client
            .words(
                &["rm", "--force", "--volumes", id],
                Some(Duration::from_secs(30)),
            )
            .await;
        let _ = std::fs::remove_file(self.pointer(id));
    }
}

fn container_name(token: &str) -> String {
    format!("windlass-{token}")
}

async fn read_from(path: &Path, offset: u64) -> std::io::Result<Vec<u8>> {
    let mut file = tokio::fs::File::open(path).await?;
    file.seek(std::io::SeekFrom::Start(offset)).await?;
    let mut bytes = Vec::new();
    file.take(1 << 20).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

impl ScriptHost for Docker {
    fn name(&self) -> RuntimeName {
        RuntimeName::Docker
    }

    fn check(&self) -> Result<(), Unavailable> {
        if self.options.image.is_none() {
            return Err(not_configured(self.name(), "no image is set"));
        }
        let program = &self.options.program;
        if which::which(program).is_err() {
            let message = format!(
                "Runtime docker not supported: `{}` is not installed",
                program.display()
            );
            return Err(Unavailable {
                runtime: self.name(),
                message,
                hint: "Install Docker or Podman, or set `program` under [runtimes.docker] in \
                       .windlass/config.toml."
                    .to_owned(),
            });
        }
        Ok(())
    }

    fn place(&self) -> Place {
        Place {
            workspace: self.options.workspace.clone(),
            transfer: Transfer::Folder(SHARED.to_owned()),
            uploads: Vec::new(),
            secrets: SecretSource::Given,
            most_packed_bytes: 0,
            grace: self.options.grace,
        }
    }

    fn start<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Started, HostError>> {
        Box::pin(self.start_container(job))
    }

    fn starts_once(&self) -> bool {
        true
    }

    fn find<'a>(&'a self, job: &'a ScriptJob) -> BoxFuture<'a, Result<Option<Started>, HostError>> {
        Box::pin(async move {
            let id = container_name(&job.token);
            let filter = format!("name={id}");
            let arguments = ["ps", "--all", "--quiet", "--filter", &filter];
            let found = self.client.words(&arguments, None).await?;
            Ok((!found.trim().is_empty()).then_some(Started { id, url: None }))
        })
    }

    fn follow<'a>(
        &'a self,
        id: &'a str,
        follower: &'a Follower,
    ) -> BoxFuture<'a, Result<HostEnd, HostError>> {
        Box::pin(self.read_frames(id, follower))
    }

    fn stop<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), HostError>> {
        Box::pin(async move {
            let seconds = (self.options.grace.as_secs() + 3).to_string();
            let arguments = ["stop", "--time", &seconds, id];
            self.client.words(&arguments, None).await.map(drop)
        })
    }

    fn clean_up<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(self.remove(id))
    }

    fn probe(&self) -> BoxFuture<'_, Result<String, HostError>> {
        Box::pin(async {
            let patience = Some(Duration::from_secs(10));
            self.client.words(&["ps", "--quiet"], patience).await?;
            let image = self.options.image.clone().unwrap_or_default();
            let arguments = ["image", "inspect", "--format", "{{.Id}}", &image];
            let program = self.options.program.display();
            Ok(match self.client.words(&arguments, patience).await {
                Ok(_) => format!("{program} answers and has the image {image}"),
                Err(_) => {
                    format!("{program} answers; the image {image} is pulled by the first run")
                }
            })
        })
    }

    fn start_within(&self) -> Duration {
        self.options.start_within
    }

    fn max_parallel(&self) -> usize {
        self.options.max_parallel
    }
}
