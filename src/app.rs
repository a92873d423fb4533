//! Floor 7: the window face of the library: event loop, clock, dialogs, background loading.
