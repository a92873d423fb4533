//! Changes that keep hair and cloth out of the body.
//!
//! [`propose_fixes`] lists changes for the parts of the body that joints enter. Whether a change helps is not known before
//! the motion is simulated with it. Each change edits a document by itself, and several changes can follow each other.

use super::body::{self, BodyColliderFit};
use crate::document::param_edits::{self, EditTargets};
use crate::document::{ChainId, Collider, ColliderId, Document, Edit, RestFrames, bone_of_node, difference, groups};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::{MessageText, excerpt, message};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{BoneId, Character, Skeleton};

/// Largest number of colliders of a part of the body for which changes are proposed.
const MAX_COLLIDERS: usize = 3;
/// Largest factor of a radius.
const MAX_ENLARGEMENT: f32 = 2.0;
/// A radius grows by this multiple of the depth.
const DEPTH_MARGIN: f32 = 1.1;

/// A joint that is inside a part of the body during a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intrusion {
    /// The chain of the joint.
    pub chain: ChainId,
    /// The bone of the part of the body, see [`body_part_bones`].
    pub body_bone: BoneId,
    /// Depth in metres.
    pub depth: f32,
    /// How much the motion counts, 0 to 1.
    pub importance: f32,
}

impl Intrusion {
    fn weight(&self) -> f32 {
        self.importance * self.depth
    }
}

/// A change that keeps chains out of a part of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct ClippingFix {
    /// The bone of the part of the body.
    pub body_bone: BoneId,
    /// The chains that enter the part and that the change affects.
    pub chains: BTreeSet<ChainId>,
    /// The change.
    pub change: FixChange,
}

/// See [`ClippingFix`]. Radii are in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum FixChange {
    /// Creates a collider and assigns it to the chains.
    CreateCollider(BodyColliderFit),
    /// Assigns an existing collider to the chains.
    AssignCollider(ColliderId),
    /// Enlarges a collider.
    EnlargeCollider { collider: ColliderId, from: f32, to: f32 },
    /// Enlarges the hit radius of all joints of the chains. The radii are those of the thickest joint.
    EnlargeJoints { param: ParamId, from: f32, to: f32 },
}

/// Returns the part of the body for each bone: the nearest bone above with a humanoid role, or the bone itself.
pub fn body_part_bones(character: &Character) -> Vec<BoneId> {
    let roles = &character.humanoid;
    let nearest = roles.nearest_roles(&character.skeleton);
    let part = |(bone, role): (BoneId, Option<&str>)| role.and_then(|role| roles.bone(role)).unwrap_or(bone);
    character.skeleton.ids().zip(nearest).map(part).collect()
}

/// Returns changes for the parts of the body that chains enter: the part that is entered deepest in motions that count
/// comes first.
pub fn propose_fixes(document: &Document, character: &Character, intrusions: &[Intrusion]) -> Vec<ClippingFix> {
    let mut parts: BTreeMap<BoneId, PartIntrusion> = BTreeMap::new();
    for intrusion in intrusions {
        let part = parts.entry(intrusion.body_bone).or_insert_with(|| PartIntrusion {
            body_bone: intrusion.body_bone,
            chains: BTreeSet::new(),
            strongest: *intrusion,
        });
        part.chains.insert(intrusion.chain);
        if intrusion.weight() > part.strongest.weight() {
            part.strongest = *intrusion;
        }
    }
    let mut parts: Vec<PartIntrusion> = parts.into_values().collect();
    parts.sort_by(|a, b| b.strongest.weight().total_cmp(&a.strongest.weight()));
    let proposer = FixProposer {
        document,
        skeleton: &character.skeleton,
        rest_frames: RestFrames::of(document, &character.skeleton),
        fits: body::fit_body_colliders(character, document),
        parts: body_part_bones(character),
    };
    parts.iter().flat_map(|part| proposer.fixes(part)).collect()
}

/// Returns the edit that makes several changes one after the other. Returns `None` if they change nothing.
pub fn fixes_edit(fixes: &[ClippingFix], document: &Document, skeleton: &Skeleton) -> Option<Edit> {
    let mut after = document.clone();
    for fix in fixes {
        fix.apply(&mut after, skeleton);
    }
    (after != *document).then(|| difference(document, &after))
}

/// A part of the body that chains enter.
struct PartIntrusion {
    body_bone: BoneId,
    chains: BTreeSet<ChainId>,
    /// The intrusion with the largest weight. Changes are as large as this intrusion needs.
    strongest: Intrusion,
}

struct FixProposer<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    rest_frames: RestFrames,
    fits: Vec<BodyColliderFit>,
    /// The part of the body for each bone.
    parts: Vec<BoneId>,
}

impl FixProposer<'_> {
    fn fixes(&self, part: &PartIntrusion) -> Vec<ClippingFix> {
        let colliders = self.colliders_on(part.body_bone);
        let mut fixes = Vec::new();
        if colliders.is_empty() {
            fixes.extend(self.create_collider(part));
        }
        for id in colliders.iter().take(MAX_COLLIDERS) {
            fixes.extend(self.assign_collider(part, *id));
            fixes.extend(self.enlarge_collider(part, *id));
        }
        fixes.extend(self.enlarge_joints(part));
        let changes = |fix: &ClippingFix| fixes_edit(std::slice::from_ref(fix), self.document, self.skeleton).is_some();
        fixes.retain(changes);
        fixes
    }

    /// The colliders on the bones of a part that push outwards.
    fn colliders_on(&self, body_bone: BoneId) -> Vec<ColliderId> {
        let is_on_part = |collider: &Collider| {
            let bone = bone_of_node(self.document, collider.node);
            bone.and_then(|bone| self.parts.get(bone.index())) == Some(&body_bone)
        };
        let pushes = |collider: &Collider| collider.enabled && is_round(&collider.shape);
        let found = self.document.colliders.iter().filter(|(_, c)| pushes(c) && is_on_part(c));
        found.map(|(id, _)| *id).collect()
    }

    /// Those chains of a part whose solver supports a shape.
    fn supporting_chains(&self, part: &PartIntrusion, shape: &ColliderShape) -> BTreeSet<ChainId> {
        let supports = |id: &&ChainId| {
            let chain = self.document.chains.get(id);
            chain.is_some_and(|chain| self.document.solver_of(chain).info().supports_shape(shape))
        };
        part.chains.iter().filter(supports).copied().collect()
    }

    fn create_collider(&self, part: &PartIntrusion) -> Option<ClippingFix> {
        let fit = self.fits.iter().find(|fit| self.parts.get(fit.bone.index()) == Some(&part.body_bone))?;
        let chains = self.supporting_chains(part, &fit.shape);
        let change = FixChange::CreateCollider(fit.clone());
        (!chains.is_empty()).then_some(ClippingFix { body_bone: part.body_bone, chains, change })
    }

    fn assign_collider(&self, part: &PartIntrusion, id: ColliderId) -> Option<ClippingFix> {
        let mut chains = self.supporting_chains(part, &self.document.colliders.get(&id)?.shape);
        chains.retain(|chain| !self.is_assigned(*chain, id));
        let change = FixChange::AssignCollider(id);
        (!chains.is_empty()).then_some(ClippingFix { body_bone: part.body_bone, chains, change })
    }

    fn enlarge_collider(&self, part: &PartIntrusion, id: ColliderId) -> Option<ClippingFix> {
        let collider = self.document.colliders.get(&id)?;
        let chains: BTreeSet<ChainId> =
            part.chains.iter().filter(|chain| self.is_assigned(**chain, id)).copied().collect();
        let from = body::world_radius(&self.rest_frames, collider).filter(|radius| *radius > 0.0)?;
        let to = (from + DEPTH_MARGIN * part.strongest.depth).min(MAX_ENLARGEMENT * from);
        let change = FixChange::EnlargeCollider { collider: id, from, to };
        (!chains.is_empty()).then_some(ClippingFix { body_bone: part.body_bone, chains, change })
    }

    /// One change for the chains of each solver.
    fn enlarge_joints(&self, part: &PartIntrusion) -> Vec<ClippingFix> {
        let mut of_param: BTreeMap<(yuremono_sim::SolverKind, ParamId), BTreeSet<ChainId>> = BTreeMap::new();
        for id in &part.chains {
            let Some(chain) = self.document.chains.get(id) else { continue };
            let collides = chain.joints.iter().any(|joint| self.document.colliders_of(chain, joint).next().is_some());
            if let Some(param) = body::hit_radius_param(self.document, chain).filter(|_| collides) {
                of_param.entry((self.document.solver_of(chain), param)).or_default().insert(*id);
            }
        }
        let fix = |((_, param), chains): ((_, ParamId), BTreeSet<ChainId>)| {
            let radius = |id: &ChainId| thickest_joint(self.document, *id, param, self.skeleton);
            let from = chains.iter().map(radius).fold(0.0, f32::max);
            let most = if from > 0.0 { MAX_ENLARGEMENT * from } else { f32::MAX };
            let to = (from + DEPTH_MARGIN * part.strongest.depth).min(most);
            ClippingFix { body_bone: part.body_bone, chains, change: FixChange::EnlargeJoints { param, from, to } }
        };
        of_param.into_iter().map(fix).collect()
    }

    fn is_assigned(&self, chain: ChainId, collider: ColliderId) -> bool {
        let Some(chain) = self.document.chains.get(&chain) else { return false };
        let has = |joint| self.document.colliders_of(chain, joint).any(|id| id == collider);
        chain.joints.iter().any(has)
    }
}

const fn is_round(shape: &ColliderShape) -> bool {
    matches!(
        shape,
        ColliderShape::Sphere { inside: false, .. }
            | ColliderShape::Capsule { inside: false, .. }
            | ColliderShape::TaperedCapsule { inside: false, .. }
    )
}

/// Returns the largest value of a radius parameter in a chain.
fn thickest_joint(document: &Document, id: ChainId, param: ParamId, skeleton: &Skeleton) -> f32 {
    let Some(chain) = document.chains.get(&id) else { return 0.0 };
    let positions = document.curve_positions(chain, skeleton);
    let radii = (0..chain.joints.len()).map(|joint| chain.joint_value(joint, param, positions[joint]));
    radii.filter(|radius| radius.is_finite()).fold(0.0, f32::max)
}

impl ClippingFix {
    /// Returns the change with a share of its enlargement, 0 to 1; `None` for a change that enlarges nothing.
    pub fn with_share(&self, share: f32) -> Option<Self> {
        let mut fix = self.clone();
        match &mut fix.change {
            FixChange::EnlargeCollider { from, to, .. } | FixChange::EnlargeJoints { from, to, .. } => {
                *to = *from + (*to - *from) * share;
            }
            FixChange::CreateCollider(_) | FixChange::AssignCollider(_) => return None,
        }
        Some(fix)
    }

    /// Changes a document. A change that does not fit the document any more does nothing.
    fn apply(&self, document: &mut Document, skeleton: &Skeleton) {
        match &self.change {
            FixChange::CreateCollider(fit) => {
                let plan = body::plan_body_colliders(document, skeleton, std::slice::from_ref(fit), 1.0);
                let Edit::Batch(edits) = plan.edit else { return };
                // The plan assigns the collider to all joints in reach of the rest pose.
                let created = edits.into_iter().filter(|edit| !matches!(edit, Edit::PutChain { .. })).collect();
                let before: BTreeSet<ColliderId> = document.colliders.keys().copied().collect();
                apply_edit(document, Edit::Batch(created));
                let new: Vec<ColliderId> =
                    document.colliders.keys().filter(|id| !before.contains(id)).copied().collect();
                for id in new {
                    self.assign(document, skeleton, id);
                }
            }
            FixChange::AssignCollider(collider) => self.assign(document, skeleton, *collider),
            FixChange::EnlargeCollider { collider, from, to } => {
                let enlarge = |collider: &mut Collider| {
                    let fields = if matches!(collider.shape, ColliderShape::TaperedCapsule { .. }) { 2 } else { 1 };
                    for field in 0..fields {
                        collider.shape = collider.shape.with_field(field, collider.shape.field(field) * (to / from));
                    }
                };
                let edit = document.edit_element(*collider, enlarge);
                apply_edit(document, edit.unwrap_or_default());
            }
            FixChange::EnlargeJoints { param, from, to } => {
                let targets = EditTargets { chains: self.chains.iter().copied().collect(), joints: Vec::new() };
                let edit = if *from > 0.0 {
                    param_edits::scale_param(document, skeleton, &targets, *param, to / from)
                } else {
                    param_edits::set_param(document, skeleton, &targets, *param, *to)
                };
                apply_edit(document, edit);
            }
        }
    }

    fn assign(&self, document: &mut Document, skeleton: &Skeleton, collider: ColliderId) {
        let edit = body::assign_to_chains(document, skeleton, collider, &self.chains);
        let edit = groups::move_joint_colliders_to_groups(document, edit);
        apply_edit(document, edit);
    }
}

/// Applies an edit. A rejected edit changes nothing.
fn apply_edit(document: &mut Document, edit: Edit) {
    _ = document.apply(edit);
}

impl ClippingFix {
    /// Describes the change. `body_part` is the name of the part of the body.
    pub fn message(&self, document: &Document, body_part: &str) -> MessageText {
        let chains = self.chain_names(document);
        let collider = |id: &ColliderId| document.colliders.get(id).map_or_else(String::new, |c| excerpt(&c.name));
        let millimetres = |metres: f32| format!("{:.0}", 1000.0 * metres);
        match &self.change {
            FixChange::CreateCollider(fit) => message!(
                "create a collider of {radius} mm on {body_part} for {chains}",
                radius = millimetres(fit.shape.field(0)),
                body_part,
                chains
            ),
            FixChange::AssignCollider(id) => {
                message!("assign the collider {collider} to {chains}", collider = collider(id), chains)
            }
            FixChange::EnlargeCollider { collider: id, from, to } => message!(
                "enlarge the collider {collider} from {from} to {to} mm",
                collider = collider(id),
                from = millimetres(*from),
                to = millimetres(*to)
            ),
            FixChange::EnlargeJoints { from, to, .. } => message!(
                "enlarge the hit radius of {chains} from {from} to {to} mm",
                chains,
                from = millimetres(*from),
                to = millimetres(*to)
            ),
        }
    }

    fn chain_names(&self, document: &Document) -> MessageText {
        chain_list(document, &self.chains.iter().copied().collect::<Vec<_>>())
    }
}

/// Lists chains: the first name and the number of the others.
pub fn chain_list(document: &Document, chains: &[ChainId]) -> MessageText {
    let mut names = chains.iter().filter_map(|id| document.chains.get(id)).map(|chain| excerpt(&chain.name));
    let first = names.next().unwrap_or_default();
    match names.count() {
        0 => first.into(),
        1 => message!("{first} and 1 more chain", first),
        more => message!("{first} and {more} more chains", first, more),
    }
}
