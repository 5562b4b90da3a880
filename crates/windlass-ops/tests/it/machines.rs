//! Four machines that share a plan over object storage which is not always there: all of them become
//! equal, and no task is given twice while the remote answers.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value as Json, json};
use windlass_core::{Actor, ErrorKind, Origin, Result};
use windlass_ops::{
    Context, JobHost, Lifetime, Machine, RepositoryCommand, Settings, StorageVariables, Workspace,
    find,
};
use windlass_store::{EntityFilter, Project, RemoteClaimState, Store};

use crate::moto::{self, Moto};
use crate::support::run;

/// Writes of each machine. `WINDLASS_MACHINE_WRITES` sets more, for a run by hand.
#[expect(
    clippy::disallowed_methods,
    reason = "the budget of a run by hand is not a setting of the product"
)]
fn writes() -> usize {
    let set = std::env::var("WINDLASS_MACHINE_WRITES").ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(40)
}

const MACHINES: usize = 4;

/// The way of a machine to the remote, which can be cut.
enum Link {
    /// A link to the folder.
    Folder { link: PathBuf, target: PathBuf },
    /// A proxy before the server.
    Proxy { is_cut: Arc<AtomicBool> },
}

impl Link {
    fn cut(&self) {
        match self {
            Self::Folder { link, .. } => fs::remove_file(link).expect("removed"),
            Self::Proxy { is_cut } => is_cut.store(true, Ordering::SeqCst),
        }
    }

    fn mend(&self) {
        match self {
            Self::Folder { link, target } => {
                std::os::unix::fs::symlink(target, link).expect("linked");
            }
            Self::Proxy { is_cut } => is_cut.store(false, Ordering::SeqCst),
        }
    }
}

/// A proxy that drops its connections while it is cut.
fn proxy(server: u16, is_cut: Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            if is_cut.load(Ordering::SeqCst) {
                continue;
            }
            let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else {
                continue;
            };
            for (from, to) in [(&client, &server), (&server, &client)] {
                let (from, to) = (from.try_clone(), to.try_clone());
                let (Ok(from), Ok(to)) = (from, to) else {
                    continue;
                };
                let is_cut = Arc::clone(&is_cut);
                thread::spawn(move || copy(from, to, &is_cut));
            }
        }
    });
    port
}

fn copy(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut buffer = [0; 16 << 10];
    while let Ok(read @ 1..) = io::Read::read(&mut from, &mut buffer) {
        if is_cut.load(Ordering::SeqCst) || io::Write::write_all(&mut to, &buffer[..read]).is_err()
        {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// A machine: its own home, folder and state.
struct Computer {
    _folder: tempfile::TempDir,
    name: String,
    context: Context,
    link: Link,
}

/// The grants of a person who allows the settings as they are.
fn allow_settings(list: &Path, project: &Path) {
    let file = project.join(".windlass/config.toml");
    let text = fs::read_to_string(&file).expect("read");
    let pinned = RepositoryCommand::of_text(".windlass/config.toml", &text);
    let (name, pin, path) = (json!(pinned.name), json!(pinned.fingerprint), json!(file));
    let entry = format!(
        "[[entries]]\npath = {path}\nscope = \"Task\"\ntasks = [{name}]\npins = {{ {name} = {pin} }}\n"
    );
    fs::write(list, entry).expect("written");
}

fn computer(number: usize, link: Link, url: &str, storage: Vec<(String, String)>) -> Computer {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("project");
    let (project, _) = Project::init(&root).expect("a project");
    let settings = format!("[sync]\nremote = \"{url}\"\n");
    fs::write(project.folder().join("config.toml"), settings).expect("written");
    let home = folder.path().join("home");
    fs::create_dir(&home).expect("created");
    let allowlist = home.join("allowlist.toml");
    allow_settings(&allowlist, project.root());
    let name = format!("machine-{number}");
    let machine = Machine {
        allowlist,
        storage: StorageVariables(storage),
        host_name: name.clone(),
        ..Machine::without_jobs(&root)
    };
    let store = Arc::new(Store::open(&project).expect("a store"));
    let workspace = Arc::new(Workspace::new(project, machine));
    let host = Arc::new(JobHost::new(workspace, Lifetime::Command));
    let origin = Origin {
        actor: Actor::Agent,
        source: "test",
        session: format!("agent-{number}"),
        correlation_id: None,
    };
    Computer {
        context: Context::new(store, host, origin, Arc::new(Settings::default())),
        _folder: folder,
        name,
        link,
    }
}

impl Computer {
    fn call(&self, name: &str, input: Json) -> Result<Json> {
        run(find(name).expect(name), self.context.clone(), input)
    }

    fn ok(&self, name: &str, input: Json) -> Json {
        self.call(name, input.clone())
            .unwrap_or_else(|error| panic!("{}: {name} {input}: {error}", self.name))
    }

    fn sync(&self) -> Json {
        self.ok("sync", json!({}))
    }

    /// Everything that the plan has here.
    fn content(&self) -> Vec<Json> {
        let all = windlass_core::Page {
            limit: 100_000,
            offset: 0,
        };
        let (found, _) = self
            .context
            .store
            .read(None, |reader| {
                reader.entities(&EntityFilter::default(), all)
            })
            .expect("read");
        let rows = found.into_iter().map(|it| {
            json!([
                it.id.as_str(),
                it.number,
                it.title,
                it.tags,
                it.status(),
                it.content
            ])
        });
        let mut rows: Vec<Json> = rows.collect();
        rows.sort_by_key(Json::to_string);
        rows
    }
}

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Who holds which task by the word of the remote.
type Held = Mutex<HashMap<String, String>>;

/// What became of the claims of one machine.
#[derive(Debug, Default)]
struct Claims {
    shared: usize,
    local: usize,
}

fn work(computer: &Computer, seed: u64, writes: usize, held: &Held) -> Claims {
    let mut dice = Dice(seed);
    let mut claims = Claims::default();
    let mut is_cut = false;
    let mut own: Vec<i64> = Vec::new();
    for count in 0..writes {
        if dice.roll(12) == 0 {
            if is_cut {
                computer.link.mend();
            } else {
                computer.link.cut();
            }
            is_cut = !is_cut;
        }
        match dice.roll(10) {
            0..=3 => {
                let title = format!("{} makes {count}", computer.name);
                let made = computer.ok("entity_create", json!({"type": "task", "title": title}));
                own.extend(made["sequence_number"].as_i64());
            }
            4..=6 if !own.is_empty() => {
                let number = own[usize::try_from(dice.roll(own.len() as u64)).expect("small")];
                let tags = json!([format!("t{}", dice.roll(5))]);
                let input = json!({"id": number.to_string(), "tags": tags});
                // It may have been renumbered, or be done elsewhere.
                let _ = computer.call("entity_update", input);
            }
            7 | 8 => take_one(computer, held, &mut claims),
            _ => {
                computer.sync();
            }
        }
    }
    if is_cut {
        computer.link.mend();
    }
    claims
}

/// Takes a task, works on it, and gives it back or completes it.
fn take_one(computer: &Computer, held: &Held, claims: &mut Claims) {
    let taken = match computer.call("task_claim", json!({})) {
        Ok(taken) => taken,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TaskClaimed, "{error}");
            return;
        }
    };
    let Some(id) = taken["task"]["id"].as_str() else {
        return;
    };
    let note = taken["note"].as_str().unwrap_or_default();
    let is_shared = !note.contains("on this machine only");
    if is_shared {
        claims.shared += 1;
        let mut held = held.lock().expect("no panic");
        if let Some(other) = held.insert(id.to_owned(), computer.name.clone()) {
            panic!("{id} was given to {} and to {other}", computer.name);
        }
    } else {
        claims.local += 1;
    }
    // The work: a change that takes its time while the task is held.
    let title = format!("found by {} at {id}", computer.name);
    computer.ok("entity_create", json!({"type": "note", "title": title}));
    if is_shared {
        held.lock().expect("no panic").remove(id);
    }
    let done = json!({"id": id, "release": true});
    computer.ok("task_claim", done);
}

fn four_machines(computers: &[Computer]) {
    let writes = writes();
    // A plan that all of them know.
    for number in 0..12 {
        let input = json!({"type": "task", "title": format!("shared {number}")});
        computers[0].ok("entity_create", input);
    }
    for computer in computers {
        let synced = computer.sync();
        assert_eq!(synced["remote_error"], Json::Null, "{synced}");
    }
    let held = &Held::default();
    let claims: Vec<Claims> = thread::scope(|scope| {
        let threads = computers.iter().zip(1..);
        let threads: Vec<_> = threads
            .map(|(computer, seed)| scope.spawn(move || work(computer, seed * 7919, writes, held)))
            .collect();
        let all = threads.into_iter().map(|it| it.join().expect("no panic"));
        all.collect()
    });
    let shared: usize = claims.iter().map(|it| it.shared).sum();
    assert!(
        shared > 0,
        "some claims were made on the remote: {claims:?}"
    );
    // A remote that did not answer a moment ago is asked again by an exchange.
    let mut rounds = 0;
    while !computers
        .windows(2)
        .all(|pair| pair[0].content() == pair[1].content())
    {
        rounds += 1;
        assert!(rounds < 12, "they do not become equal");
        for computer in computers {
            let synced = computer.sync();
            assert_eq!(synced["remote_error"], Json::Null, "{synced}");
        }
    }
    for computer in computers {
        let left = computer
            .context
            .store
            .read(None, |reader| reader.remote_claims());
        assert_eq!(left.expect("read"), [], "all claims were given back");
        let problems = computer.context.store.check(&computer.context.origin);
        assert_eq!(problems.expect("checked"), Vec::<String>::new());
    }
}

#[test]
fn four_machines_over_a_folder_agree_and_share_out_tasks() {
    let shared = tempfile::tempdir().expect("a folder");
    let links = tempfile::tempdir().expect("a folder");
    let computers: Vec<Computer> = (0..MACHINES)
        .map(|number| {
            let link = Link::Folder {
                link: links.path().join(format!("link-{number}")),
                target: shared.path().to_owned(),
            };
            link.mend();
            let url = format!("file://{}/link-{number}", links.path().display());
            computer(number, link, &url, Vec::new())
        })
        .collect();
    four_machines(&computers);
}

#[test]
fn four_machines_over_s3_agree_and_share_out_tasks() {
    let Some(moto) = Moto::start() else {
        return;
    };
    let computers: Vec<Computer> = (0..MACHINES)
        .map(|number| {
            let is_cut = Arc::new(AtomicBool::new(false));
            let port = proxy(moto.port, Arc::clone(&is_cut));
            let url = "s3://windlass-test/team/plan";
            computer(number, Link::Proxy { is_cut }, url, moto::variables(port))
        })
        .collect();
    four_machines(&computers);
}

fn two_on_a_folder(shared: &Path, links: &Path) -> [Computer; 2] {
    [0, 1].map(|number| {
        let link = Link::Folder {
            link: links.join(format!("link-{number}")),
            target: shared.to_owned(),
        };
        link.mend();
        let url = format!("file://{}/link-{number}", links.display());
        computer(number, link, &url, Vec::new())
    })
}

#[test]
fn a_task_of_another_machine_is_refused_and_a_conflict_is_told() {
    let shared = tempfile::tempdir().expect("a folder");
    let links = tempfile::tempdir().expect("a folder");
    let [one, two] = two_on_a_folder(shared.path(), links.path());
    one.ok("entity_create", json!({"type": "task", "title": "first"}));
    one.ok("entity_create", json!({"type": "task", "title": "second"}));
    one.sync();
    two.sync();
    let begun = one.ok("begin", json!({"id": "1"}));
    assert!(
        begun["next"]
            .as_str()
            .is_some_and(|next| next.starts_with("Task 1 is yours"))
    );
    let refused = two.call("begin", json!({"id": "1"})).expect_err("held");
    assert_eq!(refused.kind(), ErrorKind::TaskClaimed);
    assert!(refused.message().contains("agent-0@machine-0"), "{refused}");
    // Without a number another task is chosen, although no exchange has told that the first is taken.
    let taken = two.ok("task_claim", json!({}));
    assert_eq!(taken["task"]["title"], "second");
    two.ok("task_claim", json!({"id": "2", "release": true}));

    // The remote goes away, and both take the second task.
    one.link.cut();
    two.link.cut();
    let alone = two.ok("begin", json!({"id": "2"}));
    let next = alone["next"].as_str().expect("a text");
    assert!(next.starts_with("Claimed on this machine only"), "{next}");
    let status = two.ok("sync_status", json!({}));
    assert_eq!(status["remotes"][0]["local_claims"], 1, "{status}");
    one.link.mend();
    two.link.mend();
    one.ok("partial", json!({"summary": "later", "remaining": "much"}));
    one.ok("task_claim", json!({"id": "2"}));
    let synced = two.sync();
    assert_eq!(synced["remote_error"], Json::Null);
    let status = two.ok("sync_status", json!({}));
    let conflict = &status["remotes"][0]["conflicts"][0];
    assert_eq!(conflict["number"], 2, "{status}");
    assert_eq!(conflict["other"], "agent-0@machine-0");
    let events = two.ok("event_list", json!({"type": "task.claim_conflict"}));
    assert_eq!(
        events["events"].as_array().map(Vec::len),
        Some(1),
        "{events}"
    );
    let board = two.ok("board_status", json!({}));
    let waiting = board["waiting_for_person"].to_string();
    assert!(waiting.contains("agent-0@machine-0"), "{board}");
    // The other gives it back, and the conflict is over.
    one.ok("task_claim", json!({"id": "2", "release": true}));
    two.sync();
    let own = two
        .context
        .store
        .read(None, |reader| reader.remote_claims());
    let states: Vec<RemoteClaimState> = own.expect("read").iter().map(|it| it.state).collect();
    assert_eq!(states, [RemoteClaimState::Held]);
}

/// The end of the work travels before the claim is given back, and is fetched by whoever takes it next.
#[test]
fn what_another_machine_has_done_is_not_begun_again() {
    let shared = tempfile::tempdir().expect("a folder");
    let links = tempfile::tempdir().expect("a folder");
    let [one, two] = two_on_a_folder(shared.path(), links.path());
    for title in ["first", "second"] {
        one.ok("entity_create", json!({"type": "task", "title": title}));
    }
    one.sync();
    two.sync();
    one.ok("begin", json!({"id": "1"}));
    one.ok("done", json!({"summary": "all of it"}));
    // No exchange was asked for since.
    let taken = two.ok("task_claim", json!({}));
    assert_eq!(taken["task"]["title"], "second", "{taken}");
    let refused = two
        .call("task_claim", json!({"id": "1"}))
        .expect_err("done");
    assert!(refused.message().contains("is done"), "{refused}");
}

#[test]
fn an_agent_sends_the_plan_nowhere_else() {
    let shared = tempfile::tempdir().expect("a folder");
    let links = tempfile::tempdir().expect("a folder");
    let [one, _] = two_on_a_folder(shared.path(), links.path());
    let other = format!("file://{}/elsewhere", links.path().display());
    let refused = one
        .call("sync", json!({"remote": other}))
        .expect_err("an agent");
    assert_eq!(refused.kind(), ErrorKind::HumanOnly);
    assert!(!links.path().join("elsewhere").exists());
    // Settings that nobody allowed as they stand do not count.
    fs::write(
        one.context.workspace.project().folder().join("config.toml"),
        format!("[sync]\nremote = \"{other}\"\n# changed\n"),
    )
    .expect("written");
    let workspace = Arc::new(Workspace::new(
        one.context.workspace.project().clone(),
        one.context.workspace.machine().clone(),
    ));
    let host = Arc::new(JobHost::new(workspace, Lifetime::Command));
    assert!(host.remote().expect("read").is_none());
}
