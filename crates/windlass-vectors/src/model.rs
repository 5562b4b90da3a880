//! The model: tokens in, one vector out.

use std::path::Path;

use crate::error::Result;
use crate::kernels::{LANES, ROWS, TOKENS, block, exponential, gelu, multiply_add, products};
use crate::tokenizer::{END, START, Tokenizer};
use crate::vector::{DIMENSIONS, Vector};
use crate::weights::{INNER, Linear, Norm, POSITIONS, Weights};

const HEADS: usize = 12;
const HEAD: usize = DIMENSIONS / HEADS;
const NORM_EPSILON: f32 = 1e-12;
/// The most tokens of one text. The model has positions for twice as many but was not trained with
/// them.
const MAX_TOKENS: usize = POSITIONS / 2;

/// Turns texts into vectors. It is read only and can be shared by threads.
pub struct Model {
    weights: Weights,
}

impl Model {
    /// Opens the weights, and checks that the file is whole.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            weights: Weights::open(path)?,
        })
    }

    pub fn tokenizer(&self) -> Tokenizer<'_> {
        Tokenizer::new(&self.weights)
    }

    /// The vector of a text. What is beyond 254 tokens does not count; see [`crate::pieces`].
    pub fn embed(&self, text: &str) -> Vector {
        self.embed_tokens(&self.tokenizer().tokens(text))
    }

    /// The same for tokens.
    pub fn embed_tokens(&self, tokens: &[u16]) -> Vector {
        Vector::of(&self.components(tokens))
    }

    /// The same, before its components become bytes.
    pub fn components(&self, tokens: &[u16]) -> [f32; DIMENSIONS] {
        let tokens = &tokens[..tokens.len().min(MAX_TOKENS - 2)];
        let ids: Vec<u16> = [&[START], tokens, &[END]].concat();
        #[cfg(target_arch = "x86_64")]
        if crate::kernels::is_fast() {
            // SAFETY: the processor has what the function was compiled for.
            #[expect(unsafe_code, reason = "a function for this processor")]
            return unsafe { forward_avx2(&self.weights, &ids) };
        }
        forward::<false>(&self.weights, &ids)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn forward_avx2(weights: &Weights, ids: &[u16]) -> [f32; DIMENSIONS] {
    forward::<true>(weights, ids)
}

/// The numbers of each token, row by row.
struct Rows {
    columns: usize,
    numbers: Vec<f32>,
}

impl Rows {
    fn new(rows: usize, columns: usize) -> Self {
        Self {
            columns,
            numbers: vec![0.0; rows * columns],
        }
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the vectorised loop")]
    fn row(&self, row: usize) -> &[f32] {
        &self.numbers[row * self.columns..(row + 1) * self.columns]
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of the vectorised loop")]
    fn row_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.numbers[row * self.columns..(row + 1) * self.columns]
    }
}

/// Everything below is compiled twice, for the instructions of its caller.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "compiled for the instructions of the caller"
)]
fn forward<const FUSED: bool>(weights: &Weights, ids: &[u16]) -> [f32; DIMENSIONS] {
    let count = ids.len();
    let mut states = embeddings(weights, ids);
    let mut query = Rows::new(count, DIMENSIONS);
    let mut key = Rows::new(count, DIMENSIONS);
    let mut value = Rows::new(count, DIMENSIONS);
    let mut attended = Rows::new(count, DIMENSIONS);
    let mut out = Rows::new(count, DIMENSIONS);
    let mut inner = Rows::new(count, INNER);
    for layer in &weights.layers {
        linear::<FUSED>(weights, &layer.query, &states, &mut query);
        linear::<FUSED>(weights, &layer.key, &states, &mut key);
        linear::<FUSED>(weights, &layer.value, &states, &mut value);
        attention::<FUSED>(&query, &key, &value, &mut attended);
        linear::<FUSED>(weights, &layer.attended, &attended, &mut out);
        add_and_norm(&mut states, &out, &layer.attended_norm);
        linear::<FUSED>(weights, &layer.widen, &states, &mut inner);
        for number in &mut inner.numbers {
            *number = gelu(*number);
        }
        linear::<FUSED>(weights, &layer.narrow, &inner, &mut out);
        add_and_norm(&mut states, &out, &layer.norm);
    }
    mean_direction(&states)
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "compiled for the instructions of the caller"
)]
fn embeddings(weights: &Weights, ids: &[u16]) -> Rows {
    let mut states = Rows::new(ids.len(), DIMENSIONS);
    let mut row = [0_f32; DIMENSIONS];
    for (position, id) in ids.iter().enumerate() {
        let state = states.row_mut(position);
        for (matrix, place) in [
            (&weights.words, usize::from(*id)),
            (&weights.positions, position),
            (&weights.types, 0),
        ] {
            weights.unscaled_row(matrix, place, &mut row);
            for (state, number) in state.iter_mut().zip(&row) {
                *state += number * matrix.scales[place];
            }
        }
    }
    let nothing = Rows::new(ids.len(), DIMENSIONS);
    add_and_norm(&mut states, &nothing, &weights.norm);
    states
}

/// Each row of the input with each row of the matrix. A few rows of the matrix become numbers once,
/// for all tokens.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "compiled for the instructions of the caller"
)]
fn linear<const FUSED: bool>(weights: &Weights, by: &Linear, input: &Rows, output: &mut Rows) {
    let matrix = &by.matrix;
    let count = input.numbers.len() / input.columns;
    let mut unpacked = vec![0_f32; ROWS * matrix.columns];
    let lanes = |row: usize| input.row(row).as_chunks::<LANES>().0;
    for first in (0..matrix.rows).step_by(ROWS) {
        for (at, row) in unpacked.chunks_exact_mut(matrix.columns).enumerate() {
            weights.unscaled_row(matrix, first + at, row);
        }
        let mut parts = unpacked.chunks_exact(matrix.columns);
        let rows: [&[[f32; LANES]]; ROWS] =
            std::array::from_fn(|_| parts.next().unwrap_or_default().as_chunks::<LANES>().0);
        let mut put = |token: usize, at: usize, sum: f32| {
            let row = first + at;
            output.numbers[token * matrix.rows + row] = sum * matrix.scales[row] + by.bias[row];
        };
        let mut token = 0;
        while token + TOKENS <= count {
            let sums = block::<FUSED>(rows, std::array::from_fn(|at| lanes(token + at)));
            for (row, sums) in sums.iter().enumerate() {
                for (at, sum) in sums.iter().enumerate() {
                    put(token + at, row, *sum);
                }
            }
            token += TOKENS;
        }
        while token < count {
            let sums = products::<FUSED, ROWS, 1>(rows, [lanes(token)]);
            for (row, [sum]) in sums.iter().enumerate() {
                put(token, row, *sum);
            }
            token += 1;
        }
    }
}

/// Each token takes from the values of all, by how well its query fits their keys.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "compiled for the instructions of the caller"
)]
#[expect(clippy::cast_precision_loss, reason = "32")]
fn attention<const FUSED: bool>(query: &Rows, key: &Rows, value: &Rows, out: &mut Rows) {
    let count = query.numbers.len() / query.columns;
    let scale = 1.0 / (HEAD as f32).sqrt();
    let mut weights = vec![0_f32; count];
    for head in 0..HEADS {
        let part = head * HEAD..(head + 1) * HEAD;
        for token in 0..count {
            let asked = query.row(token)[part.clone()].as_chunks::<LANES>().0;
            let mut largest = f32::MIN;
            for (other, weight) in weights.iter_mut().enumerate() {
                let offered = key.row(other)[part.clone()].as_chunks::<LANES>().0;
                let [[product]] = products::<FUSED, 1, 1>([asked], [offered]);
                *weight = product * scale;
                largest = largest.max(*weight);
            }
            for weight in &mut weights {
                *weight = exponential(*weight - largest);
            }
            let whole: f32 = weights.iter().sum();
            let mut sums = [0_f32; HEAD];
            for (other, weight) in weights.iter().enumerate() {
                for (sum, number) in sums.iter_mut().zip(&value.row(other)[part.clone()]) {
                    *sum = multiply_add::<FUSED>(*weight, *number, *sum);
                }
            }
            for (out, sum) in out.row_mut(token)[part.clone()].iter_mut().zip(sums) {
                *out = sum / whole;
            }
        }
    }
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "compiled for the instructions of the caller"
)]
#[expect(clippy::cast_precision_loss, reason = "384")]
fn add_and_norm(states: &mut Rows, added: &Rows, norm: &Norm) {
    let count = states.numbers.len() / states.columns;
    for row in 0..count {
        let state = states.row_mut(row);
        for (state, added) in state.iter_mut().zip(added.row(row)) {
            *state += added;
        }
        let mean = lane_sum(state.iter().copied()) / DIMENSIONS as f32;
        let spread = lane_sum(state.iter().map(|it| (it - mean) * (it - mean)));
        let factor = 1.0 / (spread / DIMENSIONS as f32 + NORM_EPSILON).sqrt();
        for ((state, weight), bias) in state.iter_mut().zip(&norm.weight).zip(&norm.bias) {
            *state = (*state - mean) * factor * weight + bias;
        }
    }
}

/// A sum in lanes, which the compiler may not make of an ordinary one.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "compiled for the instructions of the caller"
)]
fn lane_sum(numbers: impl Iterator<Item = f32>) -> f32 {
    let mut lanes = [0_f32; LANES];
    for (at, number) in numbers.enumerate() {
        lanes[at % LANES] += number;
    }
    lanes.iter().sum()
}

/// The mean of all tokens, with length 1.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "compiled for the instructions of the caller"
)]
fn mean_direction(states: &Rows) -> [f32; DIMENSIONS] {
    let mut mean = [0_f32; DIMENSIONS];
    for row in states.numbers.chunks_exact(DIMENSIONS) {
        for (mean, number) in mean.iter_mut().zip(row) {
            *mean += number;
        }
    }
    let length = lane_sum(mean.iter().map(|it| it * it)).sqrt();
    mean.map(|number| number / length.max(f32::MIN_POSITIVE))
}
