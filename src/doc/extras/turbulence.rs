//! The numbers of a force field, whichever way it swings.

use crate::doc::Node;
use crate::math::Curve;
use crate::sim::{EzForceField, Turbulence};

/// Places in the table: how it swings, the noise, the cycle, and what stands behind them.
const MODE: usize = 4;
const NOISE: usize = 5;
pub(super) const CYCLE: usize = 8;
const DELAY: usize = 9;
const BLOWS: usize = 10;

/// One of the curves, and seconds of their cycle; `None` where it swings by noise.
pub(super) fn curve(own: &EzForceField<Node>, at: usize) -> Option<(&Curve, f32)> {
    match &own.mode {
        Turbulence::Curve { cycle, curves } => Some((curves.get(at)?, *cycle)),
        Turbulence::Perlin { .. } => None,
    }
}

pub(super) fn set_curve(own: &mut EzForceField<Node>, at: usize, curve: &Curve) {
    if let Turbulence::Curve { curves, .. } = &mut own.mode
        && let Some(slot) = curves.get_mut(at)
    {
        slot.clone_from(curve);
    }
}

pub(super) fn shows(own: &EzForceField<Node>, field: usize) -> bool {
    let noise = matches!(own.mode, Turbulence::Perlin { .. });
    match field {
        NOISE..CYCLE => noise,
        CYCLE..DELAY => !noise,
        _ => field <= BLOWS,
    }
}

pub(super) fn get(own: &EzForceField<Node>, field: usize) -> f32 {
    match (field, &own.mode) {
        (0, _) => own.force,
        (1..MODE, _) => own.turbulence[field - 1],
        (MODE, mode) => f32::from(u8::from(matches!(mode, Turbulence::Curve { .. }))),
        (NOISE..CYCLE, Turbulence::Perlin { frequency }) => frequency[field - NOISE],
        (CYCLE, Turbulence::Curve { cycle, .. }) => *cycle,
        (DELAY, _) => own.conductivity,
        (BLOWS, _) => f32::from(u8::from(own.enabled)),
        _ => 0.0,
    }
}

pub(super) fn set(own: &mut EzForceField<Node>, field: usize, value: f32) {
    match (field, &mut own.mode) {
        (0, _) => own.force = value,
        (1..MODE, _) => own.turbulence[field - 1] = value,
        (MODE, mode) => match (value >= 0.5, &mode) {
            (true, Turbulence::Perlin { .. }) => *mode = Turbulence::curves(),
            (false, Turbulence::Curve { .. }) => *mode = EzForceField::new(own.bone).mode,
            _ => {}
        },
        (NOISE..CYCLE, Turbulence::Perlin { frequency }) => frequency[field - NOISE] = value,
        (CYCLE, Turbulence::Curve { cycle, .. }) => *cycle = value,
        (DELAY, _) => own.conductivity = value,
        (BLOWS, _) => own.enabled = value >= 0.5,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::BoneId;

    #[test]
    fn a_field_begins_with_the_engines_curves_and_takes_any_other_for_one_axis() {
        let mut own = EzForceField::new(Node::Bone(BoneId(0)));
        set_curve(&mut own, 1, &Curve::constant(0.3));
        assert_eq!((curve(&own, 1), &own), (None, &EzForceField::new(Node::Bone(BoneId(0)))), "noise has no curves");
        set(&mut own, MODE, 1.0);
        assert_eq!(own.mode, Turbulence::curves());
        set_curve(&mut own, 1, &Curve::constant(0.3));
        assert_eq!(curve(&own, 1), Some((&Curve::constant(0.3), 2.0)));
        let Turbulence::Curve { curves, .. } = Turbulence::curves() else { panic!("curves") };
        assert_eq!([0, 2].map(|at| curve(&own, at)), [Some((&curves[0], 2.0)), Some((&curves[2], 2.0))]);
        assert_eq!(curve(&own, 3), None);
    }

    #[test]
    fn numbers_of_the_other_way_to_swing_are_neither_shown_nor_written() {
        let mut own = EzForceField::new(Node::Bone(BoneId(0)));
        let before = own.clone();
        set(&mut own, CYCLE, 9.0);
        assert_eq!(own, before);
        assert!(shows(&own, NOISE) && !shows(&own, CYCLE));
        set(&mut own, MODE, 1.0);
        set(&mut own, NOISE, 9.0);
        assert!(!shows(&own, NOISE) && shows(&own, CYCLE) && shows(&own, DELAY) && !shows(&own, BLOWS + 1));
        set(&mut own, MODE, 0.0);
        assert_eq!(own, before);
    }
}
