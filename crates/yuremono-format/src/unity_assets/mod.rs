//! Reads text files of Unity projects: prefabs and scenes as setups, and the `.meta` of a model.
//!
//! The setup of a prefab has the entries of the equal table, so an import treats both in the same way.

pub(crate) mod meta;
mod objects;
mod unity_chan;
mod yaml;

pub(crate) use objects::is_unity_text;

use super::unity_csv;
use objects::UnityObjects;
use yuremono_model::exchange::{FileSpace, ReadResult, SetupFile};
use yuremono_sim::diagnostics::{Diagnostic, Location, excerpt, join_first_names, message};

/// Components of other programs, which are named but not read.
const OTHER_SCRIPTS: [(&str, &str); 9] = [
    ("f9ac8d30c6a0d9642a11e5be4c440740", "DynamicBone"),
    ("00ea06e1753e16f4ca870c39c067c86b", "VRM 0.x spring bones"),
    ("bfba4ccd3f854e64f868ce83553071a9", "VRM 1.0 spring bones"),
    ("8aa2b9bccfefda549bd1cf67fd922ad8", "EZSoftBone"),
    ("2e331b232753e6e43b86eaedb4329fc6", "SPCRJointDynamics"),
    ("2a2c05204084d904aa4945ccff20d8e5", "VRChat PhysBones"),
    ("37b7c58dc2d739b4c90fe59f6875debf", "SpringBone of 2014"),
    ("7bd61bc14d9b39442afb2471b29480eb", "SpringJobManager"),
    ("4795a74a25bc1e845ac3374a80cb74a4", "SpringCollider of the Burst fork"),
];

/// Reads the components of UnityChanSpringBone in a prefab or a scene, in Unity's space. Returns an error if there are
/// none.
pub(crate) fn read(bytes: &[u8], file_name: &str) -> ReadResult {
    let text = String::from_utf8_lossy(bytes);
    let mut found = Vec::new();
    let objects = UnityObjects::parse(&text, file_name, &mut found);
    let place = || Location::file(file_name);
    let mut others: Vec<String> = Vec::new();
    for component in objects.components() {
        if component.body.get("stiffnessForce").is_some() && !unity_chan::is_known(component.guid) {
            let message = message!(
                "a component looks like a SpringBone, but its script is unknown: {guid}; it is left out",
                guid = excerpt(component.guid)
            );
            found.push(Diagnostic::warning(place().with_line(component.line), message));
        }
        if let Some((_, name)) = OTHER_SCRIPTS.iter().find(|(guid, _)| *guid == component.guid)
            && !others.iter().any(|other| other == name)
        {
            others.push((*name).to_owned());
        }
    }
    if !others.is_empty() {
        let names = join_first_names(&others);
        found.push(Diagnostic::warning(
            place(),
            message!("these components are not read from Unity files: {names}", names),
        ));
    }
    if objects.instance_count > 0 {
        let (instances, parts) = (objects.instance_count, objects.stripped_count);
        found.push(Diagnostic::warning(
            place(),
            message!(
                "{instances} instances of other prefabs or models are in the file; their {parts} parts are in other files and are left out. Unpack the prefab in Unity to read them",
                instances,
                parts
            ),
        ));
    }
    let mut file = SetupFile::without_system(&unity_csv::INFO);
    file.space = FileSpace::Unity(None);
    if unity_chan::add(&objects, &mut file, file_name, &mut found) {
        return Ok((file, found));
    }
    let message = message!("the file has no components of UnityChanSpringBone");
    found.insert(0, Diagnostic::error(place(), message));
    Err(found)
}
