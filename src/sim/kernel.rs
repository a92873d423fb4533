//! Small pieces that solvers share; plain values in, plain values out.

use glam::Vec3;

/// The direction from `head` to `tip`; `fallback` where they are closer than `too_close` metres.
#[inline]
pub(super) fn direction_or(head: Vec3, tip: Vec3, too_close: f32, fallback: impl FnOnce() -> Vec3) -> Vec3 {
    let offset = tip - head;
    let length = offset.length();
    if length <= too_close { fallback() } else { offset * length.recip() }
}

/// Position Verlet: where `tip` goes on its own, keeping `kept` of its last movement, plus `push`, metres.
#[inline]
pub(super) fn inertia(tip: Vec3, previous: Vec3, kept: f32, push: Vec3) -> Vec3 {
    tip + (push + (tip - previous) * kept)
}

/// `v` at length 1; zero where it is shorter than 1e-5, as Unity normalises.
#[inline]
pub(super) fn unit_or_zero(v: Vec3) -> Vec3 {
    let length = v.length();
    if length > 1e-5 { v / length } else { Vec3::ZERO }
}
