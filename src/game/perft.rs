//! Counting the leaves of the tree of actions.
