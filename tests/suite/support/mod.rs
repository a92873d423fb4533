//! What several behaviours need.

pub mod glow_renderer;
pub mod tube;
