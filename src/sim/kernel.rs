//! Small pieces that solvers share; plain values in, plain values out.

use crate::math::Vec3x4;
use glam::{Vec3, Vec4};

/// `v` at length 1; zero where it is shorter than 1e-5, as Unity normalises.
#[inline]
pub(super) fn unit_or_zero(v: Vec3) -> Vec3 {
    let length = v.length();
    if length > 1e-5 { v / length } else { Vec3::ZERO }
}

/// The same for four.
#[inline(always)]
#[expect(clippy::inline_always, reason = "four values at once are for registers")]
pub(super) fn units_or_zero(v: Vec3x4) -> Vec3x4 {
    let length = v.length();
    Vec3x4::select(length.cmpgt(Vec4::splat(1e-5)), v / length, Vec3x4::default())
}
