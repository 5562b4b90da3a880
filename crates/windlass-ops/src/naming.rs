//! How texts name operations.

/// What a caller calls the operations.
#[derive(Clone, Default)]
pub struct Naming;

impl Naming {
    #[must_use]
    pub fn of_session(&self, _tools: &[windlass_core::RecipeTool]) -> Self {
        self.clone()
    }

    pub fn can_call(&self, _name: &str) -> bool {
        true
    }

    pub fn render(&self, text: &str) -> String {
        text.replace("[[focus.", "")
            .replace("[[", "")
            .replace("]]", "")
    }
}
