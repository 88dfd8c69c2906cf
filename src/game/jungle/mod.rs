//! The rules of jungle.
