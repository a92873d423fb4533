//! Turns what an artist asks for into edits.
