//! The memory of an engine.
//!
//! The engine has a limit of its own, but says nothing reliable when it is reached: a script may
//! see an error, `null`, or nothing at all. So the limit is kept here, where it is known.

#![expect(unsafe_code, reason = "allocators cannot be written otherwise")]

use std::cell::Cell;
use std::rc::Rc;

use rquickjs::allocator::{Allocator, RustAllocator};

/// What an engine uses.
#[derive(Debug)]
pub struct Memory {
    used: Cell<usize>,
    most: Cell<usize>,
    limit: Cell<usize>,
    refused: Cell<bool>,
}

impl Memory {
    /// Nothing is used, and nothing limited.
    pub fn new() -> Rc<Self> {
        Rc::new(Self {
            used: Cell::new(0),
            most: Cell::new(0),
            limit: Cell::new(usize::MAX),
            refused: Cell::new(false),
        })
    }

    /// Limits it from now on.
    pub fn limit(&self, bytes: usize) {
        self.limit.set(bytes);
    }

    /// Whether more was wanted than the limit allows.
    pub fn was_refused(&self) -> bool {
        self.refused.get()
    }

    /// The most that was used at any time.
    pub fn most(&self) -> usize {
        self.most.get()
    }

    /// Takes `size` bytes in place of `freed`, if they are to be had.
    fn take(&self, size: usize, freed: usize) -> bool {
        let used = self.used.get().saturating_sub(freed).saturating_add(size);
        if used > self.limit.get() {
            self.refused.set(true);
            return false;
        }
        self.used.set(used);
        self.most.set(self.most.get().max(used));
        true
    }

    fn give_back(&self, size: usize) {
        self.used.set(self.used.get().saturating_sub(size));
    }
}

/// Gives an engine memory up to the limit.
pub struct Limited(pub Rc<Memory>);

impl Limited {
    /// Counts what was given, which may be a little more than was asked for.
    fn given(&self, asked: usize, given: *mut u8) -> *mut u8 {
        self.0.give_back(asked);
        if !given.is_null() {
            // SAFETY: it comes from the same allocator.
            let size = unsafe { RustAllocator::usable_size(given) };
            self.0.used.set(self.0.used.get().saturating_add(size));
        }
        given
    }
}

// SAFETY: every pointer comes from `RustAllocator`, which keeps the promises of the trait, or is
// null.
unsafe impl Allocator for Limited {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if !self.0.take(size, 0) {
            return std::ptr::null_mut();
        }
        self.given(size, RustAllocator.alloc(size))
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let Some(total) = count.checked_mul(size) else {
            return std::ptr::null_mut();
        };
        if !self.0.take(total, 0) {
            return std::ptr::null_mut();
        }
        self.given(total, RustAllocator.calloc(count, size))
    }

    unsafe fn dealloc(&mut self, pointer: *mut u8) {
        // SAFETY: the caller hands back what this allocator gave.
        unsafe {
            self.0.give_back(RustAllocator::usable_size(pointer));
            RustAllocator.dealloc(pointer);
        }
    }

    unsafe fn realloc(&mut self, pointer: *mut u8, new_size: usize) -> *mut u8 {
        if pointer.is_null() {
            return self.alloc(new_size);
        }
        // SAFETY: the caller hands back what this allocator gave.
        unsafe {
            let old_size = RustAllocator::usable_size(pointer);
            if !self.0.take(new_size, old_size) {
                return std::ptr::null_mut();
            }
            let moved = RustAllocator.realloc(pointer, new_size);
            if moved.is_null() {
                // What was there is still there.
                self.0.give_back(new_size);
                self.0.used.set(self.0.used.get().saturating_add(old_size));
                return moved;
            }
            self.given(new_size, moved)
        }
    }

    unsafe fn usable_size(pointer: *mut u8) -> usize {
        // SAFETY: the caller hands over what this allocator gave.
        unsafe { RustAllocator::usable_size(pointer) }
    }
}
