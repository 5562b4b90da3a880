//! Operations for tests of the surface itself: one that succeeds, and some that misbehave.

use std::convert::Infallible;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Error, Result};
use windlass_ops::{
    Context, Declaration, Entry, ErrorStyle, Operation, ReadContext, ReadOperation, Render,
    Toolset, View,
};

/// Text that comes back.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct Text {
    /// What to say.
    #[arg(default_value = "")]
    pub text: String,
}

impl Render for Text {
    fn view(&self) -> View {
        View::nothing(&self.text)
    }
}

macro_rules! operation {
    ($name:ident, $kind:ident, $context:ident, $declaration:expr, $run:expr) => {
        struct $name;

        impl $kind for $name {
            type Input = Text;
            type Output = Text;

            const DECLARATION: Declaration = $declaration;

            async fn run(context: $context, input: Text) -> Result<Text> {
                let run: fn($context, Text) -> Result<Text> = $run;
                run(context, input)
            }
        }
    };
}

const fn read(name: &'static str) -> Declaration {
    Declaration::read(name, Toolset::Knowledge)
}

const fn write(name: &'static str) -> Declaration {
    Declaration::write(name, Toolset::Knowledge)
}

operation!(
    Echo,
    ReadOperation,
    ReadContext,
    read("echo"),
    |_, input| { Ok(input) }
);
operation!(
    Session,
    Operation,
    Context,
    write("session"),
    |context, _| {
        Ok(Text {
            text: format!(
                "{} {:?}",
                context.origin.session, context.origin.correlation_id
            ),
        })
    }
);
operation!(
    ReadPanic,
    ReadOperation,
    ReadContext,
    read("read_panic"),
    |_, _| panic!("a bug")
);
operation!(
    WritePanic,
    Operation,
    Context,
    write("write_panic"),
    |_, _| panic!("a bug")
);
operation!(
    WriteSlowly,
    Operation,
    Context,
    write("write_slowly"),
    |_, input| {
        std::thread::sleep(Duration::from_millis(300));
        Ok(input)
    }
);
operation!(
    Fails,
    ReadOperation,
    ReadContext,
    read("fails"),
    |_, input| { Err(Error::entity_not_found(&input.text)) }
);
operation!(
    FailsSoftly,
    ReadOperation,
    ReadContext,
    read("fails_softly").errors(ErrorStyle::Result),
    |_, input| { Err(Error::entity_not_found(&input.text)) }
);
operation!(
    Human,
    ReadOperation,
    ReadContext,
    read("human").human_only(),
    |_, input| Ok(input)
);

/// Never finishes, until it is cancelled.
struct Endless;

impl Operation for Endless {
    type Input = Text;
    type Output = Text;

    const DECLARATION: Declaration =
        Declaration::execute("endless", Toolset::Knowledge).long_running();

    async fn run(_context: Context, _input: Text) -> Result<Text> {
        let never: Infallible = std::future::pending().await;
        match never {}
    }
}

static LIST: [Entry; 9] = [
    Entry::read::<Echo>(),
    Entry::act::<Session>(),
    Entry::read::<ReadPanic>(),
    Entry::act::<WritePanic>(),
    Entry::act::<WriteSlowly>(),
    Entry::read::<Fails>(),
    Entry::read::<FailsSoftly>(),
    Entry::read::<Human>(),
    Entry::act::<Endless>(),
];

pub static OPERATIONS: &[Entry] = &LIST;

pub const NAMES: &[&str] = &[
    "echo",
    "session",
    "read_panic",
    "write_panic",
    "write_slowly",
    "fails",
    "fails_softly",
    "endless",
];
