//! Curves of the entries of lists, each drawn over 0 to 1 of what it runs over.

use super::{ComponentLists, ListKind, response_curve};
use crate::document::Node;
use crate::math::Curve;
use crate::params::Unit;
use crate::sim::{EzForceField, SyncBone, Turbulence};

/// Names a curve of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListCurveId {
    /// The list.
    pub list: ListKind,
    /// The entry, counted from 0.
    pub entry: usize,
    /// Position in `ListKind::default_curves`.
    pub curve: usize,
}

/// A curve of an entry as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct ListCurve {
    /// From 0, where the span begins, to 1, where it ends.
    pub curve: Curve,
    /// Seconds or metres, as the unit says.
    pub span: [f32; 2],
    /// What the span is measured in.
    pub unit: Unit,
    /// The number of the entry with which the span ends, by its position in [`ListKind::fields`]; `None` where a wider span
    /// shows the same curve.
    pub end_field: Option<usize>,
    /// The number that the curve multiplies, likewise.
    pub base_field: Option<usize>,
    /// Whether it runs in straight lines from key to key, whatever is put.
    pub is_piecewise_linear: bool,
}

impl ComponentLists {
    /// A curve of an entry; `None` where it has none as its numbers are. One that runs over a distance is drawn over `seen`,
    /// so that keys may lie beyond 0 to 1, or else over a round span that holds all of its keys.
    pub fn list_curve(&self, of: ListCurveId, seen: Option<[f32; 2]>) -> Option<ListCurve> {
        if of.curve >= of.list.curves().len() {
            return None;
        }
        let base = of.list.curve_base_field(of.curve);
        match of.list {
            ListKind::ForceField => {
                let Turbulence::Curve { cycle, curves } = &self.force_field_of(of)?.mode else { return None };
                let (curve, span) = (curves.get(of.curve)?.clone(), [0.0, *cycle]);
                let end = of.list.fields().iter().position(|def| def.name == "m_TimeCycle");
                Some(ListCurve {
                    curve,
                    span,
                    unit: Unit::Seconds,
                    end_field: end,
                    base_field: base,
                    is_piecewise_linear: false,
                })
            }
            ListKind::SyncBones => {
                let (curve, span) = response_curve::response_curve(self.sync_bone_of(of)?, seen)?;
                Some(ListCurve {
                    curve,
                    span,
                    unit: Unit::Metres,
                    end_field: None,
                    base_field: base,
                    is_piecewise_linear: true,
                })
            }
            _ => None,
        }
    }

    /// Puts a curve that was drawn over a span; what has no such curve stays as it is.
    pub fn set_list_curve(&mut self, of: ListCurveId, span: [f32; 2], curve: &Curve) {
        match (self, of.list) {
            (Self::EzSoftBone(own), ListKind::ForceField) => {
                if let Some(own) = own.force_field.as_mut().filter(|_| of.entry == 0)
                    && let Turbulence::Curve { curves, .. } = &mut own.mode
                    && let Some(slot) = curves.get_mut(of.curve)
                {
                    slot.clone_from(curve);
                }
            }
            (Self::Kawaii(own), ListKind::SyncBones) => {
                if let Some(own) = own.sync_bones.get_mut(of.entry).filter(|_| of.curve == 0) {
                    response_curve::set_response_curve(own, span, curve);
                }
            }
            _ => {}
        }
    }

    fn force_field_of(&self, of: ListCurveId) -> Option<&EzForceField<Node>> {
        let Self::EzSoftBone(own) = self else { return None };
        own.force_field.as_ref().filter(|_| of.entry == 0)
    }

    fn sync_bone_of(&self, of: ListCurveId) -> Option<&SyncBone<Node>> {
        let Self::Kawaii(own) = self else { return None };
        own.sync_bones.get(of.entry)
    }

    /// Whether nothing but numbers differs that a running world reads again.
    pub(crate) fn allows_live_update(&self, other: &Self) -> bool {
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
    use crate::math::{CurveKey, CurveShape};
    use crate::rig::BoneId;

    fn lists_with_entries(side: ListKind) -> ComponentLists {
        let mut extras = ComponentLists::for_solver(side.solver());
        let nodes = [0, 1, 2].map(|n| Node::Bone(BoneId(n)));
        extras.set_node(side, Some(nodes[0]));
        extras.add_entries(side, &nodes);
        if side == ListKind::ForceField {
            extras.set_field(side, 0, 4, 1.0);
        }
        extras
    }

    #[test]
    fn setting_a_list_curve_changes_no_other_curve() {
        for side in [ListKind::ForceField, ListKind::SyncBones] {
            let before = lists_with_entries(side);
            for curve in 0..side.curves().len() {
                let of = ListCurveId { list: side, entry: 0, curve };
                let course = before.list_curve(of, None).expect("there is one");
                let drawn = Curve::from_shape(CurveShape::RiseAndFall).with_key_moved(1, CurveKey::flat(0.4, 0.7));
                let mut after = before.clone();
                after.set_list_curve(of, course.span, &drawn);
                let now = after.list_curve(of, None).expect("it stays").curve;
                assert!((now.eval(0.4) - 0.7).abs() < 1e-5 && now.keys().len() == 3, "{of:?} {now:?}");
                let others = (0..side.curves().len()).filter(|other| *other != curve);
                for other in others.map(|curve| ListCurveId { curve, ..of }) {
                    assert_eq!(after.list_curve(other, None), before.list_curve(other, None));
                }
                assert!(
                    after.allows_live_update(&before) && before.allows_live_update(&after),
                    "{of:?}: the motion goes on"
                );
                after.set_list_curve(of, course.span, &course.curve);
                assert_eq!(after, before, "{of:?}");
            }
            let none = ListCurveId { list: side, entry: 1, curve: 0 };
            assert_eq!(before.list_curve(none, None), None);
            assert_eq!(before.list_curve(ListCurveId { entry: 0, curve: side.curves().len(), ..none }, None), None);
        }
    }

    #[test]
    fn a_force_field_with_noise_turbulence_has_no_curves() {
        let mut extras = lists_with_entries(ListKind::ForceField);
        extras.set_field(ListKind::ForceField, 0, 4, 0.0);
        let (before, of) = (extras.clone(), ListCurveId { list: ListKind::ForceField, entry: 0, curve: 1 });
        extras.set_list_curve(of, [0.0, 2.0], &Curve::constant(0.3));
        assert_eq!((extras.list_curve(of, None), &extras), (None, &before));
        extras.set_field(ListKind::ForceField, 0, 4, 1.0);
        extras.set_list_curve(of, [0.0, 2.0], &Curve::constant(0.3));
        let drawn = |curve| extras.list_curve(ListCurveId { curve, ..of }, None).expect("a curve").curve;
        let Turbulence::Curve { curves, .. } = Turbulence::default_curves() else { panic!("curves") };
        assert_eq!([0, 1, 2].map(drawn), [curves[0].clone(), Curve::constant(0.3), curves[2].clone()]);
    }

    #[test]
    fn changing_a_bone_or_the_entry_count_prevents_a_live_update() {
        let sync = lists_with_entries(ListKind::SyncBones);
        let mut other = sync.clone();
        other.set_member_field(ListKind::SyncBones, 0, 1, 0.25);
        assert!(sync.allows_live_update(&other));
        other.add_entries(ListKind::SyncBones, &[1, 2].map(|n| Node::Bone(BoneId(n))));
        assert!(!sync.allows_live_update(&other));
        let field = lists_with_entries(ListKind::ForceField);
        let mut other = field.clone();
        other.set_field(ListKind::ForceField, 0, 0, 9.0);
        assert!(field.allows_live_update(&other));
        other.set_node(ListKind::ForceField, Some(Node::Bone(BoneId(7))));
        assert!(!field.allows_live_update(&other));
        other.set_node(ListKind::ForceField, None);
        assert!(!field.allows_live_update(&other) && !other.allows_live_update(&field));
    }
}
