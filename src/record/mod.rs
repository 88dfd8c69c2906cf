//! What a game is on disk: its record, shards of records, and their bytes.
