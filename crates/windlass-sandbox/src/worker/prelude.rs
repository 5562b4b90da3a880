//! The prelude, compiled once for all engines of a worker: parsing it took most of the time to
//! prepare one.

#![expect(
    unsafe_code,
    reason = "bytecode cannot be loaded otherwise; it was compiled here, by the same engine"
)]

use rquickjs::module::WriteOptions;
use rquickjs::{Context, Ctx, Function, Module, Result, Runtime};

/// Each file is one function.
const SOURCE: &str = concat!(
    "const makeStructuredClone = ",
    include_str!("structured_clone.js"),
    ";\nconst makeListAnswers = ",
    include_str!("list_answers.js"),
    ";\nconst prepare = ",
    include_str!("prelude.js"),
    ";\nexport default (native, namespaces) => prepare(native, namespaces, makeStructuredClone, makeListAnswers);",
);

/// Bytecode that this process compiled. It is never read from anywhere else.
pub struct Prelude(Vec<u8>);

impl Prelude {
    /// Compiles it in a temporary engine.
    pub fn compile() -> Result<Self> {
        let runtime = Runtime::new()?;
        let context = Context::full(&runtime)?;
        context.with(|ctx| {
            let module = Module::declare(ctx, "sdk", SOURCE)?;
            module.write(WriteOptions::default()).map(Self)
        })
    }

    /// Loads the function. The engine must not outlive this value, because it refers to the bytes.
    pub fn function<'js>(&self, ctx: &Ctx<'js>) -> Result<Function<'js>> {
        // SAFETY: the bytes come from `compile` and were not changed since.
        let module = unsafe { Module::load(ctx.clone(), &self.0)? };
        let (module, _) = module.eval()?;
        module.get("default")
    }
}
