//! What several behaviours need.

pub(crate) mod glow_renderer;
pub(crate) mod tube;
