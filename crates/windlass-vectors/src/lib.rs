//! Texts as vectors that are close where their meaning is.
//!
//! The model is all-MiniLM-L6-v2: six layers of BERT, with weights of one byte each. This crate knows
//! its tokenizer, its forward pass, the file of its weights and how that is made from the published
//! package, and the search for the nearest of many vectors. It knows no project, no database and no
//! network.

mod checksum;
mod convert;
mod error;
mod kernels;
mod model;
mod pieces;
mod scan;
mod scan_file;
mod tokenizer;
mod vector;
mod weights;

pub use convert::{Package, convert, convert_whole};
pub use error::{Error, Result};
pub use model::Model;
pub use pieces::{Piece, pieces};
pub use scan::{Found, Nearest};
pub use scan_file::{Record, ScanFile, ScanWriter};
pub use tokenizer::{Tokenizer, words};
pub use vector::{DIMENSIONS, Vector};
