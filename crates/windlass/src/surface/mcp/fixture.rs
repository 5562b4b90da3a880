//! Operations for tests of the surface itself: one that answers, and some that misbehave.

use std::convert::Infallible;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Error, Result};
use windlass_ops::{
    Audience, Context, Declaration, Effect, Entry, ErrorStyle, Operation, Render, Toolset, View,
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
    ($name:ident, $wire:literal, $effect:ident, $audience:ident, $errors:ident, $run:expr) => {
        struct $name;

        impl Operation for $name {
            type Input = Text;
            type Output = Text;

            const DECLARATION: Declaration = Declaration {
                name: $wire,
                toolset: Toolset::Knowledge,
                cli: &[],
                sdk: "",
                effect: Effect::$effect,
                idempotent: false,
                long_running: false,
                audience: Audience::$audience,
                errors: ErrorStyle::$errors,
                examples: &[],
            };

            async fn run(context: Context, input: Text) -> Result<Text> {
                let run: fn(Context, Text) -> Result<Text> = $run;
                run(context, input)
            }
        }
    };
}

operation!(Echo, "echo", Read, Anyone, Code, |_, input| Ok(input));
operation!(Session, "session", Write, Anyone, Code, |context, _| {
    Ok(Text {
        text: format!(
            "{} {:?}",
            context.origin.session, context.origin.correlation_id
        ),
    })
});
operation!(ReadPanic, "read_panic", Read, Anyone, Code, |_, _| panic!(
    "fell over"
));
operation!(
    WritePanic,
    "write_panic",
    Write,
    Anyone,
    Code,
    |_, _| panic!("fell over")
);
operation!(Fails, "fails", Read, Anyone, Code, |_, input| {
    Err(Error::entity_not_found(&input.text))
});
operation!(
    FailsSoftly,
    "fails_softly",
    Read,
    Anyone,
    Result,
    |_, input| { Err(Error::entity_not_found(&input.text)) }
);
operation!(Human, "human", Read, Human, Code, |_, input| Ok(input));

/// Never answers, until it is called off.
struct Endless;

impl Operation for Endless {
    type Input = Text;
    type Output = Text;

    const DECLARATION: Declaration = Declaration {
        name: "endless",
        effect: Effect::Execute,
        long_running: true,
        ..Echo::DECLARATION
    };

    async fn run(_context: Context, _input: Text) -> Result<Text> {
        let never: Infallible = std::future::pending().await;
        match never {}
    }
}

pub static OPERATIONS: &[Entry] = &[
    Entry::of::<Echo>(),
    Entry::of::<Session>(),
    Entry::of::<ReadPanic>(),
    Entry::of::<WritePanic>(),
    Entry::of::<Fails>(),
    Entry::of::<FailsSoftly>(),
    Entry::of::<Human>(),
    Entry::of::<Endless>(),
];

pub const NAMES: &[&str] = &[
    "echo",
    "session",
    "read_panic",
    "write_panic",
    "fails",
    "fails_softly",
    "endless",
];
