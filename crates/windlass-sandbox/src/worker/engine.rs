//! An engine, made ready before anyone asks for it.

use std::rc::Rc;

use rquickjs::context::intrinsic::{
    Date, Eval, Json, MapSet, Promise, Proxy, RegExp, RegExpCompiler,
};
use rquickjs::{Context, Runtime};

use super::allocator::Limited;
use super::pipe::Pipe;
use super::prelude::Prelude;
use super::sdk;
use super::state::State;
use crate::method::Method;

/// What scripts can use of the language beyond its core. Typed arrays, `WeakRef` and `Atomics` are
/// left out: most of what was ever wrong with the engine is in them, and scripts over JSON have no
/// use for them. The SDK itself needs `Proxy` and `Eval`, and takes them away when it is there.
type Intrinsics = (
    Date,
    Eval,
    RegExpCompiler,
    RegExp,
    Json,
    Proxy,
    MapSet,
    Promise,
);

/// An engine for one script.
pub struct Engine {
    pub context: Context,
    pub runtime: Runtime,
    pub state: Rc<State>,
    pub methods: Rc<Vec<Method>>,
    // The engine refers to it for as long as it lives, so that it goes last.
    _prelude: Rc<Prelude>,
}

impl Engine {
    /// An engine with the SDK in it.
    pub fn new(
        pipe: Rc<Pipe>,
        methods: &Rc<Vec<Method>>,
        prelude: &Rc<Prelude>,
    ) -> rquickjs::Result<Self> {
        let state = State::new(pipe);
        let runtime = Runtime::new_with_alloc(Limited(Rc::clone(&state)))?;
        // A collection at the wrong moment can crash the engine. What is not collected goes with it,
        // and it does not live long.
        runtime.set_gc_threshold(usize::MAX);
        let interrupted = Rc::clone(&state);
        runtime.set_interrupt_handler(Some(Box::new(move || {
            interrupted.check_deadline();
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
