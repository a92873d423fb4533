//! Small pieces that solvers share; plain values in, plain values out.

use glam::Vec3;

/// `v` at length 1; zero where it is shorter than 1e-5, as Unity normalises.
#[inline]
pub(super) fn unit_or_zero(v: Vec3) -> Vec3 {
    let length = v.length();
    if length > 1e-5 { v / length } else { Vec3::ZERO }
}
