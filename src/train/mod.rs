//! The loop itself: generations, reuse, measuring, resuming.
