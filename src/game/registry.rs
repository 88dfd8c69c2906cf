//! Name + options → concrete game: the one match over games.
