mod learning_add;
mod learning_get_inherited;
mod learning_list;

pub use learning_add::LearningAdd;
pub use learning_get_inherited::LearningGetInherited;
pub use learning_list::LearningList;
