//! Counts the allocations of a test program with one test.
#![expect(unsafe_code, reason = "only an allocator can measure the heap")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

static HELD: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

struct CountingAllocator;

fn add(bytes: isize) {
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(held, Relaxed);
}

// SAFETY: every call goes to `System` unchanged; the counters are not part of any allocation.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        add(layout.size() as isize);
        // SAFETY: the caller gives the same guarantees.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: the caller gives the same guarantees.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // During a move, both blocks are allocated.
        add(size as isize);
        add(-(layout.size() as isize));
        // SAFETY: the caller gives the same guarantees.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// The memory use of an operation.
pub(crate) struct Usage {
    /// Number of bytes that the operation allocated and did not release.
    pub(crate) held: isize,
    /// Maximum number of bytes that were allocated at the same time.
    pub(crate) peak: isize,
    /// Number of allocations.
    pub(crate) allocations: usize,
}

/// Returns the memory use of an operation. No other code of the program may allocate at the same time.
pub(crate) fn usage(operation: impl FnOnce()) -> Usage {
    let (held, allocations) = (HELD.load(Relaxed), ALLOCATIONS.load(Relaxed));
    PEAK.store(held, Relaxed);
    operation();
    Usage {
        held: HELD.load(Relaxed) - held,
        peak: PEAK.load(Relaxed) - held,
        allocations: ALLOCATIONS.load(Relaxed) - allocations,
    }
}
