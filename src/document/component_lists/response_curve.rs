//! The line of a bone that shifts others: a factor on its movement by how far it has moved.

use crate::document::Node;
use crate::math::{Curve, CurveShape};
use crate::sim::SyncBone;

/// Metres that a line is drawn over at least.
const MIN_SPAN: f32 = 0.1;
/// Metres that a line is drawn over where nothing is said.
const DEFAULT_SPAN: f32 = 0.5;

/// The line that leads from how far the bone has moved to a factor, drawn over a span, or over the usual one; the span
/// goes along.
pub(super) fn response_curve(own: &SyncBone<Node>, seen: Option<[f32; 2]>) -> Option<(Curve, [f32; 2])> {
    let first = own.scale_by_distance.iter().map(|point| point[0]).fold(0.0, f32::min);
    let span = seen.unwrap_or_else(|| [first, round_span(&own.scale_by_distance)]);
    let points: Vec<(f32, f32)> = own.scale_by_distance.iter().map(|p| (span_fraction(span, p[0]), p[1])).collect();
    let curve = if points.is_empty() { Some(flat_curve()) } else { Curve::from_points(&points) };
    Some((curve?, span))
}

/// Puts a line that was drawn over a span. What was not moved stays bit for bit, and one that says nothing has no points.
pub(super) fn set_response_curve(own: &mut SyncBone<Node>, span: [f32; 2], curve: &Curve) {
    let curve = curve.to_linear();
    if curve == flat_curve() {
        own.scale_by_distance.clear();
        return;
    }
    let before = own.scale_by_distance.iter().map(|point| (span_fraction(span, point[0]), point[0]));
    let mut before: Vec<(f32, f32)> = before.collect();
    // As the keys stand, and those of one share in their own order.
    before.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut before = before.into_iter().peekable();
    let mut metres = |t: f32| {
        while before.next_if(|point| point.0 < t).is_some() {}
        let same = before.next_if(|point| point.0 == t);
        // Finer than a hundredth of a millimetre there is only rounding.
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

/// A round number of metres that holds the points.
fn round_span(points: &[[f32; 2]]) -> f32 {
    let last = points.iter().map(|point| point[0]).fold(MIN_SPAN, f32::max);
    if points.is_empty() || !last.is_finite() {
        return DEFAULT_SPAN;
    }
    let decade = 10.0_f32.powf(last.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].map(|n| n * decade);
    round.into_iter().find(|far| *far >= last * 0.9999).map_or(last, |far| far.max(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::CurveKey;
    use crate::rig::BoneId;

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
        assert!((curve.keys()[1].t - 1.5).abs() < 1e-5 && span == [0.0, 0.6], "beyond what is seen: {curve:?}");
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
        assert_eq!(sync.scale_by_distance.len(), 3, "a key on a level line is there to be dragged");
    }
}
