//! Curves of the entries of lists, each drawn over 0 to 1 of what it runs over.

use super::{Extras, Side, sync};
use crate::document::Node;
use crate::math::Curve;
use crate::schema::Unit;
use crate::sim::{EzForceField, SyncBone, Turbulence};

/// Names a curve of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SideCurve {
    /// The list.
    pub side: Side,
    /// The entry, counted from 0.
    pub entry: usize,
    /// Position in [`Side::curves`].
    pub curve: usize,
}

/// A curve of an entry as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// From 0, where the span begins, to 1, where it ends.
    pub curve: Curve,
    /// Seconds or metres, as the unit says.
    pub span: [f32; 2],
    /// What the span is measured in.
    pub unit: Unit,
    /// The number of the entry with which the span ends, by its position in [`Side::fields`]; `None` where a wider span
    /// shows the same curve.
    pub end: Option<usize>,
    /// The number that the curve multiplies, likewise.
    pub base: Option<usize>,
    /// Whether it runs in straight lines from key to key, whatever is put.
    pub is_straight: bool,
}

impl Extras {
    /// A curve of an entry; `None` where it has none as its numbers are. One that runs over a distance is drawn over `seen`,
    /// so that keys may lie beyond 0 to 1, or else over a round span that holds all of its keys.
    pub fn course(&self, of: SideCurve, seen: Option<[f32; 2]>) -> Option<Course> {
        if of.curve >= of.side.curves().len() {
            return None;
        }
        let base = of.side.base_of(of.curve);
        match of.side {
            Side::ForceField => {
                let Turbulence::Curve { cycle, curves } = &self.field_of(of)?.mode else { return None };
                let (curve, span) = (curves.get(of.curve)?.clone(), [0.0, *cycle]);
                let end = of.side.fields().iter().position(|def| def.name == "m_TimeCycle");
                Some(Course { curve, span, unit: Unit::Seconds, end, base, is_straight: false })
            }
            Side::SyncBones => {
                let (curve, span) = sync::line(self.sync_of(of)?, seen)?;
                Some(Course { curve, span, unit: Unit::Metres, end: None, base, is_straight: true })
            }
            _ => None,
        }
    }

    /// Puts a curve that was drawn over a span; what has no such curve stays as it is.
    pub fn set_course(&mut self, of: SideCurve, span: [f32; 2], curve: &Curve) {
        match (self, of.side) {
            (Self::EzSoftBone(own), Side::ForceField) => {
                if let Some(own) = own.force_field.as_mut().filter(|_| of.entry == 0)
                    && let Turbulence::Curve { curves, .. } = &mut own.mode
                    && let Some(slot) = curves.get_mut(of.curve)
                {
                    slot.clone_from(curve);
                }
            }
            (Self::Kawaii(own), Side::SyncBones) => {
                if let Some(own) = own.sync_bones.get_mut(of.entry).filter(|_| of.curve == 0) {
                    sync::set_line(own, span, curve);
                }
            }
            _ => {}
        }
    }

    fn field_of(&self, of: SideCurve) -> Option<&EzForceField<Node>> {
        let Self::EzSoftBone(own) = self else { return None };
        own.force_field.as_ref().filter(|_| of.entry == 0)
    }

    fn sync_of(&self, of: SideCurve) -> Option<&SyncBone<Node>> {
        let Self::Kawaii(own) = self else { return None };
        own.sync_bones.get(of.entry)
    }

    /// Whether nothing but numbers differs that a running world reads again.
    pub(crate) fn is_retuned(&self, other: &Self) -> bool {
        let mut same = other.clone();
        match (&mut same, self) {
            (Self::EzSoftBone(same), Self::EzSoftBone(own)) => {
                if let Some((same, own)) = same.force_field.as_mut().zip(own.force_field.as_ref()) {
                    *same = EzForceField { bone: same.bone, ..own.clone() };
                }
                for (id, extra) in &mut same.colliders {
                    extra.margin = own.colliders.get(id).map_or(extra.margin, |own| own.margin);
                }
            }
            (Self::Kawaii(same), Self::Kawaii(own)) => {
                for (same, own) in same.sync_bones.iter_mut().zip(&own.sync_bones) {
                    let mut targets = same.targets.clone();
                    targets.iter_mut().zip(&own.targets).for_each(|(same, own)| same.scale = own.scale);
                    *same = SyncBone { bone: same.bone, targets, ..own.clone() };
                }
            }
            _ => {}
        }
        same == *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{CurveShape, Key};
    use crate::rig::BoneId;

    fn with(side: Side) -> Extras {
        let mut extras = Extras::under(side.solver());
        let nodes = [0, 1, 2].map(|n| Node::Bone(BoneId(n)));
        extras.set(side, Some(nodes[0]));
        extras.add(side, &nodes);
        if side == Side::ForceField {
            extras.set_field(side, 0, 4, 1.0);
        }
        extras
    }

    #[test]
    fn every_curve_of_an_entry_is_drawn_and_put_and_changes_no_other() {
        for side in [Side::ForceField, Side::SyncBones] {
            let before = with(side);
            for curve in 0..side.curves().len() {
                let of = SideCurve { side, entry: 0, curve };
                let course = before.course(of, None).expect("there is one");
                let drawn = Curve::shape(CurveShape::RiseAndFall).with_key_moved(1, Key::flat(0.4, 0.7));
                let mut after = before.clone();
                after.set_course(of, course.span, &drawn);
                let now = after.course(of, None).expect("it stays").curve;
                assert!((now.eval(0.4) - 0.7).abs() < 1e-5 && now.keys().len() == 3, "{of:?} {now:?}");
                let others = (0..side.curves().len()).filter(|other| *other != curve);
                for other in others.map(|curve| SideCurve { curve, ..of }) {
                    assert_eq!(after.course(other, None), before.course(other, None));
                }
                assert!(after.is_retuned(&before) && before.is_retuned(&after), "{of:?}: the motion goes on");
                after.set_course(of, course.span, &course.curve);
                assert_eq!(after, before, "{of:?}");
            }
            let none = SideCurve { side, entry: 1, curve: 0 };
            assert_eq!(before.course(none, None), None);
            assert_eq!(before.course(SideCurve { entry: 0, curve: side.curves().len(), ..none }, None), None);
        }
    }

    #[test]
    fn a_field_that_swings_by_noise_has_no_curves() {
        let mut extras = with(Side::ForceField);
        extras.set_field(Side::ForceField, 0, 4, 0.0);
        let (before, of) = (extras.clone(), SideCurve { side: Side::ForceField, entry: 0, curve: 1 });
        extras.set_course(of, [0.0, 2.0], &Curve::constant(0.3));
        assert_eq!((extras.course(of, None), &extras), (None, &before));
        extras.set_field(Side::ForceField, 0, 4, 1.0);
        extras.set_course(of, [0.0, 2.0], &Curve::constant(0.3));
        let drawn = |curve| extras.course(SideCurve { curve, ..of }, None).expect("a curve").curve;
        let Turbulence::Curve { curves, .. } = Turbulence::curves() else { panic!("curves") };
        assert_eq!([0, 1, 2].map(drawn), [curves[0].clone(), Curve::constant(0.3), curves[2].clone()]);
    }

    #[test]
    fn another_bone_or_count_is_more_than_a_number() {
        let sync = with(Side::SyncBones);
        let mut other = sync.clone();
        other.set_member_field(Side::SyncBones, 0, 1, 0.25);
        assert!(sync.is_retuned(&other));
        other.add(Side::SyncBones, &[1, 2].map(|n| Node::Bone(BoneId(n))));
        assert!(!sync.is_retuned(&other));
        let field = with(Side::ForceField);
        let mut other = field.clone();
        other.set_field(Side::ForceField, 0, 0, 9.0);
        assert!(field.is_retuned(&other));
        other.set(Side::ForceField, Some(Node::Bone(BoneId(7))));
        assert!(!field.is_retuned(&other));
        other.set(Side::ForceField, None);
        assert!(!field.is_retuned(&other) && !other.is_retuned(&field));
    }
}
