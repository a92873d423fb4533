//! Floor 7: the command line face of the library.
