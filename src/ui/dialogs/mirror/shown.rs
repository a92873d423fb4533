//! What the viewport shows of the pairs: both sides, arcs between them, and the plane.

use super::Mirror;
use crate::doc::Stance;
use crate::doc::mirror::Pair;
use crate::rig::{BoneId, Facing};
use crate::ui::{Cx, Guide, GuideInk};
use glam::Vec3;

/// Pairs beyond this many get no arcs: they would be a thicket.
const MOST_ARCS: usize = 48;

impl Mirror {
    pub(super) fn guide(&self, cx: &mut Cx<'_>) {
        let session = cx.session();
        let frames = &session.shown().frames;
        let head = |bone: BoneId| frames.get(bone.index()).map(|f| f.position);
        let mut guides = Vec::new();
        guides.extend(plane(cx));
        let taken: Vec<&Pair> = self.pairs.iter().filter(|p| p.taken).collect();
        let forward = match session.character().facing {
            Facing::PlusZ => Vec3::Z,
            Facing::MinusZ => Vec3::NEG_Z,
        };
        for pair in &taken {
            let now = self.current == Some(pair.source) || self.hovered == Some(pair.source);
            if let (Some(a), Some(b)) = (head(pair.source), pair.target.and_then(head))
                && (now || taken.len() <= MOST_ARCS)
            {
                let ink = if now { GuideInk::LinkNow } else { GuideInk::Link };
                guides.push(Guide { points: arc(a, b, forward), radius: 0.0, ink, words: String::new() });
            }
        }
        let skeleton = &session.character().skeleton;
        let tip = |bone: BoneId| {
            let below = || skeleton.children(bone).first().and_then(|c| head(*c));
            session.shown_tip(bone).or_else(|| if bone.index() < skeleton.len() { below() } else { None })
        };
        let mut side = |bone: BoneId, ink: GuideInk, words: &str| {
            if let (Some(a), Some(b)) = (head(bone), tip(bone)) {
                guides.push(Guide { points: vec![a, b], radius: 0.0, ink, words: words.to_owned() });
            }
        };
        let (source, target) = (cx.tr("mirror.source_tag"), cx.tr("mirror.target_tag"));
        // The widest pair says which side is which: there the words do not meet.
        let wide = |pair: &&&Pair| head(pair.source).map_or(0.0, |p| p.x.abs());
        let widest = taken.iter().max_by(|a, b| wide(a).total_cmp(&wide(b))).map(|p| p.source);
        for pair in &taken {
            let tags = if Some(pair.source) == widest { [&*source, &*target] } else { [""; 2] };
            side(pair.source, GuideInk::Source, tags[0]);
            if let Some(bone) = pair.target {
                side(bone, GuideInk::Target, tags[1]);
            }
        }
        cx.state.guides = guides;
    }
}

/// A line that bends out to the front, so that it does not run through the body.
fn arc(a: Vec3, b: Vec3, forward: Vec3) -> Vec<Vec3> {
    let out = forward * (0.22 * a.distance(b));
    (0..=12_u8)
        .map(|i| {
            let t = f32::from(i) / 12.0;
            a.lerp(b, t) + out * (4.0 * t * (1.0 - t))
        })
        .collect()
}

/// The middle of the character from the ground up, and the plane's edges.
fn plane(cx: &Cx<'_>) -> Option<Guide> {
    let session = cx.session();
    let stance = Stance::of(session.document(), &session.character().skeleton);
    let heads = || stance.rest().frames.iter().map(|f| f.position).filter(|p| p.is_finite());
    let low = heads().map(|p| p.y).fold(f32::MAX, f32::min);
    let height = stance.height();
    (low < f32::MAX).then(|| Guide {
        points: vec![Vec3::new(0.0, low, 0.0), Vec3::new(0.0, low + 1.12 * height, 0.0)],
        radius: 0.0,
        ink: GuideInk::Plane,
        words: String::new(),
    })
}
