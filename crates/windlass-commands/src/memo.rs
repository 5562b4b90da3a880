//! What several definitions of one pass share: a parsed file, and the pin of a file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::data::{Node, SyntaxError};
use crate::formats::Sketch;
use crate::pins::PinnedFile;
use crate::source::{FileSource, ReadError};

/// Cheap to clone; clones share what they hold.
#[derive(Clone, Default)]
pub struct Memo(Rc<Shared>);

#[derive(Default)]
struct Shared {
    parsed: RefCell<HashMap<String, Result<Rc<Node>, Unparsed>>>,
    makefiles: RefCell<HashMap<String, Rc<Sketch>>>,
    pins: RefCell<HashMap<(String, &'static str), PinnedFile>>,
}

/// Why a data file has no parsed form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unparsed {
    Read(ReadError),
    Syntax(SyntaxError),
}

impl Unparsed {
    /// The reason as the end of a sentence about the file.
    pub fn reason(&self) -> String {
        match self {
            Self::Read(problem) => problem.to_string(),
            Self::Syntax(broken) => format!("is broken (line {}: {})", broken.line, broken.message),
        }
    }
}

type Parse = fn(&str) -> Result<Node, SyntaxError>;

impl Memo {
    /// The parsed file. One path is always parsed by the same function.
    pub fn parsed(
        &self,
        source: &dyn FileSource,
        path: &str,
        parse: Parse,
    ) -> Result<Rc<Node>, Unparsed> {
        // Asking the source each time records the path as an input of the definition.
        let text: Arc<str> = source.read(path).map_err(Unparsed::Read)?;
        if let Some(known) = self.0.parsed.borrow().get(path) {
            return known.clone();
        }
        let parsed = parse(&text).map(Rc::new).map_err(Unparsed::Syntax);
        let mut all = self.0.parsed.borrow_mut();
        all.insert(path.to_owned(), parsed.clone());
        parsed
    }

    /// Remembers the parsed form of a definition, whose text comes from the same source.
    pub fn remember(&self, path: &str, node: &Rc<Node>) {
        let mut all = self.0.parsed.borrow_mut();
        all.insert(path.to_owned(), Ok(Rc::clone(node)));
    }

    /// What a makefile may read, looked for once.
    pub fn makefile(&self, path: &str, look: impl FnOnce() -> Sketch) -> Rc<Sketch> {
        if let Some(known) = self.0.makefiles.borrow().get(path) {
            return Rc::clone(known);
        }
        let sketch = Rc::new(look());
        let mut all = self.0.makefiles.borrow_mut();
        all.insert(path.to_owned(), Rc::clone(&sketch));
        sketch
    }

    /// The pin of a file, made once for each kind.
    pub fn pin(
        &self,
        path: &str,
        kind: &'static str,
        make: impl FnOnce() -> PinnedFile,
    ) -> PinnedFile {
        let key = (path.to_owned(), kind);
        if let Some(known) = self.0.pins.borrow().get(&key) {
            return known.clone();
        }
        let pin = make();
        self.0.pins.borrow_mut().insert(key, pin.clone());
        pin
    }
}
