//! Chooses what to open of a Unity project: its model, and the prefabs or scenes with components.

use super::assets::{Asset, UnityAssets};
use super::scripts::find_by_guid;
use std::collections::BTreeSet;

/// A prefab or a scene, with the GUIDs to which it refers.
struct SetupAsset<'a> {
    guid: &'a str,
    asset: &'a Asset,
    references: BTreeSet<String>,
}

/// Returns the prefabs with components, without those that another prefab contains. If no prefab has components, returns
/// the scenes with components.
pub(super) fn setups(assets: &UnityAssets) -> Vec<&Asset> {
    chosen(assets).into_iter().map(|setup| setup.asset).collect()
}

fn chosen(assets: &UnityAssets) -> Vec<SetupAsset<'_>> {
    let all: Vec<SetupAsset<'_>> = assets
        .all()
        .iter()
        .filter(|(_, asset)| asset.is_setup())
        .filter_map(|(guid, asset)| read(guid, asset))
        .collect();
    let is_used = |setup: &SetupAsset<'_>| setup.references.iter().any(|guid| find_by_guid(guid).is_some());
    let (scenes, prefabs): (Vec<_>, Vec<_>) = all.into_iter().partition(|setup| setup.asset.is_scene());
    for list in [prefabs, scenes] {
        let inner: BTreeSet<String> = list
            .iter()
            .filter(|setup| is_used(setup))
            .flat_map(|setup| setup.references.iter().filter(|guid| *guid != setup.guid).cloned())
            .collect();
        let (outer, contained): (Vec<_>, Vec<_>) =
            list.into_iter().filter(is_used).partition(|setup| !inner.contains(setup.guid));
        let chosen = if outer.is_empty() { contained } else { outer };
        if !chosen.is_empty() {
            return chosen;
        }
    }
    Vec::new()
}

fn read<'a>(guid: &'a str, asset: &'a Asset) -> Option<SetupAsset<'a>> {
    let bytes = asset.read().ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let guids = text.split("guid: ").skip(1).filter_map(|rest| rest.get(..32)).map(str::to_ascii_lowercase);
    Some(SetupAsset { guid, asset, references: guids.collect() })
}

/// Returns the model of a project: the one to which its prefabs refer, or else the largest.
pub(crate) fn model(assets: &UnityAssets) -> Option<&Asset> {
    let references: BTreeSet<String> = chosen(assets).into_iter().flat_map(|setup| setup.references).collect();
    let models = || assets.all().iter().filter(|(_, asset)| asset.is_model());
    if let Some((_, model)) = models().find(|(guid, _)| references.contains(*guid)) {
        return Some(model);
    }
    models().map(|(_, asset)| asset).max_by_key(|asset| asset.size())
}
