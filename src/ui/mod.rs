//! Floor 6: panels and widgets. They read the session and return what the artist asked for. No GL, no file formats.
