//! Reading arbitrary bytes from the pipe must be safe: `cargo +nightly fuzz run bridge`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_sandbox::fuzzing::read_as_both_sides(bytes));
