//! What a force field blows, by time and by how far along the chain.

use super::noise::perlin;
use crate::math::Frame;
use crate::sim::{EzForceField, Turbulence};
use glam::Vec3;

/// The force `along` the chain (0 to 1) at `clock` seconds, in the world, metres per second in each frame.
pub(super) fn at(field: Option<&EzForceField>, clock: f32, along: f32, frames: &[Frame]) -> Vec3 {
    let Some(field) = field.filter(|field| field.enabled) else { return Vec3::ZERO };
    let Some(frame) = frames.get(field.bone.index()) else { return Vec3::ZERO };
    let force = frame.rotation * strength(field, clock - field.conductivity * along);
    if force.is_finite() { force } else { Vec3::ZERO }
}

/// In the field's own space.
fn strength(field: &EzForceField, time: f32) -> Vec3 {
    let swing = match &field.mode {
        Turbulence::Curve { cycle, curves } => {
            let share = time.rem_euclid(*cycle) / cycle;
            Vec3::from([0, 1, 2].map(|axis| curves[axis].eval(share)))
        }
        // Each axis has a line of its own through the noise.
        Turbulence::Perlin { frequency } => {
            let noise = |swings: f32, line| perlin(time * swings, line) * 2.0 - 1.0;
            Vec3::new(noise(frequency.x, 0.0), noise(frequency.y, 0.5), noise(frequency.z, 1.0))
        }
    };
    Vec3::Z * field.force + field.turbulence * swing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::rig::BoneId;
    use glam::Quat;

    fn field(mode: Turbulence) -> EzForceField {
        EzForceField { conductivity: 0.5, mode, ..EzForceField::new(BoneId(0)) }
    }

    fn frames() -> [Frame; 1] {
        [Frame::WORLD.child(&Trs { rotation: Quat::from_rotation_y(1.0), ..Trs::IDENTITY })]
    }

    #[track_caller]
    fn close(a: Vec3, b: Vec3) {
        assert!((a - b).length() < 1e-5, "{a}, not {b}");
    }

    #[test]
    fn curves_add_to_the_steady_force_and_begin_anew() {
        let field = field(Turbulence::curves());
        close(strength(&field, 0.0), Vec3::new(0.0, 0.0, 3.0));
        close(strength(&field, 1.0), Vec3::new(0.5, 0.25, 2.0));
        close(strength(&field, 1.5), strength(&field, 3.5));
        close(strength(&field, -0.5), strength(&field, 1.5));
    }

    #[test]
    fn the_end_of_a_chain_feels_later_what_the_root_feels_and_the_bone_aims_it() {
        for mode in [Turbulence::curves(), EzForceField::new(BoneId(0)).mode] {
            let field = field(mode);
            close(at(Some(&field), 1.5, 1.0, &frames()), at(Some(&field), 1.0, 0.0, &frames()));
            close(at(Some(&field), 1.0, 0.0, &frames()), frames()[0].rotation * strength(&field, 1.0));
            assert!(strength(&field, 0.3) != strength(&field, 1.3));
            assert_eq!(at(Some(&EzForceField { enabled: false, ..field }), 1.0, 0.0, &frames()), Vec3::ZERO);
        }
    }

    #[test]
    fn numbers_that_are_none_blow_nothing() {
        let Turbulence::Curve { curves, .. } = Turbulence::curves() else { panic!("curves") };
        let none = [
            EzForceField { force: f32::NAN, ..field(Turbulence::curves()) },
            EzForceField { conductivity: f32::INFINITY, ..EzForceField::new(BoneId(0)) },
            EzForceField { turbulence: Vec3::INFINITY, ..EzForceField::new(BoneId(0)) },
            field(Turbulence::Curve { cycle: f32::NAN, curves: curves.clone() }),
        ];
        for field in none {
            let found = at(Some(&field), 1.0, 1.0, &frames());
            assert!(found.is_finite(), "{field:?}: {found}");
        }
        assert!(at(Some(&field(Turbulence::Curve { cycle: 0.0, curves })), 1.0, 1.0, &frames()).is_finite());
    }
}
