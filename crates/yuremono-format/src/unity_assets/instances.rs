//! Puts the objects of prefabs and models in place of their instances, with the changes of the instance.

use super::assets::{Asset, UnityAssets};
use super::model_objects::model_objects;
use super::objects::{
    MAX_OBJECTS, Object, Objects, PREFAB_INSTANCE, file_id, is_transform, is_unity_text, no_unity_text, parse,
    reference, reference_to, too_many_objects,
};
use super::yaml::Yaml;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, join_first_names, message};
use yuremono_sim::rig::Character;

/// What the objects of a file can refer to.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) assets: &'a UnityAssets,
    /// The character on which the setup is used. It has the nodes of models that are not found.
    pub(crate) character: Option<&'a Character>,
    /// Reads a model.
    pub(crate) read_model: &'a dyn Fn(&Asset) -> Option<Arc<Character>>,
}

/// Parses the objects of a file with those of its instances. Parts that are not found are reported.
pub(super) fn load(text: &str, file: &str, around: Surroundings<'_>, found: &mut Vec<Diagnostic>) -> Objects {
    let mut loader = InstanceLoader {
        around,
        found,
        open: Vec::new(),
        sources: BTreeMap::new(),
        objects_left: MAX_OBJECTS,
        items_left: MAX_OBJECTS,
        missing: BTreeMap::new(),
        unknown_parts: 0,
        dangling: 0,
    };
    let objects = loader.load(text, file);
    loader.report(file);
    objects
}

/// The objects of a prefab or a model, by their numbers in its own file.
struct Source {
    objects: Objects,
    is_model: bool,
}

struct InstanceLoader<'a> {
    around: Surroundings<'a>,
    found: &'a mut Vec<Diagnostic>,
    /// The GUIDs of the prefabs that are being read, outermost first.
    open: Vec<String>,
    sources: BTreeMap<String, Option<Rc<Source>>>,
    objects_left: usize,
    /// How many items lists can still gain by changes.
    items_left: usize,
    /// The GUIDs of files that are not found, with the number of parts that they contain.
    missing: BTreeMap<String, usize>,
    /// How many parts of models are on no known node.
    unknown_parts: usize,
    /// How many changes are of objects that no longer exist.
    dangling: usize,
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
        if self.unknown_parts > 0 {
            let parts = self.unknown_parts;
            warn(message!(
                "{parts} parts of models belong to no bone of the character and are left out. Open the model of the \
                 prefab first, or unpack the prefab in Unity",
                parts
            ));
        }
        if self.dangling > 0 {
            let count = self.dangling;
            warn(message!("{count} changes of instances are of objects that no longer exist, and are ignored", count));
        }
        if self.objects_left == 0 {
            warn(too_many_objects());
        }
    }

    fn load(&mut self, text: &str, file: &str) -> Objects {
        let mut objects = parse(text, file, self.found);
        self.objects_left = self.objects_left.saturating_sub(objects.len());
        let mut parts = stripped_objects(&objects);
        let instances: Vec<(i64, Object)> = objects
            .iter()
            .filter(|(_, object)| object.class == PREFAB_INSTANCE && !object.is_stripped)
            .map(|(id, object)| (*id, object.clone()))
            .collect();
        for (id, instance) in instances {
            self.expand(&mut objects, id, &instance, &parts.remove(&id).unwrap_or_default(), file);
        }
        objects
    }

    /// Adds the objects of an instance. `own_ids` has the numbers of those that the file names, by their numbers in the
    /// source.
    fn expand(
        &mut self,
        objects: &mut Objects,
        instance_id: i64,
        instance: &Object,
        own_ids: &BTreeMap<i64, i64>,
        file: &str,
    ) {
        let body = &instance.body;
        // Until 2018.2, the head of a prefab has the same class, without a source.
        let source = body.get("m_SourcePrefab").or_else(|| body.get("m_ParentPrefab"));
        let Some(guid) = source.and_then(|source| source.text("guid")) else { return };
        let Some(source) = self.source(guid, own_ids, file, instance.line) else {
            *self.missing.entry(guid.to_owned()).or_default() += own_ids.len();
            return;
        };
        let new_id = |id: i64| match (id, own_ids.get(&id)) {
            (0, _) => 0,
            (_, Some(own)) => *own,
            // The number of an object without an entry of its own.
            (id, None) => (id ^ instance_id) & i64::MAX,
        };
        let changes = body.get("m_Modification");
        let parent = changes.and_then(|changes| changes.get("m_TransformParent")).map_or(0, reference);
        for (id, object) in &source.objects {
            if self.objects_left == 0 {
                return;
            }
            self.objects_left -= 1;
            let mut object = Object { line: instance.line, ..object.clone() };
            object.body.map_references(&new_id);
            if is_transform(&object) && object.body.get("m_Father").map_or(0, reference) == 0 {
                _ = object.body.set(&["m_Father"], reference_to(parent), &mut 0);
            }
            objects.insert(new_id(*id), object);
        }
        self.unknown_parts += own_ids.keys().filter(|id| !source.objects.contains_key(id)).count();
        let Some(changes) = changes else { return };
        for change in changes.get("m_Modifications").map_or(&[][..], Yaml::items) {
            let target = change.get("target").map_or(0, file_id);
            let Some(object) = objects.get_mut(&new_id(target)).filter(|_| source.objects.contains_key(&target)) else {
                // Only the nodes of a model are known here, but not its other objects.
                self.dangling += usize::from(!source.is_model);
                continue;
            };
            let path: Vec<&str> = change.text("propertyPath").unwrap_or_default().split('.').collect();
            let referred = change.get("objectReference").filter(|field| file_id(field) != 0);
            let value = referred.or_else(|| change.get("value")).cloned().unwrap_or_default();
            if !object.body.set(&path, value, &mut self.items_left) {
                let path = excerpt(&path.join("."));
                self.warn(file, instance.line, message!("a change of \"{path}\" cannot be used and is ignored", path));
            }
        }
        let removed = ["m_RemovedComponents", "m_RemovedGameObjects"].into_iter().filter_map(|list| changes.get(list));
        let removed = removed.flat_map(Yaml::items).map(|removed| new_id(file_id(removed))).collect();
        remove(objects, removed);
    }

    /// Returns the objects of the file with this GUID, or `None` if the file is not found.
    fn source(&mut self, guid: &str, parts: &BTreeMap<i64, i64>, file: &str, line: u64) -> Option<Rc<Source>> {
        if self.open.iter().any(|open| open == guid) {
            self.warn(file, line, message!("the prefab contains itself; the inner instance is left out"));
            return None;
        }
        if let Some(known) = self.sources.get(guid) {
            return known.clone();
        }
        let Surroundings { assets, character, read_model } = self.around;
        let asset = assets.get(guid);
        let objects = if let Some(prefab) = asset.filter(|asset| asset.is_setup()) {
            self.read_prefab(guid, prefab)
        } else {
            let model = asset.filter(|asset| asset.is_model());
            let meta = asset.map(Asset::meta).unwrap_or_default();
            model_objects(&meta, character, parts, || model.and_then(read_model))
        };
        let is_model = !asset.is_some_and(Asset::is_setup);
        let source = objects.map(|objects| Rc::new(Source { objects, is_model }));
        self.sources.insert(guid.to_owned(), source.clone());
        source
    }

    fn read_prefab(&mut self, guid: &str, prefab: &Asset) -> Option<Objects> {
        match prefab.read() {
            Ok(bytes) if is_unity_text(&bytes) => {
                self.open.push(guid.to_owned());
                let objects = self.load(&String::from_utf8_lossy(&bytes), prefab.name());
                self.open.pop();
                return Some(objects);
            }
            Ok(_) => self.found.push(Diagnostic::warning(Location::file(prefab.name()), no_unity_text())),
            Err(problem) => self.found.push(problem),
        }
        None
    }
}

/// The objects of a file that refer to objects of its instances. For each instance: the number there, and their own.
fn stripped_objects(objects: &Objects) -> BTreeMap<i64, BTreeMap<i64, i64>> {
    let first = |body: &Yaml, keys: [&str; 2]| keys.iter().find_map(|key| body.get(key)).map_or(0, file_id);
    let mut parts: BTreeMap<i64, BTreeMap<i64, i64>> = BTreeMap::new();
    for (id, object) in objects.iter().filter(|(_, object)| object.is_stripped) {
        let instance = first(&object.body, ["m_PrefabInstance", "m_PrefabInternal"]);
        let source = first(&object.body, ["m_CorrespondingSourceObject", "m_PrefabParentObject"]);
        parts.entry(instance).or_default().insert(source, *id);
    }
    parts
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
    while let Some(id) = removed.pop().filter(|id| *id != 0) {
        objects.remove(&id);
        removed.extend(nodes_below.remove(&id).unwrap_or_default());
    }
}
