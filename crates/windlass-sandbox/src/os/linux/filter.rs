//! The filter of the system calls of a worker: it may use memory, its pipe and the clock.

use std::io;

use std::os::fd::RawFd;

use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule,
};

const ALLOWED: &[i64] = &[
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_futex,
    libc::SYS_ppoll,
    libc::SYS_clock_gettime,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_sched_yield,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_sigaltstack,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[i64] = &[libc::SYS_poll];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[i64] = &[];

/// Calls that fail without killing the process: the C library tries to read a setting when it
/// frees much memory.
const REFUSED: &[i64] = &[libc::SYS_openat];

/// Any other system call kills the process.
pub fn apply(pipe: RawFd) -> io::Result<bool> {
    let programs = allowing(pipe).and_then(|allowing| Ok([refusing()?, allowing]));
    let [refusing, allowing] = programs.map_err(io::Error::other)?;
    // If the kernel has no filters, the other limits must suffice; the host is informed.
    Ok(seccompiler::apply_filter_all_threads(&refusing).is_ok()
        && seccompiler::apply_filter_all_threads(&allowing).is_ok())
}

/// Reading and writing are allowed only on the pipe, even if the host left other descriptors
/// open; files cannot be mapped into memory, no memory becomes code, and signals reach only the
/// worker itself, which sends itself one to abort.
fn allowing(pipe: RawFd) -> Result<BpfProgram, Error> {
    let unconditional = ALLOWED.iter().chain(ALLOWED_HERE).chain(REFUSED);
    let mut rules: Vec<_> = unconditional.map(|call| (*call, Vec::new())).collect();
    rules.push((libc::SYS_read, vec![when(0, pipe)?]));
    rules.push((libc::SYS_write, vec![when(0, pipe)?]));
    let anonymous = vec![equals(4, -1)?, no_code(2)?];
    rules.push((libc::SYS_mmap, vec![SeccompRule::new(anonymous)?]));
    rules.push((
        libc::SYS_mprotect,
        vec![SeccompRule::new(vec![no_code(2)?])?],
    ));
    let own = i32::try_from(std::process::id()).unwrap_or(i32::MAX);
    rules.push((libc::SYS_tgkill, vec![when(0, own)?]));
    let filter = SeccompFilter::new(
        rules.into_iter().collect(),
        SeccompAction::KillProcess,
        SeccompAction::Allow,
        std::env::consts::ARCH.try_into()?,
    )?;
    Ok(filter.try_into()?)
}

fn refusing() -> Result<BpfProgram, Error> {
    let refused = u32::try_from(libc::EPERM).unwrap_or_default();
    let filter = SeccompFilter::new(
        REFUSED.iter().map(|call| (*call, Vec::new())).collect(),
        SeccompAction::Allow,
        SeccompAction::Errno(refused),
        std::env::consts::ARCH.try_into()?,
    )?;
    Ok(filter.try_into()?)
}

/// The rule that an argument has this value.
fn when(argument: u8, value: i32) -> Result<SeccompRule, Error> {
    Ok(SeccompRule::new(vec![equals(argument, value)?])?)
}

fn equals(argument: u8, value: i32) -> Result<SeccompCondition, Error> {
    let value = u64::from(u32::from_ne_bytes(value.to_ne_bytes()));
    let operator = SeccompCmpOp::Eq;
    let length = SeccompCmpArgLen::Dword;
    Ok(SeccompCondition::new(argument, length, operator, value)?)
}

/// The condition that memory with this protection cannot be executed.
fn no_code(argument: u8) -> Result<SeccompCondition, Error> {
    let executable = u64::try_from(libc::PROT_EXEC).unwrap_or_default();
    let operator = SeccompCmpOp::MaskedEq(executable);
    let length = SeccompCmpArgLen::Dword;
    Ok(SeccompCondition::new(argument, length, operator, 0)?)
}

#[cfg(test)]
mod tests;
