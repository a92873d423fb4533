//! The numbers of a force field, whichever way it swings.

use crate::doc::Node;
use crate::math::{Curve, Interpolation, Key};
use crate::sim::{EzForceField, Turbulence};

/// Places in the table: how it swings, the noise, the cycle and its curves, and what stands behind them.
const MODE: usize = 4;
const NOISE: usize = 5;
const CYCLE: usize = 8;
const CURVES: usize = 9;
const DELAY: usize = 12;
const BLOWS: usize = 13;

/// A curve over a cycle by its place among the choices of the table; `None` for the first, which is any other.
pub(super) fn shape(choice: usize) -> Option<Curve> {
    let line = |from: f32, to: f32| {
        let slope = to - from;
        let key = |t, value| Key { t, value, slope_in: slope, slope_out: slope };
        vec![key(0.0, from), key(1.0, to)]
    };
    let keys = match choice {
        1 => line(0.0, 1.0),
        2 => vec![Key::flat(0.0, 0.0), Key::flat(1.0, 1.0)],
        3 => line(1.0, 0.0),
        4 => vec![Key::flat(0.0, 1.0), Key::flat(1.0, 0.0)],
        5 => vec![Key::flat(0.0, 0.0), Key::flat(0.5, 1.0), Key::flat(1.0, 0.0)],
        6 => vec![Key::flat(0.0, 1.0), Key::flat(1.0, 1.0)],
        _ => return None,
    };
    Curve::new(keys, Interpolation::Hermite)
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
        (CURVES..DELAY, Turbulence::Curve { curves, .. }) => {
            let own = &curves[field - CURVES];
            (1..=6_u8).find(|choice| shape(usize::from(*choice)).as_ref() == Some(own)).map_or(0.0, f32::from)
        }
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
        (CURVES..DELAY, Turbulence::Curve { curves, .. }) => {
            if let Some(curve) = shape(value.round().max(0.0) as usize) {
                curves[field - CURVES] = curve;
            }
        }
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
    fn the_engines_curves_are_among_the_shapes_and_any_other_stays_as_it_is() {
        let mut own = EzForceField::new(Node::Bone(BoneId(0)));
        set(&mut own, MODE, 1.0);
        assert_eq!(own.mode, Turbulence::curves());
        assert_eq!([0, 1, 2].map(|axis| get(&own, CURVES + axis)), [1.0, 2.0, 4.0]);
        let Turbulence::Curve { curves, .. } = &mut own.mode else { panic!("it was set") };
        let odd = Curve::constant(0.3);
        curves[1] = odd.clone();
        assert_eq!(get(&own, CURVES + 1), 0.0);
        set(&mut own, CURVES + 1, 0.0);
        let Turbulence::Curve { curves, .. } = &own.mode else { panic!("it was set") };
        assert_eq!(curves[1], odd, "its own is no shape to go to");
    }

    #[test]
    fn numbers_of_the_other_way_to_swing_are_neither_shown_nor_written() {
        let mut own = EzForceField::new(Node::Bone(BoneId(0)));
        let before = own.clone();
        set(&mut own, CYCLE, 9.0);
        assert_eq!(own, before);
        assert!(shows(&own, NOISE) && !shows(&own, CYCLE) && !shows(&own, CURVES));
        set(&mut own, MODE, 1.0);
        set(&mut own, NOISE, 9.0);
        assert!(!shows(&own, NOISE) && shows(&own, CYCLE) && shows(&own, DELAY) && !shows(&own, BLOWS + 1));
        set(&mut own, MODE, 0.0);
        assert_eq!(own, before);
    }
}
