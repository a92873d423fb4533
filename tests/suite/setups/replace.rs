//! Tests that files of several systems replace a setup: chains of the solvers in the file are rebuilt, and everything
//! else is kept.

use super::several_systems::{check_equal_for_solvers, export_bytes, four_systems, setup_file_of_systems};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::open::OpenedCharacter;
use yuremono_format::tables;
use yuremono_model::document::{ChainId, Collider, ColliderId, Document, Node, Passthrough, SetupEntry, SystemId};
use yuremono_model::exchange::remap::NameMap;
use yuremono_model::exchange::{
    ExportOptions, FileSection, ImportPlan, ReplaceCounts, ReplaceNote, ReplaceOptions, ReplacePlan, TableSections,
    export, mesh_names,
};
use yuremono_model::tools::components::split_off_chains;
use yuremono_sim::params::{ParamScope, enumerate_params};
use yuremono_sim::rig::BoneId;
use yuremono_sim::solver::dynamic_bone::UPDATE_RATE;
use yuremono_sim::solver::spring_bone::{GROUND_HEIGHT, IS_PAUSED};
use yuremono_sim::{ColliderShape, SolverKind};

/// Returns the sample character's own setup as JSON, with only the `wanted` systems and their chains.
fn setup_file(opened: &OpenedCharacter, document: &Document, wanted: impl Fn(&Value) -> bool) -> Value {
    let bytes = export_bytes(document, &opened.character.skeleton, None);
    let mut file: Value = serde_json::from_slice(&bytes).expect("JSON");
    let systems = entries_of_kind(&mut file, "systems");
    systems.retain(|_, system| wanted(system));
    let kept: BTreeSet<String> = systems.keys().cloned().collect();
    entries_of_kind(&mut file, "chains").retain(|_, chain| kept.contains(&chain["system"].to_string()));
    file
}

/// Returns the entries of one kind, by their numbers in the file.
fn entries_of_kind<'a>(file: &'a mut Value, kind: &str) -> &'a mut serde_json::Map<String, Value> {
    file["setup"][kind].as_object_mut().expect("an object")
}

fn has_solver(system: &Value, solver: SolverKind) -> bool {
    system["solver"] == solver.key()
}

/// Returns the numbers of the chains that use a solver.
fn chain_numbers_of(file: &Value, solver: SolverKind) -> Vec<String> {
    let systems = &file["setup"]["systems"];
    let chains = file["setup"]["chains"].as_object().expect("an object").iter();
    let of_solver = chains.filter(|(_, chain)| has_solver(&systems[chain["system"].to_string()], solver));
    of_solver.map(|(number, _)| number.clone()).collect()
}

fn replace_options(opened: &OpenedCharacter) -> ReplaceOptions {
    ReplaceOptions {
        sections: TableSections::default(),
        mesh_names: mesh_names(&opened.character),
        use_other_entries: true,
    }
}

fn replace_plan(opened: &OpenedCharacter, document: &Document, file: &Value) -> (ImportPlan, ReplacePlan) {
    let (file, _) = tables::read_setup(file.to_string().as_bytes(), "all.json").expect("readable");
    let import = ImportPlan::new(file, &[], document, &opened.character, &NameMap::new());
    let plan = import.replace_plan(document, &opened.character.skeleton, replace_options(opened));
    (import, plan)
}

/// Returns the document after the file replaces its setup. Checks that the edit is undone exactly, and that the
/// reported counts are correct.
#[track_caller]
fn apply_replacement(opened: &OpenedCharacter, document: &Document, file: &Value) -> (Document, ReplacePlan) {
    let skeleton = &opened.character.skeleton;
    let (import, plan) = replace_plan(opened, document, file);
    let laid = import.conversion().map_or(document, |conversion| &conversion.after);
    let mut after = document.clone();
    let edit = yuremono_model::document::difference(document, &plan.after_replacement(laid, skeleton));
    let changes = after.apply_recorded(edit).expect("the edit applies");
    let mut again = after.clone();
    changes.revert(&mut again);
    assert_eq!(&again, document, "undo restores every bit");
    let systems = file["setup"]["systems"].as_object().expect("an object").values();
    let solvers: BTreeSet<&str> = systems.map(|system| system["solver"].as_str().expect("a name")).collect();
    let joints = |document: &Document| -> BTreeSet<BoneId> {
        let chains = document.chains.values().filter(|chain| solvers.contains(document.solver_of(chain).key()));
        chains.flat_map(|chain| &chain.joints).map(|joint| joint.bone).collect()
    };
    let ReplaceCounts {
        joints: count, joints_removed: joints_gone, colliders, colliders_removed: colliders_gone, ..
    } = plan.counts();
    assert_eq!(count, joints(&after).len());
    assert_eq!(joints_gone, joints(laid).difference(&joints(&after)).count());
    assert_eq!(colliders_gone, laid.colliders.keys().filter(|id| !after.colliders.contains_key(id)).count());
    let aside = plan.notes().iter().find_map(|note| match note {
        ReplaceNote::KeepsOtherSystems { colliders, .. } => Some(*colliders),
        _ => None,
    });
    assert_eq!(colliders + aside.unwrap_or(0), after.colliders.len());
    (after, plan)
}

/// Returns a copy with changed values, without some chains, and with a moved and an additional collider.
fn damaged_document(document: &Document) -> Document {
    let mut damaged = document.clone();
    for (at, id) in document.chains.keys().enumerate() {
        if at % 7 == 3 {
            damaged.chains.remove(id);
        } else if let Some(chain) = damaged.chains.get_mut(id) {
            let table = document.param_defs_of(chain);
            let carried = enumerate_params(table).filter(|(_, def)| !def.extension && def.scope == ParamScope::Joint);
            carried.for_each(|(param, _)| chain.values[param.index()].base *= 0.5);
            chain.joints[0].colliders.clear();
        }
    }
    for system in damaged.systems.values_mut() {
        let param = enumerate_params(system.param_defs())
            .find(|(_, def)| def.scope == ParamScope::System)
            .expect("the document has systems")
            .0;
        system.values.set(param, 0.5);
    }
    let first = *document.colliders.keys().next().expect("the sample has colliders");
    damaged.colliders.get_mut(&first).expect("there").shape = ColliderShape::Sphere { radius: 0.5, inside: false };
    let id = damaged.next_collider_id();
    let node = Node::Bone(BoneId(0));
    damaged
        .colliders
        .insert(id, Collider::new("one too many", node, ColliderShape::Sphere { radius: 1.0, inside: false }));
    let chain = damaged.chains.values_mut().next().expect("some chains remain");
    chain.joints[0].colliders.push(id);
    damaged
}

#[test]
fn replacing_with_a_file_of_all_systems_restores_a_damaged_setup() {
    let (opened, document) = four_systems();
    let file = setup_file(&opened, &document, |_| true);
    let (after, plan) = apply_replacement(&opened, &damaged_document(&document), &file);
    check_equal_for_solvers(&after, &document, &opened.character.skeleton);
    assert!(!after.colliders.values().any(|collider| collider.name == "one too many"));
    assert_eq!(plan.errors().len(), 0);
    assert_eq!(plan.notes().iter().filter(|note| matches!(note, ReplaceNote::KeepsOtherSystems { .. })).count(), 0);
    // A second replacement changes nothing.
    let (again, _) = apply_replacement(&opened, &after, &file);
    assert_eq!(again, after);
}

#[test]
fn a_solver_that_the_file_omits_is_unchanged_including_its_colliders() {
    let (opened, document) = four_systems();
    let skirt = |document: &Document| {
        let chains = document.chains.iter().filter(|(_, chain)| document.solver_of(chain) == SolverKind::Vrm);
        let chains: Vec<_> = chains.map(|(id, chain)| (*id, chain.clone())).collect();
        let systems: Vec<_> = document
            .systems
            .iter()
            .filter(|(_, s)| s.solver == SolverKind::Vrm)
            .map(|(id, s)| (*id, s.clone()))
            .collect();
        let named: BTreeSet<ColliderId> = chains
            .iter()
            .flat_map(|(_, chain)| chain.joints.iter().flat_map(|joint| document.colliders_of(chain, joint)))
            .collect();
        let colliders: Vec<_> = named.iter().map(|id| (*id, document.colliders[id].clone())).collect();
        let groups: Vec<_> = chains.iter().flat_map(|(_, c)| &c.groups).map(|id| document.groups[id].clone()).collect();
        (chains, systems, colliders, groups)
    };
    let before = skirt(&document);
    assert!(!before.0.is_empty() && before.2.len() > 1 && !before.3.is_empty());
    let mut three = setup_file(&opened, &document, |system| !has_solver(system, SolverKind::Vrm));
    assert_eq!(entries_of_kind(&mut three, "systems").len(), 3);
    // The file has no colliders and only half the hair.
    three["setup"].as_object_mut().expect("an object").remove("colliders");
    let hair = chain_numbers_of(&three, SolverKind::UnityChanSpringBone);
    let gone = &hair[hair.len() / 2..];
    entries_of_kind(&mut three, "chains").retain(|number, _| !gone.contains(number));
    let (after, plan) = apply_replacement(&opened, &document, &three);
    assert_eq!(skirt(&after), before);
    assert_eq!(after.colliders.keys().collect::<Vec<_>>(), before.2.iter().map(|(id, _)| id).collect::<Vec<_>>());
    assert!(plan.counts().joints_removed > 10 && plan.counts().colliders == 0);
    let joints = before.0.iter().map(|(_, chain)| chain.joints.len()).sum();
    let stays = ReplaceNote::KeepsOtherSystems { systems: 1, joints, colliders: before.2.len() };
    assert!(plan.notes().contains(&stays), "{:?}", plan.notes());
    assert!(plan.notes().contains(&ReplaceNote::RemovesColliders(plan.counts().colliders_removed)));
    // A collider whose name is in the file gets the values from the file, even if the skirt uses the collider.
    let mut moved = setup_file(&opened, &document, |system| !has_solver(system, SolverKind::Vrm));
    let name = before.2[0].1.name.clone();
    for collider in entries_of_kind(&mut moved, "colliders").values_mut().filter(|one| one["name"] == name.as_str()) {
        let shape = collider["shape"].as_object_mut().expect("an object");
        shape.values_mut().for_each(|fields| fields["radius"] = Value::from(0.75));
    }
    let (after, _) = apply_replacement(&opened, &document, &moved);
    assert_eq!(after.colliders[&before.2[0].0].shape.field(0), 0.75);
    assert_eq!((skirt(&after).0, skirt(&after).1), (before.0, before.1));
}

#[test]
fn systems_of_one_solver_are_matched_by_name_and_others_are_removed() {
    let (opened, mut document) = four_systems();
    let own: Vec<SystemId> =
        document.systems.iter().filter(|(_, s)| s.solver == SolverKind::DynamicBone).map(|(id, _)| *id).collect();
    for (id, name) in own.iter().zip(["Left", "Right"]) {
        document.systems.get_mut(id).expect("it exists").name = name.to_owned();
    }
    let both = setup_file(&opened, &document, |system| has_solver(system, SolverKind::DynamicBone));
    // In the other document, the systems have each other's names and equal rates.
    let mut other = document.clone();
    for (id, name) in own.iter().zip(["Right", "Left"]) {
        let system = other.systems.get_mut(id).expect("it exists");
        system.name = name.to_owned();
        system.values.set(UPDATE_RATE, 30.0);
        system.component = None;
    }
    let (after, _) = apply_replacement(&opened, &other, &both);
    assert_eq!(after.systems.len(), 4);
    let rate = |document: &Document, name: &str| {
        document.systems.values().find(|s| s.name == name).map(|s| s.get(UPDATE_RATE)).expect("it exists")
    };
    assert_eq!((rate(&after, "Left"), rate(&after, "Right")), (rate(&document, "Left"), rate(&document, "Right")));
    check_equal_for_solvers(&after, &document, &opened.character.skeleton);
    // The file lacks the left system, so the replacement removes this system and its tail. Systems of other solvers are
    // kept.
    let vrm = |system: &Value| has_solver(system, SolverKind::Vrm);
    let one = setup_file(&opened, &document, |system| vrm(system) || system["name"] == "Right");
    let (after, plan) = apply_replacement(&opened, &document, &one);
    assert!(!after.systems.contains_key(&own[0]) && after.systems.contains_key(&own[1]));
    assert!(after.chains.values().all(|chain| chain.system != own[0]));
    assert!(plan.notes().contains(&ReplaceNote::RemovesSystems(1)), "{:?}", plan.notes());
    let hair = |document: &Document| -> BTreeMap<ChainId, yuremono_model::document::Chain> {
        let all = document.chains.iter();
        let hair = all.filter(|(_, c)| document.solver_of(c) == SolverKind::UnityChanSpringBone);
        hair.map(|(id, chain)| (*id, chain.clone())).collect()
    };
    assert_eq!(hair(&after), hair(&document));
}

#[test]
fn replacing_with_a_unity_table_leaves_one_system_with_the_values_unity_keeps() {
    let opened = super::sample(SolverKind::UnityChanSpringBone);
    let mut document = opened.document.clone();
    let some: BTreeSet<ChainId> = document.chains.keys().take(5).copied().collect();
    let (edit, second) = split_off_chains(&document, &some, "Front").expect("other chains remain");
    document.apply(edit).expect("the edit applies");
    let first = document.main_system_id();
    for (id, height) in [(first, 0.25), (second, 0.75)] {
        let values = &mut document.systems.get_mut(&id).expect("it exists").values;
        values.set(GROUND_HEIGHT, height);
        values.set(IS_PAUSED, 1.0);
    }
    // One table contains the chains of both systems, without comment rows, like tables from Unity.
    let skeleton = &opened.character.skeleton;
    let mut file = export(&document, skeleton, ExportOptions::new(DEFAULT_FORMAT)).file;
    file.entries.retain(|item| item.section != FileSection::Other);
    let plan = ReplacePlan::new(&file, &[], &[], &document, skeleton, replace_options(&opened));
    let mut after = document.clone();
    let changes = after.apply_recorded(plan.edit(&document, skeleton)).expect("the edit applies");
    assert_eq!(after.systems.keys().collect::<Vec<_>>(), [&first]);
    assert!(after.chains.values().all(|chain| chain.system == first));
    assert_eq!(after.joint_count(), document.joint_count());
    assert_eq!((after.main_system().get(GROUND_HEIGHT), after.main_system().get(IS_PAUSED)), (0.25, 0.0));
    assert!(plan.notes().contains(&ReplaceNote::ResetsSwitches) && plan.counts().joints_removed == 0);
    changes.revert(&mut after);
    assert_eq!(after, document);
}

#[test]
fn a_bone_in_two_systems_belongs_to_the_later_one_and_chains_start_as_in_the_file() {
    let opened = super::sample(SolverKind::Vrm);
    let skeleton = &opened.character.skeleton;
    let long = opened.document.chains.values().find(|c| c.joints.len() > 4).expect("a long chain");
    let bones: Vec<&str> = long.joints.iter().map(|j| skeleton.name(j.bone)).collect();
    let vrm: [&[&str]; 2] = [&bones[..1], &bones[1..4]];
    let file = setup_file_of_systems(&[(SolverKind::Vrm, &vrm), (SolverKind::DynamicBone, &[&bones[3..]])]);
    let file = serde_json::from_slice(&file).expect("JSON");
    let (after, plan) = apply_replacement(&opened, &opened.document, &file);
    let twice =
        plan.notes().iter().filter(|note| matches!(note, ReplaceNote::DuplicateBone(_, name) if name == bones[3]));
    assert_eq!(twice.count(), 1);
    let mut chains: Vec<(SolverKind, Vec<&str>)> = after
        .chains
        .values()
        .map(|c| (after.solver_of(c), c.joints.iter().map(|j| skeleton.name(j.bone)).collect()))
        .collect();
    chains.sort_by_key(|(_, bones)| bones.first().map(|bone| skeleton.find(bone)));
    let vrm = SolverKind::Vrm;
    assert_eq!(
        chains,
        [(vrm, bones[..1].to_vec()), (vrm, bones[1..3].to_vec()), (SolverKind::DynamicBone, bones[3..].to_vec()),]
    );
}

#[test]
fn unresolved_entries_are_reported_and_kept() {
    let (opened, document) = four_systems();
    let mut file = setup_file(&opened, &document, |system| !has_solver(system, SolverKind::DynamicBone));
    file["setup"]["excluded_bones"] = json!(["Nobody"]);
    let (after, plan) = apply_replacement(&opened, &document, &file);
    assert!(
        plan.notes().iter().any(|note| matches!(note, ReplaceNote::UnusableCommentRows(1, _))),
        "{:?}",
        plan.notes()
    );
    let is_nobody = |kept: &Passthrough| matches!(kept, Passthrough::Entry { entry, .. } if **entry == SetupEntry::ExcludedBone("Nobody".to_owned()));
    assert!(after.passthrough.iter().any(is_nobody), "{:?}", after.passthrough);
}

#[test]
fn an_outdated_group_does_not_change_groups_of_an_omitted_solver() {
    let (opened, document) = four_systems();
    let skeleton = &opened.character.skeleton;
    let others = document.chains.values().filter(|chain| document.solver_of(chain) == SolverKind::Vrm);
    let groups: BTreeSet<_> = others.flat_map(|chain| &chain.groups).copied().collect();
    let (at, id) = document.groups.keys().enumerate().find(|(_, id)| groups.contains(id)).expect("the skirt's");
    let (number, group) = (at + 1, document.groups[id].clone());
    assert!(group.colliders.len() > 1, "the group has more than one collider");
    let mut stale = setup_file(&opened, &document, |system| has_solver(system, SolverKind::UnityChanSpringBone));
    // The older export lists only the first collider of the group.
    let entry = entries_of_kind(&mut stale, "groups").get_mut(&number.to_string()).expect("a group");
    entry["colliders"].as_array_mut().expect("a list").truncate(1);
    for chain in entries_of_kind(&mut stale, "chains").values_mut() {
        let own = chain["groups"].as_array().into_iter().flatten();
        chain["groups"] = own.filter(|group| **group != json!(number)).cloned().collect();
    }
    let (after, _) = apply_replacement(&opened, &document, &stale);
    assert_eq!(after.groups.get(id), Some(&group));
    assert_eq!(after.groups.len(), document.groups.len(), "no chain of the file has the group");
    // If a chain of the file has the group, the document gets one group with the content from the file.
    let hair = document.chains.values().find(|c| document.solver_of(c) == SolverKind::UnityChanSpringBone);
    let root = hair.expect("there is hair").root();
    let chain = entries_of_kind(&mut stale, "chains")
        .values_mut()
        .find(|chain| chain["joints"][0]["bone"] == skeleton.name(root));
    chain.expect("the hair is in the file")["groups"] = json!([number]);
    let (after, _) = apply_replacement(&opened, &document, &stale);
    assert_eq!(after.groups.get(id), Some(&group));
    let (chain, _) = after.find_joint(root).expect("a joint");
    let own = after.chains[&chain].groups.clone();
    let [own] = own[..] else { panic!("{own:?}") };
    assert_eq!((own != *id, after.groups[&own].colliders.len()), (true, 1));
    assert_eq!(apply_replacement(&opened, &after, &stale).0.groups, after.groups);
}

#[test]
fn passthrough_entries_of_other_solvers_are_kept() {
    let (opened, mut document) = four_systems();
    let hair = setup_file(&opened, &document, |system| has_solver(system, SolverKind::UnityChanSpringBone));
    let root = |solver: SolverKind| {
        let chain = document.chains.values().find(|chain| document.solver_of(chain) == solver).expect("a chain");
        opened.character.skeleton.name(chain.root()).to_owned()
    };
    let (ours, theirs) = (root(SolverKind::UnityChanSpringBone), root(SolverKind::Vrm));
    let row =
        |section: &str, name: &str| Passthrough::CsvRow { section: section.to_owned(), cells: vec![name.to_owned()] };
    let item = |solver: SolverKind, item: Value| Passthrough::Entry {
        solver,
        entry: Box::new(serde_json::from_value(item).expect("an entry")),
    };
    let center = |solver: SolverKind, root: &str| {
        let chain = json!({ "name": "", "system": 0, "center": "Nowhere" });
        item(solver, json!({ "chain": { "root": root, "chain": chain } }))
    };
    let value = |solver: SolverKind, name: &str| {
        let joint = json!({ "bone": "Feather", "overrides": { name: 0.5 } });
        item(solver, json!({ "joint": { "scope": "details", "joint": joint } }))
    };
    let kawaii = json!({ "solver": "KawaiiPhysics", "component_lists": { "kawaii": { "base_bone": "Hips" } } });
    let unity = SolverKind::UnityChanSpringBone;
    let stay = [
        center(SolverKind::Vrm, &theirs),
        row("[VRM]", "Wing"),
        center(SolverKind::Vrm, "Wing"),
        item(SolverKind::KawaiiPhysics, json!({ "system": kawaii })),
        value(SolverKind::DynamicBone, "m_Damping"),
        item(unity, json!({ "excluded_bone": "Nobody" })),
    ];
    let go =
        [center(unity, &ours), row("[SpringBones]", "Ribbon"), center(unity, "Ribbon"), value(unity, "stiffnessForce")];
    document.passthrough = stay.iter().chain(&go).cloned().collect();
    let (after, _) = apply_replacement(&opened, &document, &hair);
    assert_eq!(after.passthrough, stay);
    // If all systems use one solver, nothing is deferred.
    let opened = super::sample(SolverKind::UnityChanSpringBone);
    let mut document = opened.document.clone();
    let file = setup_file(&opened, &document, |_| true);
    document.passthrough = vec![item(unity, json!({ "excluded_bone": "Nobody" }))];
    assert_eq!(apply_replacement(&opened, &document, &file).0.passthrough, []);
}
