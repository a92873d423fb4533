//! Floor 3: what is authored: the document, its edits and history, tables by bone name, remap. No solver state, no time.
