//! Tests shared materials in projects, tables and the JSON of `EZSoftBone`.

use super::{
    EZ, SHARING_CHAINS, SOFT_MATERIAL, UNSHARED_CHAIN, chain_value, check_chains_match_materials, skirt_with_material,
};
use crate::support::formats::{CSV, EZ_JSON, PARAMETERS};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::tables;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::{ChainId, ChainValue, Document, Edit, FlipAxis, Material, MaterialId};
use yuremono_model::exchange::SetupFormat;
use yuremono_model::exchange::{ExportLoss, ExportOptions, ImportPlan, export};
use yuremono_sim::math::Curve;
use yuremono_sim::rig::{Character, Skeleton};
use yuremono_sim::solver::ez_soft_bone::{DAMPING, MATERIAL_PARAMS, STIFFNESS};

#[test]
fn a_project_keeps_materials_and_reports_the_location_of_a_bad_reference() {
    let (character, document) = skirt_with_material();
    let skeleton = &character.skeleton;
    let bytes = project::write(&document, skeleton, &ProjectMetadata::default());
    let load = |bytes: &[u8]| {
        let (project, _) = project::read(bytes, "a.yure").expect("readable");
        let (document, found) = project.into_document(skeleton);
        (document, found.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    assert_eq!(load(&bytes), (document.clone(), Vec::new()));
    let mut json: Value = serde_json::from_slice(&bytes).expect("JSON");
    let setup = &mut json["setup"];
    assert_eq!(setup["materials"]["1"]["values"]["m_Stiffness"], json!({ "base": 0.1 }));
    setup["materials"]["1"]["values"]["m_Radius"] = json!({ "base": 1.0 });
    setup["chains"]["2"]["material"] = json!(7);
    setup["chains"]["3"]["values"]["m_Stiffness"]["base"] = json!(0.5);
    let (read, reported) = load(json.to_string().as_bytes());
    assert_eq!(
        reported,
        [
            "a.yure#/setup/materials/1/values: parameter \"m_Radius\" is not known; left out",
            "a.yure#/setup/chains/2/material: there is no material 7; chain \"skirt_0_0\" has no material",
            "a.yure#/setup/chains/3/material: the values differ from material \"Soft\"; \
             chain \"skirt_1_0\" has no material",
        ]
    );
    assert_eq!(SHARING_CHAINS.map(|id| read.chains[&id].material), [None, None, Some(SOFT_MATERIAL)]);
    assert_eq!(
        chain_value(&read, SHARING_CHAINS[0], DAMPING),
        chain_value(&document, SHARING_CHAINS[0], DAMPING),
        "the values stay"
    );
    // Write the project like an older version without materials.
    json["setup"].as_object_mut().expect("an object").remove("materials");
    for chain in json["setup"]["chains"].as_object_mut().expect("an object").values_mut() {
        chain.as_object_mut().expect("an object").remove("material");
    }
    let (plain, reported) = load(json.to_string().as_bytes());
    assert!(reported.is_empty() && plain.materials.is_empty(), "{reported:?}");
}

pub(super) fn export_bytes(document: &Document, skeleton: &Skeleton, format: SetupFormat) -> Vec<u8> {
    let options = ExportOptions::new(format).with_flip_axis(FlipAxis::X);
    tables::write_setup(&export(document, skeleton, options).file, options)
}

/// Imports a file into a document. Returns the document and the diagnostics of the file.
fn import_into(mut document: Document, bytes: &[u8], character: &Character) -> (Document, Vec<String>) {
    let (file, found) = tables::read_setup(bytes, "ez.json").expect("readable");
    let reported = found.iter().map(ToString::to_string).collect();
    let plan = ImportPlan::new(to_gltf(file, FlipAxis::X), &found, &document, character, &BTreeMap::new());
    document.apply(plan.edit(&document, &character.skeleton)).expect("a plan applies");
    check_chains_match_materials(&document);
    (document, reported)
}

/// Returns the root names of the chains that share each material, by material name.
fn chains_by_material_name(document: &Document, skeleton: &Skeleton) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for chain in document.chains.values() {
        if let Some(material) = document.material_of(chain) {
            found.entry(material.name.clone()).or_default().push(skeleton.name(chain.root()).to_owned());
        }
    }
    for roots in found.values_mut() {
        roots.sort();
    }
    found
}

#[track_caller]
fn check_same_values(a: &Document, b: &Document, skeleton: &Skeleton) {
    let values = |document: &Document| {
        let mut all = BTreeMap::new();
        for chain in document.chains.values() {
            let places = document.curve_positions(chain, skeleton);
            for (at, joint) in chain.joints.iter().enumerate() {
                all.insert(
                    joint.bone,
                    MATERIAL_PARAMS.iter().map(|param| chain.joint_value(at, *param, places[at])).collect::<Vec<_>>(),
                );
            }
        }
        all
    };
    let (a, b) = (values(a), values(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (bone, now) in &a {
        for (now, then) in now.iter().zip(&b[bone]) {
            assert!((now - then).abs() <= 1e-6 * then.abs().max(0.01), "{bone:?}: {now}, not {then}");
        }
    }
}

/// Returns the document of [`skirt_with_material`] with a second material of the same name, which another column and
/// the lock of hair share.
fn two_materials_of_one_name() -> (Character, Document) {
    let (character, mut document) = skirt_with_material();
    let line = Curve::from_points(&[(0.0, 1.0), (0.4, 0.8), (1.0, 0.2)]);
    let mut material = document.materials[&SOFT_MATERIAL].clone();
    material.values.insert(STIFFNESS, ChainValue::new(0.3, line));
    let id = MaterialId(2);
    document.apply(Edit::PutMaterial { id, material: Some(Box::new(material)) }).expect("whole");
    for chain in [UNSHARED_CHAIN, ChainId(1)] {
        document.apply(Edit::SetMaterial { chain, material: Some(id) }).expect("of one solver");
    }
    (character, document)
}

#[test]
fn ez_soft_bone_json_names_materials_and_importing_it_shares_them_again() {
    let (character, document) = two_materials_of_one_name();
    let skeleton = &character.skeleton;
    let bytes = export_bytes(&document, skeleton, EZ_JSON);
    let json: Value = serde_json::from_slice(&bytes).expect("JSON");
    let components = json["Components"].as_array().expect("a list");
    let name = |root: &str| {
        let component = components.iter().find(|c| c["m_RootBones"] == json!([root])).expect("a component");
        component["m_Material"]["m_Name"].clone()
    };
    assert_eq!([name("hair_0"), name("skirt_0_0"), name("skirt_3_0")], ["Soft", "Soft 2", "Soft"]);
    assert_eq!(name("skirt_5_0"), Value::Null, "a chain's own values have no material name");
    // A number appended to a name must not collide with the name of another material.
    let mut third = document.clone();
    let material = Material { name: "Soft 2".to_owned(), ..document.materials[&SOFT_MATERIAL].clone() };
    third.apply(Edit::PutMaterial { id: MaterialId(3), material: Some(Box::new(material)) }).expect("whole");
    third.apply(Edit::SetMaterial { chain: SHARING_CHAINS[0], material: Some(MaterialId(3)) }).expect("of one solver");
    let bytes_of_three = export_bytes(&third, skeleton, EZ_JSON);
    let json_of_three: Value = serde_json::from_slice(&bytes_of_three).expect("JSON");
    let names: Vec<&Value> =
        json_of_three["Components"].as_array().expect("a list").iter().map(|c| &c["m_Material"]["m_Name"]).collect();
    assert_eq!(names[..5], ["Soft", "Soft 2", "Soft 3", "Soft 3", "Soft"]);
    // The asset's curve is exported, not the points that this chain samples from it.
    let soft = components.iter().find(|c| c["m_RootBones"] == json!(["skirt_1_0"])).expect("a component");
    assert_eq!(soft["m_Material"]["m_Damping"], json!(0.35));
    assert_eq!(soft["m_Material"]["m_DampingCurve"].as_array().map(Vec::len), Some(2));

    let (read, reported) = import_into(Document::with_solver(EZ), &bytes, &character);
    assert_eq!(reported, Vec::<String>::new());
    check_same_values(&read, &document, skeleton);
    let groups = chains_by_material_name(&read, skeleton);
    let roots = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(groups["Soft"], roots(&["hair_0", "skirt_3_0"]));
    assert_eq!(groups["Soft 2"], roots(&["skirt_0_0", "skirt_1_0", "skirt_2_0"]));
    let shared = &read.chains.values().find(|c| c.name == "skirt_0_0").expect("the material was created").joints;
    assert!(shared.iter().all(|joint| !joint.overrides.contains_key(&DAMPING)), "joints follow the material");
    // Importing the same file again changes nothing.
    let again = export_bytes(&read, skeleton, EZ_JSON);
    let (same, _) = import_into(read.clone(), &again, &character);
    assert_eq!(same, read);
}

#[test]
fn a_component_with_different_values_under_a_material_name_keeps_them_and_is_reported() {
    let (character, document) = skirt_with_material();
    let skeleton = &character.skeleton;
    let mut json: Value = serde_json::from_slice(&export_bytes(&document, skeleton, EZ_JSON)).expect("JSON");
    let of = |root: &str| {
        json["Components"].as_array().expect("a list").iter().position(|c| c["m_RootBones"] == json!([root]))
    };
    let (first, other) = (of("skirt_0_0").expect("there"), of("skirt_2_0").expect("there"));
    assert!(first < other);
    json["Components"][other]["m_Material"]["m_Slackness"] = json!(0.75);
    let (read, reported) = import_into(Document::with_solver(EZ), json.to_string().as_bytes(), &character);
    let expected = format!(
        "ez.json#/Components/{other}/m_Material: material \"Soft\" has other values at \"skirt_0_0\"; these values are not shared"
    );
    assert_eq!(reported, [expected]);
    assert_eq!(chains_by_material_name(&read, skeleton)["Soft"], ["skirt_0_0", "skirt_1_0"]);
    // If all chains were changed equally in EZSoftBone, the import keeps one material with new values.
    json["Components"][other]["m_Material"]["m_Slackness"] = json!(0.1);
    let text = json.to_string().replace("0.35", "0.5");
    let (read, _) = import_into(document.clone(), text.as_bytes(), &character);
    assert_eq!(chains_by_material_name(&read, skeleton), chains_by_material_name(&document, skeleton));
    assert_eq!(read.materials.len(), 1);
    assert_eq!(read.materials[&SOFT_MATERIAL].values[&DAMPING].base, 0.5);
}

#[test]
fn an_export_reports_chains_whose_material_it_cannot_name() {
    let (character, mut document) = skirt_with_material();
    let skeleton = &character.skeleton;
    let losses = |document: &Document, format| {
        let all = export(document, skeleton, ExportOptions::new(format)).losses;
        let ours = |loss: &ExportLoss| matches!(loss, ExportLoss::Material(_) | ExportLoss::UnevenMaterial(_));
        all.into_iter().filter(ours).collect::<Vec<_>>()
    };
    assert_eq!(losses(&document, EZ_JSON), []);
    assert_eq!(losses(&document, PARAMETERS), []);
    assert_eq!(losses(&document, CSV).len(), 3, "if comment rows are disabled");
    let bone = document.chains[&SHARING_CHAINS[1]].joints[1].bone;
    document
        .apply(Edit::SetOverride { chain: SHARING_CHAINS[1], bone, param: DAMPING, value: Some(0.9) })
        .expect("a number");
    let reported = ExportLoss::UnevenMaterial("skirt_1_0".to_owned());
    assert_eq!(losses(&document, EZ_JSON), [reported]);
    let json: Value = serde_json::from_slice(&export_bytes(&document, skeleton, EZ_JSON)).expect("JSON");
    let names = json["Components"].as_array().expect("a list").iter().map(|c| &c["m_Material"]["m_Name"]);
    assert_eq!(names.filter(|name| **name == json!("Soft")).count(), 2);
}

#[test]
fn csv_and_json_keep_which_chains_share_a_material() {
    let (character, document) = skirt_with_material();
    let skeleton = &character.skeleton;
    for format in [CSV, PARAMETERS] {
        let bytes = export_bytes(&document, skeleton, format);
        let (same, _) = import_into(document.clone(), &bytes, &character);
        assert_eq!(same, document, "{format:?}: the document is unchanged");
        let (read, _) = import_into(Document::with_solver(EZ), &bytes, &character);
        assert_eq!(
            chains_by_material_name(&read, skeleton),
            chains_by_material_name(&document, skeleton),
            "{format:?}"
        );
        check_same_values(&read, &document, skeleton);
    }
}
