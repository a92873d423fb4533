//! The numbers of a bone that shifts others.

use crate::doc::Node;
use crate::sim::{Attenuation, SyncBone, SyncDirection};

/// In the order of the choices.
const WAYS: [SyncDirection; 4] =
    [SyncDirection::Both, SyncDirection::Positive, SyncDirection::Negative, SyncDirection::None];
/// What fading begins with; its numbers are those of the table.
const FADE: Attenuation = Attenuation { inner: 0.1, outer: 0.5, most: 1.0 };
/// Where the numbers of the line's points begin, and how many points there are numbers for.
const LINE: usize = 11;
const MOST_POINTS: usize = 6;
/// Metres from one new point to the next.
const APART: f32 = 0.1;

pub(super) fn shows(own: &SyncBone<Node>, field: usize) -> bool {
    match field {
        0..=6 | 10 => true,
        7..=9 => own.attenuation.is_some(),
        _ => field >= LINE && (field - LINE) / 2 < own.by_distance.len().min(MOST_POINTS),
    }
}

pub(super) fn get(own: &SyncBone<Node>, field: usize) -> f32 {
    let fade = own.attenuation.unwrap_or(FADE);
    match field {
        0..=2 => own.scale[field],
        3..=5 => WAYS.iter().position(|way| *way == own.directions[field - 3]).unwrap_or_default() as f32,
        6 => f32::from(u8::from(own.attenuation.is_some())),
        7 => fade.inner,
        8 => fade.outer,
        9 => fade.most,
        10 => own.by_distance.len() as f32,
        _ => own.by_distance.get((field - LINE) / 2).map_or(0.0, |point| point[(field - LINE) % 2]),
    }
}

pub(super) fn set(own: &mut SyncBone<Node>, field: usize, value: f32) {
    match field {
        0..=2 => own.scale[field] = value,
        3..=5 => own.directions[field - 3] = WAYS[(value.round().max(0.0) as usize).min(WAYS.len() - 1)],
        6 => own.attenuation = (value >= 0.5).then(|| own.attenuation.unwrap_or(FADE)),
        7..=9 => {
            if let Some(fade) = &mut own.attenuation {
                match field {
                    7 => fade.inner = value,
                    8 => fade.outer = value,
                    _ => fade.most = value,
                }
            }
        }
        10 => resize(&mut own.by_distance, value.round().max(0.0) as usize),
        _ => place(&mut own.by_distance, (field - LINE) / 2, (field - LINE) % 2, value),
    }
}

/// Takes points away at the far end, or adds some there, as high as the last.
fn resize(points: &mut Vec<[f32; 2]>, count: usize) {
    let count = count.min(MOST_POINTS.max(points.len()));
    points.truncate(count);
    while points.len() < count {
        points.push(points.last().map_or([0.0, 1.0], |last| [last[0] + APART, last[1]]));
    }
}

/// Moves a point; it stays between its neighbours.
fn place(points: &mut [[f32; 2]], at: usize, axis: usize, value: f32) {
    let low = if at == 0 { f32::MIN } else { points.get(at - 1).map_or(f32::MIN, |p| p[0]) };
    let high = points.get(at + 1).map_or(f32::MAX, |p| p[0]);
    if let Some(point) = points.get_mut(at) {
        point[axis] = if axis == 0 { value.min(high).max(low) } else { value };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::BoneId;

    #[test]
    fn points_of_the_line_stay_in_order() {
        let mut own = SyncBone::new(Node::Bone(BoneId(0)), Vec::new());
        set(&mut own, 10, 3.0);
        assert_eq!(own.by_distance, [[0.0, 1.0], [0.1, 1.0], [0.2, 1.0]]);
        set(&mut own, LINE + 2, 5.0);
        set(&mut own, LINE + 3, 0.5);
        assert_eq!(own.by_distance[1], [0.2, 0.5]);
        set(&mut own, LINE + 2, -5.0);
        assert_eq!(own.by_distance[1], [0.0, 0.5]);
        set(&mut own, 10, 1.0);
        assert_eq!(own.by_distance, [[0.0, 1.0]]);
    }

    #[test]
    fn a_line_of_many_points_keeps_those_that_have_no_numbers() {
        let mut own = SyncBone::new(Node::Bone(BoneId(0)), Vec::new());
        own.by_distance = (0..9_u8).map(|n| [f32::from(n), 1.0]).collect();
        assert_eq!((get(&own, 10), shows(&own, LINE + 11), shows(&own, LINE + 12)), (9.0, true, false));
        set(&mut own, LINE + 1, 0.5);
        assert_eq!(own.by_distance.len(), 9);
    }

    #[test]
    fn fading_that_is_switched_off_and_on_begins_with_its_defaults() {
        let mut own = SyncBone::new(Node::Bone(BoneId(0)), Vec::new());
        set(&mut own, 7, 0.4);
        assert_eq!(own.attenuation, None);
        set(&mut own, 6, 1.0);
        set(&mut own, 7, 0.4);
        set(&mut own, 6, 1.0);
        assert_eq!(own.attenuation, Some(Attenuation { inner: 0.4, ..FADE }));
    }
}
