//! Finds or creates mirror images of nodes, colliders, groups and limits.

use super::pairs::{MirrorFinder, MirrorPair, PairMatch, mirror_point, mirrored_name};
use super::{MirrorOptions, UnmatchedPolicy};
use crate::document::{
    Collider, ColliderGroup, ColliderId, Document, Edit, GroupId, Helper, HelperId, HelperRole, Joint, Node, RestFrames,
};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;
use yuremono_sim::math::Frame;
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::{ColliderShape, ShapeClass, SwingLimit, SwingShape};

/// Rotations that differ by less count as equal; radians.
const SAME_ROTATION: f32 = 0.01;

pub(super) struct MirrorImages<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    rest_frames: &'a RestFrames,
    finder: MirrorFinder<'a>,
    options: &'a MirrorOptions,
    /// Bone pairs in both directions.
    partners: BTreeMap<BoneId, BoneId>,
    /// Mirror images of pivots. Joints that share a pivot also share its mirror image.
    pivots: BTreeMap<Node, Node>,
    colliders: BTreeMap<ColliderId, Option<ColliderId>>,
    /// New groups, keyed by their colliders.
    groups: BTreeMap<Vec<ColliderId>, GroupId>,
    next_helper_id: u32,
    next_collider_id: u32,
    /// Edits that must be applied before joints refer to the new helpers and colliders.
    pub edits: Vec<Edit>,
    /// Names of elements without a mirror image.
    pub unmatched: Vec<String>,
    pub pivot_count: usize,
    pub collider_count: usize,
}

impl<'a> MirrorImages<'a> {
    pub(super) fn new(
        document: &'a Document,
        skeleton: &'a Skeleton,
        stance: &'a RestFrames,
        pairs: &[MirrorPair],
        options: &'a MirrorOptions,
    ) -> Self {
        let both = |p: &MirrorPair| Some([(p.source, p.target?), (p.target?, p.source)]);
        Self {
            document,
            skeleton,
            rest_frames: stance,
            finder: MirrorFinder::new(skeleton, stance),
            options,
            partners: pairs.iter().filter(|p| p.included).filter_map(both).flatten().collect(),
            pivots: BTreeMap::new(),
            colliders: BTreeMap::new(),
            groups: BTreeMap::new(),
            next_helper_id: document.next_helper_id().0,
            next_collider_id: document.next_collider_id().0,
            edits: Vec::new(),
            unmatched: Vec::new(),
            pivot_count: 0,
            collider_count: 0,
        }
    }

    /// Returns the bone on the other side. A bone in the middle is its own mirror image.
    pub(super) fn mirror_bone(&self, bone: BoneId) -> Option<BoneId> {
        if let Some(partner) = self.partners.get(&bone) {
            return Some(*partner);
        }
        let mut all = self.finder.candidates(bone, self.options.tolerance);
        all.sort_by(|a, b| a.match_kind.cmp(&b.match_kind).then(a.distance.total_cmp(&b.distance)));
        let named = all.iter().find(|c| c.match_kind != PairMatch::Position).map(|c| c.bone);
        if named.is_some() {
            return named;
        }
        let middle = self.options.tolerance.max(1e-3);
        if self.rest_frames.head(bone)?.x.abs() <= middle {
            return Some(bone);
        }
        all.first().map(|c| c.bone)
    }

    pub(super) fn mirror_node(&self, node: Node) -> Option<Node> {
        match node {
            Node::Bone(bone) => self.mirror_bone(bone).map(Node::Bone),
            Node::Helper(id) => self.mirror_helper(id).map(Node::Helper),
        }
    }

    fn mirror_helper(&self, id: HelperId) -> Option<HelperId> {
        let helper = self.document.helpers.get(&id)?;
        let image = mirror_point(self.rest_frames.position(Node::Helper(id))?);
        if let Some(name) = mirrored_name(&helper.name) {
            let named = self.document.helpers.iter().find(|(_, h)| h.name == name && h.role == helper.role);
            if let Some((other, _)) = named {
                return Some(*other);
            }
        }
        let near = |(other, h): (&HelperId, &Helper)| {
            let apart = self.rest_frames.position(Node::Helper(*other))?.distance(image);
            (h.role == helper.role && apart <= self.options.tolerance.max(1e-3)).then_some((apart, *other))
        };
        let found = self.document.helpers.iter().filter_map(near);
        // If several helpers are in the same place, prefers the source helper.
        found.min_by(|a, b| a.0.total_cmp(&b.0).then((a.1 != id).cmp(&(b.1 != id)))).map(|(_, other)| other)
    }

    /// Returns the mirror image of a pivot. Creates or rotates a pivot if necessary.
    pub(super) fn find_or_create_mirrored_pivot(&mut self, source: &Joint, target: BoneId) -> Option<Node> {
        let node = source.pivot?;
        if let Some(known) = self.pivots.get(&node) {
            return Some(*known);
        }
        let image = self.find_or_create_pivot(node, source, target)?;
        self.pivots.insert(node, image);
        self.pivot_count += 1;
        Some(image)
    }

    fn find_or_create_pivot(&mut self, node: Node, source: &Joint, target: BoneId) -> Option<Node> {
        let frame = self.rest_frames.frame(node)?;
        let turn = mirror_pivot_rotation(frame.rotation);
        let at_head = self.rest_frames.head(source.bone).is_some_and(|head| head.distance(frame.position) < 1e-4);
        let image = mirror_point(frame.position);
        let place = if at_head { self.rest_frames.head(target)? } else { image };
        let has_mirrored_frame = |n: &Node| {
            self.rest_frames.frame(*n).is_some_and(|f| is_same_frame(&f, place, turn, self.options.tolerance))
        };
        let parent = match node {
            Node::Bone(bone) => {
                let partner = self.mirror_bone(bone).map(Node::Bone);
                if let Some(partner) = partner
                    && self.rest_frames.frame(partner).is_some_and(|f| f.rotation.angle_between(turn) < SAME_ROTATION)
                {
                    return Some(partner);
                }
                partner
            }
            Node::Helper(_) if has_mirrored_frame(&node) => return Some(node),
            Node::Helper(id) => self.document.helpers.get(&id).and_then(|h| self.mirror_node(h.parent)),
        };
        let parent = parent.or_else(|| self.skeleton.get_parent(target).map(Node::Bone))?;
        let named = match node {
            Node::Helper(id) => self.document.helpers.get(&id).and_then(|h| mirrored_name(&h.name)),
            Node::Bone(_) => None,
        };
        let name = named.unwrap_or_else(|| format!("{}_Pivot", self.skeleton.name(target)));
        let scale = match node {
            Node::Helper(id) => self.document.helpers.get(&id).map_or(Vec3::ONE, |h| h.local.scale),
            Node::Bone(_) => Vec3::ONE,
        };
        let local = self.rest_frames.local_transform_in(parent, place, turn, scale)?;
        let id = self.reusable_pivot(target, &name, parent, node).unwrap_or_else(|| self.take_helper_id());
        let helper = Helper { name, parent, local, role: HelperRole::Pivot };
        if self.document.helpers.get(&id) != Some(&helper) {
            self.edits.push(Edit::PutHelper { id, helper: Some(helper) });
        }
        Some(Node::Helper(id))
    }

    /// Returns the target's existing pivot, if no other joint uses the pivot.
    fn reusable_pivot(&self, target: BoneId, name: &str, parent: Node, source: Node) -> Option<HelperId> {
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

    fn take_helper_id(&mut self) -> HelperId {
        let id = HelperId(self.next_helper_id);
        self.next_helper_id += 1;
        id
    }

    /// Returns groups with exactly the mirrored colliders. Creates missing groups.
    pub(super) fn mirror_groups(&mut self, source: &[GroupId]) -> Vec<GroupId> {
        let document = self.document;
        let mut images = Vec::with_capacity(source.len());
        for id in source {
            let Some(group) = document.groups.get(id) else { continue };
            let colliders = self.mirror_colliders(&group.colliders);
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
                let fresh = GroupId(document.next_group_id().0 + self.groups.len() as u32);
                let name = mirrored_name(&group.name).unwrap_or_else(|| group.name.clone());
                let group = ColliderGroup { name, colliders: colliders.clone(), source_index: None };
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

    /// Mirrors a VRM limit. All ranges are symmetric about their axes, so only the rotation changes.
    pub(super) fn mirror_limit(&self, limit: SwingLimit, source: &Joint, target: BoneId) -> SwingLimit {
        if matches!(limit.shape, SwingShape::Cone { .. }) && limit.rotation == Quat::IDENTITY {
            return limit;
        }
        let image = || {
            let [from, to] = [source.bone, target].map(|bone| self.rest_frames.frame(Node::Bone(bone)));
            let (from, to) = (from?, to?);
            let along = self.rest_frames.tip(self.skeleton, source)? - from.position;
            let axis = |turn: Quat, along: Vec3| (turn.inverse() * along).try_normalize();
            let here = limit.in_parent(from.rotation, axis(from.rotation, along)?);
            let plain = SwingLimit { rotation: Quat::IDENTITY, ..limit };
            let there = plain.in_parent(to.rotation, axis(to.rotation, mirror_point(along))?);
            Some((there.inverse() * mirror_rotation(here)).normalize()).filter(|turn| turn.is_finite())
        };
        SwingLimit { rotation: image().unwrap_or(limit.rotation), ..limit }
    }

    pub(super) fn mirror_colliders(&mut self, source: &[ColliderId]) -> Vec<ColliderId> {
        let mut images = Vec::with_capacity(source.len());
        for id in source {
            let known = self.colliders.get(id).copied();
            let image = known.unwrap_or_else(|| self.mirror_collider(*id));
            self.colliders.insert(*id, image);
            images.extend(image.filter(|image| !images.contains(image)));
        }
        images
    }

    fn mirror_collider(&mut self, id: ColliderId) -> Option<ColliderId> {
        let collider = self.document.colliders.get(&id)?.clone();
        let Some(frame) = self.rest_frames.frame(collider.node) else {
            return self.record_unmatched(&collider.name, id);
        };
        match self.find_collider(id, &collider, &frame) {
            Some(image) => {
                if image != id {
                    self.move_collider(&collider, &frame, image);
                }
                Some(image)
            }
            None if self.options.unmatched == UnmatchedPolicy::CreateImage => {
                self.create_collider(&collider, &frame).or_else(|| self.record_unmatched(&collider.name, id))
            }
            None => self.record_unmatched(&collider.name, id),
        }
    }

    /// Records an element without a mirror image. Returns `itself` unless the policy drops the element.
    pub(super) fn record_unmatched<T>(&mut self, name: &str, itself: T) -> Option<T> {
        if !self.unmatched.iter().any(|n| n == name) {
            self.unmatched.push(name.to_owned());
        }
        (self.options.unmatched != UnmatchedPolicy::Drop).then_some(itself)
    }

    fn find_collider(&self, id: ColliderId, collider: &Collider, frame: &Frame) -> Option<ColliderId> {
        let alike = || self.document.colliders.iter().filter(|(_, c)| c.shape.is_same_kind(&collider.shape));
        if let Some(name) = mirrored_name(&collider.name)
            && let Some((other, _)) = alike().find(|(_, c)| c.name == name)
        {
            return Some(*other);
        }
        let image = reference_points(frame, collider.shape).map(mirror_point);
        let near = |(other, c): (&ColliderId, &Collider)| {
            let apart = pair_distance(image, reference_points(&self.rest_frames.frame(c.node)?, c.shape));
            (apart <= self.options.tolerance.max(5e-3)).then_some((apart, *other))
        };
        let found = alike().filter_map(near);
        found.min_by(|a, b| a.0.total_cmp(&b.0).then((a.1 != id).cmp(&(b.1 != id)))).map(|(_, other)| other)
    }

    /// Copies the mirrored size and position to an existing collider.
    fn move_collider(&mut self, source: &Collider, frame: &Frame, image: ColliderId) {
        let Some(old) = self.document.colliders.get(&image) else { return };
        let mut changed = old.shape != source.shape;
        if let Node::Helper(id) = old.node
            && let Some(helper) = self.document.helpers.get(&id)
            && !self.is_shared(old.node, image)
            && let (place, turn) = (mirror_point(frame.position), mirror_rotation(frame.rotation))
            && let Some(now) = self.rest_frames.frame(old.node)
            && !is_same_frame(&now, place, turn, 1e-5)
            && let Some(local) = self.rest_frames.local_transform_in(helper.parent, place, turn, helper.local.scale)
        {
            self.edits.push(Edit::PutHelper { id, helper: Some(Helper { local, ..helper.clone() }) });
            changed = true;
        }
        let mut collider = Collider { shape: source.shape, ..old.clone() };
        let rotation = mirror_rotation(frame.rotation);
        if let Node::Bone(_) = old.node
            && let Some(now) = self.rest_frames.frame(old.node)
            && !is_same_orientation(source.shape, now.rotation, rotation)
            && let Some(local) = self.rest_frames.local_transform_in(old.node, now.position, rotation, Vec3::ONE)
        {
            let id = self.take_helper_id();
            let (name, role) = (old.name.clone(), HelperRole::Plain);
            self.edits.push(Edit::PutHelper { id, helper: Some(Helper { name, parent: old.node, local, role }) });
            collider.node = Node::Helper(id);
            changed = true;
        }
        if changed {
            self.collider_count += 1;
            self.edits.push(Edit::PutCollider { id: image, collider: Some(collider) });
        }
    }

    fn is_shared(&self, node: Node, besides: ColliderId) -> bool {
        self.document.colliders.iter().any(|(id, c)| c.node == node && *id != besides)
            || self.document.helpers.values().any(|h| h.parent == node)
    }

    fn create_collider(&mut self, source: &Collider, frame: &Frame) -> Option<ColliderId> {
        let parent = match source.node {
            Node::Bone(bone) => Node::Bone(self.mirror_bone(bone)?),
            Node::Helper(id) => self.mirror_node(self.document.helpers.get(&id)?.parent)?,
        };
        let scale = match source.node {
            Node::Helper(id) => self.document.helpers.get(&id)?.local.scale,
            Node::Bone(_) => Vec3::ONE,
        };
        let local = self.rest_frames.local_transform_in(
            parent,
            mirror_point(frame.position),
            mirror_rotation(frame.rotation),
            scale,
        )?;
        let name = mirrored_name(&source.name).unwrap_or_else(|| format!("{}_mirrored", source.name));
        let helper = self.take_helper_id();
        let id = ColliderId(self.next_collider_id);
        self.next_collider_id += 1;
        let role = HelperRole::Plain;
        let put = Edit::PutHelper { id: helper, helper: Some(Helper { name: name.clone(), parent, local, role }) };
        let collider = Collider { name, node: Node::Helper(helper), source_index: None, ..source.clone() };
        self.edits.extend([put, Edit::PutCollider { id, collider: Some(collider) }]);
        self.collider_count += 1;
        Some(id)
    }
}

/// Mirrors a rotation across X = 0. The X axis is also flipped, so the frame stays right-handed.
pub(crate) fn mirror_rotation(rotation: Quat) -> Quat {
    Quat::from_xyzw(rotation.x, 0.0 - rotation.y, 0.0 - rotation.z, rotation.w)
}

/// Mirrors the rotation of a pivot, whose limits are measured from +X and -Z. Flips Y instead of X: limits about Y swap
/// and change signs; limits about Z stay.
pub(super) fn mirror_pivot_rotation(rotation: Quat) -> Quat {
    mirror_rotation(rotation) * Quat::from_xyzw(0.0, 0.0, 1.0, 0.0)
}

fn is_same_frame(frame: &Frame, place: Vec3, turn: Quat, tolerance: f32) -> bool {
    frame.position.distance(place) <= tolerance && frame.rotation.angle_between(turn) < SAME_ROTATION
}

/// Whether a shape has the same orientation with both rotations.
fn is_same_orientation(shape: ColliderShape, a: Quat, b: Quat) -> bool {
    match shape.class() {
        ShapeClass::Sphere => true,
        ShapeClass::Rod => (a * Vec3::Y).angle_between(b * Vec3::Y) < SAME_ROTATION,
        ShapeClass::Flat | ShapeClass::Box => a.angle_between(b) < SAME_ROTATION,
    }
}

/// Returns two points that determine the position of a shape. Both points are equal for a sphere or a box.
fn reference_points(frame: &Frame, shape: ColliderShape) -> [Vec3; 2] {
    match (shape.class(), shape) {
        (ShapeClass::Sphere | ShapeClass::Box, _) => [frame.position; 2],
        (ShapeClass::Rod, ColliderShape::Cylinder { height, .. }) => {
            [-0.5, 0.5].map(|share| frame.transform_point(Vec3::Y * height * share))
        }
        (ShapeClass::Rod, ColliderShape::Capsule { height, .. }) => {
            [frame.position, frame.transform_point(Vec3::Y * height)]
        }
        (ShapeClass::Rod, _) => [frame.position, frame.transform_point(Vec3::Y * shape.field(2))],
        (ShapeClass::Flat, _) => [frame.position, frame.position + frame.rotation * Vec3::Z * 0.1],
    }
}

/// Returns the distance between the ends of two segments, in the closer of their two possible orders.
fn pair_distance(a: [Vec3; 2], b: [Vec3; 2]) -> f32 {
    let straight = a[0].distance(b[0]).max(a[1].distance(b[1]));
    let swapped = a[0].distance(b[1]).max(a[1].distance(b[0]));
    straight.min(swapped)
}
