//! `windlass dashboard`: finds the project's server or starts one, and opens the page with a one-time
//! code, which stands for the person at this terminal.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command as Program, ExitCode, Stdio};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value as Json, json};
use windlass_core::{Actor, Error, ErrorKind, Result};
use windlass_store::Project;

use super::caller::Caller;
use super::output::{self, Output};
use super::own_command::OwnCommand;
use super::serve_http;
use crate::surface::dashboard_folder::{CODE_LASTS, DashboardFolder, Person, RunningServer};
use crate::surface::{http, os};

const HTTP: &str = "http";
const NO_OPEN: &str = "no-open";
const LOGOUT: &str = "logout";

/// How long a server may take to say who it is.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["dashboard"], build, run)];

fn build(command: Command, words: &[OsString]) -> Command {
    serve_http::build(command, words)
        .long_about(
            "Open the dashboard in a browser, as yourself: approve, answer and allow from there. \
             If a server of this project runs, its page is opened; otherwise one is started, and \
             runs until Ctrl-C. The link can be used once, within two minutes, by one browser; run \
             the command again for another one.\n\n\
             Only a person at a terminal can do this.",
        )
        .mut_arg(HTTP, |argument| {
            argument
                .default_value("127.0.0.1:0")
                .help("The address of a server that has to be started; port 0 means any free port")
        })
        .arg(
            Arg::new(NO_OPEN)
                .long("no-open")
                .action(ArgAction::SetTrue)
                .help("Print the link without opening a browser"),
        )
        .arg(
            Arg::new(LOGOUT)
                .long("logout")
                .action(ArgAction::SetTrue)
                .help("Log out every browser, and end"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let origin = caller.origin()?;
    if origin.actor != Actor::Human {
        return Err(Error::new(
            ErrorKind::HumanOnly,
            "Only a person at a terminal can open the dashboard",
        )
        .with_hint("Ask a person to run: windlass dashboard"));
    }
    let project = Project::find(&caller.global.cwd)?;
    let state_home = caller.environment.folders().state;
    let folder = DashboardFolder::new(&state_home, project.state());
    if matches.get_flag(LOGOUT) {
        folder.log_out()?;
        caller
            .output
            .error("done", "All browsers are logged out.", None);
        return Ok(ExitCode::SUCCESS);
    }
    let opening = Opening {
        person: Person {
            user: caller.environment.user_name(),
            session: origin.session,
        },
        browser: !matches.get_flag(NO_OPEN) && caller.environment.has_display(),
        output: caller.output.clone(),
        folder,
    };
    if let Some(server) = running(&opening.folder) {
        opening.open(&server.url)?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = serve_http::options(matches, caller)?;
    http::serve(options, move |started| {
        if let Err(problem) = opening.open(&started.url) {
            opening
                .output
                .error("error", problem.message(), problem.hint());
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

struct Opening {
    folder: DashboardFolder,
    person: Person,
    browser: bool,
    output: Output,
}

impl Opening {
    /// Creates a code, prints the link with it, and opens it.
    fn open(&self, url: &str) -> Result<()> {
        let code = self.folder.create_code(&self.person)?;
        // After the #, so that it is in no request, no log and no Referer header.
        let url = on_this_machine(url);
        let link = format!("{url}/#code={code}");
        if self.output.is_json() {
            let line = json!({ "url": url, "link": link });
            output::raw(format!("{line}\n").as_bytes())?;
        } else {
            let minutes = CODE_LASTS.as_secs() / 60;
            let text = format!("{link}\nFor one browser, within {minutes} minutes.");
            self.output.error("dashboard", &text, None);
        }
        if self.browser {
            let page = self.folder.write_opener(&link)?;
            // Whoever has no such program opens the printed link.
            let _ = Program::new(os::OPENER)
                .arg(page)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
        }
        Ok(())
    }
}

/// The newest server of the project that answers with its own id.
fn running(folder: &DashboardFolder) -> Option<RunningServer> {
    folder.servers().into_iter().find(|server| {
        let answers = id_at(&server.url).is_some_and(|id| id == server.id);
        if !answers {
            folder.forget(server);
        }
        answers
    })
}

/// The id of the server at that address.
fn id_at(url: &str) -> Option<String> {
    let url = on_this_machine(url);
    let address = url.strip_prefix("http://")?;
    let mut stream = TcpStream::connect_timeout(&address.parse().ok()?, ANSWER_WITHIN).ok()?;
    stream.set_read_timeout(Some(ANSWER_WITHIN)).ok()?;
    let request = format!("GET /api/me HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.take(64 * 1024).read_to_string(&mut answer).ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    let body: Json = serde_json::from_str(body).ok()?;
    body["server"].as_str().map(str::to_owned)
}

/// A server that listens on all addresses is reached on this machine by its loopback address.
fn on_this_machine(url: &str) -> String {
    url.replace("//0.0.0.0:", "//127.0.0.1:")
        .replace("//[::]:", "//[::1]:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_a_browser_can_open() {
        assert_eq!(on_this_machine("http://0.0.0.0:80"), "http://127.0.0.1:80");
        assert_eq!(on_this_machine("http://[::]:80"), "http://[::1]:80");
        assert_eq!(on_this_machine("http://10.0.0.0:80"), "http://10.0.0.0:80");
    }

    #[test]
    fn what_does_not_answer_is_no_server() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", silent.local_addr().expect("an address"));
        drop(silent);
        assert_eq!(id_at(&url), None);
        assert_eq!(id_at("https://127.0.0.1"), None);
    }
}
