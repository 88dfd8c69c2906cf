//! The fixed static evaluation of jungle.
