//! Chooses what to open of a Unity project: its model, and the prefabs or scenes with components.

use super::assets::{Asset, UnityAssets};
use super::scripts::find_by_guid;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum depth of prefabs in prefabs through which a model is found.
const MAX_NESTED: usize = 8;

/// A prefab or a scene, with the GUIDs to which it refers.
struct SetupAsset<'a> {
    asset: &'a Asset,
    references: BTreeSet<String>,
}

/// What is opened of a project.
pub(crate) struct ProjectChoice<'a> {
    /// The model to which most prefabs and scenes with components refer, or else the largest.
    pub(crate) model: Option<&'a Asset>,
    /// The prefabs with components of this model, without those that another one contains. If there are none: the scenes
    /// of the model, else all prefabs with components, else all scenes.
    pub(crate) setups: Vec<&'a Asset>,
}

impl<'a> ProjectChoice<'a> {
    pub(crate) fn new(assets: &'a UnityAssets) -> Self {
        let setups: BTreeMap<&str, SetupAsset<'_>> = assets
            .all()
            .iter()
            .filter(|(_, asset)| asset.is_setup())
            .filter_map(|(guid, asset)| Some((guid.as_str(), SetupAsset::read(asset)?)))
            .collect();
        let has_components = |setup: &SetupAsset<'_>| setup.references.iter().any(|guid| find_by_guid(guid).is_some());
        let used: Vec<&str> = setups.iter().filter(|(_, one)| has_components(one)).map(|(guid, _)| *guid).collect();
        let models_of: BTreeMap<&str, BTreeSet<&str>> =
            used.iter().map(|guid| (*guid, models_reached(guid, &setups, assets))).collect();
        let count = |model: &str| models_of.values().filter(|models| models.contains(model)).count();
        let models = assets.all().iter().filter(|(_, asset)| asset.is_model());
        let model = models.max_by_key(|(guid, asset)| (count(guid), asset.size()));
        let is_of_model = |guid: &&str| model.is_some_and(|(model, _)| models_of[guid].contains(model.as_str()));
        let is_scene = |guid: &&str| setups[guid].asset.is_scene();
        let classes = [(true, false), (true, true), (false, false), (false, true)].map(|(of_model, scenes)| {
            let fits = |guid: &&str| is_scene(guid) == scenes && (!of_model || is_of_model(guid));
            used.iter().copied().filter(fits).collect::<Vec<&str>>()
        });
        let class = classes.into_iter().find(|class| !class.is_empty()).unwrap_or_default();
        let inner: BTreeSet<&str> = class
            .iter()
            .flat_map(|guid| setups[guid].references.iter().map(String::as_str).filter(move |other| other != guid))
            .collect();
        let (outer, contained): (Vec<&str>, Vec<&str>) = class.into_iter().partition(|guid| !inner.contains(guid));
        let chosen = if outer.is_empty() { contained } else { outer };
        Self {
            model: model.map(|(_, asset)| asset),
            setups: chosen.into_iter().map(|guid| setups[guid].asset).collect(),
        }
    }
}

impl<'a> SetupAsset<'a> {
    fn read(asset: &'a Asset) -> Option<Self> {
        let bytes = asset.read().ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let guids = text.split("guid: ").skip(1).filter_map(|rest| rest.get(..32)).map(str::to_ascii_lowercase);
        Some(Self { asset, references: guids.collect() })
    }
}

/// The models to which a prefab refers, also through other prefabs.
fn models_reached<'a>(
    guid: &str,
    setups: &BTreeMap<&'a str, SetupAsset<'a>>,
    assets: &'a UnityAssets,
) -> BTreeSet<&'a str> {
    let (mut models, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![(guid.to_owned(), 0)];
    while let Some((guid, depth)) = open.pop() {
        if let Some((model, _)) = assets.all().get_key_value(&guid).filter(|(_, asset)| asset.is_model()) {
            models.insert(model.as_str());
        }
        if let Some(setup) = setups.get(guid.as_str()).filter(|_| depth < MAX_NESTED && seen.insert(guid.clone())) {
            open.extend(setup.references.iter().map(|reference| (reference.clone(), depth + 1)));
        }
    }
    models
}
