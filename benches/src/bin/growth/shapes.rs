//! Many relations: a long chain of tasks, and one task for which many wait.

use std::time::Instant;

use serde_json::{Value as Json, json};
use windlass_bench::{Operations, Outcome, Places, generate_chain, generate_dependants};

use crate::Extent;
use crate::calls::LIMIT;
use crate::curve::{Curve, Unit};
use crate::timing::{median, median_of};

/// How often each change is measured.
const CHANGES: u64 = 20;
/// How often a change is measured that takes longer with more relations.
const LONG_CHANGES: usize = 3;

/// One value that is measured at each size.
type Value = (&'static str, Unit, Option<f64>, f64);

pub fn chain(places: &Places, extent: &Extent) -> Outcome<Vec<Curve>> {
    at_two_sizes(extent, |length| {
        let project = places.filled(&format!("chain-{length}"), |project| {
            generate_chain(project, length)
        })?;
        let operations = Operations::on(&project)?;
        let next = median_of(extent.calls, |_| call(&operations, "task_next", json!({})))?;
        let ready = median_of(extent.calls, |_| call(&operations, "task_ready", json!({})))?;
        let mut last = length.to_string();
        let add = added(&operations, &mut |operations, new| {
            relate(operations, &std::mem::replace(&mut last, new.clone()), &new)
        })?;
        let mut refusal = String::new();
        let cycle = median_of(CHANGES, |_| {
            let refused = relate(&operations, &last, "1").err();
            refusal = refused.ok_or("a cycle was not refused")?.to_string();
            Ok(())
        })?;
        let middle = length / 2;
        let (from, to) = (middle.to_string(), (middle + 2).to_string());
        let shortcut = median_of(CHANGES, |_| {
            relate(&operations, &from, &to)?;
            let input = json!({"source_id": from, "relation_type": "blocks", "target_id": to});
            call(&operations, "relation_delete", input)
        })?;
        let show = median_of(extent.calls, |_| {
            call(&operations, "board_show", json!({"id": last}))
        })?;
        let graph = median_of(CHANGES, |_| call(&operations, "board_graph", json!({})))?;
        let mut times = Vec::new();
        for number in 1..=CHANGES {
            let start = Instant::now();
            set_status(&operations, &number.to_string(), "done")?;
            times.push(start.elapsed().as_secs_f64());
        }
        let text = f64::from(u32::try_from(refusal.len())?);
        Ok(vec![
            ("next", Unit::Seconds, Some(LIMIT), next),
            ("ready", Unit::Seconds, Some(LIMIT), ready),
            ("add a task at the end", Unit::Seconds, Some(LIMIT), add),
            (
                "end the first task",
                Unit::Seconds,
                Some(LIMIT),
                median(&times),
            ),
            ("show the last task", Unit::Seconds, Some(LIMIT), show),
            // These have to look at many tasks of the chain.
            ("graph of the board", Unit::Seconds, None, graph),
            (
                "a shortcut in the middle, and back",
                Unit::Seconds,
                None,
                shortcut,
            ),
            ("refuse to close the circle", Unit::Seconds, None, cycle),
            ("length of that refusal", Unit::Bytes, Some(LIMIT), text),
        ])
    })
}

pub fn dependants(places: &Places, extent: &Extent) -> Outcome<Vec<Curve>> {
    at_two_sizes(extent, |count| {
        let project = places.filled(&format!("dependants-{count}"), |project| {
            generate_dependants(project, count)
        })?;
        let operations = Operations::on(&project)?;
        let ready = median_of(extent.calls, |_| call(&operations, "task_ready", json!({})))?;
        let show = median_of(extent.calls, |_| {
            call(&operations, "board_show", json!({"id": "1"}))
        })?;
        let add = added(&operations, &mut |operations, new| {
            relate(operations, "1", &new)
        })?;
        let update = median_of(CHANGES, |turn| {
            let title = format!("Title {turn}");
            call(
                &operations,
                "entity_update",
                json!({"id": "1", "title": title}),
            )
        })?;
        let mut times = Vec::new();
        for _ in 0..LONG_CHANGES {
            let start = Instant::now();
            set_status(&operations, "1", "done")?;
            times.push(start.elapsed().as_secs_f64());
            set_status(&operations, "1", "todo")?;
        }
        let end = median(&times);
        let each = end / f64::from(u32::try_from(count)?);
        Ok(vec![
            ("ready", Unit::Seconds, Some(LIMIT), ready),
            ("show it", Unit::Seconds, Some(LIMIT), show),
            ("add a task that waits", Unit::Seconds, Some(LIMIT), add),
            ("change its title", Unit::Seconds, Some(LIMIT), update),
            // Each of those that wait becomes ready, so only the time for each can stay the same.
            ("end it", Unit::Seconds, None, end),
            (
                "end it, for each that waits",
                Unit::Seconds,
                Some(LIMIT),
                each,
            ),
        ])
    })
}

/// Measures a tenth of the relations and all of them.
fn at_two_sizes(
    extent: &Extent,
    measure: impl Fn(usize) -> Outcome<Vec<Value>>,
) -> Outcome<Vec<Curve>> {
    let (few, many) = (extent.related / 10, extent.related);
    let curves = measure(few)?.into_iter().zip(measure(many)?);
    Ok(curves
        .map(|((name, unit, limit, first), (.., last))| {
            Curve::of(name, unit, limit, vec![(few, first), (many, last)])
        })
        .collect())
}

/// The time to relate a task. Creating it is not measured here.
fn added(
    operations: &Operations,
    relate: &mut dyn FnMut(&Operations, String) -> Outcome,
) -> Outcome<f64> {
    let mut times = Vec::new();
    for _ in 0..CHANGES {
        let created = operations.call(
            "entity_create",
            &json!({"type": "task", "title": "One more task"}),
        )?;
        let number = created["sequence_number"].to_string();
        let start = Instant::now();
        relate(operations, number)?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(median(&times))
}

fn relate(operations: &Operations, blocker: &str, waiting: &str) -> Outcome {
    let input = json!({"source_id": blocker, "relation_type": "blocks", "target_id": waiting});
    call(operations, "relation_create", input)
}

fn set_status(operations: &Operations, id: &str, status: &str) -> Outcome {
    let input = json!({"id": id, "properties": {"status": status}});
    call(operations, "entity_update", input)
}

fn call(operations: &Operations, name: &str, input: Json) -> Outcome {
    operations.call(name, &input).map(drop)
}
