//! Every rule with its id, severity, sentence and advice. An error breaks the specification; a warning is legal or
//! unclear but moves differently from what it seems to say; an info is worth knowing.

use crate::diagnostics::{FormatRule, Severity};

const fn error(id: &'static str, states: &'static str, advice: &'static str) -> FormatRule {
    FormatRule { id, severity: Severity::Error, expected: states, advice }
}

const fn warning(id: &'static str, states: &'static str, advice: &'static str) -> FormatRule {
    FormatRule { id, severity: Severity::Warning, expected: states, advice }
}

const fn info(id: &'static str, states: &'static str, advice: &'static str) -> FormatRule {
    FormatRule { id, severity: Severity::Info, expected: states, advice }
}

// What any part may break.
pub(super) static WRONG_TYPE: FormatRule = error(
    "wrong-type",
    "every field has the type that the specification gives it",
    "write a value of the expected type, or leave the field out to get its default",
);
pub(super) static NUMBER_AS_TEXT: FormatRule = error(
    "number-as-text",
    "numbers are written as JSON numbers, which have no NaN and no infinity",
    "write a plain number; NaN is often the trace of a division by zero in the exporter",
);
pub(super) static NUMBER_TOO_LARGE: FormatRule = error(
    "number-too-large",
    "numbers fit into 32-bit floats",
    "write a number below 3.4e38; runtimes read this one as infinity",
);
pub(super) static REQUIRED_MISSING: FormatRule = error(
    "required-missing",
    "required fields are there",
    "add the field, or remove the object that cannot be used without it",
);
pub(super) static LIST_EMPTY: FormatRule =
    error("list-empty", "a list that is there has an entry", "leave the list out, or the object that holds it");
pub(super) static EXTENSION_NOT_DECLARED: FormatRule = error(
    "extension-not-declared",
    "an extension that is used is named in extensionsUsed",
    "add its name to extensionsUsed; strict loaders do not look at extensions that are not named there",
);
pub(super) static SPEC_VERSION_MISSING: FormatRule = error(
    "spec-version-missing",
    "the extension says its specVersion",
    "add \"specVersion\": \"1.0\"; some runtimes pass the extension over without it",
);
pub(super) static SPEC_VERSION_UNKNOWN: FormatRule = warning(
    "spec-version-unknown",
    "specVersion is \"1.0\"",
    "write \"1.0\" once the content follows the finished specification; runtimes may pass others over",
);
pub(super) static NODE_RANGE: FormatRule = error(
    "node-out-of-range",
    "a node is named by its position in nodes",
    "name an existing node; the exporter may have removed nodes after it had written the springs",
);
pub(super) static COLLIDER_RANGE: FormatRule = error(
    "collider-out-of-range",
    "a collider is named by its position in colliders",
    "name an existing collider, or take the entry out of the group",
);
pub(super) static GROUP_RANGE: FormatRule = error(
    "group-out-of-range",
    "a collider group is named by its position in colliderGroups",
    "name an existing group, or take the entry out of the spring",
);
pub(super) static INDEX_REPEATED: FormatRule = warning(
    "index-repeated",
    "a list names each thing once",
    "name it once; named twice it costs time and may push twice as hard",
);

// Numbers of joints, in both versions.
pub(super) static HIT_RADIUS_NEGATIVE: FormatRule =
    error("hit-radius-negative", "hitRadius is 0 or more", "write 0 where the joint should not touch colliders");
pub(super) static STIFFNESS_NEGATIVE: FormatRule = error(
    "stiffness-negative",
    "stiffness is 0 or more",
    "write 0 for a joint that hangs freely; below 0 it flees from its rest pose",
);
pub(super) static GRAVITY_POWER_NEGATIVE: FormatRule = error(
    "gravity-power-negative",
    "gravityPower is 0 or more",
    "turn gravityDir round and write the number without its sign",
);
pub(super) static DRAG_RANGE: FormatRule = error(
    "drag-out-of-range",
    "dragForce lies in 0 to 1",
    "write 0 to 1; below 0 the joint speeds up for ever, above 1 it trembles",
);
pub(super) static GRAVITY_DIR_ZERO: FormatRule = warning(
    "gravity-dir-zero",
    "gravityDir has a direction",
    "write [0, -1, 0], and gravityPower 0 where no gravity is meant; a runtime that normalises it gets NaN",
);
pub(super) static GRAVITY_DIR_LENGTH: FormatRule = info(
    "gravity-dir-not-unit",
    "gravityDir is meant as a direction of length 1",
    "put the length into gravityPower; some runtimes multiply by the length, others normalise",
);

// Springs of VRM 1.0.
pub(super) static JOINT_NOT_BELOW: FormatRule = error(
    "joint-not-below",
    "each joint is a descendant of the joint before it",
    "order the joints from root to tip, and give each branch a spring of its own",
);
pub(super) static JOINT_REPEATED: FormatRule =
    error("joint-repeated", "a node is a joint of its spring once", "take the second one out of the list");
pub(super) static NODE_IN_TWO_SPRINGS: FormatRule = error(
    "node-in-two-springs",
    "a node belongs to one spring at most",
    "take it out of one of them; which spring moves it depends on the runtime",
);
pub(super) static SKIPPED_IN_TWO_SPRINGS: FormatRule = error(
    "skipped-node-in-two-springs",
    "a node that a spring skips between two joints counts as a part of that spring",
    "make it a joint of one spring only, and end the other above it",
);
pub(super) static JOINT_SKIPS_NODES: FormatRule = info(
    "joint-skips-nodes",
    "skipped nodes are ignored, but some runtimes take the bone's direction from the tail's own translation",
    "name the nodes in between as joints so that the chain moves alike everywhere",
);
pub(super) static SINGLE_JOINT: FormatRule =
    info("single-joint", "two joints make one that moves", "add a tail joint, or remove the spring");
pub(super) static LAST_JOINT_UNUSED: FormatRule = info(
    "last-joint-unused",
    "the last joint of a spring only marks a tail; its parameters are not used",
    "add a node behind it to make it swing, or take the numbers out so that nobody tunes them in vain",
);
pub(super) static CENTER_NOT_ABOVE: FormatRule = error(
    "center-not-above",
    "center is the first joint of the spring or an ancestor of it",
    "choose hips, head or another bone above the spring, or leave center out",
);
pub(super) static CENTER_IN_SPRING: FormatRule = error(
    "center-in-spring",
    "center is neither a joint of another spring nor below one",
    "choose a bone that no spring moves",
);
pub(super) static V1_STIFFNESS_MISSPELLED: FormatRule = error(
    "stiffiness-in-1.0",
    "VRM 1.0 spells it stiffness; \"stiffiness\" is the spelling of 0.x",
    "rename the field to stiffness; most runtimes use the default 1.0 instead",
);

// Colliders of VRM 1.0.
pub(super) static RADIUS_NEGATIVE: FormatRule =
    error("radius-negative", "the radius of a collider is 0 or more", "write 0 or a positive number of metres");
pub(super) static SHAPE_MISSING: FormatRule = error(
    "shape-missing",
    "a collider has a shape with a sphere or a capsule",
    "add {\"sphere\": {\"offset\": [0, 0, 0], \"radius\": 0.05}}, or remove the collider",
);
pub(super) static SHAPE_AMBIGUOUS: FormatRule = error(
    "shape-twice",
    "a shape is exactly one of its kinds",
    "make two colliders of it; which kind is used depends on the runtime",
);
pub(super) static BASE_SHAPE_MISSING: FormatRule = error(
    "base-shape-missing",
    "a collider with an extended shape has a plain shape as fallback",
    "add one as fallback, {\"sphere\": {\"offset\": [0, -10000, 0], \"radius\": 0}} for inside shapes; three-vrm stops at files without",
);
pub(super) static EXTENDED_SHAPE_MISSING: FormatRule = error(
    "extended-shape-missing",
    "an extended collider has a shape with a sphere, a capsule or a plane",
    "add the shape, or remove the extension so that the plain shape counts",
);
pub(super) static PLANE_MISSPELLED: FormatRule = error(
    "palne",
    "the kind is spelled plane; early examples of the specification had a typing error",
    "rename \"palne\" to \"plane\"",
);
pub(super) static PLANE_NORMAL: FormatRule = error(
    "plane-normal-not-unit",
    "the normal of a plane has length 1",
    "normalise it; a runtime that does not will place the plane wrongly",
);

// VRMC_springBone_limit.
pub(super) static LIMIT_DRAFT: FormatRule = info(
    "limit-draft",
    "VRMC_springBone_limit was a draft for long, and few runtimes know it",
    "expect many runtimes to pass the limits over; write specVersion \"1.0\", as \"1.0-draft\" stands for the draft",
);
pub(super) static LIMIT_KIND: FormatRule = error(
    "limit-kind",
    "a limit is exactly one of cone, hinge and spherical",
    "keep one kind, or remove the extension from the joint",
);
pub(super) static LIMIT_ANGLE_RANGE: FormatRule = warning(
    "limit-angle-out-of-range",
    "angles of limits are radians and count for pi at most, yaw for half of it",
    "write radians; the number may be meant in degrees",
);
pub(super) static LIMIT_ANGLE_NEGATIVE: FormatRule =
    error("limit-angle-negative", "angles of limits are 0 or more", "write the angle to either side, without a sign");
pub(super) static LIMIT_ROTATION: FormatRule = error(
    "limit-rotation-not-unit",
    "the rotation of a limit is a quaternion x, y, z, w of length 1",
    "normalise it, or leave it out where the limit is not turned",
);
pub(super) static LIMIT_ON_LAST_JOINT: FormatRule = error(
    "limit-on-last-joint",
    "the last joint of a spring has no limit, as it only marks a tail",
    "remove the limit, or add a node behind the joint to make it swing",
);
pub(super) static LIMIT_NOT_ON_JOINT: FormatRule = warning(
    "limit-not-on-joint",
    "a limit belongs to a joint",
    "move the extension into the joints of the spring; early drafts had it at the spring, the finished specification has not",
);

// VRM 0.x.
pub(super) static V0_STIFFNESS_MISSING: FormatRule = warning(
    "v0-stiffness-missing",
    "a bone group says its stiffiness",
    "add \"stiffiness\", spelled so; the default differs between runtimes",
);
pub(super) static V0_STIFFNESS_SPELLING: FormatRule = warning(
    "v0-stiffness-spelled",
    "VRM 0.x spells the field stiffiness",
    "rename \"stiffness\" to \"stiffiness\"; most runtimes do not see the right spelling",
);
pub(super) static V0_ROOT_REPEATED: FormatRule =
    error("v0-root-repeated", "a bone is a root once", "take it out of one of the lists");
pub(super) static V0_ROOT_BELOW: FormatRule = error(
    "v0-root-below-root",
    "a root does not lie below another root, whose group moves it already",
    "take it out; every bone below a root swings with the root's group",
);
pub(super) static V0_VECTOR_LIST: FormatRule = error(
    "v0-vector-as-list",
    "VRM 0.x writes vectors as objects with x, y and z",
    "write {\"x\": 0, \"y\": -1, \"z\": 0}",
);
pub(super) static V0_GRAVITY_Z: FormatRule = info(
    "v0-gravity-z",
    "the z of gravityDir is meant in Unity's left-handed space",
    "compare the motion in the target app; runtimes outside Unity do not agree on its sign",
);

/// All of them.
pub static RULES: &[&FormatRule] = &[
    &WRONG_TYPE,
    &NUMBER_AS_TEXT,
    &NUMBER_TOO_LARGE,
    &REQUIRED_MISSING,
    &LIST_EMPTY,
    &EXTENSION_NOT_DECLARED,
    &SPEC_VERSION_MISSING,
    &SPEC_VERSION_UNKNOWN,
    &NODE_RANGE,
    &COLLIDER_RANGE,
    &GROUP_RANGE,
    &INDEX_REPEATED,
    &HIT_RADIUS_NEGATIVE,
    &STIFFNESS_NEGATIVE,
    &GRAVITY_POWER_NEGATIVE,
    &DRAG_RANGE,
    &GRAVITY_DIR_ZERO,
    &GRAVITY_DIR_LENGTH,
    &JOINT_NOT_BELOW,
    &JOINT_REPEATED,
    &NODE_IN_TWO_SPRINGS,
    &SKIPPED_IN_TWO_SPRINGS,
    &JOINT_SKIPS_NODES,
    &SINGLE_JOINT,
    &LAST_JOINT_UNUSED,
    &CENTER_NOT_ABOVE,
    &CENTER_IN_SPRING,
    &V1_STIFFNESS_MISSPELLED,
    &RADIUS_NEGATIVE,
    &SHAPE_MISSING,
    &SHAPE_AMBIGUOUS,
    &BASE_SHAPE_MISSING,
    &EXTENDED_SHAPE_MISSING,
    &PLANE_MISSPELLED,
    &PLANE_NORMAL,
    &LIMIT_DRAFT,
    &LIMIT_KIND,
    &LIMIT_ANGLE_RANGE,
    &LIMIT_ANGLE_NEGATIVE,
    &LIMIT_ROTATION,
    &LIMIT_ON_LAST_JOINT,
    &LIMIT_NOT_ON_JOINT,
    &V0_STIFFNESS_MISSING,
    &V0_STIFFNESS_SPELLING,
    &V0_ROOT_REPEATED,
    &V0_ROOT_BELOW,
    &V0_VECTOR_LIST,
    &V0_GRAVITY_Z,
];
