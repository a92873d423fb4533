//! The game objects and transforms that Unity makes for the nodes of a model, with the fileIDs that Unity gives them.

use super::objects::{GAME_OBJECT, Object, Objects, SKINNED_MESH_RENDERER, TRANSFORM, reference_to};
use super::yaml::Yaml;
use std::collections::BTreeMap;
use std::sync::Arc;
use twox_hash::XxHash64;
use yuremono_model::document::FlipAxis;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BoneId, Character};

/// The name of the root in the tables of a `.meta`.
const ROOT_NAME: &str = "//RootNode";
/// The path of the root, below which the paths of nodes are.
const ROOT_PATH: &str = "//RootNode/root";
/// Maximum number of values of a `.meta`.
const MAX_VALUES: usize = 1 << 20;
/// How many nodes at the top of the character can be absent in the model.
const MAX_FOLDED_LEVELS: usize = 4;

/// Returns the objects of a model, or `None` if no part of it is known. `meta` is the text of its `.meta`. The keys of
/// `ids` are the fileIDs of objects to which instances refer. `read_model` is called if the character is not the model.
pub(super) fn model_objects(
    meta: &str,
    character: Option<&Character>,
    ids: &BTreeMap<i64, i64>,
    read_model: impl FnOnce() -> Option<Arc<Character>>,
) -> Option<Objects> {
    let table = names_by_table(meta);
    if let Some(character) = character {
        let objects = objects_of(character, &table, ids);
        let name = |id: &i64| table.get(id).map(String::as_str);
        let is_of_character = |id: &i64| match name(id) {
            Some(name) => name == ROOT_NAME || character.skeleton.find(name).is_some(),
            None => objects.contains_key(id),
        };
        if ids.keys().all(is_of_character) {
            return Some(objects);
        }
    }
    let objects = match (read_model(), character) {
        (Some(model), _) => objects_of(&model, &table, ids),
        (None, Some(character)) => objects_of(character, &table, ids),
        (None, None) => objects_by_table(&table, None),
    };
    ids.keys().any(|id| objects.contains_key(id)).then_some(objects)
}

/// The objects of a model with the nodes of a character.
fn objects_of(character: &Character, table: &BTreeMap<i64, String>, ids: &BTreeMap<i64, i64>) -> Objects {
    let mut objects = objects_by_path(character, ids);
    objects.extend(objects_by_table(table, Some(character)));
    objects
}

/// The fileIDs and names of objects in a `.meta`, which a model has that was first imported before 2019.
fn names_by_table(meta: &str) -> BTreeMap<i64, String> {
    // A faulty `.meta` has no tables, so its parts are reported as unknown.
    let yaml = Yaml::parse(meta, &mut { MAX_VALUES }).unwrap_or_default();
    let Some(importer) = yaml.get("ModelImporter") else { return BTreeMap::new() };
    let old = importer.get("fileIDToRecycleName").map_or(&[][..], Yaml::entries);
    let old = old.iter().filter_map(|(id, name)| Some((id.parse().ok()?, name.as_text()?.to_owned())));
    let new = importer.get("internalIDToNameTable").map_or(&[][..], Yaml::items);
    let new = new.iter().filter_map(|entry| {
        let (_, id) = entry.get("first")?.entries().first()?;
        Some((id.as_text()?.parse().ok()?, entry.text("second")?.to_owned()))
    });
    old.chain(new).collect()
}

/// The objects that a `.meta` lists. Their hierarchy is that of the nodes with the same names.
fn objects_by_table(table: &BTreeMap<i64, String>, character: Option<&Character>) -> Objects {
    let skeleton = character.map(|character| &character.skeleton);
    let per_class = 100_000;
    let is_transform = |id: i64| id / per_class == i64::from(TRANSFORM);
    let transforms: BTreeMap<&str, i64> =
        table.iter().filter(|(id, _)| is_transform(**id)).map(|(id, name)| (name.as_str(), *id)).collect();
    let parent_of = |name: &str| {
        let skeleton = skeleton?;
        let parent = skeleton.get_parent(skeleton.find(name)?);
        transforms.get(parent.map_or(ROOT_NAME, |parent| skeleton.name(parent))).copied()
    };
    let mut objects = Objects::new();
    for (id, name) in table {
        // The fileID is 100000 × class + 2 × n, and all objects of a node have the same n.
        let game_object = i64::from(GAME_OBJECT) * per_class + id % per_class;
        let made = match u32::try_from(id / per_class) {
            Ok(GAME_OBJECT) => game_object_named(name),
            Ok(TRANSFORM) => {
                let rest = character.and_then(|one| Some(rest_in_unity(one, one.skeleton.find(name)?)));
                transform_of(game_object, parent_of(name).unwrap_or(0), &rest.unwrap_or(Trs::IDENTITY))
            }
            _ => continue,
        };
        objects.insert(*id, made);
    }
    objects
}

/// The objects of a model that was first imported in 2019 or later: their fileIDs are hashes of paths.
fn objects_by_path(character: &Character, ids: &BTreeMap<i64, i64>) -> Objects {
    let variants = (0..=MAX_FOLDED_LEVELS).map(|folded| objects_with_levels_folded(character, folded));
    // The root has the same fileID in all variants.
    let hits = |objects: &Objects| objects.keys().filter(|id| ids.contains_key(id)).count();
    variants.rev().max_by_key(hits).unwrap_or_default()
}

/// `folded` is the number of levels of the character's nodes that have no names in paths. If a model has a single node at
/// the top, this node is the root.
fn objects_with_levels_folded(character: &Character, folded: usize) -> Objects {
    let skeleton = &character.skeleton;
    let mut objects = Objects::new();
    let root = [class_id("GameObject", ROOT_PATH), class_id("Transform", &format!("{ROOT_PATH}/Transform"))];
    let mut transforms: BTreeMap<BoneId, i64> = BTreeMap::new();
    let mut paths: BTreeMap<BoneId, String> = BTreeMap::new();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for bone in skeleton.ids() {
        let parent = skeleton.get_parent(bone);
        let depth = skeleton.ancestors(bone).filter(|above| *above != bone).count();
        let path = if depth < folded {
            ROOT_PATH.to_owned()
        } else {
            let above = parent.and_then(|parent| paths.get(&parent)).map_or(ROOT_PATH, String::as_str);
            format!("{above}/{}", skeleton.name(bone))
        };
        // Objects of the same path are counted.
        let same = counts.entry(path.clone()).or_default();
        let numbered = |class: &str, path: &str| hash(&format!("Type:{class}->{path}{same}"));
        let game_object = numbered("GameObject", &path);
        let transform = numbered("Transform", &format!("{path}/Transform"));
        let renderer = numbered("SkinnedMeshRenderer", &format!("{path}/SkinnedMeshRenderer"));
        *same += 1;
        let above = parent.and_then(|parent| transforms.get(&parent)).copied();
        let above = above.unwrap_or(if depth < folded { 0 } else { root[1] });
        objects.insert(game_object, game_object_named(skeleton.name(bone)));
        objects.insert(transform, transform_of(game_object, above, &rest_in_unity(character, bone)));
        let body = Yaml::Map(vec![("m_GameObject".to_owned(), reference_to(game_object))]);
        objects.insert(renderer, object(SKINNED_MESH_RENDERER, body));
        transforms.insert(bone, transform);
        paths.insert(bone, path);
    }
    objects.entry(root[0]).or_insert_with(|| game_object_named(""));
    objects.entry(root[1]).or_insert_with(|| transform_of(root[0], 0, &Trs::IDENTITY));
    objects
}

/// The local transform of a node in Unity.
fn rest_in_unity(character: &Character, bone: BoneId) -> Trs {
    let axis = FlipAxis::default_for(character.facing);
    let rest = character.skeleton.bone(bone).rest;
    Trs {
        translation: axis.flip_point(rest.translation),
        rotation: axis.flip_rotation(rest.rotation),
        scale: rest.scale,
    }
}

fn class_id(class: &str, path: &str) -> i64 {
    hash(&format!("Type:{class}->{path}0"))
}

fn hash(text: &str) -> i64 {
    XxHash64::oneshot(0, text.as_bytes()).cast_signed()
}

fn object(class: u32, body: Yaml) -> Object {
    Object { class, is_stripped: false, line: 0, body }
}

fn game_object_named(name: &str) -> Object {
    object(GAME_OBJECT, Yaml::Map(vec![("m_Name".to_owned(), Yaml::Text(name.to_owned()))]))
}

fn transform_of(game_object: i64, parent: i64, local: &Trs) -> Object {
    let numbers = |parts: &[f32]| {
        let part = |(axis, part): (&str, &f32)| (axis.to_owned(), Yaml::Text(part.to_string()));
        Yaml::Map(["x", "y", "z", "w"].into_iter().zip(parts).map(part).collect())
    };
    let fields = [
        ("m_GameObject", reference_to(game_object)),
        ("m_Father", reference_to(parent)),
        ("m_LocalPosition", numbers(&local.translation.to_array())),
        ("m_LocalRotation", numbers(&local.rotation.to_array())),
        ("m_LocalScale", numbers(&local.scale.to_array())),
    ];
    object(TRANSFORM, Yaml::Map(fields.map(|(key, value)| (key.to_owned(), value)).to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_ids_are_those_that_were_published() {
        for (class, path, file_id) in [
            ("GameObject", ROOT_PATH, 919_132_149_155_446_097),
            ("Transform", "//RootNode/root/Transform", -8_679_921_383_154_817_045),
            (
                "SkinnedMeshRenderer",
                "//RootNode/root/a_SquirrelShipMesh_nearfinal/SkinnedMeshRenderer",
                2_144_674_613_060_260_969,
            ),
            ("GameObject", "//RootNode/root/a_SquirrelShipMesh_nearfinal", -2_358_995_200_592_801_505),
            ("Mesh", "a_SquirrelShipMesh_nearfinal", -8_802_436_679_497_846_652),
        ] {
            assert_eq!(class_id(class, path), file_id, "{path}");
        }
    }
}
