//! An allocator that counts current and maximum bytes on request. Two programs share it.
//!
//! When off, it costs one relaxed load per allocation, which is negligible. Bytes are the requested ones, not rounded
//! up as the system's allocator does.
#![allow(dead_code, reason = "each program uses a part")]
#![allow(unsafe_code, reason = "the only way to see the heap of others' code is to be their allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static HELD: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// Starts to count.
pub(crate) fn start_counting() {
    IS_COUNTING.store(true, Relaxed);
}

/// Bytes held more than at the start of counting.
pub(crate) fn held() -> isize {
    HELD.load(Relaxed)
}

/// Returns the maximum number of bytes while `work` ran, beyond those at its start.
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
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: the caller's promises are the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // A move holds both blocks for a moment.
        add(size as isize);
        add(-(layout.size() as isize));
        // SAFETY: the caller's promises are the same.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
