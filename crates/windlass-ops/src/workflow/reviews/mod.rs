mod review_approve;
mod review_comment;
mod review_get;
mod review_get_active;
mod review_list;
mod review_list_comments;
mod review_request_changes;
mod review_resolve_comment;
mod review_show;

pub use review_approve::ReviewApprove;
pub use review_comment::ReviewComment;
pub use review_get::ReviewGet;
pub use review_get_active::ReviewGetActive;
pub use review_list::ReviewList;
pub use review_list_comments::ReviewListComments;
pub use review_request_changes::ReviewRequestChanges;
pub use review_resolve_comment::ReviewResolveComment;
pub use review_show::ReviewShow;
