//! Floor 5: one open character being tuned: document, history, live world, selection, clock. No files, no pixels.
