//! The bytes that all files share: atomic publication, checksummed frames, locks.
