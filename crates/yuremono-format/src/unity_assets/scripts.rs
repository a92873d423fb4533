//! The scripts of Unity components that are read, and those that are only named.

use super::objects::Component;

/// A component that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Script {
    SpringManager,
    SpringBone,
    SpringBonePivot,
    SpringSphereCollider,
    SpringCapsuleCollider,
    SpringPanelCollider,
    ForceVolume,
    WindVolume,
    DynamicBone,
    DynamicBoneCollider,
    DynamicBonePlaneCollider,
    Vrm0SpringBone,
    Vrm0ColliderGroup,
    Vrm1Instance,
    Vrm1Joint,
    Vrm1Collider,
    Vrm1ColliderGroup,
    EzSoftBone,
    EzSoftBoneCollider,
    JointDynamicsController,
    JointDynamicsPoint,
    JointDynamicsCollider,
    JointDynamicsGrabber,
}

/// The scripts by their GUIDs, with their class names. The second ones of `UnityChanSpringBone` are of its Burst fork.
const SCRIPTS: [(&str, Script, &str); 26] = [
    ("af276926b0db1c248a93ab3c1134a6c2", Script::SpringManager, "SpringManager"),
    ("a6e8dcd6fec494c97aa2cfd34663f6ff", Script::SpringManager, "SpringManager"),
    ("03118221f4bfcd74ba0ad8075da02411", Script::SpringBone, "SpringBone"),
    ("3e6f4b847713b49eeabdbed00338b5f4", Script::SpringBone, "SpringBone"),
    ("625e9c3b94e3dc64ea82f6e29062b3d6", Script::SpringBonePivot, "SpringBonePivot"),
    ("b6d87febe226147f2bdc92837ba4f4b7", Script::SpringBonePivot, "SpringBonePivot"),
    ("328bfb8438c749d46ad9174283110a36", Script::SpringSphereCollider, "SpringSphereCollider"),
    ("f228c6e846db8bd4ca8c289bdb7565b9", Script::SpringCapsuleCollider, "SpringCapsuleCollider"),
    ("a8e7256f2aaf05e47be7fdfced84d489", Script::SpringPanelCollider, "SpringPanelCollider"),
    ("c60bdcc1a8f90724fb0850bd7777ddfd", Script::ForceVolume, "ForceVolume"),
    ("8f4f76dac8531aa44b511647e7d14518", Script::WindVolume, "WindVolume"),
    ("f9ac8d30c6a0d9642a11e5be4c440740", Script::DynamicBone, "DynamicBone"),
    ("baedd976e12657241bf7ff2d1c685342", Script::DynamicBoneCollider, "DynamicBoneCollider"),
    ("4e535bdf3689369408cc4d078260ef6a", Script::DynamicBonePlaneCollider, "DynamicBonePlaneCollider"),
    ("00ea06e1753e16f4ca870c39c067c86b", Script::Vrm0SpringBone, "VRMSpringBone"),
    ("646b65a4a57afd34d8c4ed557efb46a5", Script::Vrm0ColliderGroup, "VRMSpringBoneColliderGroup"),
    ("bfba4ccd3f854e64f868ce83553071a9", Script::Vrm1Instance, "Vrm10Instance"),
    ("0a942e03b39600e41a1b161e958048f7", Script::Vrm1Joint, "VRM10SpringBoneJoint"),
    ("35bfb658269b2af478e501de243deda6", Script::Vrm1Collider, "VRM10SpringBoneCollider"),
    ("177ea458e237fee41b0902e3006c744b", Script::Vrm1ColliderGroup, "VRM10SpringBoneColliderGroup"),
    ("8aa2b9bccfefda549bd1cf67fd922ad8", Script::EzSoftBone, "EZSoftBone"),
    ("d0a816d64a591274ca69e63d3e547399", Script::EzSoftBoneCollider, "EZSoftBoneCollider"),
    ("2e331b232753e6e43b86eaedb4329fc6", Script::JointDynamicsController, "SPCRJointDynamicsController"),
    ("150f77f9abb16734384361c1574ff4a4", Script::JointDynamicsPoint, "SPCRJointDynamicsPoint"),
    ("386afa894c2644e4aad6c19b79ef08d2", Script::JointDynamicsCollider, "SPCRJointDynamicsCollider"),
    ("ac9646c8b39ec4c41af481679ffb7126", Script::JointDynamicsGrabber, "SPCRJointDynamicsPointGrabber"),
];

/// Scripts of springs that are not read.
const OTHER_SCRIPTS: [(&str, &str); 7] = [
    ("2a2c05204084d904aa4945ccff20d8e5", "VRChat PhysBones"),
    ("37b7c58dc2d739b4c90fe59f6875debf", "SpringBone of 2014"),
    ("7bd61bc14d9b39442afb2471b29480eb", "SpringJobManager"),
    ("4795a74a25bc1e845ac3374a80cb74a4", "SpringCollider of the Burst fork"),
    ("3b24899f61c6bde41a7e70bca1fdaf0e", "EZSoftBoneColliderCylinder"),
    ("588f44dfb579d464d842eb583138fb31", "EZSoftBoneForceField"),
    ("04878769c08021a41bc2d2375e23ec0b", "DynamicBoneColliderBase"),
];

/// Returns the script of a component with its class name, or `None` if it is not read.
pub(super) fn find(component: &Component<'_>) -> Option<(Script, &'static str)> {
    find_by_guid(component.guid)
}

/// Returns the script with a GUID.
pub(super) fn find_by_guid(guid: &str) -> Option<(Script, &'static str)> {
    let found = SCRIPTS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(guid));
    found.map(|(_, script, name)| (*script, *name))
}

/// Returns the name of a script of springs that is not read.
pub(super) fn find_other(component: &Component<'_>) -> Option<&'static str> {
    let found = OTHER_SCRIPTS.iter().find(|(guid, _)| guid.eq_ignore_ascii_case(component.guid));
    found.map(|(_, name)| *name)
}

/// The components of a file that are read, by their scripts.
pub(super) struct Components<'a>(pub(super) Vec<(Script, Component<'a>)>);

impl<'a> Components<'a> {
    /// The components with one of these scripts, in the order of the file.
    pub(super) fn of(&self, scripts: &[Script]) -> impl Iterator<Item = &Component<'a>> {
        self.0.iter().filter(|(script, _)| scripts.contains(script)).map(|(_, component)| component)
    }
}
