//! The table of all rules, each with its id, severity, expectation and advice. An error breaks the specification. A
//! warning is allowed or unclear, but leads to unexpected motion. An info is a hint.

use yuremono_sim::diagnostics::{FormatRule, Severity};

/// Declares each rule as a static, and the list [`RULES`].
macro_rules! rules {
    ($($name:ident: $severity:ident $id:literal, $expected:literal, $advice:literal;)*) => {
        $(pub(super) static $name: FormatRule =
            FormatRule { id: $id, severity: Severity::$severity, expected: $expected, advice: $advice };)*

        /// All rules.
        pub static RULES: &[&FormatRule] = &[$(&$name),*];
    };
}

rules! {
    // General rules.
    WRONG_TYPE: Error "wrong-type",
        "every field has the type that the specification gives it",
        "write a value of the expected type, or leave the field out to get its default";
    NUMBER_AS_TEXT: Error "number-as-text",
        "numbers must be finite; JSON cannot store NaN or infinity",
        "write a plain number; NaN often comes from a division by zero in the exporter";
    NUMBER_TOO_LARGE: Error "number-too-large",
        "numbers fit into 32-bit floats",
        "write a number below 3.4e38; runtimes read this one as infinity";
    REQUIRED_MISSING: Error "required-missing",
        "required fields are present",
        "add the field, or remove the object that cannot be used without it";
    LIST_EMPTY: Error "list-empty",
        "a list has at least one entry",
        "remove the list, or the object that contains it";
    EXTENSION_NOT_DECLARED: Error "extension-not-declared",
        "an extension that is used is listed in extensionsUsed",
        "add its name to extensionsUsed; strict loaders ignore extensions that are not listed";
    SPEC_VERSION_MISSING: Error "spec-version-missing",
        "the extension has a specVersion",
        "add \"specVersion\": \"1.0\"; some runtimes ignore the extension without it";
    SPEC_VERSION_UNKNOWN: Warning "spec-version-unknown",
        "specVersion is \"1.0\"",
        "write \"1.0\" once the content follows the finished specification; runtimes may ignore other versions";
    NODE_RANGE: Error "node-out-of-range",
        "a node is referenced by its index in nodes",
        "refer to an existing node; the exporter may have removed nodes after it wrote the springs";
    COLLIDER_RANGE: Error "collider-out-of-range",
        "a collider is referenced by its index in colliders",
        "refer to an existing collider, or remove the entry from the group";
    GROUP_RANGE: Error "group-out-of-range",
        "a collider group is referenced by its index in colliderGroups",
        "refer to an existing group, or remove the entry from the spring";
    INDEX_REPEATED: Warning "index-repeated",
        "a list has each entry once",
        "keep it once; a repeated entry costs time and may push twice as hard";
    HUMANOID_HIPS_MISSING: Error "humanoid-hips-missing",
        "the humanoid has the bone hips",
        "assign the hips in the exporter; most runtimes refuse the file, and Yuremono finds the hips by names";

    // Joint parameters of both versions.
    HIT_RADIUS_NEGATIVE: Error "hit-radius-negative",
        "hitRadius is 0 or more",
        "write 0 if the joint should not collide";
    STIFFNESS_NEGATIVE: Error "stiffness-negative",
        "stiffness is 0 or more",
        "write 0 for a joint that hangs freely; below 0 it moves away from its rest pose";
    GRAVITY_POWER_NEGATIVE: Error "gravity-power-negative",
        "gravityPower is 0 or more",
        "negate gravityDir and write the number without its sign";
    DRAG_RANGE: Error "drag-out-of-range",
        "dragForce is between 0 and 1",
        "write 0 to 1; below 0 the joint accelerates forever, above 1 it jitters";
    GRAVITY_DIR_ZERO: Warning "gravity-dir-zero",
        "gravityDir is not zero",
        "write [0, -1, 0], and gravityPower 0 for no gravity; a runtime that normalizes it gets NaN";
    GRAVITY_DIR_LENGTH: Info "gravity-dir-not-unit",
        "gravityDir is a unit vector",
        "put the length into gravityPower; some runtimes multiply by the length, others normalize";

    // Springs of VRM 1.0.
    JOINT_NOT_BELOW: Error "joint-not-below",
        "each joint is a descendant of the joint before it",
        "order the joints from root to tip, and give each branch a spring of its own";
    JOINT_REPEATED: Error "joint-repeated",
        "a node is a joint of its spring once",
        "remove the second one from the list";
    NODE_IN_TWO_SPRINGS: Error "node-in-two-springs",
        "a node belongs to one spring at most",
        "remove it from one of them; which spring moves it depends on the runtime";
    SKIPPED_IN_TWO_SPRINGS: Error "skipped-node-in-two-springs",
        "a node that a spring skips between two joints counts as a part of that spring",
        "make it a joint of one spring only, and end the other above it";
    JOINT_SKIPS_NODES: Info "joint-skips-nodes",
        "skipped nodes are ignored, but some runtimes take the bone's direction from the tail's own translation",
        "add the nodes in between as joints so that the chain moves the same in all runtimes";
    SINGLE_JOINT: Info "single-joint",
        "a spring needs two joints; the last one only marks the tail",
        "add a tail joint, or remove the spring";
    LAST_JOINT_UNUSED: Info "last-joint-unused",
        "the last joint of a spring only marks a tail; its parameters are not used",
        "add a node after it to simulate it, or remove the unused numbers";
    CENTER_NOT_ABOVE: Error "center-not-above",
        "center is the first joint of the spring or an ancestor of it",
        "choose hips, head or another ancestor of the spring, or remove center";
    CENTER_IN_SPRING: Error "center-in-spring",
        "center is neither a joint of another spring nor a descendant of one",
        "choose a bone that no spring moves";
    V1_STIFFNESS_MISSPELLED: Error "stiffiness-in-1.0",
        "VRM 1.0 spells it stiffness; \"stiffiness\" is the spelling of 0.x",
        "rename the field to stiffness; most runtimes use the default 1.0 instead";

    // Colliders of VRM 1.0.
    RADIUS_NEGATIVE: Error "radius-negative",
        "the radius of a collider is 0 or more",
        "write 0 or a positive number of metres";
    SHAPE_MISSING: Error "shape-missing",
        "a collider has a shape with a sphere or a capsule",
        "add {\"sphere\": {\"offset\": [0, 0, 0], \"radius\": 0.05}}, or remove the collider";
    SHAPE_AMBIGUOUS: Error "shape-twice",
        "a collider shape must have exactly one kind, such as a sphere or a capsule",
        "split it into two colliders; which kind is used depends on the runtime";
    BASE_SHAPE_MISSING: Error "base-shape-missing",
        "a collider with an extended shape has a plain shape as fallback",
        "add a fallback, {\"sphere\": {\"offset\": [0, -10000, 0], \"radius\": 0}} for inside shapes; three-vrm cannot load files without it";
    EXTENDED_SHAPE_MISSING: Error "extended-shape-missing",
        "an extended collider has a shape with a sphere, a capsule or a plane",
        "add the shape, or remove the extension so that the plain shape is used";
    PLANE_MISSPELLED: Error "palne",
        "the kind is spelled plane; early examples of the specification had a typo",
        "rename \"palne\" to \"plane\"";
    PLANE_NORMAL: Error "plane-normal-not-unit",
        "the normal of a plane is a unit vector",
        "normalize it; a runtime that does not normalize places the plane wrongly";

    // VRMC_springBone_limit.
    LIMIT_DRAFT: Info "limit-draft",
        "VRMC_springBone_limit was a draft for a long time, and few runtimes support it",
        "expect many runtimes to ignore the limits; write specVersion \"1.0\", as \"1.0-draft\" means the draft";
    LIMIT_KIND: Error "limit-kind",
        "a limit is exactly one of cone, hinge and spherical",
        "keep one kind, or remove the extension from the joint";
    LIMIT_ANGLE_RANGE: Warning "limit-angle-out-of-range",
        "angles of limits are radians, at most pi, and at most half of pi for yaw",
        "write radians; the number may be in degrees";
    LIMIT_ANGLE_NEGATIVE: Error "limit-angle-negative",
        "angles of limits are 0 or more",
        "write the angle without a sign; it applies to both sides";
    LIMIT_ROTATION: Error "limit-rotation-not-unit",
        "the rotation of a limit is a unit quaternion x, y, z, w",
        "normalize it, or remove it if the limit is not rotated";
    LIMIT_ON_LAST_JOINT: Error "limit-on-last-joint",
        "the last joint of a spring has no limit, as it only marks a tail",
        "remove the limit, or add a node after the joint to simulate it";
    LIMIT_NOT_ON_JOINT: Warning "limit-not-on-joint",
        "a limit belongs to a joint",
        "move the extension into the joints of the spring; only early drafts had it on the spring";

    // VRM 0.x.
    V0_STIFFNESS_MISSING: Warning "v0-stiffness-missing",
        "a bone group has a stiffiness",
        "add \"stiffiness\" with this spelling; the default differs between runtimes";
    V0_STIFFNESS_SPELLING: Warning "v0-stiffness-spelled",
        "VRM 0.x spells the field stiffiness",
        "rename \"stiffness\" to \"stiffiness\"; most runtimes ignore the correct spelling";
    V0_ROOT_REPEATED: Error "v0-root-repeated",
        "a bone is a root once",
        "remove it from one of the lists";
    V0_ROOT_BELOW: Error "v0-root-below-root",
        "a root is not a descendant of another root, whose group moves it already",
        "remove it; all descendants of a root are simulated with the root's group";
    V0_VECTOR_LIST: Error "v0-vector-as-list",
        "VRM 0.x writes vectors as objects with x, y and z",
        "write {\"x\": 0, \"y\": -1, \"z\": 0}";
    V0_GRAVITY_Z: Info "v0-gravity-z",
        "the z of gravityDir is in Unity's left-handed space",
        "compare the motion in the target app; runtimes outside Unity use different signs";
}
