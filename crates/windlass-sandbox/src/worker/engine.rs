//! A JavaScript engine, prepared before it is needed.

use std::rc::Rc;

use rquickjs::context::intrinsic::{
    Date, Eval, Json, MapSet, Promise, Proxy, RegExp, RegExpCompiler, TypedArrays,
};
use rquickjs::{Context, Runtime};

use super::allocator::LimitedAllocator;
use super::pipe::Pipe;
use super::prelude::Prelude;
use super::sdk;
use super::state::State;
use crate::method::Method;

/// The language features available to scripts beyond the core. `WeakRef` is left out: scripts that
/// work on JSON do not need it. The SDK itself needs `Proxy` and `Eval`, and removes them when it is
/// set up, together with what comes with typed arrays and is made for threads.
type Intrinsics = (
    Date,
    Eval,
    RegExpCompiler,
    RegExp,
    Json,
    Proxy,
    MapSet,
    Promise,
    TypedArrays,
);

/// An engine for one script.
pub struct Engine {
    pub context: Context,
    pub runtime: Runtime,
    pub state: Rc<State>,
    pub methods: Rc<Vec<Method>>,
    // The engine refers to the prelude while it exists, so this field is dropped last.
    _prelude: Rc<Prelude>,
}

impl Engine {
    /// Creates an engine with the SDK in it.
    pub fn new(
        pipe: Rc<Pipe>,
        methods: &Rc<Vec<Method>>,
        prelude: &Rc<Prelude>,
    ) -> rquickjs::Result<Self> {
        let state = State::new(pipe);
        let runtime = Runtime::new_with_alloc(LimitedAllocator(Rc::clone(&state)))?;
        // A garbage collection at the wrong time can crash the engine. Uncollected memory is freed
        // with the engine, which does not live long.
        runtime.set_gc_threshold(usize::MAX);
        let interrupted = Rc::clone(&state);
        runtime.set_interrupt_handler(Some(Box::new(move || {
            interrupted.check_deadline();
            interrupted.flush();
            false
        })));
        let context = Context::custom::<Intrinsics>(&runtime)?;
        context.with(|ctx| sdk::bind(&ctx, &state, methods, prelude))?;
        Ok(Self {
            context,
            runtime,
            state,
            methods: Rc::clone(methods),
            _prelude: Rc::clone(prelude),
        })
    }
}
