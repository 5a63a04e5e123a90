//! An allocator that can count the current and the maximum number of allocated bytes. Several programs include this
//! file.
//!
//! While it does not count, its cost is one relaxed load per allocation, which is negligible. It counts requested
//! bytes, without the rounding of the system's allocator.
#![allow(dead_code, reason = "a program does not use every function")]
#![allow(unsafe_code, reason = "measuring the heap of other crates needs a global allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static HELD: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// Starts counting.
pub(crate) fn start_counting() {
    IS_COUNTING.store(true, Relaxed);
}

/// Returns the number of bytes allocated since the start of counting and not freed.
pub(crate) fn held() -> isize {
    HELD.load(Relaxed)
}

/// Runs `work`. Returns the maximum number of bytes that were allocated at one time, without those allocated before.
pub(crate) fn peak_of(work: impl FnOnce()) -> isize {
    HELD.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    IS_COUNTING.store(true, Relaxed);
    work();
    IS_COUNTING.store(false, Relaxed);
    PEAK.load(Relaxed)
}

struct Counting;

fn add(bytes: isize) {
    if IS_COUNTING.load(Relaxed) {
        let held = HELD.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(held, Relaxed);
    }
}

// SAFETY: every call goes to `System` unchanged; the counters are not part of any allocation.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: the caller's guarantees are those that `System` needs.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: the caller's guarantees are those that `System` needs.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: the caller's guarantees are those that `System` needs.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // During a move, both blocks are allocated.
        add(size as isize);
        add(-(layout.size() as isize));
        // SAFETY: the caller's guarantees are those that `System` needs.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
