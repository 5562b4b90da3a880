//! The SDK as scripts see it.

use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Result};
use serde::Serialize;
use windlass_core::nearest;

use super::prelude::Prelude;
use super::state::State;
use crate::limits::MAX_JSON_BYTES;
use crate::method::{Method, camel_case};
use crate::outcome::Level;

/// The global under which the prelude leaves its functions for the worker, until the script starts.
const INTERNALS: &str = "__windlass";

/// One method, in the form that the prelude expects.
#[derive(Serialize)]
struct Binding<'a> {
    /// Its index in the table, by which the host knows it.
    index: usize,
    camel: String,
    snake: &'a str,
    positional: &'a [String],
}

/// The functions of the prelude that the worker calls.
pub struct Internals<'js> {
    /// `(call, ok, text)`: a call has a result.
    pub settle: Function<'js>,
    /// `(timer)`: a timer is due.
    pub fire: Function<'js>,
    /// `(reason)`: describes a thrown value as JSON text.
    pub explain: Function<'js>,
    /// `(value)`: what the script probably did by mistake, as JSON text.
    pub mistakes: Function<'js>,
}

/// Adds the SDK to a context.
pub fn bind(
    ctx: &Ctx<'_>,
    state: &Rc<State>,
    methods: &Rc<Vec<Method>>,
    prelude: &Prelude,
) -> Result<()> {
    let mut namespaces: Vec<&str> = Vec::new();
    for method in methods.iter() {
        if !namespaces.contains(&method.namespace.as_str()) {
            namespaces.push(&method.namespace);
        }
    }
    let make = prelude.function(ctx)?;
    let internals: Object = make.call((natives(ctx, state, methods)?, namespaces))?;
    ctx.globals().set(INTERNALS, internals)
}

/// The methods of one namespace as JSON text.
fn table(methods: &[Method], namespace: &str) -> String {
    let bindings: Vec<_> = methods
        .iter()
        .enumerate()
        .filter(|(_, method)| method.namespace == namespace)
        .map(|(index, method)| Binding {
            index,
            camel: camel_case(&method.name),
            snake: &method.name,
            positional: &method.positional,
        })
        .collect();
    serde_json::to_string(&bindings).unwrap_or_default()
}

/// Takes the functions out of the global before the script can see it.
pub fn take_internals<'js>(ctx: &Ctx<'js>) -> Result<Internals<'js>> {
    let internals: Object = ctx.globals().get(INTERNALS)?;
    ctx.globals().remove(INTERNALS)?;
    Ok(Internals {
        settle: internals.get("settle")?,
        fire: internals.get("fire")?,
        explain: internals.get("explain")?,
        mistakes: internals.get("mistakes")?,
    })
}

/// Evaluation options for a text that error messages call `name`.
pub fn options(name: &str) -> rquickjs::context::EvalOptions {
    let mut options = rquickjs::context::EvalOptions::default();
    options.filename = Some(name.to_owned());
    options
}

/// The functions of the worker that the prelude calls.
fn natives<'js>(
    ctx: &Ctx<'js>,
    state: &Rc<State>,
    methods: &Rc<Vec<Method>>,
) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    let calls = Rc::clone(state);
    natives.set(
        "call",
        Function::new(ctx.clone(), move |method: u32, arguments: String| {
            calls.call(method, arguments)
        })?,
    )?;
    natives.set("longest", MAX_JSON_BYTES)?;
    let logs = Rc::clone(state);
    natives.set(
        "log",
        Function::new(ctx.clone(), move |level: usize, text: String| {
            if let Some(level) = Level::ALL.get(level) {
                logs.log(*level, text);
            }
        })?,
    )?;
    let timers = Rc::clone(state);
    natives.set(
        "setTimer",
        Function::new(ctx.clone(), move |milliseconds: f64| {
            timers.set_timer(milliseconds)
        })?,
    )?;
    let timers = Rc::clone(state);
    natives.set(
        "clearTimer",
        Function::new(ctx.clone(), move |timer: u32| timers.clear_timer(timer))?,
    )?;
    let known = Rc::clone(methods);
    natives.set(
        "table",
        Function::new(ctx.clone(), move |namespace: String| {
            table(&known, &namespace)
        })?,
    )?;
    let known = Rc::clone(methods);
    natives.set(
        "nearest",
        Function::new(ctx.clone(), move |namespace: String, name: String| {
            nearest_method(&known, &namespace, &name)
        })?,
    )?;
    Ok(natives)
}

/// The method that was probably meant, including one with the same name in another namespace.
fn nearest_method(methods: &[Method], namespace: &str, name: &str) -> Option<String> {
    let names: Vec<String> = methods
        .iter()
        .filter(|method| method.namespace == namespace)
        .map(|method| camel_case(&method.name))
        .collect();
    nearest(name, names.iter().map(String::as_str))
        .map(|near| format!("{namespace}.{near}"))
        .or_else(|| {
            methods
                .iter()
                .find(|method| method.name == name || camel_case(&method.name) == name)
                .map(|method| format!("{}.{name}", method.namespace))
        })
}

/// The namespace that was probably meant by an undefined name.
pub fn nearest_namespace<'a>(methods: &'a [Method], word: &str) -> Option<&'a str> {
    nearest(word, methods.iter().map(|method| method.namespace.as_str()))
}
