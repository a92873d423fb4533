//! The Doctor: finds what is wrong with a setup, says why, and fixes it where a fix is certain.
//!
//! [`examine`] reads the document, the skeleton and a world in the rest pose. Findings that need a motion are measured by
//! `session/doctor` and have the same type. [`FindingKind`] is the one table of findings. Whatever depends on a solver is
//! a query of the solver or of the world, so a new solver needs no change here.

mod frame_rates;
mod joints;
mod objects;
mod sides;

pub use joints::reduced_radius;

use crate::document::param_edits::{EditTargets, set_param};
use crate::document::{
    Chain, ChainId, ColliderId, Document, Edit, ForceId, Joint, ResolvedDocument, difference, groups,
};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::diagnostics::{MessageText, Severity, excerpt, message};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{BoneId, Character, Skeleton};
use yuremono_sim::{JointIndex, JointSetup, SystemSetup, TipSetup, World};

/// Declares the kinds of findings: variant, key in JSON, severity.
macro_rules! finding_kinds {
    ($($(#[$meta:meta])* $kind:ident, $key:literal, $severity:ident;)*) => {
        /// What is wrong with a setup.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingKind {
            $($(#[$meta])* $kind,)*
        }

        impl FindingKind {
            /// All kinds, in the order in which findings are listed.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Returns the key in JSON, which never changes.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$kind => $key,)*
                }
            }

            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$kind => Severity::$severity,)*
                }
            }
        }
    };
}

finding_kinds! {
    /// A chain leaves its bounds in a motion. The guard of the world returns the chain to its rest pose.
    RunsAway, "runs-away", Warning;
    /// A spring overshoots within one step.
    UnstableStiffness, "unstable-stiffness", Warning;
    /// A tip keeps moving although the pose is still.
    Jitter, "jitter", Warning;
    /// A collider and an angle limit push a tip in opposite directions.
    Fighting, "limit-fights-collider", Warning;
    /// A tip is inside a collider in the rest pose.
    TipInsideCollider, "tip-inside-collider", Warning;
    /// The head and the tip of a joint are in the same place.
    ZeroLength, "zero-length", Warning;
    /// The hit radius of a joint is near or above the length of its bone.
    RadiusNearLength, "radius-near-length", Warning;
    /// An angle limit has no pivot.
    LimitWithoutPivot, "limit-without-pivot", Warning;
    /// A bone has an uneven or negative scale.
    UnevenScale, "uneven-scale", Warning;
    /// A bone is scaled, and the solver measures lengths without the scale.
    ScaledLength, "scaled-length", Warning;
    /// A force that is on moves nothing.
    IdleForce, "idle-force", Warning;
    /// A bone is scaled, which changes the meaning of radii.
    ScaledRadius, "scaled-radius", Info;
    /// A collider is a child of a simulated bone.
    ColliderOnSpringBone, "collider-on-spring-bone", Info;
    /// No solver reads the values of a last joint.
    UnreadValues, "unread-values", Info;
    /// Values of left and right joints differ.
    SidesDiffer, "sides-differ", Info;
    /// The stiffness depends on the frame rate.
    FrameRate, "frame-rate", Info;
}

/// A part of a setup that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A bone, usually with a joint.
    Bone(BoneId),
    /// A collider.
    Collider(ColliderId),
    /// A force.
    Force(ForceId),
}

/// One or more alike problems.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// Effect and remedy, with the first names.
    pub message: MessageText,
    /// Everything that the finding is about, the clearest case first. Never empty.
    pub subjects: Vec<Subject>,
    /// The edit that fixes the problem; `None` if only the artist can decide.
    pub fix: Option<Edit>,
}

impl Finding {
    /// Creates a finding about bones, without a fix.
    pub fn new(kind: FindingKind, message: MessageText, bones: impl IntoIterator<Item = BoneId>) -> Self {
        Self { kind, message, subjects: bones.into_iter().map(Subject::Bone).collect(), fix: None }
    }

    /// Sets the edit that fixes the problem, unless the edit is empty.
    #[must_use]
    pub fn with_fix(self, fix: Option<Edit>) -> Self {
        Self { fix: fix.filter(|edit| *edit != Edit::default()), ..self }
    }

    #[must_use]
    fn with_colliders(mut self, colliders: impl IntoIterator<Item = ColliderId>) -> Self {
        self.subjects.extend(colliders.into_iter().map(Subject::Collider));
        self
    }

    /// Returns the bones of the finding.
    pub fn bones(&self) -> impl Iterator<Item = BoneId> {
        self.subjects.iter().filter_map(|subject| match subject {
            Subject::Bone(bone) => Some(*bone),
            Subject::Collider(_) | Subject::Force(_) => None,
        })
    }
}

impl Subject {
    /// Returns the name in lists.
    pub fn name(self, document: &Document, skeleton: &Skeleton) -> String {
        match self {
            Self::Bone(bone) if bone.index() < skeleton.len() => skeleton.name(bone).to_owned(),
            Self::Bone(_) => String::new(),
            Self::Collider(id) => document.colliders.get(&id).map_or_else(String::new, |c| c.name.clone()),
            Self::Force(id) => document.forces.get(&id).map_or_else(String::new, |f| f.name.clone()),
        }
    }
}

/// The setup that is examined.
#[derive(Clone, Copy, Debug)]
pub struct ExaminedSetup<'a> {
    pub character: &'a Character,
    pub document: &'a Document,
    /// The document as input of the simulation.
    pub resolved: &'a ResolvedDocument,
    /// Previewed frames per second.
    pub frame_rate: u32,
}

/// Number of names in a message.
const LISTED_NAMES: usize = 3;
/// Length below which a bone has no direction, in metres.
const MIN_LENGTH: f32 = 1e-4;

/// Returns the findings that need no motion, in the order of [`FindingKind::ALL`].
pub fn examine(setup: ExaminedSetup<'_>) -> Vec<Finding> {
    const CHECKS: [fn(&Examination<'_>) -> Vec<Finding>; 12] = [
        frame_rates::unstable_stiffness,
        joints::tips_inside_colliders,
        joints::zero_lengths,
        joints::radii_near_lengths,
        joints::limits_without_pivots,
        objects::uneven_scales,
        objects::scaled_lengths,
        objects::scaled_radii,
        objects::idle_forces,
        objects::colliders_on_spring_bones,
        joints::unread_values,
        frame_rates::frame_rate_dependence,
    ];
    let examination = Examination::new(setup);
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(&examination)).collect();
    findings.extend(sides::differing_sides(&examination));
    findings.sort_by_key(|finding| finding.kind);
    findings
}

/// Applies the fixes of all warnings, one after the other, because each depends on the setup that it changes. Notes are
/// left out: only the artist knows whether they are meant. Returns one edit, and the number of fixes.
pub fn fix_all(character: &Character, document: &Document, frame_rate: u32) -> (Edit, usize) {
    let mut after = document.clone();
    let mut done: Vec<FindingKind> = Vec::new();
    loop {
        let resolved = after.resolve(&character.skeleton);
        let findings = examine(ExaminedSetup { character, document: &after, resolved: &resolved, frame_rate });
        let next = findings.into_iter().find(|finding| {
            finding.kind.severity() > Severity::Info && finding.fix.is_some() && !done.contains(&finding.kind)
        });
        let Some(Finding { kind, fix: Some(fix), .. }) = next else { break };
        // A fix that the document rejects changes nothing.
        _ = after.apply(fix);
        done.push(kind);
    }
    (difference(document, &after), done.len())
}

/// Lists names: the first ones and the number of the others.
pub fn name_list(names: impl IntoIterator<Item = String>) -> MessageText {
    let mut names: Vec<String> = names.into_iter().map(|name| excerpt(&name)).collect();
    let more = names.len().saturating_sub(LISTED_NAMES);
    names.truncate(LISTED_NAMES);
    let name = names.join(", ");
    if more == 0 { name.into() } else { message!("{name} and {more} more", name, more) }
}

/// A setup with its world in the rest pose.
struct Examination<'a> {
    character: &'a Character,
    document: &'a Document,
    resolved: &'a ResolvedDocument,
    frame_rate: u32,
    world: World,
}

/// An enabled joint on a bone of the character.
#[derive(Clone, Copy)]
struct ExaminedJoint<'a> {
    index: JointIndex,
    chain: ChainId,
    /// Index in the chain.
    place: usize,
    setup: &'a JointSetup,
    system: &'a SystemSetup,
    /// Distance from head to tip in the solver, in metres; 0 if the solver has no tip for the joint.
    length: f32,
}

impl ExaminedJoint<'_> {
    const fn bone(&self) -> BoneId {
        self.setup.bone
    }

    /// Whether the joint is a rigid body, which has a centre of mass and no tip that turns around the head.
    const fn is_rigid_body(&self) -> bool {
        self.system.solver.info().center_of_mass_params.is_some()
    }

    /// Whether the bone has neither a child nor an authored tip.
    fn is_leaf(&self) -> bool {
        matches!(&self.setup.tip, TipSetup::Bones(bones) if bones.is_empty())
    }
}

impl<'a> Examination<'a> {
    fn new(setup: ExaminedSetup<'a>) -> Self {
        let ExaminedSetup { character, document, resolved, frame_rate } = setup;
        let world = World::build(&resolved.skeleton, &resolved.systems);
        Self { character, document, resolved, frame_rate, world }
    }

    fn skeleton(&self) -> &'a Skeleton {
        &self.character.skeleton
    }

    fn chain(&self, joint: &ExaminedJoint<'_>) -> &'a Chain {
        &self.document.chains[&joint.chain]
    }

    fn joints(&self) -> impl Iterator<Item = ExaminedJoint<'a>> {
        let resolved = self.resolved;
        let of_system = move |(at, system): (usize, &'a SystemSetup)| {
            system.joints.iter().enumerate().filter(|(_, setup)| setup.enabled).filter_map(move |(joint, setup)| {
                let index = JointIndex { system: at as u32, joint: joint as u32 };
                let (chain, place) = *resolved.joint_by_bone.get(&setup.bone)?;
                let length = self.world.tip_offset(index).map_or(0.0, glam::Vec3::length);
                Some(ExaminedJoint { index, chain, place, setup, system, length })
            })
        };
        resolved.systems.iter().enumerate().flat_map(of_system)
    }

    /// Lists the names of bones.
    fn bone_names(&self, bones: &[BoneId]) -> MessageText {
        name_list(bones.iter().map(|bone| self.skeleton().name(*bone).to_owned()))
    }

    /// Returns the edit that changes the joints of these bones.
    fn edit_joints(&self, bones: &[BoneId], change: impl Fn(&mut Joint)) -> Option<Edit> {
        let bones: BTreeSet<BoneId> = bones.iter().copied().collect();
        let edits = self.document.edit_elements(|_, chain: &mut Chain| {
            chain.joints.iter_mut().filter(|joint| bones.contains(&joint.bone)).for_each(&change);
        });
        (!edits.is_empty()).then_some(Edit::Batch(edits))
    }

    /// Works like [`set_joint_values`].
    fn set_values(&self, values: &[(ExaminedJoint<'_>, ParamId, f32)]) -> Option<Edit> {
        let of_joint = |(joint, param, value): &(ExaminedJoint<'_>, ParamId, f32)| JointValue {
            chain: joint.chain,
            bone: joint.bone(),
            param: *param,
            value: *value,
        };
        set_joint_values(self.document, self.skeleton(), &values.iter().map(of_joint).collect::<Vec<_>>())
    }
}

/// The value of a parameter of one joint.
#[derive(Clone, Copy, Debug)]
pub struct JointValue {
    pub chain: ChainId,
    pub bone: BoneId,
    pub param: ParamId,
    pub value: f32,
}

/// Returns the edit that gives joints a value. Where a file stores one value per chain, the chain gets the smallest value
/// of its joints.
pub fn set_joint_values(document: &Document, skeleton: &Skeleton, values: &[JointValue]) -> Option<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut per_chain = BTreeMap::new();
    for &JointValue { chain, bone, param, value } in values {
        if groups::has_values_per_chain(document.system_of(&document.chains[&chain])) {
            let least = per_chain.entry((chain, param)).or_insert(value);
            *least = value.min(*least);
        } else {
            edits.push(Edit::SetOverride { chain, bone, param, value: Some(value) });
        }
    }
    for ((chain, param), value) in per_chain {
        let targets = EditTargets { chains: vec![chain], joints: Vec::new() };
        edits.push(set_param(document, skeleton, &targets, param, value));
    }
    (!edits.is_empty()).then_some(Edit::Batch(edits))
}

#[cfg(test)]
mod tests;
