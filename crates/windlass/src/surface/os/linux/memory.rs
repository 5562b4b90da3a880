//! The memory of this process. Only the allocator of glibc has to be asked to give some back.

/// The memory of this process that no file backs, where it can be given back.
#[cfg(target_env = "gnu")]
pub fn own_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("RssAnon:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

/// Has the allocator give back what is free.
#[cfg(target_env = "gnu")]
#[expect(unsafe_code, reason = "the allocator is asked by a function of C")]
pub fn give_memory_back() {
    // SAFETY: it takes the allocator's own locks, and touches only what nobody uses.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(target_env = "gnu"))]
pub fn own_memory() -> Option<u64> {
    None
}

#[cfg(not(target_env = "gnu"))]
pub fn give_memory_back() {}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_its_own_memory() {
        let before = own_memory().expect("known");
        let much = std::hint::black_box(vec![1_u8; 64 << 20]);
        let with = own_memory().expect("known");
        assert!(with > before + (32 << 20), "{before}, {with}");
        drop(much);
        give_memory_back();
    }
}
