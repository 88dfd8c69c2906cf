//! The rooms' settings composed into one file, loaded with errors that name key and line.
