//! What a worker takes from itself before it looks at what it was given, and what its interpreter keeps to.

use std::io;
use std::time::Duration;

use monty_types::ResourceLimits;

use crate::wire::Limits;

/// What is done behind the walls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confined {
    /// A program runs that is told nothing more.
    Program,
    /// A program runs that is answered on standard input, which stays readable.
    Conversation,
    /// A document is read, which has come in already. Standard error stays open to the system's words about memory and stack,
    /// which are all that tells how this process died.
    Documents,
}

/// Takes from this process, all threads, what its work has no use for. Where that fails, nothing may be done.
#[cfg(unix)]
pub(crate) fn confine(limits: &Limits, confined: Confined) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    // Asked before nothing can be opened any more.
    let taken = taken_bytes();
    let set = |resource, most: u64| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    // At the first limit the process is told so, at the second it is killed. An interpreter keeps to its time by itself, and
    // only what it does not notice is up a little later.
    let seconds = limits.time_ms.div_ceil(1_000) + u64::from(confined != Confined::Documents);
    setrlimit(Resource::Cpu, Rlimit { current: Some(seconds), maximum: Some(seconds + 1) })?;
    set(Resource::Core, 0)?;
    set(Resource::Fsize, 0)?;
    // The three that are open stay open; nothing else is opened from here on.
    set(Resource::Nofile, 0)?;
    // Says nothing to the system's own user, hence the system calls below.
    set(Resource::Nproc, 0)?;
    set(Resource::As, taken.saturating_add(limits.memory_bytes))?;
    only_computing(confined)
}

#[cfg(not(unix))]
pub(crate) fn confine(_limits: &Limits, _confined: Confined) -> io::Result<()> {
    Err(io::Error::other(
        "programs and files of others are not run or read on a system that cannot limit them",
    ))
}

/// What the interpreter itself keeps to.
pub(crate) fn resources(limits: &Limits) -> ResourceLimits {
    ResourceLimits {
        max_duration: Some(Duration::from_millis(limits.time_ms)),
        max_recursion_depth: limits.depth,
        ..ResourceLimits::default()
    }
}

/// Bytes of address space that this process has taken already: its own program text, above all.
#[cfg(unix)]
fn taken_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().next().and_then(|pages| pages.parse::<u64>().ok());
    // Where the system does not say, a program of ours takes less than this.
    pages.map_or(1 << 30, |pages| pages.saturating_mul(rustix::param::page_size() as u64))
}

/// Leaves this process the system calls of computing, of writing its answer, and of ending. All others fail
/// as forbidden, for the system's own user, too: nothing is opened or read any more, not even what the process that
/// started us may have left open, but for standard input where it is answered there; no socket, no process, no signal.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
fn only_computing(confined: Confined) -> io::Result<()> {
    use std::collections::BTreeMap;

    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, TargetArch, apply_filter_all_threads,
    };

    const STANDARD_INPUT: u64 = 0;
    const STANDARD_OUTPUT: u64 = 1;
    const STANDARD_ERROR: u64 = 2;
    const COMPUTING: [libc::c_long; 21] = [
        libc::SYS_brk,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_futex,
        libc::SYS_getrandom,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let mut rules = COMPUTING.iter().map(|call| (*call, Vec::new())).collect::<BTreeMap<_, _>>();
    let only = |descriptor| {
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, descriptor)
            .and_then(|condition| SeccompRule::new(vec![condition]))
            .map_err(io::Error::other)
    };
    let mut writable = vec![only(STANDARD_OUTPUT)?];
    match confined {
        Confined::Program => {}
        Confined::Conversation => {
            rules.insert(libc::SYS_read, vec![only(STANDARD_INPUT)?]);
        }
        Confined::Documents => writable.push(only(STANDARD_ERROR)?),
    }
    rules.insert(libc::SYS_write, writable);
    let forbidden = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let filter =
        SeccompFilter::new(rules, forbidden, SeccompAction::Allow, architecture).map_err(io::Error::other)?;
    let program: BpfProgram = filter.try_into().map_err(io::Error::other)?;
    apply_filter_all_threads(&program).map_err(io::Error::other)
}

/// Elsewhere the limits and the interpreter must do.
#[cfg(all(
    unix,
    not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
    ))
))]
fn only_computing(_confined: Confined) -> io::Result<()> {
    Ok(())
}
