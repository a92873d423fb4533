//! The pieces that panels are made of.
//!
//! Each takes plain values and returns what the artist did; none holds a document.
