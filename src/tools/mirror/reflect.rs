//! The mirror images of nodes: bones that stand there, helpers that are there or are made.

use super::names::mirrored_name;
use super::pairs::{Finder, Found, Pair, mirrored};
use super::{Options, Unmatched};
use crate::document::{
    Collider, ColliderGroup, ColliderId, Document, Edit, GroupId, Helper, HelperId, HelperRole, Joint, Node, Stance,
};
use crate::math::Frame;
use crate::rig::{BoneId, Skeleton};
use crate::sim::{Form, Shape, SwingLimit, SwingShape};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;

/// Frames that differ by less are the same, radians.
const SAME_TURN: f32 = 0.01;

/// What is found and made on the other side.
pub(super) struct Reflection<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    stance: &'a Stance,
    finder: Finder<'a>,
    options: &'a Options,
    /// Source to target and back.
    partners: BTreeMap<BoneId, BoneId>,
    /// Pivots that were mirrored already, so that joints that share one share its image.
    pivots: BTreeMap<Node, Node>,
    colliders: BTreeMap<ColliderId, Option<ColliderId>>,
    /// Those that were made, by what they have.
    groups: BTreeMap<Vec<ColliderId>, GroupId>,
    fresh_helper: u32,
    fresh_collider: u32,
    /// Helpers and colliders that must be there before joints refer to them.
    pub edits: Vec<Edit>,
    /// Names of what has no image.
    pub unmatched: Vec<String>,
    pub pivot_count: usize,
    pub collider_count: usize,
}

impl<'a> Reflection<'a> {
    pub(super) fn new(
        document: &'a Document,
        skeleton: &'a Skeleton,
        stance: &'a Stance,
        pairs: &[Pair],
        options: &'a Options,
    ) -> Self {
        let both = |p: &Pair| Some([(p.source, p.target?), (p.target?, p.source)]);
        Self {
            document,
            skeleton,
            stance,
            finder: Finder::new(skeleton, stance),
            options,
            partners: pairs.iter().filter(|p| p.taken).filter_map(both).flatten().collect(),
            pivots: BTreeMap::new(),
            colliders: BTreeMap::new(),
            groups: BTreeMap::new(),
            fresh_helper: document.fresh_helper().0,
            fresh_collider: document.fresh_collider().0,
            edits: Vec::new(),
            unmatched: Vec::new(),
            pivot_count: 0,
            collider_count: 0,
        }
    }

    /// The bone on the other side; a bone of the middle is its own.
    pub(super) fn bone(&self, bone: BoneId) -> Option<BoneId> {
        if let Some(partner) = self.partners.get(&bone) {
            return Some(*partner);
        }
        let mut all = self.finder.candidates(bone, self.options.tolerance);
        all.sort_by(|a, b| a.found.cmp(&b.found).then(a.apart.total_cmp(&b.apart)));
        let named = all.iter().find(|c| c.found != Found::Place).map(|c| c.bone);
        if named.is_some() {
            return named;
        }
        let middle = self.options.tolerance.max(1e-3);
        if self.stance.head(bone)?.x.abs() <= middle {
            return Some(bone);
        }
        all.first().map(|c| c.bone)
    }

    /// The node on the other side, where there is one.
    pub(super) fn node(&self, node: Node) -> Option<Node> {
        match node {
            Node::Bone(bone) => self.bone(bone).map(Node::Bone),
            Node::Helper(id) => self.helper(id).map(Node::Helper),
        }
    }

    fn helper(&self, id: HelperId) -> Option<HelperId> {
        let helper = self.document.helpers.get(&id)?;
        let image = mirrored(self.stance.position(Node::Helper(id))?);
        if let Some(name) = mirrored_name(&helper.name) {
            let named = self.document.helpers.iter().find(|(_, h)| h.name == name && h.role == helper.role);
            if let Some((other, _)) = named {
                return Some(*other);
            }
        }
        let near = |(other, h): (&HelperId, &Helper)| {
            let apart = self.stance.position(Node::Helper(*other))?.distance(image);
            (h.role == helper.role && apart <= self.options.tolerance.max(1e-3)).then_some((apart, *other))
        };
        let found = self.document.helpers.iter().filter_map(near);
        // Of several in one place the helper itself, if it stands in the middle.
        found.min_by(|a, b| a.0.total_cmp(&b.0).then((a.1 != id).cmp(&(b.1 != id)))).map(|(_, other)| other)
    }

    /// The pivot that a target gets, made or turned where need be.
    pub(super) fn pivot(&mut self, source: &Joint, target: BoneId) -> Option<Node> {
        let node = source.pivot?;
        if let Some(known) = self.pivots.get(&node) {
            return Some(*known);
        }
        let image = self.pivot_of(node, source, target)?;
        self.pivots.insert(node, image);
        self.pivot_count += 1;
        Some(image)
    }

    fn pivot_of(&mut self, node: Node, source: &Joint, target: BoneId) -> Option<Node> {
        let frame = self.stance.frame(node)?;
        let turn = pivot_image(frame.rotation);
        let at_head = self.stance.head(source.bone).is_some_and(|head| head.distance(frame.position) < 1e-4);
        let image = mirrored(frame.position);
        let place = if at_head { self.stance.head(target)? } else { image };
        let stands_so =
            |n: &Node| self.stance.frame(*n).is_some_and(|f| is_same(&f, place, turn, self.options.tolerance));
        let parent = match node {
            Node::Bone(bone) => {
                let partner = self.bone(bone).map(Node::Bone);
                if let Some(partner) = partner
                    && self.stance.frame(partner).is_some_and(|f| f.rotation.angle_between(turn) < SAME_TURN)
                {
                    return Some(partner);
                }
                partner
            }
            Node::Helper(_) if stands_so(&node) => return Some(node),
            Node::Helper(id) => self.document.helpers.get(&id).and_then(|h| self.node(h.parent)),
        };
        let parent = parent.or_else(|| self.skeleton.parent_of(target).map(Node::Bone))?;
        let named = match node {
            Node::Helper(id) => self.document.helpers.get(&id).and_then(|h| mirrored_name(&h.name)),
            Node::Bone(_) => None,
        };
        let name = named.unwrap_or_else(|| format!("{}_Pivot", self.skeleton.name(target)));
        let scale = match node {
            Node::Helper(id) => self.document.helpers.get(&id).map_or(Vec3::ONE, |h| h.local.scale),
            Node::Bone(_) => Vec3::ONE,
        };
        let local = self.stance.local_in(parent, place, turn, scale)?;
        let id = self.reusable(target, &name, parent, node).unwrap_or_else(|| self.next_helper());
        let helper = Helper { name, parent, local, role: HelperRole::Pivot };
        if self.document.helpers.get(&id) != Some(&helper) {
            self.edits.push(Edit::PutHelper { id, helper: Some(helper) });
        }
        Some(Node::Helper(id))
    }

    /// The helper that the target's pivot lives in already, if no other joint uses it.
    fn reusable(&self, target: BoneId, name: &str, parent: Node, source: Node) -> Option<HelperId> {
        let joints = || self.document.chains.values().flat_map(|c| &c.joints);
        let is_free = |id: HelperId| {
            source != Node::Helper(id)
                && !self.pivots.values().any(|n| *n == Node::Helper(id))
                && !joints().any(|j| j.pivot == Some(Node::Helper(id)) && j.bone != target)
        };
        let now = joints().find(|j| j.bone == target).and_then(|j| j.pivot);
        if let Some(Node::Helper(id)) = now
            && self.document.helpers.get(&id).is_some_and(|h| h.role == HelperRole::Pivot)
            && is_free(id)
        {
            return Some(id);
        }
        let same = |h: &Helper| h.name == name && h.parent == parent && h.role == HelperRole::Pivot;
        self.document.helpers.iter().find(|(id, h)| same(h) && is_free(**id)).map(|(id, _)| *id)
    }

    fn next_helper(&mut self) -> HelperId {
        let id = HelperId(self.fresh_helper);
        self.fresh_helper += 1;
        id
    }

    /// The collider groups that a target gets for its source's: those that have just the images, or new ones.
    pub(super) fn groups(&mut self, source: &[GroupId]) -> Vec<GroupId> {
        let document = self.document;
        let mut images = Vec::with_capacity(source.len());
        for id in source {
            let Some(group) = document.groups.get(id) else { continue };
            let colliders = self.colliders(&group.colliders);
            if colliders.is_empty() && !group.colliders.is_empty() {
                continue;
            }
            let same = |list: &[ColliderId]| {
                list.len() == colliders.len() && colliders.iter().all(|collider| list.contains(collider))
            };
            let itself = same(&group.colliders).then_some(*id);
            let known = document.groups.iter().find(|(_, g)| same(&g.colliders)).map(|(id, _)| *id);
            let made = self.groups.get(&colliders).copied();
            let image = itself.or(known).or(made).unwrap_or_else(|| {
                let fresh = GroupId(document.fresh_group().0 + self.groups.len() as u32);
                let name = mirrored_name(&group.name).unwrap_or_else(|| group.name.clone());
                let group = ColliderGroup { name, colliders: colliders.clone(), source: None };
                self.edits.push(Edit::PutGroup { id: fresh, group: Some(group) });
                self.groups.insert(colliders, fresh);
                fresh
            });
            if !images.contains(&image) {
                images.push(image);
            }
        }
        images
    }

    /// VRM's limit of a source as its target gets it: all its ranges are alike to both sides of their axes.
    pub(super) fn limit(&self, limit: SwingLimit, source: &Joint, target: BoneId) -> SwingLimit {
        if matches!(limit.shape, SwingShape::Cone { .. }) && limit.rotation == Quat::IDENTITY {
            return limit;
        }
        let image = || {
            let [from, to] = [source.bone, target].map(|bone| self.stance.frame(Node::Bone(bone)));
            let (from, to) = (from?, to?);
            let along = self.stance.tip(self.skeleton, source)? - from.position;
            let axis = |turn: Quat, along: Vec3| (turn.inverse() * along).try_normalize();
            let here = limit.in_parent(from.rotation, axis(from.rotation, along)?);
            let plain = SwingLimit { rotation: Quat::IDENTITY, ..limit };
            let there = plain.in_parent(to.rotation, axis(to.rotation, mirrored(along))?);
            Some((there.inverse() * image_of(here)).normalize()).filter(|turn| turn.is_finite())
        };
        SwingLimit { rotation: image().unwrap_or(limit.rotation), ..limit }
    }

    /// The colliders that a target gets for its source's.
    pub(super) fn colliders(&mut self, source: &[ColliderId]) -> Vec<ColliderId> {
        let mut images = Vec::with_capacity(source.len());
        for id in source {
            let known = self.colliders.get(id).copied();
            let image = known.unwrap_or_else(|| self.collider(*id));
            self.colliders.insert(*id, image);
            images.extend(image.filter(|image| !images.contains(image)));
        }
        images
    }

    fn collider(&mut self, id: ColliderId) -> Option<ColliderId> {
        let collider = self.document.colliders.get(&id)?.clone();
        let Some(frame) = self.stance.frame(collider.node) else { return self.without_image(&collider.name, id) };
        match self.find_collider(id, &collider, &frame) {
            Some(image) => {
                if image != id {
                    self.move_collider(&collider, &frame, image);
                }
                Some(image)
            }
            None if self.options.unmatched == Unmatched::Make => {
                self.make_collider(&collider, &frame).or_else(|| self.without_image(&collider.name, id))
            }
            None => self.without_image(&collider.name, id),
        }
    }

    /// Notes that something has no image; what stands in its place.
    pub(super) fn without_image<T>(&mut self, name: &str, itself: T) -> Option<T> {
        if !self.unmatched.iter().any(|n| n == name) {
            self.unmatched.push(name.to_owned());
        }
        (self.options.unmatched != Unmatched::Drop).then_some(itself)
    }

    fn find_collider(&self, id: ColliderId, collider: &Collider, frame: &Frame) -> Option<ColliderId> {
        let alike = || self.document.colliders.iter().filter(|(_, c)| c.shape.is_like(&collider.shape));
        if let Some(name) = mirrored_name(&collider.name)
            && let Some((other, _)) = alike().find(|(_, c)| c.name == name)
        {
            return Some(*other);
        }
        let image = spots(frame, collider.shape).map(mirrored);
        let near = |(other, c): (&ColliderId, &Collider)| {
            let apart = apart(image, spots(&self.stance.frame(c.node)?, c.shape));
            (apart <= self.options.tolerance.max(5e-3)).then_some((apart, *other))
        };
        let found = alike().filter_map(near);
        found.min_by(|a, b| a.0.total_cmp(&b.0).then((a.1 != id).cmp(&(b.1 != id)))).map(|(_, other)| other)
    }

    /// Gives the collider of the other side the mirrored size and place.
    fn move_collider(&mut self, source: &Collider, frame: &Frame, image: ColliderId) {
        let Some(old) = self.document.colliders.get(&image) else { return };
        let mut changed = old.shape != source.shape;
        if let Node::Helper(id) = old.node
            && let Some(helper) = self.document.helpers.get(&id)
            && !self.is_shared(old.node, image)
            && let (place, turn) = (mirrored(frame.position), image_of(frame.rotation))
            && let Some(now) = self.stance.frame(old.node)
            && !is_same(&now, place, turn, 1e-5)
            && let Some(local) = self.stance.local_in(helper.parent, place, turn, helper.local.scale)
        {
            self.edits.push(Edit::PutHelper { id, helper: Some(Helper { local, ..helper.clone() }) });
            changed = true;
        }
        if changed {
            self.collider_count += 1;
            let collider = Collider { shape: source.shape, ..old.clone() };
            self.edits.push(Edit::PutCollider { id: image, collider: Some(collider) });
        }
    }

    /// Whether another collider or helper hangs on the node too.
    fn is_shared(&self, node: Node, besides: ColliderId) -> bool {
        self.document.colliders.iter().any(|(id, c)| c.node == node && *id != besides)
            || self.document.helpers.values().any(|h| h.parent == node)
    }

    fn make_collider(&mut self, source: &Collider, frame: &Frame) -> Option<ColliderId> {
        let parent = match source.node {
            Node::Bone(bone) => Node::Bone(self.bone(bone)?),
            Node::Helper(id) => self.node(self.document.helpers.get(&id)?.parent)?,
        };
        let scale = match source.node {
            Node::Helper(id) => self.document.helpers.get(&id)?.local.scale,
            Node::Bone(_) => Vec3::ONE,
        };
        let local = self.stance.local_in(parent, mirrored(frame.position), image_of(frame.rotation), scale)?;
        let name = mirrored_name(&source.name).unwrap_or_else(|| format!("{}_mirrored", source.name));
        let helper = self.next_helper();
        let id = ColliderId(self.fresh_collider);
        self.fresh_collider += 1;
        let role = HelperRole::Plain;
        let put = Edit::PutHelper { id: helper, helper: Some(Helper { name: name.clone(), parent, local, role }) };
        let collider = Collider { name, node: Node::Helper(helper), source: None, ..source.clone() };
        self.edits.extend([put, Edit::PutCollider { id, collider: Some(collider) }]);
        self.collider_count += 1;
        Some(id)
    }
}

/// A rotation seen in the mirror: what pointed along an axis points along that axis' image, X excepted, which turns
/// round so that the frame stays right-handed.
pub(super) fn image_of(rotation: Quat) -> Quat {
    Quat::from_xyzw(rotation.x, 0.0 - rotation.y, 0.0 - rotation.z, rotation.w)
}

/// The same for a pivot, whose +X and -Z the limits are measured from: here Y turns round, which is why the limits
/// about Y change their signs and places and those about Z stay.
pub(super) fn pivot_image(rotation: Quat) -> Quat {
    image_of(rotation) * Quat::from_xyzw(0.0, 0.0, 1.0, 0.0)
}

fn is_same(frame: &Frame, place: Vec3, turn: Quat, tolerance: f32) -> bool {
    frame.position.distance(place) <= tolerance && frame.rotation.angle_between(turn) < SAME_TURN
}

/// Two points that tell where a shape is; equal ones for a sphere.
fn spots(frame: &Frame, shape: Shape) -> [Vec3; 2] {
    match (shape.form(), shape) {
        (Form::Ball | Form::Block, _) => [frame.position; 2],
        (Form::Rod, Shape::Cylinder { height, .. }) => [-0.5, 0.5].map(|share| frame.point(Vec3::Y * height * share)),
        (Form::Rod, Shape::Capsule { height, .. }) => [frame.position, frame.point(Vec3::Y * height)],
        (Form::Rod, _) => [frame.position, frame.point(Vec3::Y * shape.field(2))],
        (Form::Flat, _) => [frame.position, frame.position + frame.rotation * Vec3::Z * 0.1],
    }
}

/// How far two pairs of points lie apart; the ends of a capsule may be swapped.
fn apart(a: [Vec3; 2], b: [Vec3; 2]) -> f32 {
    let straight = a[0].distance(b[0]).max(a[1].distance(b[1]));
    let swapped = a[0].distance(b[1]).max(a[1].distance(b[0]));
    straight.min(swapped)
}
