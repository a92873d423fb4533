//! SIMD vectors of four lanes: the same arithmetic on four values at the cost of a single value.
//!
//! A lane never depends on the other lanes, so values can be batched in any grouping. Operations compute the same bits
//! as [`Vec3`] and [`Quat`]: each operation is rounded once, without estimates or fused multiply-add.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::geometry::{arc_between, degenerate_arc, renormalize, shortest_arc};
use glam::{BVec4A, Mat4, Quat, Vec3, Vec4};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// Four vectors, one per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3x4 {
    /// X coordinates.
    pub x: Vec4,
    /// Y coordinates.
    pub y: Vec4,
    /// Z coordinates.
    pub z: Vec4,
}

/// Four rotations, one per lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quatx4 {
    v: Vec3x4,
    w: Vec4,
}

/// Calls a function with each lane index and returns the results. The loop is unrolled.
#[inline(always)]
pub fn from_lanes<T>(mut of: impl FnMut(usize) -> T) -> [T; 4] {
    [of(0), of(1), of(2), of(3)]
}

/// Calls a function with each lane index and returns the results as a vector.
#[inline(always)]
pub fn vec4_from_lanes(of: impl FnMut(usize) -> f32) -> Vec4 {
    Vec4::from_array(from_lanes(of))
}

/// Calls a function with each lane index. The loop is unrolled.
#[inline(always)]
pub fn for_each_lane(mut act: impl FnMut(usize)) {
    act(0);
    act(1);
    act(2);
    act(3);
}

/// Replaces the lanes that the mask selects. This is a cold path with arrays as input and output, so the caller keeps
/// its values in registers on the hot path.
#[cold]
fn replace_lanes<T: Copy>(each: [T; 4], mask: [bool; 4], mut with: impl FnMut(usize, T) -> T) -> [T; 4] {
    from_lanes(|lane| if mask[lane] { with(lane, each[lane]) } else { each[lane] })
}

impl Vec3x4 {
    /// Puts four values into lanes.
    #[inline(always)]
    pub fn new([a, b, c, d]: [Vec3; 4]) -> Self {
        Self { x: Vec4::new(a.x, b.x, c.x, d.x), y: Vec4::new(a.y, b.y, c.y, d.y), z: Vec4::new(a.z, b.z, c.z, d.z) }
    }

    /// Calls a function with each lane index and returns the results as lanes.
    #[inline(always)]
    pub fn from_lanes(of: impl FnMut(usize) -> Vec3) -> Self {
        Self::new(from_lanes(of))
    }

    /// Puts the same value into all lanes.
    #[inline(always)]
    pub fn splat(v: Vec3) -> Self {
        Self { x: Vec4::splat(v.x), y: Vec4::splat(v.y), z: Vec4::splat(v.z) }
    }

    /// Returns the lanes as an array.
    #[inline(always)]
    pub fn to_array(self) -> [Vec3; 4] {
        let turned = Mat4::from_cols(self.x, self.y, self.z, Vec4::ZERO).transpose();
        [turned.x_axis.truncate(), turned.y_axis.truncate(), turned.z_axis.truncate(), turned.w_axis.truncate()]
    }

    /// Returns the dot product of each lane.
    #[inline(always)]
    pub fn dot(self, other: Self) -> Vec4 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Returns the cross product of each lane.
    #[inline(always)]
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }

    /// Returns the squared length of each lane.
    #[inline(always)]
    pub fn length_squared(self) -> Vec4 {
        self.dot(self)
    }

    /// Returns the length of each lane.
    #[inline(always)]
    pub fn length(self) -> Vec4 {
        self.length_squared().sqrt()
    }

    /// Returns the lanes of `yes` where the mask is true, and the lanes of `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: BVec4A, yes: Self, no: Self) -> Self {
        Self {
            x: Vec4::select(mask, yes.x, no.x),
            y: Vec4::select(mask, yes.y, no.y),
            z: Vec4::select(mask, yes.z, no.z),
        }
    }

    /// Replaces the lanes that the mask selects with `with(lane, value)`.
    #[inline(always)]
    #[must_use]
    pub fn replace_lanes(self, mask: impl Into<[bool; 4]>, with: impl FnMut(usize, Vec3) -> Vec3) -> Self {
        Self::new(replace_lanes(self.to_array(), mask.into(), with))
    }

    /// Returns a mask of the lanes that are finite.
    #[inline(always)]
    pub fn is_finite_mask(self) -> BVec4A {
        self.x.is_finite_mask() & self.y.is_finite_mask() & self.z.is_finite_mask()
    }
}

impl Add for Vec3x4 {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl AddAssign for Vec3x4 {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Vec3x4 {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Neg for Vec3x4 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

/// Multiplies each lane by its own factor.
impl Mul<Vec4> for Vec3x4 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, by: Vec4) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

/// Multiplies all lanes by one factor.
impl Mul<f32> for Vec3x4 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, by: f32) -> Self {
        self * Vec4::splat(by)
    }
}

/// Divides each lane by its own divisor.
impl Div<Vec4> for Vec3x4 {
    type Output = Self;

    #[inline(always)]
    fn div(self, by: Vec4) -> Self {
        Self { x: self.x / by, y: self.y / by, z: self.z / by }
    }
}

/// Divides all lanes by one divisor.
impl Div<f32> for Vec3x4 {
    type Output = Self;

    #[inline(always)]
    fn div(self, by: f32) -> Self {
        self / Vec4::splat(by)
    }
}

impl Quatx4 {
    /// Puts four values into lanes.
    #[inline(always)]
    pub fn new(each: [Quat; 4]) -> Self {
        let [a, b, c, d] = from_lanes(|lane| Vec4::from(each[lane]));
        let Mat4 { x_axis: x, y_axis: y, z_axis: z, w_axis: w } = Mat4::from_cols(a, b, c, d).transpose();
        Self { v: Vec3x4 { x, y, z }, w }
    }

    /// Calls a function with each lane index and returns the results as lanes.
    #[inline(always)]
    pub fn from_lanes(of: impl FnMut(usize) -> Quat) -> Self {
        Self::new(from_lanes(of))
    }

    /// Creates quaternions from their imaginary and real parts.
    #[inline(always)]
    pub fn from_parts(v: Vec3x4, w: Vec4) -> Self {
        Self { v, w }
    }

    /// Returns the lanes as an array.
    #[inline(always)]
    pub fn to_array(self) -> [Quat; 4] {
        let turned = Mat4::from_cols(self.v.x, self.v.y, self.v.z, self.w).transpose();
        let rows = [turned.x_axis, turned.y_axis, turned.z_axis, turned.w_axis];
        from_lanes(|lane| Quat::from_vec4(rows[lane]))
    }

    /// Returns the inverse rotations. Requires unit quaternions.
    #[inline(always)]
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { v: -self.v, w: self.w }
    }

    /// Puts the same value into all lanes.
    #[inline(always)]
    pub fn splat(q: Quat) -> Self {
        Self { v: Vec3x4::splat(Vec3::new(q.x, q.y, q.z)), w: Vec4::splat(q.w) }
    }

    /// Returns the squared length of each lane, summed in the order of [`Quat`]. The result is 1 for rotations.
    #[inline(always)]
    pub fn length_squared(self) -> Vec4 {
        let Vec3x4 { x, y, z } = self.v;
        (x * x + z * z) + (y * y + self.w * self.w)
    }

    /// Scales each lane to unit length.
    #[inline(always)]
    #[must_use]
    pub fn normalize(self) -> Self {
        let length = self.length_squared().sqrt();
        Self { v: self.v / length, w: self.w / length }
    }

    /// Applies [`renormalize`] to each lane.
    #[inline(always)]
    #[must_use]
    pub fn renormalize(self) -> Self {
        let by = Vec4::splat(1.5) - self.length_squared() * 0.5;
        Self { v: self.v * by, w: self.w * by }
    }

    /// Returns the lanes of `yes` where the mask is true, and the lanes of `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: BVec4A, yes: Self, no: Self) -> Self {
        Self { v: Vec3x4::select(mask, yes.v, no.v), w: Vec4::select(mask, yes.w, no.w) }
    }

    /// Returns a mask of the lanes that are finite.
    #[inline(always)]
    pub fn is_finite_mask(self) -> BVec4A {
        self.v.is_finite_mask() & self.w.is_finite_mask()
    }

    /// Replaces the lanes that the mask selects with `with(lane, value)`.
    #[inline(always)]
    #[must_use]
    pub fn replace_lanes(self, mask: impl Into<[bool; 4]>, with: impl FnMut(usize, Quat) -> Quat) -> Self {
        Self::new(replace_lanes(self.to_array(), mask.into(), with))
    }

    /// Rotates each lane by the shortest arc from the direction of `from` to the direction of `to`, and renormalizes
    /// the result. A lane stays unchanged if `from` or `to` has no direction. The mask is true for all other lanes.
    #[inline(always)]
    pub fn rotate_between(self, from: Vec3x4, to: Vec3x4) -> (Self, BVec4A) {
        let (arc, is_plain) = Self::regular_arc(from, to);
        let turned = (arc * self).renormalize();
        if is_plain.all() {
            return (turned, is_plain);
        }
        let (from, to, before) = (from.to_array(), to.to_array(), self.to_array());
        let mut is_aimed = is_plain;
        let turned = turned.replace_lanes(!is_plain, |lane, _| {
            let arc = arc_between(from[lane], to[lane]);
            is_aimed.set(lane, arc.is_some());
            arc.map_or(before[lane], |arc| renormalize(arc * before[lane]))
        });
        (turned, is_aimed)
    }

    /// Computes [`shortest_arc`] for each lane.
    #[inline(always)]
    pub fn shortest_arc(from: Vec3x4, to: Vec3x4) -> Self {
        let dot = from.dot(to);
        // For nearly opposite vectors, the dot product loses digits that the sum of the vectors keeps.
        let far = (from + to).length_squared() * 0.5;
        let w = Vec4::select(dot.cmplt(Vec4::splat(-0.9)), far, Vec4::ONE + dot);
        let c = from.cross(to);
        let k = (c.length_squared() + w * w).sqrt().recip();
        let arc = Self { v: c * k, w: w * k };
        if dot.cmplt(Vec4::splat(-0.9999)).any() { arc.or_half_turn(from, to, dot) } else { arc }
    }

    /// Computes [`arc_between`] for each lane. A lane is the identity if a vector has no direction.
    #[inline(always)]
    pub fn arc_between(from: Vec3x4, to: Vec3x4) -> Self {
        let (arc, is_plain) = Self::regular_arc(from, to);
        if is_plain.all() { arc } else { arc.or_degenerate_arc(is_plain, from, to) }
    }

    /// The fast path of [`arc_between`]. The mask is true for the lanes that the fast path supports.
    #[inline(always)]
    fn regular_arc(from: Vec3x4, to: Vec3x4) -> (Self, BVec4A) {
        let (lengths, dot) = ((from.length_squared() * to.length_squared()).sqrt(), from.dot(to));
        let in_range = lengths.cmpgt(Vec4::splat(1e-12)) & lengths.cmplt(Vec4::splat(1e12));
        let is_plain = dot.cmpgt(lengths * -0.9) & in_range;
        let w = lengths + dot;
        let k = (lengths * 2.0 * w).sqrt().recip();
        (Self { v: from.cross(to) * k, w: w * k }, is_plain)
    }

    /// Replaces the arcs of the lanes that are not in `plain`.
    #[cold]
    fn or_degenerate_arc(self, plain: BVec4A, from: Vec3x4, to: Vec3x4) -> Self {
        let (arcs, from, to) = (self.to_array(), from.to_array(), to.to_array());
        let degenerate = |lane: usize| degenerate_arc(from[lane], to[lane]).unwrap_or(Quat::IDENTITY);
        Self::new(from_lanes(|lane| if plain.test(lane) { arcs[lane] } else { degenerate(lane) }))
    }

    /// Replaces the arcs of nearly opposite lanes.
    #[cold]
    fn or_half_turn(self, from: Vec3x4, to: Vec3x4, dot: Vec4) -> Self {
        let (mut arcs, from, to) = (self.to_array(), from.to_array(), to.to_array());
        for at in (0..4).filter(|at| dot[*at] < -0.9999) {
            arcs[at] = shortest_arc(from[at], to[at]);
        }
        Self::new(arcs)
    }
}

/// Applies `other`, then `self`. The terms are summed in the order of [`Quat`], so scalar code computes the same
/// frames.
impl Mul for Quatx4 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (Self { v: a, w: aw }, Self { v: b, w: bw }) = (self, other);
        let x = (a.x * bw + aw * b.x) + (a.y * b.z - a.z * b.y);
        let y = (aw * b.y - a.x * b.z) + (a.z * b.x + a.y * bw);
        let z = (a.x * b.y + aw * b.z) + (a.z * bw - a.y * b.x);
        let w = (aw * bw - a.x * b.x) - (a.z * b.z + a.y * b.y);
        Self { v: Vec3x4 { x, y, z }, w }
    }
}

/// Rotates the vector of each lane.
impl Mul<Vec3x4> for Quatx4 {
    type Output = Vec3x4;

    #[inline(always)]
    fn mul(self, v: Vec3x4) -> Vec3x4 {
        let (b, w) = (self.v, self.w);
        v * (w * w - b.length_squared()) + b * (v.dot(b) * 2.0) + b.cross(v) * (w * 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{arc_between, renormalize};
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-3.0_f32..3.0).prop_map(Vec3::from)
    }

    fn unit_vector() -> impl Strategy<Value = Vec3> {
        vector().prop_filter_map("no direction", Vec3::try_normalize)
    }

    fn rotation() -> impl Strategy<Value = Quat> {
        (unit_vector(), -3.0_f32..3.0).prop_map(|(axis, angle)| Quat::from_axis_angle(axis, angle))
    }

    fn array_of_four<T: std::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = [T; 4]> {
        prop::array::uniform4(one)
    }

    proptest! {
        #[test]
        fn simd_operations_equal_scalar_operations(a in array_of_four(vector()), b in array_of_four(vector()), q in array_of_four(rotation()), r in array_of_four(rotation())) {
            let (a4, b4, q4, r4) = (Vec3x4::new(a), Vec3x4::new(b), Quatx4::new(q), Quatx4::new(r));
            prop_assert_eq!(a4.to_array(), a);
            prop_assert_eq!(q4.to_array(), q);
            let (cross, turned, both) = (a4.cross(b4).to_array(), (q4 * a4).to_array(), (q4.inverse() * r4).to_array());
            let sums = ((a4 + b4) * 0.5 - a4).to_array();
            let parts = ((a4 / 0.3) / b4.x).to_array();
            let long = Quatx4::new(q.map(|q| q * 1.01));
            let again = (long.renormalize().to_array(), long.normalize().to_array());
            let picked = Quatx4::select(a4.x.cmpgt(b4.x), q4, r4).to_array();
            for lane in 0..4 {
                prop_assert_eq!(a4.dot(b4)[lane], a[lane].dot(b[lane]));
                prop_assert_eq!(a4.length()[lane], a[lane].length());
                prop_assert_eq!(cross[lane], a[lane].cross(b[lane]));
                prop_assert_eq!(sums[lane], (a[lane] + b[lane]) * 0.5 - a[lane]);
                prop_assert_eq!(parts[lane], a[lane] / 0.3 / b[lane].x);
                prop_assert_eq!(turned[lane], q[lane] * a[lane]);
                prop_assert_eq!(again.0[lane], renormalize(q[lane] * 1.01));
                prop_assert_eq!(again.1[lane], (q[lane] * 1.01).normalize());
                prop_assert_eq!(Quatx4::splat(q[0]).to_array()[lane], q[0]);
                prop_assert_eq!(picked[lane], if a[lane].x > b[lane].x { q[lane] } else { r[lane] });
                prop_assert_eq!(both[lane], q[lane].inverse() * r[lane]);
                prop_assert_eq!((a4 / 0.3).to_array()[lane], a[lane] / 0.3);
                prop_assert_eq!((q4 * r4).renormalize().to_array()[lane], renormalize(q[lane] * r[lane]));
            }
        }

        #[test]
        fn rotate_between_equals_the_scalar_result_in_each_lane(turns in array_of_four(rotation()), from in array_of_four(vector()), to in array_of_four(vector()), odd in 0..8_usize) {
            // One lane has opposite vectors, a zero vector, or a length that is out of range.
            let ends = |lane: usize| match odd {
                at if at == lane => (from[lane], from[lane] * -0.7),
                at if at == lane + 2 => (from[lane], Vec3::ZERO),
                at if at == lane + 4 => (from[lane] * 1e-20, to[lane] * f32::INFINITY),
                _ => (from[lane], to[lane]),
            };
            let (starts, ends) = (from_lanes(|lane| ends(lane).0), from_lanes(|lane| ends(lane).1));
            let (found, aimed) = Quatx4::new(turns).rotate_between(Vec3x4::new(starts), Vec3x4::new(ends));
            for lane in 0..4 {
                let arc = arc_between(starts[lane], ends[lane]);
                prop_assert_eq!(aimed.test(lane), arc.is_some());
                let expected = arc.map_or(turns[lane], |arc| renormalize(arc * turns[lane]));
                prop_assert_eq!(found.to_array()[lane], expected);
            }
        }

        #[test]
        fn shortest_arc_is_close_to_the_scalar_result_in_each_lane(from in array_of_four(unit_vector()), to in array_of_four(unit_vector()), flip in 0..5_usize, near in 0.0..0.2_f32) {
            // One lane has opposite or nearly opposite directions.
            let aims = from_lanes(|lane| if lane == flip { (from[lane] * near - from[lane]).normalize() } else { to[lane] });
            let arcs = Quatx4::shortest_arc(Vec3x4::new(from), Vec3x4::new(aims)).to_array();
            for lane in 0..4 {
                prop_assert!((arcs[lane].length() - 1.0).abs() < 1e-5);
                prop_assert!(arcs[lane].dot(shortest_arc(from[lane], aims[lane])) > 1.0 - 1e-5);
            }
        }

        #[test]
        fn arc_between_equals_the_scalar_result_in_each_lane(a in array_of_four(vector()), b in array_of_four(vector()), odd in 0..5_usize, to in 0..4_usize) {
            let others = [Vec3::ZERO, -a[odd % 4], a[odd % 4] * 1e30, Vec3::NAN];
            let b = from_lanes(|lane| if lane == odd { others[to] } else { b[lane] });
            let arcs = Quatx4::arc_between(Vec3x4::new(a), Vec3x4::new(b)).to_array();
            for lane in 0..4 {
                prop_assert_eq!(arcs[lane], arc_between(a[lane], b[lane]).unwrap_or(Quat::IDENTITY));
            }
        }

        #[test]
        fn a_lane_does_not_depend_on_the_other_lanes(a in vector(), q in rotation(), others in array_of_four(vector())) {
            let with = |b: Vec3| Vec3x4::new([b, a, b, others[0]]);
            let found = from_lanes(|at| (Quatx4::new([q; 4]) * with(others[at])).to_array()[1]);
            prop_assert!(found.iter().all(|v| *v == found[0]));
            let broken = Vec3x4::new([a, Vec3::NAN, a, Vec3::INFINITY]);
            prop_assert_eq!(broken.is_finite_mask().bitmask(), 0b0101);
            prop_assert_eq!(broken.replace_lanes(!broken.is_finite_mask(), |_, _| Vec3::ZERO).to_array(), [a, Vec3::ZERO, a, Vec3::ZERO]);
        }
    }

    #[test]
    fn renormalize_restores_unit_length_in_each_lane() {
        let long = Quatx4::new([Quat::from_rotation_x(0.7) * 1.001; 4]);
        assert!(long.renormalize().to_array().iter().all(|q| (q.length() - 1.0).abs() < 3e-6));
        let odd =
            Quatx4::new([Quat::IDENTITY, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), Quat::IDENTITY, Quat::IDENTITY]);
        assert_eq!(odd.is_finite_mask().bitmask(), 0b1101);
    }
}
