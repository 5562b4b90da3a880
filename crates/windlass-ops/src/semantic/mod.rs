//! Texts by their meaning: which vectors they have, what is near to what, and the search that joins
//! this with the search by words.
//!
//! `models.rs` knows the file of weights, `embedder.rs` gives vectors to texts that have none,
//! `nearest.rs` finds what is near to a text, `query_words.rs` how much of a query a text has word by
//! word, `spelling.rs` what a misspelt word means, `hybrid.rs` joins both searches. Without weights all
//! of it answers with what the words find.

mod download;
mod embedder;
mod hybrid;
mod models;
mod nearest;
mod package_index;
mod query_words;
mod spelling;
mod text;
mod vector_file;

pub use download::{Download, DownloadSettings, download};
pub use embedder::{Embedded, embed_waiting, has_texts_to_embed, keep_embedding};
pub use hybrid::{Signals, search as search_both};
pub use models::{Availability, MODEL, Models};
pub use nearest::{Near, Wanted, nearest, similar_texts};
pub use text::piece_of;
