//! Limits the memory of an engine.
//!
//! The engine has its own limit, but behaves unpredictably when it is reached: a script may see an
//! error, `null` or nothing at all, and some cases lead to a crash. So the limit is enforced here,
//! and a script that exceeds it is stopped at once.

#![expect(unsafe_code, reason = "allocators cannot be written otherwise")]

use std::rc::Rc;

use rquickjs::allocator::{Allocator, RustAllocator};

use super::state::State;

/// Allocates memory for an engine, up to the limit.
pub struct LimitedAllocator(pub Rc<State>);

// SAFETY: every pointer comes from `RustAllocator`, which fulfils the contract of the trait, or is
// null.
unsafe impl Allocator for LimitedAllocator {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.0.check_memory(size, 0);
        let given = RustAllocator.alloc(size);
        // SAFETY: it comes from the same allocator.
        self.0.use_memory(unsafe { size_of(given) }, 0);
        given
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        self.0.check_memory(count.saturating_mul(size), 0);
        let given = RustAllocator.calloc(count, size);
        // SAFETY: it comes from the same allocator.
        self.0.use_memory(unsafe { size_of(given) }, 0);
        given
    }

    unsafe fn dealloc(&mut self, pointer: *mut u8) {
        // SAFETY: the caller passes a pointer that this allocator returned.
        unsafe {
            self.0.use_memory(0, size_of(pointer));
            RustAllocator.dealloc(pointer);
        }
    }

    unsafe fn realloc(&mut self, pointer: *mut u8, new_size: usize) -> *mut u8 {
        if pointer.is_null() {
            return self.alloc(new_size);
        }
        // SAFETY: the caller passes a pointer that this allocator returned.
        unsafe {
            let old_size = size_of(pointer);
            self.0.check_memory(new_size, old_size);
            let moved = RustAllocator.realloc(pointer, new_size);
            if !moved.is_null() {
                self.0.use_memory(size_of(moved), old_size);
            }
            moved
        }
    }

    unsafe fn usable_size(pointer: *mut u8) -> usize {
        // SAFETY: the caller passes a pointer that this allocator returned.
        unsafe { size_of(pointer) }
    }
}

/// # Safety
/// The pointer must come from `RustAllocator`, or be null.
unsafe fn size_of(pointer: *mut u8) -> usize {
    if pointer.is_null() {
        return 0;
    }
    // SAFETY: as above.
    unsafe { RustAllocator::usable_size(pointer) }
}
