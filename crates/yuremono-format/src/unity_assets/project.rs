//! Chooses what to open of a Unity project: its model, and the prefabs or scenes with components.

use super::assets::{Asset, UnityAssets};
use super::scripts::find_by_guid;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::diagnostics::{Diagnostic, Location, join_first_names, message};

/// Maximum depth of prefabs in prefabs.
const MAX_NESTED: usize = 8;

/// What is opened of a project.
#[derive(Debug, Default)]
pub(crate) struct ProjectChoice<'a> {
    /// The model to which most prefabs and scenes with components refer, or else the largest.
    pub(crate) model: Option<&'a Asset>,
    /// The prefab with the most components of this model, or else such a scene. If no file refers to the model: all prefabs
    /// with components, or else all scenes.
    pub(crate) setups: Vec<&'a Asset>,
    /// Files of the model with components that are not opened.
    others: Vec<String>,
}

/// A prefab or a scene, with what it contains, also through other prefabs.
struct Candidate<'a> {
    guid: &'a str,
    asset: &'a Asset,
    /// The GUIDs of all files to which it refers.
    contained: BTreeSet<String>,
    component_count: usize,
    models: BTreeSet<&'a str>,
}

impl<'a> ProjectChoice<'a> {
    pub(crate) fn new(assets: &'a UnityAssets) -> Self {
        let references: BTreeMap<&str, Vec<String>> = assets
            .all()
            .iter()
            .filter(|(_, asset)| asset.is_prefab_or_scene())
            .filter_map(|(guid, asset)| Some((guid.as_str(), guids_in(asset)?)))
            .collect();
        let candidates = references.keys().map(|guid| Candidate::new(guid, &references, assets));
        let mut candidates: Vec<Candidate<'_>> = candidates.filter(|candidate| candidate.component_count > 0).collect();
        let contained: BTreeSet<String> = candidates.iter().flat_map(|one| one.contained.iter().cloned()).collect();
        if candidates.iter().any(|one| !contained.contains(one.guid)) {
            candidates.retain(|one| !contained.contains(one.guid));
        }
        let count = |model: &str| candidates.iter().filter(|one| one.models.contains(model)).count();
        let models = assets.all().iter().filter(|(_, asset)| asset.is_model() && asset.size() > 0);
        let model = models.max_by_key(|(guid, asset)| (count(guid), asset.size()));
        let is_of_model = |one: &Candidate<'_>| model.is_some_and(|(guid, _)| one.models.contains(guid.as_str()));
        let has_setup_of_model = candidates.iter().any(is_of_model);
        candidates.retain(|one| !has_setup_of_model || is_of_model(one));
        if candidates.iter().any(|one| !one.asset.is_scene()) {
            candidates.retain(|one| !one.asset.is_scene());
        }
        candidates.sort_by(|a, b| (b.component_count, &a.asset.path).cmp(&(a.component_count, &b.asset.path)));
        let others = if has_setup_of_model { candidates.split_off(1) } else { Vec::new() };
        Self {
            model: model.map(|(_, asset)| asset),
            setups: candidates.into_iter().map(|one| one.asset).collect(),
            others: others.into_iter().map(|one| one.asset.name().to_owned()).collect(),
        }
    }

    /// Returns a message about the files that are not opened.
    pub(crate) fn others_diagnostic(&self, file: &str) -> Option<Diagnostic> {
        let chosen = self.setups.first().filter(|_| !self.others.is_empty())?.name();
        let others = join_first_names(&self.others);
        let message = message!(
            "the components of {chosen} are used; other files have components of the same model and can be imported: {others}",
            chosen,
            others
        );
        Some(Diagnostic::info(Location::file(file), message))
    }
}

impl<'a> Candidate<'a> {
    fn new(guid: &'a str, references: &BTreeMap<&'a str, Vec<String>>, assets: &'a UnityAssets) -> Self {
        let all = assets.all();
        let (contained, models) = (BTreeSet::new(), BTreeSet::new());
        let mut candidate = Self { guid, asset: &all[guid], contained, component_count: 0, models };
        let mut open = vec![(guid.to_owned(), 0)];
        let mut seen = BTreeSet::new();
        while let Some((guid, depth)) = open.pop() {
            if depth > 0 && guid != candidate.guid {
                candidate.contained.insert(guid.clone());
            }
            candidate.component_count += usize::from(find_by_guid(&guid).is_some());
            if let Some((model, _)) = all.get_key_value(&guid).filter(|(_, asset)| asset.is_model()) {
                candidate.models.insert(model.as_str());
            }
            let inner = references.get(guid.as_str()).filter(|_| depth < MAX_NESTED);
            if let Some(inner) = inner.filter(|_| seen.insert(guid.clone())) {
                open.extend(inner.iter().map(|reference| (reference.clone(), depth + 1)));
            }
        }
        candidate
    }
}

/// The GUIDs in a file, one for each reference.
fn guids_in(asset: &Asset) -> Option<Vec<String>> {
    let bytes = asset.read().ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.split("guid: ").skip(1).filter_map(|rest| rest.get(..32)).map(str::to_ascii_lowercase).collect())
}
