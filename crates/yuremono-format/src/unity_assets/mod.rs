//! Reads files of Unity projects: prefabs, scenes and packages as setups, and the `.meta` of a model.
//!
//! The setup of a prefab has the entries of equal tables, so an import treats both in the same way. Each component is
//! read under its own solver.

mod assets;
mod dynamic_bone;
mod ez_soft_bone;
mod instances;
mod joint_dynamics;
pub(crate) mod meta;
mod model_objects;
mod objects;
mod project;
mod scripts;
mod setup_reader;
mod unity_chan;
mod vrm;
mod yaml;

pub(crate) use assets::{Asset, UnityAssets};
pub(crate) use instances::AssetContext;
pub(crate) use objects::{is_unity_text, not_text};
pub(crate) use project::ProjectChoice;

use super::source::is_gzip;
use super::unity_csv;
use objects::{Component, UnityObjects};
use scripts::Components;
use setup_reader::SetupReader;
use std::collections::BTreeMap;
use yuremono_model::exchange::{FileSpace, ReadResult, SetupFile};
use yuremono_sim::diagnostics::{Diagnostic, Location, excerpt, join_first_names, message};

/// Reads the components of a prefab, a scene or a package, in Unity's space. Returns an error if there are no components
/// that are read.
pub(crate) fn read(bytes: &[u8], file_name: &str, context: AssetContext<'_>) -> ReadResult {
    let mut found = Vec::new();
    if is_gzip(bytes) {
        let assets = UnityAssets::in_package(bytes, file_name, &mut found);
        let setups = ProjectChoice::new(&assets).setups;
        return read_project(file_name, &setups, AssetContext { assets: &assets, ..context }, found);
    }
    let mut file = new_file();
    read_components(&String::from_utf8_lossy(bytes), file_name, context, &mut file, &mut found);
    result(file, found, file_name)
}

/// Reads the chosen prefabs and scenes of a project. `name` is that of the folder or package.
pub(crate) fn read_project(
    name: &str,
    setups: &[&Asset],
    context: AssetContext<'_>,
    mut found: Vec<Diagnostic>,
) -> ReadResult {
    let mut file = new_file();
    for setup in setups {
        let text = match setup.read() {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(problem) => {
                found.push(problem);
                continue;
            }
        };
        read_components(&text, setup.name(), context, &mut file, &mut found);
    }
    // The line of an entry would be taken for a line of the package.
    file.entries.iter_mut().for_each(|entry| entry.line = 0);
    file.trees.iter_mut().for_each(|tree| tree.line = 0);
    result(file, found, name)
}

fn new_file() -> SetupFile {
    SetupFile { space: FileSpace::Unity(None), ..SetupFile::without_system(&unity_csv::INFO) }
}

fn result(file: SetupFile, mut found: Vec<Diagnostic>, name: &str) -> ReadResult {
    if !file.systems.is_empty() {
        return Ok((file, found));
    }
    let message = message!(
        "there are no components of UnityChanSpringBone, DynamicBone, VRM, EZSoftBone or SPCRJointDynamics in it"
    );
    found.insert(0, Diagnostic::error(Location::file(name), message));
    Err(found)
}

/// Adds the components of a file to a setup, and reports how many there are of each script.
fn read_components(
    text: &str,
    name: &str,
    context: AssetContext<'_>,
    file: &mut SetupFile,
    found: &mut Vec<Diagnostic>,
) {
    let objects = UnityObjects::new(instances::load(text, name, context, found), name, found);
    let mut known = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut others: Vec<String> = Vec::new();
    for component in objects.components() {
        if let Some((script, class)) = scripts::find(&component) {
            *counts.entry(class).or_default() += 1;
            known.push((script, component));
        } else if let Some(other) = scripts::find_other(&component) {
            if !others.iter().any(|name| name == other) {
                others.push(other.to_owned());
            }
        } else if component.body.get("stiffnessForce").is_some() {
            found.push(unknown_spring_bone(&component, name));
        }
    }
    if !others.is_empty() {
        let message =
            message!("these components are not read from Unity files: {names}", names = join_first_names(&others));
        found.push(Diagnostic::warning(Location::file(name), message));
    }
    if !counts.is_empty() {
        let counts: Vec<String> = counts.into_iter().map(|(class, count)| format!("{class} × {count}")).collect();
        let message = message!("components that are read: {components}", components = counts.join(", "));
        found.push(Diagnostic::info(Location::file(name), message));
    }
    let components = Components(known);
    let mut reader = SetupReader::new(&objects, &components, context, file, name, found);
    unity_chan::read(&mut reader, &components);
    dynamic_bone::read(&mut reader, &components);
    vrm::read(&mut reader, &components);
    ez_soft_bone::read(&mut reader, &components);
    joint_dynamics::read(&mut reader, &components);
}

fn unknown_spring_bone(component: &Component<'_>, file: &str) -> Diagnostic {
    let message = message!(
        "a component looks like a SpringBone, but its script is unknown: {guid}; it is left out",
        guid = excerpt(component.guid)
    );
    Diagnostic::warning(Location::file(file).with_line(component.line), message)
}
