//! The document: all data that is authored on one character.
//!
//! A [`Document`] changes only through [`Document::apply`]. [`History`] stores the [`Changes`] of each edit.
//! [`param_edits`] converts requests such as "this value on these chains" to edits. This module contains
//! no egui, no solver state and no time.

pub(crate) mod chain;
pub(crate) mod change;
pub(crate) mod component_lists;
pub(crate) mod edit;
pub(crate) mod elements;
pub mod extensions;
pub mod flip_axis;
pub mod groups;
pub(crate) mod history;
pub mod hull;
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
pub mod rest_frame;
pub mod ring;
pub(crate) mod setup;
pub mod skirt;
pub mod source_frames;
pub(crate) mod system;

pub(crate) use chain::joint_scope_params;
pub use chain::{Chain, ChainPart, CurveDomain, Joint, LengthTarget, Tip};
pub use change::{Change, Changes, Element, ElementChange, Invalidation, Replaced};
pub use component_lists::{
    ComponentLists, EzSoftBoneLists, JointDynamicsLists, JointDynamicsNodePoint, ListCurve, ListCurveId, ListKind,
    NamedComponentLists,
};
pub use edit::{Edit, EditError, difference};
pub use elements::{
    BaseMotion, Collider, ColliderGroup, DragReach, Force, Gesture, GestureSample, Helper, HelperRole, HighLeg,
    MAX_BASE_MOTION_DEPTH, MAX_POSED_BONES, Material, MotionRef, PosedBone,
};
pub use extensions::ActiveExtension;
pub use flip_axis::FlipAxis;
pub use history::{EditKind, EditLabel, History};
pub use map_naming::{MapNames, MapNaming, MapReferences, NameKind};
pub use measure::{RestFrames, bone_of_node, tip_bone};
pub use missing_bones::{BonePath, BonePaths, FoundBone, MissingBones};
pub use model::Document;
pub use naming::{
    ById, ChainId, ChainValue, ColliderId, FileNaming, ForceId, GestureId, GroupId, HelperId, HighLegId, JointRef,
    MaterialId, Naming, Node, RingId, RingPlace, SerdeSchema, SystemId,
};
pub use resolve::ResolvedDocument;
pub use setup::{ByName, ByPath, ChainEntry, JointEntry, NodeRef, Passthrough, ReplacedProperties, Setup, SetupEntry};
pub use system::System;
