mod event_replay;
mod event_subscribe;

pub use event_replay::EventReplay;
pub use event_subscribe::EventSubscribe;
