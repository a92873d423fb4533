//! Curves of list entries, drawn over the range 0 to 1 of their domain.

use super::{ComponentLists, ListKind};
use crate::document::Node;
use yuremono_sim::math::{Curve, CurveShape};
use yuremono_sim::params::Unit;
use yuremono_sim::{EzForceField, SyncBone, Turbulence};

/// Identifies a curve of a list entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListCurveId {
    pub list: ListKind,
    /// Index of the entry.
    pub entry: usize,
    /// Index in [`ListKind::curves`].
    pub curve: usize,
}

/// A curve of a list entry as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct ListCurve {
    /// The curve with its span mapped to 0 to 1.
    pub curve: Curve,
    /// Start and end of the span, in `unit`.
    pub span: [f32; 2],
    /// Unit of the span: seconds or metres.
    pub unit: Unit,
    /// Index in [`ListKind::fields`] of the field that stores the end of the span. `None` if the span only affects the
    /// view.
    pub end_field: Option<usize>,
    /// Index of the field that the curve multiplies.
    pub base_field: Option<usize>,
    /// Whether interpolation is always linear.
    pub is_piecewise_linear: bool,
}

impl ComponentLists {
    /// Returns a curve of an entry, or `None` if the entry has no curve in its current mode. A curve over a distance is
    /// drawn over `seen` and may have keys outside 0 to 1. Without `seen`, the span ends at a round number and contains
    /// all keys.
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
                let (curve, span) = response_curve(self.sync_bone_of(of)?, seen)?;
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

    /// Sets a curve that was drawn over a span. Does nothing if the entry lacks the curve.
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
                    set_response_curve(own, span, curve);
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

    /// Whether the lists differ only in values that a running world can read again.
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

/// Minimum span, in metres.
const MIN_SPAN: f32 = 0.1;
/// Span of a curve without points, in metres.
const DEFAULT_SPAN: f32 = 0.5;

/// Returns the curve from distance to factor, and its span: `seen`, or a span that ends at a round number.
fn response_curve(own: &SyncBone<Node>, seen: Option<[f32; 2]>) -> Option<(Curve, [f32; 2])> {
    let first = own.scale_by_distance.iter().map(|point| point[0]).fold(0.0, f32::min);
    let span = seen.unwrap_or_else(|| [first, round_span(&own.scale_by_distance)]);
    let points: Vec<(f32, f32)> = own.scale_by_distance.iter().map(|p| (span_fraction(span, p[0]), p[1])).collect();
    let curve = if points.is_empty() { Some(flat_curve()) } else { Curve::from_points(&points) };
    Some((curve?, span))
}

/// Sets a curve that was drawn over a span. Points that did not move keep their exact values. A flat curve has no
/// points.
fn set_response_curve(own: &mut SyncBone<Node>, span: [f32; 2], curve: &Curve) {
    let curve = curve.to_linear();
    if curve == flat_curve() {
        own.scale_by_distance.clear();
        return;
    }
    let before = own.scale_by_distance.iter().map(|point| (span_fraction(span, point[0]), point[0]));
    let mut before: Vec<(f32, f32)> = before.collect();
    // The points are sorted like the keys of the curve. The sort is stable.
    before.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut before = before.into_iter().peekable();
    let mut metres = |t: f32| {
        while before.next_if(|point| point.0 < t).is_some() {}
        let same = before.next_if(|point| point.0 == t);
        // Distances are rounded to 0.01 mm.
        same.map_or_else(|| ((span[0] + t * (span[1] - span[0])) * 1e5).round() / 1e5, |point| point.1)
    };
    own.scale_by_distance = curve.keys().iter().map(|key| [metres(key.t), key.value]).collect();
}

fn flat_curve() -> Curve {
    Curve::from_shape(CurveShape::Flat).to_linear()
}

fn span_fraction(span: [f32; 2], metres: f32) -> f32 {
    (metres - span[0]) / (span[1] - span[0])
}

fn round_span(points: &[[f32; 2]]) -> f32 {
    let last = points.iter().map(|point| point[0]).fold(MIN_SPAN, f32::max);
    if points.is_empty() || !last.is_finite() {
        return DEFAULT_SPAN;
    }
    let decade = libm::powf(10.0_f32, libm::log10f(last).floor());
    let round = [1.0, 2.0, 5.0, 10.0].map(|n| n * decade);
    round.into_iter().find(|far| *far >= last * 0.9999).map_or(last, |far| far.max(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_sim::math::{CurveKey, CurveShape};
    use yuremono_sim::rig::BoneId;

    fn lists_with_entries(kind: ListKind) -> ComponentLists {
        let mut lists: ComponentLists = ComponentLists::empty(kind.solver());
        let nodes = [0, 1, 2].map(|n| Node::Bone(BoneId(n)));
        lists.set_node(kind, Some(nodes[0]));
        lists.add_entries(kind, &nodes);
        if kind == ListKind::ForceField {
            lists.set_field(kind, 0, 4, 1.0);
        }
        lists
    }

    #[test]
    fn setting_a_list_curve_changes_no_other_curve() {
        for kind in [ListKind::ForceField, ListKind::SyncBones] {
            let before = lists_with_entries(kind);
            for curve in 0..kind.curves().len() {
                let of = ListCurveId { list: kind, entry: 0, curve };
                let course = before.list_curve(of, None).expect("a curve");
                let drawn = Curve::from_shape(CurveShape::RiseAndFall).with_key_moved(1, CurveKey::flat(0.4, 0.7));
                let mut after = before.clone();
                after.set_list_curve(of, course.span, &drawn);
                let now = after.list_curve(of, None).expect("the same curve").curve;
                assert!((now.eval(0.4) - 0.7).abs() < 1e-5 && now.keys().len() == 3, "{of:?} {now:?}");
                let others = (0..kind.curves().len()).filter(|other| *other != curve);
                for other in others.map(|curve| ListCurveId { curve, ..of }) {
                    assert_eq!(after.list_curve(other, None), before.list_curve(other, None));
                }
                assert!(
                    after.allows_live_update(&before) && before.allows_live_update(&after),
                    "{of:?}: the motion continues"
                );
                after.set_list_curve(of, course.span, &course.curve);
                assert_eq!(after, before, "{of:?}");
            }
            let none = ListCurveId { list: kind, entry: 1, curve: 0 };
            assert_eq!(before.list_curve(none, None), None);
            assert_eq!(before.list_curve(ListCurveId { entry: 0, curve: kind.curves().len(), ..none }, None), None);
        }
    }

    #[test]
    fn a_force_field_with_noise_turbulence_has_no_curves() {
        let mut lists = lists_with_entries(ListKind::ForceField);
        lists.set_field(ListKind::ForceField, 0, 4, 0.0);
        let (before, of) = (lists.clone(), ListCurveId { list: ListKind::ForceField, entry: 0, curve: 1 });
        lists.set_list_curve(of, [0.0, 2.0], &Curve::constant(0.3));
        assert_eq!((lists.list_curve(of, None), &lists), (None, &before));
        lists.set_field(ListKind::ForceField, 0, 4, 1.0);
        lists.set_list_curve(of, [0.0, 2.0], &Curve::constant(0.3));
        let drawn = |curve| lists.list_curve(ListCurveId { curve, ..of }, None).expect("a curve").curve;
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

#[cfg(test)]
mod response_curve_tests {
    use super::*;
    use yuremono_sim::math::CurveKey;
    use yuremono_sim::rig::BoneId;

    fn sync_bone(points: &[[f32; 2]]) -> SyncBone<Node> {
        SyncBone { scale_by_distance: points.to_vec(), ..SyncBone::new(Node::Bone(BoneId(0)), Vec::new()) }
    }

    #[test]
    fn a_response_curve_has_a_round_span_that_contains_its_points() {
        let spans: [(&[[f32; 2]], [f32; 2]); 4] = [
            (&[], [0.0, 0.5]),
            (&[[0.0, 1.0], [0.3, 0.5]], [0.0, 0.5]),
            (&[[-0.2, 1.0], [0.02, 0.5]], [-0.2, 0.1]),
            (&[[0.0, 1.0], [12.0, 0.5]], [0.0, 20.0]),
        ];
        for (points, span) in spans {
            assert_eq!(response_curve(&sync_bone(points), None).expect("finite").1, span, "{points:?}");
        }
        let (curve, span) = response_curve(&sync_bone(&[[0.0, 1.0], [0.3, 0.4]]), Some([0.0, 0.6])).expect("finite");
        assert_eq!((curve.keys()[1].t, span), (0.5, [0.0, 0.6]));
        let (curve, span) = response_curve(&sync_bone(&[[0.0, 1.0], [0.9, 0.4]]), Some([0.0, 0.6])).expect("finite");
        assert!((curve.keys()[1].t - 1.5).abs() < 1e-5 && span == [0.0, 0.6], "outside the visible span: {curve:?}");
    }

    #[test]
    fn an_unchanged_curve_keeps_its_exact_points_and_a_moved_point_changes_no_other() {
        let points = [[0.0, 1.0], [0.123_456_7, 0.9], [0.3, 0.25], [0.3, 0.5], [0.437_77, 0.0]];
        let mut sync = sync_bone(&points);
        let (curve, span) = response_curve(&sync, None).expect("finite");
        set_response_curve(&mut sync, span, &curve);
        assert_eq!(sync.scale_by_distance, points);
        let moved = curve.with_key_moved(4, CurveKey::flat(0.9, 0.75));
        set_response_curve(&mut sync, span, &moved);
        assert_eq!(sync.scale_by_distance[..4], points[..4]);
        assert_eq!(sync.scale_by_distance[4], [0.45, 0.75]);
    }

    #[test]
    fn points_that_round_to_one_fraction_keep_their_own_distances() {
        let next = |metres: f32| f32::from_bits(metres.to_bits() + 1);
        let near = std::iter::successors(Some(1.9_f32), |metres| Some(next(*metres))).take(100);
        let twin = near.into_iter().find(|metres| metres / 20.0 == next(*metres) / 20.0).expect("rounding");
        let points = [[0.0, 1.0], [twin, 0.9], [next(twin), 0.5], [12.0, 0.25]];
        let mut sync = sync_bone(&points);
        let (curve, span) = response_curve(&sync, None).expect("finite");
        assert_eq!(curve.keys()[1].t, curve.keys()[2].t);
        set_response_curve(&mut sync, span, &curve.with_key_moved(3, CurveKey::flat(0.8, 0.25)));
        assert_eq!(sync.scale_by_distance[..3], points[..3]);
        assert_eq!(sync.scale_by_distance[3], [16.0, 0.25]);
    }

    #[test]
    fn a_flat_response_curve_has_no_points() {
        let mut sync = sync_bone(&[[0.0, 1.0], [0.2, 0.5]]);
        set_response_curve(&mut sync, [0.0, 0.5], &Curve::from_shape(CurveShape::Flat));
        assert!(sync.scale_by_distance.is_empty());
        let (curve, span) = response_curve(&sync, None).expect("level");
        let (more, _) = curve.with_key_added(0.5);
        set_response_curve(&mut sync, span, &more);
        assert_eq!(sync.scale_by_distance.len(), 3, "the key on the flat line is kept");
    }
}
