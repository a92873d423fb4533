mod apply;
mod checks;

use crate::document::{
    BaseMotion, Chain, ChainId, Change, Changes, Collider, ColliderGroup, ColliderId, CurveDomain, Document, Element,
    Force, ForceId, Gesture, GestureId, GroupId, Helper, HelperId, HighLeg, HighLegId, Material, MaterialId, Node,
    Passthrough, PosedBone, RingPlace, Setup, System, SystemId,
};
use std::fmt;
use yuremono_sim::diagnostics::{MessageText, excerpt, message};
use yuremono_sim::math::{Curve, RingCurve};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{BoneId, Skeleton};

/// A change of the document.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the variants describe their fields")]
pub enum Edit {
    /// Sets a value of system scope, in the unit of the parameter.
    SetSystemValue { system: SystemId, param: ParamId, value: f32 },
    /// Sets a base value of joint scope, in the unit of the parameter. If the chain's material has the parameter, the
    /// edit changes the material and all of its chains.
    SetBaseValue { chain: ChainId, param: ParamId, value: f32 },
    /// Sets or removes a curve of a chain, which is a factor along the chain. Materials change as in
    /// [`Edit::SetBaseValue`].
    SetCurve { chain: ChainId, param: ParamId, curve: Option<Curve> },
    /// Sets or removes the ring curve of a chain's value, which is a factor. Materials change as in
    /// [`Edit::SetBaseValue`].
    SetRingCurve { chain: ChainId, param: ParamId, curve: Option<RingCurve> },
    /// Puts a chain into a ring, or takes the chain out of its ring.
    SetRingPlace { chain: ChainId, place: Option<RingPlace> },
    /// Sets an override of a joint. `None` removes the override.
    SetOverride { chain: ChainId, bone: BoneId, param: ParamId, value: Option<f32> },
    /// Sets the domain of a chain's curves.
    SetCurveDomain { chain: ChainId, curve_domain: CurveDomain },
    /// Adds or replaces a chain; `None` removes the chain. If the chain's values differ from its material, the material
    /// is unassigned.
    PutChain { id: ChainId, chain: Option<Box<Chain>> },
    /// Adds, replaces or removes a material. Chains with the material get its values, and keep them when the material
    /// is removed.
    PutMaterial { id: MaterialId, material: Option<Box<Material>> },
    /// Assigns a material to a chain, which gets the material's values. `None` unassigns the material; the chain keeps
    /// its values.
    SetMaterial { chain: ChainId, material: Option<MaterialId> },
    /// Adds, replaces or removes a helper.
    PutHelper { id: HelperId, helper: Option<Helper> },
    /// Adds, replaces or removes a collider.
    PutCollider { id: ColliderId, collider: Option<Collider> },
    /// Adds, replaces or removes a collider group.
    PutGroup { id: GroupId, group: Option<ColliderGroup> },
    /// Adds, replaces or removes a system. A system with chains keeps its solver and cannot be removed.
    PutSystem { id: SystemId, system: Option<Box<System>> },
    /// Adds, replaces or removes a force.
    PutForce { id: ForceId, force: Option<Force> },
    /// Adds, replaces or removes a leg follower.
    PutHighLeg { id: HighLegId, high_leg: Option<HighLeg> },
    /// Sets whether the mesh with this name is drawn.
    SetMeshVisible { name: String, enabled: bool },
    /// Adds, replaces or removes a gesture.
    PutGesture { id: GestureId, gesture: Option<Gesture> },
    /// Sets the motion on which a gesture was recorded. `None` is the rest pose.
    SetBaseMotion { id: GestureId, base_motion: Option<BaseMotion> },
    /// Replaces the displaced bones of the kept pose.
    SetKeptPose(Vec<PosedBone>),
    /// Sets the pivot of a joint, which is the frame of its angle limits.
    SetPivot { chain: ChainId, bone: BoneId, pivot: Option<Node> },
    /// Excludes a bone from detection and chain creation, or includes it again.
    SetExcluded { bone: BoneId, excluded: bool },
    /// Replaces the passthrough entries.
    SetPassthrough(Vec<Passthrough>),
    /// Gives each place its new value, all at once. See [`difference`].
    Changes(Changes),
    /// Several edits, applied and undone together.
    Batch(Vec<Self>),
}

/// Why an edit was rejected. A rejected edit leaves the document unchanged. Numbers are ids and bone indices, which
/// messages do not contain; [`EditError::with_names`] adds names.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the sentences of the messages describe the variants")]
pub enum EditError {
    NoSuchChain(u32),
    NoSuchJoint {
        chain: String,
        bone: u32,
    },
    NoSuchSystem(u32),
    NoSuchParam(u16),
    NotANumber {
        label: &'static str,
        value: f32,
    },
    InvalidElement(String),
    NoSuchGesture(u32),
    BoneInUse {
        bone: u32,
        chain: String,
    },
    InvalidChain(String),
    InvalidComponentLists(u32),
    NoSuchHelper(u32),
    HelperInUse(String),
    NoSuchCollider(u32),
    NoSuchMaterial(u32),
    InvalidMaterial(String),
    NoSuchGroup(u32),
    /// An error with the names of what it is about.
    Named(MessageText),
}

impl EditError {
    /// Returns the message for the user.
    pub fn message(&self) -> MessageText {
        match self {
            Self::NoSuchChain(_) => message!("the chain does not exist"),
            Self::NoSuchJoint { chain, .. } => message!("chain \"{chain}\" has no joint on the bone", chain),
            Self::NoSuchSystem(_) => message!("the system does not exist, or chains still use it"),
            Self::NoSuchParam(_) => message!("the solver does not have the parameter"),
            Self::NotANumber { label, value } => {
                message!(
                    "{label} must be a number, got {value}",
                    label = MessageText::without_args(label),
                    value = *value
                )
            }
            Self::InvalidElement(name) => {
                message!("\"{name}\" has a value that is not a number or that is far too large", name)
            }
            Self::NoSuchGesture(_) => message!("the gesture does not exist, or it has no samples"),
            Self::BoneInUse { chain, .. } => message!("a bone already belongs to chain \"{chain}\"", chain),
            Self::InvalidChain(name) => {
                message!("chain \"{name}\" has no joint, has a bone twice, or has a value that is not a number", name)
            }
            Self::InvalidComponentLists(_) => {
                message!("the component lists are for another solver, or have a value that is not a number")
            }
            Self::NoSuchHelper(_) => message!("the helper does not exist, or it would be its own parent"),
            Self::HelperInUse(name) => message!("helper \"{name}\" is still in use", name),
            Self::NoSuchCollider(_) => message!("the collider does not exist, or it is still in use"),
            Self::NoSuchMaterial(_) => message!("the material does not exist, or it is for another solver"),
            Self::InvalidMaterial(name) => message!(
                "material \"{name}\" lacks a parameter of its solver, or has a value that is not a number",
                name
            ),
            Self::NoSuchGroup(_) => message!("the collider group does not exist, or it is still in use"),
            Self::Named(message) => message.clone(),
        }
    }

    /// Returns the error with the names of bones and elements of the document that rejected the edit.
    #[must_use]
    pub fn with_names(self, document: &Document, skeleton: &Skeleton) -> Self {
        let name = |name: &str| excerpt(name);
        let bone_name = |bone: u32| {
            let missing = || document.missing_bones.path(BoneId(bone)).map(|path| path.name.as_str());
            let own = ((bone as usize) < skeleton.len()).then(|| skeleton.name(BoneId(bone)));
            own.or_else(missing).map(name)
        };
        let named = match &self {
            Self::NoSuchJoint { chain, bone } => bone_name(*bone)
                .map(|bone| message!("chain \"{chain}\" has no joint on bone \"{bone}\"", chain = name(chain), bone)),
            Self::BoneInUse { bone, chain } => bone_name(*bone).map(|bone| {
                message!("bone \"{bone}\" already belongs to chain \"{chain}\"", bone, chain = name(chain))
            }),
            Self::NoSuchHelper(id) => document
                .helpers
                .get(&HelperId(*id))
                .map(|helper| message!("helper \"{name}\" would be its own parent", name = name(&helper.name))),
            Self::NoSuchCollider(id) => document
                .colliders
                .get(&ColliderId(*id))
                .map(|collider| message!("collider \"{name}\" is still in use", name = name(&collider.name))),
            Self::NoSuchGroup(id) => document
                .groups
                .get(&GroupId(*id))
                .map(|group| message!("collider group \"{name}\" is still in use", name = name(&group.name))),
            Self::NoSuchMaterial(id) => document.materials.get(&MaterialId(*id)).map(|material| {
                message!(
                    "material \"{name}\" is for {solver}, which its chains do not use",
                    name = name(&material.name),
                    solver = material.solver.key()
                )
            }),
            Self::NoSuchSystem(id) => document
                .systems
                .get(&SystemId(*id))
                .map(|system| message!("chains still use the system of {solver}", solver = system.solver.key())),
            _ => None,
        };
        named.map_or(self, Self::Named)
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for EditError {}

/// An element that one edit adds, replaces and removes.
pub(crate) trait PutElement: Element {
    /// Returns the edit that adds or replaces the element. `None` removes the element.
    fn put(id: Self::Id, element: Option<Self>) -> Edit;
}

macro_rules! put_edits {
    ($($Element:ident: $Put:ident $field:ident;)*) => {$(
        impl PutElement for $Element {
            fn put(id: Self::Id, element: Option<Self>) -> Edit {
                Edit::$Put { id, $field: element.map(Into::into) }
            }
        }
    )*};
}
put_edits! {
    System: PutSystem system;
    Chain: PutChain chain;
    Material: PutMaterial material;
    Helper: PutHelper helper;
    Collider: PutCollider collider;
    ColliderGroup: PutGroup group;
    Force: PutForce force;
    HighLeg: PutHighLeg high_leg;
}

impl Default for Edit {
    fn default() -> Self {
        Self::Batch(Vec::new())
    }
}

impl Setup {
    /// Returns the edit that applies `change` to a copy of an element, or `None` if the element is missing or stays
    /// unchanged.
    pub(crate) fn edit_element<E: PutElement>(&self, id: E::Id, change: impl FnOnce(&mut E)) -> Option<Edit> {
        let old = E::all(self).get(&id)?;
        let mut element = old.clone();
        change(&mut element);
        (element != *old).then(|| E::put(id, Some(element)))
    }

    /// Returns the edits for all elements of a type that `change` changes.
    pub(crate) fn edit_elements<E: PutElement>(&self, mut change: impl FnMut(E::Id, &mut E)) -> Vec<Edit> {
        E::all(self).keys().filter_map(|id| self.edit_element(*id, |element| change(*id, element))).collect()
    }
}

type ApplyResult = Result<(), EditError>;

/// Returns the edit from `before` to `after`, or an empty batch if they are equal. Gestures, the kept pose and missing
/// bones are ignored.
pub fn difference(before: &Document, after: &Document) -> Edit {
    let mut changes = Changes::between(before, after);
    changes.retain(|change| !matches!(change, Change::Gesture(_) | Change::BaseMotion(_) | Change::KeptPose(_)));
    if changes.is_empty() { Edit::default() } else { Edit::Changes(changes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::HelperRole;
    use yuremono_sim::SolverKind;
    use yuremono_sim::math::Trs;

    fn document_with_helpers(parents: [Node; 2]) -> Document {
        let helper = |parent| Helper { name: "n".to_owned(), parent, local: Trs::IDENTITY, role: HelperRole::Null };
        let helpers = parents.into_iter().enumerate().map(|(i, parent)| (HelperId(i as u32 + 1), helper(parent)));
        Document {
            setup: Setup { helpers: helpers.collect(), ..Setup::with_solver(SolverKind::default()) },
            ..Document::default()
        }
    }

    #[test]
    fn helpers_that_swap_parents_are_one_edit() {
        let [bone, one, two] = [Node::Bone(BoneId(0)), Node::Helper(HelperId(1)), Node::Helper(HelperId(2))];
        let (before, after) = (document_with_helpers([bone, one]), document_with_helpers([two, bone]));
        let mut document = before.clone();
        let changes = document.apply_recorded(difference(&before, &after)).expect("the whole fits");
        assert_eq!(document, after);
        changes.revert(&mut document);
        assert_eq!(document, before);
    }
}
