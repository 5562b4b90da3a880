//! The locks of the parts whose interleavings are tested: in one place, so that those tests can put
//! others in their stead.

pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard};
