//! Puts the objects of prefabs and models in place of their instances, with the changes of the instance.

use super::assets::{Asset, UnityAssets};
use super::model_objects::model_objects;
use super::objects::{
    Object, Objects, PREFAB_INSTANCE, file_id, is_transform, is_unity_text, not_text, parse, reference, reference_to,
};
use super::yaml::Yaml;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, join_first_names, message};
use yuremono_sim::rig::Character;

/// Maximum number of values in the objects of a file and its instances. A prefab of 1 MB has 50,000.
const MAX_VALUES: usize = 1 << 22;

/// What the objects of a file can refer to.
#[derive(Clone, Copy)]
pub(crate) struct AssetContext<'a> {
    pub(crate) assets: &'a UnityAssets,
    /// The character on which the setup is used. It has the nodes of models that are not found.
    pub(crate) character: Option<&'a Character>,
    /// Reads a model.
    pub(crate) read_model: &'a dyn Fn(&Asset) -> Option<Arc<Character>>,
}

/// Parses the objects of a file with those of its instances. Objects that are not found are reported.
pub(super) fn load(text: &str, file: &str, context: AssetContext<'_>, found: &mut Vec<Diagnostic>) -> Objects {
    let mut loader = InstanceLoader {
        context,
        found,
        open_prefabs: Vec::new(),
        sources: BTreeMap::new(),
        values_left: MAX_VALUES,
        missing: BTreeMap::new(),
        unknown_objects: 0,
        dangling_changes: 0,
        unusable_changes: UnusableChanges::default(),
    };
    let objects = loader.load(text, file);
    loader.report(file);
    objects
}

/// The objects of a prefab or a model, by their fileIDs in its own file.
struct Source {
    objects: Objects,
    is_model: bool,
}

/// The objects of an instance to which its file refers: their fileIDs in the file, by those in the source.
type StrippedIds = BTreeMap<i64, i64>;

/// An instance of a prefab or a model.
struct Instance {
    file_id: i64,
    line: u64,
    source_guid: String,
    body: Yaml,
    stripped_ids: StrippedIds,
}

impl Instance {
    /// Returns the fileID of an object of the source. An object without an entry of its own has a derived one.
    fn own_id(&self, id: i64) -> i64 {
        let derived = || if id == 0 { 0 } else { (id ^ self.file_id) & i64::MAX };
        self.stripped_ids.get(&id).copied().filter(|_| id != 0).unwrap_or_else(derived)
    }

    fn modification(&self, key: &str) -> &Yaml {
        const NOTHING: &Yaml = &Yaml::Text(String::new());
        self.body.at(&["m_Modification", key]).unwrap_or(NOTHING)
    }
}

struct InstanceLoader<'a> {
    context: AssetContext<'a>,
    found: &'a mut Vec<Diagnostic>,
    /// The GUIDs of the prefabs that are being read, outermost first.
    open_prefabs: Vec<String>,
    sources: BTreeMap<String, Option<Rc<Source>>>,
    values_left: usize,
    /// The GUIDs of files that are not found, with the number of objects that they contain.
    missing: BTreeMap<String, usize>,
    /// How many objects of models belong to no known node.
    unknown_objects: usize,
    /// How many changes are of objects that no longer exist.
    dangling_changes: usize,
    unusable_changes: UnusableChanges,
}

/// Changes that cannot be used.
#[derive(Default)]
struct UnusableChanges {
    count: usize,
    first_path: String,
}

impl UnusableChanges {
    fn push(&mut self, path: &str) {
        self.count += 1;
        if self.count == 1 {
            self.first_path = excerpt(path);
        }
    }
}

impl InstanceLoader<'_> {
    fn warn(&mut self, file: &str, line: u64, message: MessageText) {
        self.found.push(Diagnostic::warning(Location::file(file).with_line(line), message));
    }

    fn report(self, file: &str) {
        let mut warn = |message| self.found.push(Diagnostic::warning(Location::file(file), message));
        if !self.missing.is_empty() {
            let parts: usize = self.missing.values().sum();
            let guids: Vec<String> = self.missing.keys().cloned().collect();
            warn(message!(
                "{parts} parts are in files that were not found, with these GUIDs in their .meta: {guids}. Open the folder \
                 of the Unity project that contains them, or unpack the prefab in Unity",
                parts,
                guids = join_first_names(&guids)
            ));
        }
        if self.unknown_objects > 0 {
            let parts = self.unknown_objects;
            warn(message!(
                "{parts} parts of models belong to no bone of the character and are left out. Open the model of the \
                 prefab first, or unpack the prefab in Unity",
                parts
            ));
        }
        if self.dangling_changes > 0 {
            let count = self.dangling_changes;
            warn(message!("{count} changes of instances are of objects that no longer exist, and are ignored", count));
        }
        if self.unusable_changes.count > 0 {
            let UnusableChanges { count, first_path: path } = self.unusable_changes;
            warn(message!(
                "{count} changes of instances cannot be used and are ignored; the first is of \"{path}\"",
                count,
                path
            ));
        }
        if self.values_left == 0 {
            warn(message!("the file with its instances is too large; a part of it is left out"));
        }
    }

    fn load(&mut self, text: &str, file: &str) -> Objects {
        let mut objects = parse(text, file, &mut self.values_left, self.found);
        let instances = take_instances(&mut objects);
        // One model can have several instances, and any of them can show how its nodes are named.
        let mut ids_of_source: BTreeMap<String, StrippedIds> = BTreeMap::new();
        for instance in &instances {
            ids_of_source.entry(instance.source_guid.clone()).or_default().extend(&instance.stripped_ids);
        }
        let mut removed = Vec::new();
        for instance in &instances {
            let ids = &ids_of_source[&instance.source_guid];
            let Some(source) = self.source(&instance.source_guid, ids, file, instance.line) else {
                if !instance.stripped_ids.is_empty() {
                    *self.missing.entry(instance.source_guid.clone()).or_default() += instance.stripped_ids.len();
                }
                continue;
            };
            self.add_objects(&mut objects, instance, &source);
            self.apply_changes(&mut objects, instance, &source);
            for list in ["m_RemovedComponents", "m_RemovedGameObjects"] {
                removed.extend(instance.modification(list).items().iter().map(|one| instance.own_id(file_id(one))));
            }
        }
        remove(&mut objects, removed);
        objects
    }

    fn add_objects(&mut self, objects: &mut Objects, instance: &Instance, source: &Source) {
        let parent = reference(instance.modification("m_TransformParent"));
        for (id, object) in &source.objects {
            let Some(left) = self.values_left.checked_sub(object.body.count()) else {
                self.values_left = 0;
                return;
            };
            self.values_left = left;
            let mut object = Object { line: instance.line, ..object.clone() };
            object.body.map_references(&|id| instance.own_id(id));
            if is_transform(&object) && object.body.get("m_Father").map_or(0, reference) == 0 {
                _ = object.body.set(&["m_Father"], reference_to(parent), &mut 1);
            }
            objects.insert(instance.own_id(*id), object);
        }
        self.unknown_objects += instance.stripped_ids.keys().filter(|id| !source.objects.contains_key(id)).count();
    }

    fn apply_changes(&mut self, objects: &mut Objects, instance: &Instance, source: &Source) {
        for change in instance.modification("m_Modifications").items() {
            let target = change.get("target").map_or(0, file_id);
            let changed = objects.get_mut(&instance.own_id(target)).filter(|_| source.objects.contains_key(&target));
            let Some(object) = changed else {
                // Only the nodes of a model are known here, but not its other objects.
                self.dangling_changes += usize::from(!source.is_model);
                continue;
            };
            let path: Vec<&str> = change.text("propertyPath").unwrap_or_default().split('.').collect();
            let referred = change.get("objectReference").filter(|field| file_id(field) != 0);
            let value = referred.or_else(|| change.get("value")).cloned().unwrap_or_default();
            if !object.body.set(&path, value, &mut self.values_left) {
                self.unusable_changes.push(&path.join("."));
            }
        }
    }

    /// Returns the objects of the file with this GUID, or `None` if the file is not found. `ids` are those of the objects to
    /// which instances of the file refer.
    fn source(&mut self, guid: &str, ids: &StrippedIds, file: &str, line: u64) -> Option<Rc<Source>> {
        if self.open_prefabs.iter().any(|open| open == guid) {
            self.warn(file, line, message!("the prefab contains itself; the inner instance is left out"));
            return None;
        }
        if let Some(known) = self.sources.get(guid) {
            return known.clone();
        }
        let AssetContext { assets, character, read_model } = self.context;
        let asset = assets.get(guid);
        let prefab = asset.filter(|asset| asset.is_prefab_or_scene());
        let objects = if let Some(prefab) = prefab {
            self.read_prefab(guid, prefab)
        } else if ids.is_empty() {
            return None;
        } else {
            let model = asset.filter(|asset| asset.is_model());
            let meta = asset.map(Asset::meta).unwrap_or_default();
            model_objects(&meta, character, ids, || model.and_then(read_model))
        };
        let source = objects.map(|objects| Rc::new(Source { objects, is_model: prefab.is_none() }));
        self.sources.insert(guid.to_owned(), source.clone());
        source
    }

    fn read_prefab(&mut self, guid: &str, prefab: &Asset) -> Option<Objects> {
        match prefab.read() {
            Ok(bytes) if is_unity_text(&bytes) => {
                self.open_prefabs.push(guid.to_owned());
                let objects = self.load(&String::from_utf8_lossy(&bytes), prefab.name());
                self.open_prefabs.pop();
                return Some(objects);
            }
            Ok(_) => self.found.push(Diagnostic::warning(Location::file(prefab.name()), not_text())),
            Err(problem) => self.found.push(problem),
        }
        None
    }
}

/// Removes the instances from the objects of a file.
fn take_instances(objects: &mut Objects) -> Vec<Instance> {
    let first = |body: &Yaml, keys: [&str; 2]| keys.iter().find_map(|key| body.get(key)).map_or(0, file_id);
    let mut stripped: BTreeMap<i64, StrippedIds> = BTreeMap::new();
    for (id, object) in objects.iter().filter(|(_, object)| object.is_stripped) {
        let instance = first(&object.body, ["m_PrefabInstance", "m_PrefabInternal"]);
        let source = first(&object.body, ["m_CorrespondingSourceObject", "m_PrefabParentObject"]);
        stripped.entry(instance).or_default().insert(source, *id);
    }
    let is_instance = |object: &Object| object.class == PREFAB_INSTANCE && !object.is_stripped;
    let ids: Vec<i64> = objects.iter().filter(|(_, object)| is_instance(object)).map(|(id, _)| *id).collect();
    let instance = |file_id: i64| {
        let Object { body, line, .. } = objects.remove(&file_id)?;
        // Until 2018.2, the head of a prefab has the same class, without a source.
        let source = body.get("m_SourcePrefab").or_else(|| body.get("m_ParentPrefab"))?;
        let source_guid = source.text("guid")?.to_owned();
        Some(Instance { file_id, line, source_guid, body, stripped_ids: stripped.remove(&file_id).unwrap_or_default() })
    };
    ids.into_iter().filter_map(instance).collect()
}

/// Removes objects, and the nodes of removed game objects with all nodes below them. A component without its game object
/// has no effect.
fn remove(objects: &mut Objects, mut removed: Vec<i64>) {
    if removed.is_empty() {
        return;
    }
    let mut nodes_below: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (id, object) in objects.iter().filter(|(_, object)| is_transform(object)) {
        let [game_object, father] = ["m_GameObject", "m_Father"].map(|key| object.body.get(key).map_or(0, reference));
        nodes_below.entry(game_object).or_default().push(*id);
        nodes_below.entry(father).or_default().extend([*id, game_object]);
    }
    // 0 refers to nothing.
    nodes_below.remove(&0);
    while let Some(id) = removed.pop() {
        objects.remove(&id);
        removed.extend(nodes_below.remove(&id).unwrap_or_default());
    }
}
