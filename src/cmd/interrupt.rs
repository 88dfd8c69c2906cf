//! Ctrl-C: the first one asks for a clean stop, the second one ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the first Ctrl-C (or a request to terminate) sets.
///
/// # Errors
/// If the handler cannot be installed.
pub fn flag() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(super::exit::INTERRUPTED));
        }
        note!("\nstopping cleanly; press Ctrl-C again to stop at once");
    })?;
    Ok(stop)
}
