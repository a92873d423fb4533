//! What is authored.
//!
//! [`Document`] is everything that is saved and undone; it changes only through [`Document::apply`], which
//! returns the inverse of what it did. [`History`] keeps those inverses. [`param_edits`] turns what an artist asks for
//! ("this value on these chains") into edits. No egui, no solver state and no time live here.

pub(crate) mod base_motion;
pub(crate) mod chain;
pub(crate) mod chain_value;
pub(crate) mod component_lists;
pub(crate) mod default_system;
pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod elements;
pub mod extensions;
pub(crate) mod file_naming;
pub mod flip_axis;
mod gesture_edits;
pub mod groups;
pub(crate) mod history;
pub mod hull;
pub(crate) mod ids;
pub(crate) mod map_naming;
pub mod material;
pub mod measure;
pub(crate) mod missing_bones;
pub(crate) mod model;
pub mod names;
pub(crate) mod naming;
pub mod param_edits;
pub mod pivot;
pub(crate) mod resolve;
pub(crate) mod rest_frames;
pub(crate) mod setup;
pub(crate) mod setup_entry;
pub mod skirt;
pub(crate) mod system;

pub use base_motion::{BaseMotion, MAX_BASE_MOTION_DEPTH, MotionRef};
pub use chain::{Chain, ChainPart, CurveDomain, Joint, LengthTarget, Tip};
pub use chain_value::ChainValue;
pub use component_lists::{
    ComponentLists, EzSoftBoneLists, JointDynamicsLists, JointDynamicsNodePoint, ListCurve, ListCurveId, ListKind,
    NamedComponentLists,
};
pub use diff::difference;
pub use edit::{Edit, EditError, Invalidation, SolverChange};
pub use elements::{Collider, ColliderGroup, Force, Gesture, GestureSample, Helper, HelperRole, HighLeg, Material};
pub use extensions::ActiveExtension;
pub use file_naming::{ByName, ByPath, NodeRef};
pub use flip_axis::FlipAxis;
pub use history::{EditLabel, History};
pub use ids::{
    ChainId, ColliderId, ForceId, GestureId, GroupId, HelperId, HighLegId, JointRef, MaterialId, Node, SystemId,
};
pub use map_naming::{MapNaming, MapNodes};
pub use missing_bones::{BonePath, BonePaths, FoundBone, MissingBones};
pub use model::Document;
pub use naming::{ById, FileNaming, Naming, SerdeSchema};
pub use resolve::ResolvedDocument;
pub use rest_frames::{RestFrames, bone_of_node, tip_bone};
pub use setup::Setup;
pub use setup_entry::{ChainEntry, JointEntry, JointScope, Passthrough, SetupEntry};
pub use system::System;
