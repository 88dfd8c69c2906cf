//! A run folder: where everything lies, what may change, what is pruned.
