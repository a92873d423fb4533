//! Files of several systems in place of what is there: what their solvers move is built anew, all else stays.

use super::several::{check_same, four_systems, of_systems, written};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use yuremono::document::{ChainId, Collider, ColliderId, Document, Node, Passthrough, SetupItem, SystemId};
use yuremono::exchange::remap::Leads;
use yuremono::exchange::{
    ExportOptions, ImportPlan, ReplaceCounts, ReplaceNote, ReplaceOptions, ReplacePlan, Section, Wanted, export,
    renderer_names,
};
use yuremono::format::open::Opened;
use yuremono::format::tables;
use yuremono::rig::BoneId;
use yuremono::schema::{Scope, rows};
use yuremono::sim::solver::dynamic_bone::UPDATE_RATE;
use yuremono::sim::solver::spring_bone::{GROUND_HEIGHT, IS_PAUSED};
use yuremono::sim::{Shape, SolverKind};
use yuremono::tools::components::split;

/// Her own setup as JSON, with the systems that are wanted and their chains.
fn file(opened: &Opened, document: &Document, wanted: impl Fn(&Value) -> bool) -> Value {
    let bytes = written(document, &opened.character.skeleton, None);
    let mut file: Value = serde_json::from_slice(&bytes).expect("JSON");
    let systems = entries(&mut file, "systems");
    systems.retain(|_, system| wanted(system));
    let kept: BTreeSet<String> = systems.keys().cloned().collect();
    entries(&mut file, "chains").retain(|_, chain| kept.contains(&chain["system"].to_string()));
    file
}

/// The entries of a kind by their numbers.
fn entries<'a>(file: &'a mut Value, kind: &str) -> &'a mut serde_json::Map<String, Value> {
    file["setup"][kind].as_object_mut().expect("an object")
}

fn is_of(system: &Value, solver: SolverKind) -> bool {
    system["solver"] == solver.key()
}

/// The numbers of the chains that a solver moves.
fn chains_of(file: &Value, solver: SolverKind) -> Vec<String> {
    let systems = &file["setup"]["systems"];
    let chains = file["setup"]["chains"].as_object().expect("an object").iter();
    let of_solver = chains.filter(|(_, chain)| is_of(&systems[chain["system"].to_string()], solver));
    of_solver.map(|(number, _)| number.clone()).collect()
}

fn options(opened: &Opened) -> ReplaceOptions {
    ReplaceOptions { wanted: Wanted::default(), renderers: renderer_names(&opened.character), extras: true }
}

fn plan(opened: &Opened, document: &Document, file: &Value) -> (ImportPlan, ReplacePlan) {
    let (file, _) = tables::read_setup(file.to_string().as_bytes(), "all.json").expect("readable");
    let import = ImportPlan::new(file, &[], document, &opened.character, &Leads::new());
    let plan = import.replacement(document, &opened.character.skeleton, options(opened));
    (import, plan)
}

/// The document with the file in its place; one edit that goes back bit for bit, and counts that tell the truth.
#[track_caller]
fn replaced(opened: &Opened, document: &Document, file: &Value) -> (Document, ReplacePlan) {
    let skeleton = &opened.character.skeleton;
    let (import, plan) = plan(opened, document, file);
    let laid = import.moved().map_or(document, |conversion| &conversion.after);
    let mut after = document.clone();
    let edit = yuremono::document::difference(document, &plan.after(laid, skeleton));
    let (back, _) = after.apply(edit).expect("it fits");
    let mut again = after.clone();
    again.apply(back).expect("and back");
    assert_eq!(&again, document, "bit for bit");
    let systems = file["setup"]["systems"].as_object().expect("an object").values();
    let solvers: BTreeSet<&str> = systems.map(|system| system["solver"].as_str().expect("a name")).collect();
    let joints = |document: &Document| -> BTreeSet<BoneId> {
        let chains = document.chains.values().filter(|chain| solvers.contains(document.solver_of(chain).key()));
        chains.flat_map(|chain| &chain.joints).map(|joint| joint.bone).collect()
    };
    let ReplaceCounts { joints: count, joints_gone, colliders, colliders_gone, .. } = plan.counts();
    assert_eq!(count, joints(&after).len());
    assert_eq!(joints_gone, joints(laid).difference(&joints(&after)).count());
    assert_eq!(colliders_gone, laid.colliders.keys().filter(|id| !after.colliders.contains_key(id)).count());
    let aside = plan.notes().iter().find_map(|note| match note {
        ReplaceNote::Stays { colliders, .. } => Some(*colliders),
        _ => None,
    });
    assert_eq!(colliders + aside.unwrap_or(0), after.colliders.len());
    (after, plan)
}

/// With other numbers, without some chains, with a collider elsewhere and one too many.
fn spoilt(document: &Document) -> Document {
    let mut spoilt = document.clone();
    for (at, id) in document.chains.keys().enumerate() {
        if at % 7 == 3 {
            spoilt.chains.remove(id);
        } else if let Some(chain) = spoilt.chains.get_mut(id) {
            let table = document.table_of(chain);
            let carried = rows(table).filter(|(_, def)| !def.beyond && def.scope == Scope::Joint);
            carried.for_each(|(row, _)| chain.values[row.index()].base *= 0.5);
            chain.joints[0].colliders.clear();
        }
    }
    for system in spoilt.systems.values_mut() {
        let row = rows(system.table()).find(|(_, def)| def.scope == Scope::System).expect("it has some").0;
        system.values.set(row, 0.5);
    }
    let first = *document.colliders.keys().next().expect("she has some");
    spoilt.colliders.get_mut(&first).expect("there").shape = Shape::Sphere { radius: 0.5, inside: false };
    let id = spoilt.fresh_collider();
    let node = Node::Bone(BoneId(0));
    spoilt.colliders.insert(id, Collider::new("one too many", node, Shape::Sphere { radius: 1.0, inside: false }));
    let chain = spoilt.chains.values_mut().next().expect("some are left");
    chain.joints[0].colliders.push(id);
    spoilt
}

#[test]
fn a_file_of_all_systems_makes_a_spoilt_setup_what_it_was() {
    let (opened, document) = four_systems();
    let file = file(&opened, &document, |_| true);
    let (after, plan) = replaced(&opened, &spoilt(&document), &file);
    check_same(&after, &document, &opened.character.skeleton);
    assert!(!after.colliders.values().any(|collider| collider.name == "one too many"));
    assert_eq!(plan.errors().len(), 0);
    assert_eq!(plan.notes().iter().filter(|note| matches!(note, ReplaceNote::Stays { .. })).count(), 0);
    // And once more nothing is new.
    let (again, _) = replaced(&opened, &after, &file);
    assert_eq!(again, after);
}

#[test]
fn a_solver_that_the_file_does_not_speak_of_stays_bit_for_bit_with_its_colliders() {
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
    let mut three = file(&opened, &document, |system| !is_of(system, SolverKind::Vrm));
    assert_eq!(entries(&mut three, "systems").len(), 3);
    // The file lacks every collider, and half of the hair.
    three["setup"].as_object_mut().expect("an object").remove("colliders");
    let hair = chains_of(&three, SolverKind::UnityChanSpringBone);
    let gone = &hair[hair.len() / 2..];
    entries(&mut three, "chains").retain(|number, _| !gone.contains(number));
    let (after, plan) = replaced(&opened, &document, &three);
    assert_eq!(skirt(&after), before);
    assert_eq!(after.colliders.keys().collect::<Vec<_>>(), before.2.iter().map(|(id, _)| id).collect::<Vec<_>>());
    assert!(plan.counts().joints_gone > 10 && plan.counts().colliders == 0);
    let joints = before.0.iter().map(|(_, chain)| chain.joints.len()).sum();
    let stays = ReplaceNote::Stays { systems: 1, joints, colliders: before.2.len() };
    assert!(plan.notes().contains(&stays), "{:?}", plan.notes());
    assert!(plan.notes().contains(&ReplaceNote::RemovesColliders(plan.counts().colliders_gone)));
    // A collider of a name that the file describes is as it says for the skirt too.
    let mut moved = file(&opened, &document, |system| !is_of(system, SolverKind::Vrm));
    let name = before.2[0].1.name.clone();
    for collider in entries(&mut moved, "colliders").values_mut().filter(|one| one["name"] == name.as_str()) {
        let shape = collider["shape"].as_object_mut().expect("an object");
        shape.values_mut().for_each(|fields| fields["radius"] = Value::from(0.75));
    }
    let (after, _) = replaced(&opened, &document, &moved);
    assert_eq!(after.colliders[&before.2[0].0].shape.field(0), 0.75);
    assert_eq!((skirt(&after).0, skirt(&after).1), (before.0, before.1));
}

#[test]
fn two_systems_of_one_solver_are_found_by_name_and_others_of_it_go() {
    let (opened, mut document) = four_systems();
    let own: Vec<SystemId> =
        document.systems.iter().filter(|(_, s)| s.solver == SolverKind::DynamicBone).map(|(id, _)| *id).collect();
    for (id, name) in own.iter().zip(["Left", "Right"]) {
        document.systems.get_mut(id).expect("it is there").name = name.to_owned();
    }
    let both = file(&opened, &document, |system| is_of(system, SolverKind::DynamicBone));
    // Here they stand the other way round, at one pace.
    let mut other = document.clone();
    for (id, name) in own.iter().zip(["Right", "Left"]) {
        let system = other.systems.get_mut(id).expect("it is there");
        system.name = name.to_owned();
        system.values.set(UPDATE_RATE, 30.0);
        system.component = None;
    }
    let (after, _) = replaced(&opened, &other, &both);
    assert_eq!(after.systems.len(), 4);
    let rate = |document: &Document, name: &str| {
        document.systems.values().find(|s| s.name == name).map(|s| s.get(UPDATE_RATE)).expect("it is there")
    };
    assert_eq!((rate(&after, "Left"), rate(&after, "Right")), (rate(&document, "Left"), rate(&document, "Right")));
    check_same(&after, &document, &opened.character.skeleton);
    // Without the left one in the file it goes with its tail; systems of other solvers stay.
    let vrm = |system: &Value| is_of(system, SolverKind::Vrm);
    let one = file(&opened, &document, |system| vrm(system) || system["name"] == "Right");
    let (after, plan) = replaced(&opened, &document, &one);
    assert!(!after.systems.contains_key(&own[0]) && after.systems.contains_key(&own[1]));
    assert!(after.chains.values().all(|chain| chain.system != own[0]));
    assert!(plan.notes().contains(&ReplaceNote::RemovesSystems(1)), "{:?}", plan.notes());
    let hair = |document: &Document| -> BTreeMap<ChainId, yuremono::document::Chain> {
        let all = document.chains.iter();
        let hair = all.filter(|(_, c)| document.solver_of(c) == SolverKind::UnityChanSpringBone);
        hair.map(|(id, chain)| (*id, chain.clone())).collect()
    };
    assert_eq!(hair(&after), hair(&document));
}

#[test]
fn a_table_of_unitys_leaves_one_manager_with_the_values_that_unity_keeps() {
    let opened = super::sample(SolverKind::UnityChanSpringBone);
    let mut document = opened.document.clone();
    let some: BTreeSet<ChainId> = document.chains.keys().take(5).copied().collect();
    let (edit, second) = split(&document, &some, "Front").expect("the others stay");
    document.apply(edit).expect("it fits");
    let first = document.main_id();
    for (id, height) in [(first, 0.25), (second, 0.75)] {
        let values = &mut document.systems.get_mut(&id).expect("it is there").values;
        values.set(GROUND_HEIGHT, height);
        values.set(IS_PAUSED, 1.0);
    }
    // Of both systems' chains, as Unity writes them: in one table, without comments.
    let skeleton = &opened.character.skeleton;
    let mut file = export(&document, skeleton, ExportOptions::default()).file;
    file.items.retain(|item| item.section != Section::Other);
    let plan = ReplacePlan::new(&file, &[], &[], &document, skeleton, options(&opened));
    let mut after = document.clone();
    let (back, _) = after.apply(plan.edit(&document, skeleton)).expect("it fits");
    assert_eq!(after.systems.keys().collect::<Vec<_>>(), [&first]);
    assert!(after.chains.values().all(|chain| chain.system == first));
    assert_eq!(after.joint_count(), document.joint_count());
    assert_eq!((after.main().get(GROUND_HEIGHT), after.main().get(IS_PAUSED)), (0.25, 0.0));
    assert!(plan.notes().contains(&ReplaceNote::ForgetsSwitches) && plan.counts().joints_gone == 0);
    after.apply(back).expect("and back");
    assert_eq!(after, document);
}

#[test]
fn a_bone_that_two_tables_name_goes_to_the_later_one_and_chains_begin_where_the_file_says() {
    let opened = super::sample(SolverKind::Vrm);
    let skeleton = &opened.character.skeleton;
    let long = opened.document.chains.values().find(|c| c.joints.len() > 4).expect("a long chain");
    let bones: Vec<&str> = long.joints.iter().map(|j| skeleton.name(j.bone)).collect();
    let vrm: [&[&str]; 2] = [&bones[..1], &bones[1..4]];
    let file = of_systems(&[(SolverKind::Vrm, &vrm), (SolverKind::DynamicBone, &[&bones[3..]])]);
    let file = serde_json::from_slice(&file).expect("JSON");
    let (after, plan) = replaced(&opened, &opened.document, &file);
    let twice = plan.notes().iter().filter(|note| matches!(note, ReplaceNote::BoneTwice(_, name) if name == bones[3]));
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
fn entries_that_find_nothing_are_told_and_kept() {
    let (opened, document) = four_systems();
    let mut file = file(&opened, &document, |system| !is_of(system, SolverKind::DynamicBone));
    file["setup"]["excluded"] = json!(["Nobody"]);
    let (after, plan) = replaced(&opened, &document, &file);
    assert!(plan.notes().iter().any(|note| matches!(note, ReplaceNote::LostComments(1, _))), "{:?}", plan.notes());
    let is_nobody = |kept: &Passthrough| matches!(kept, Passthrough::Item { item, .. } if **item == SetupItem::Excluded("Nobody".to_owned()));
    assert!(after.passthrough.iter().any(is_nobody), "{:?}", after.passthrough);
}

#[test]
fn a_stale_group_changes_no_group_of_a_solver_that_the_file_does_not_speak_of() {
    let (opened, document) = four_systems();
    let skeleton = &opened.character.skeleton;
    let others = document.chains.values().filter(|chain| document.solver_of(chain) == SolverKind::Vrm);
    let groups: BTreeSet<_> = others.flat_map(|chain| &chain.groups).copied().collect();
    let (at, id) = document.groups.keys().enumerate().find(|(_, id)| groups.contains(id)).expect("the skirt has some");
    let (number, group) = (at + 1, document.groups[id].clone());
    assert!(group.colliders.len() > 1, "there is something to lose");
    let mut stale = file(&opened, &document, |system| is_of(system, SolverKind::UnityChanSpringBone));
    // An older export knew only the first of its colliders.
    let entry = entries(&mut stale, "groups").get_mut(&number.to_string()).expect("all groups are there");
    entry["colliders"].as_array_mut().expect("a list").truncate(1);
    for chain in entries(&mut stale, "chains").values_mut() {
        let own = chain["groups"].as_array().into_iter().flatten();
        chain["groups"] = own.filter(|group| **group != json!(number)).cloned().collect();
    }
    let (after, _) = replaced(&opened, &document, &stale);
    assert_eq!(after.groups.get(id), Some(&group));
    assert_eq!(after.groups.len(), document.groups.len(), "no chain of the file has the group");
    // A chain of the file that has it gets a group as the file says, and only once.
    let hair = document.chains.values().find(|c| document.solver_of(c) == SolverKind::UnityChanSpringBone);
    let root = hair.expect("there is hair").root();
    let chain =
        entries(&mut stale, "chains").values_mut().find(|chain| chain["joints"][0]["bone"] == skeleton.name(root));
    chain.expect("the hair is in the file")["groups"] = json!([number]);
    let (after, _) = replaced(&opened, &document, &stale);
    assert_eq!(after.groups.get(id), Some(&group));
    let (chain, _) = after.joint_of(root).expect("it is there");
    let own = after.chains[&chain].groups.clone();
    let [own] = own[..] else { panic!("{own:?}") };
    assert_eq!((own != *id, after.groups[&own].colliders.len()), (true, 1));
    assert_eq!(replaced(&opened, &after, &stale).0.groups, after.groups);
}

#[test]
fn kept_entries_that_wait_for_other_solvers_stay() {
    let (opened, mut document) = four_systems();
    let hair = file(&opened, &document, |system| is_of(system, SolverKind::UnityChanSpringBone));
    let root = |solver: SolverKind| {
        let chain = document.chains.values().find(|chain| document.solver_of(chain) == solver).expect("it is there");
        opened.character.skeleton.name(chain.root()).to_owned()
    };
    let (ours, theirs) = (root(SolverKind::UnityChanSpringBone), root(SolverKind::Vrm));
    let row =
        |section: &str, name: &str| Passthrough::Row { section: section.to_owned(), cells: vec![name.to_owned()] };
    let item = |solver: SolverKind, item: Value| Passthrough::Item {
        solver,
        item: Box::new(serde_json::from_value(item).expect("an entry")),
    };
    let center = |solver: SolverKind, root: &str| {
        let chain = json!({ "name": "", "system": 0, "center": "Nowhere" });
        item(solver, json!({ "chain": { "root": root, "chain": chain } }))
    };
    let value = |solver: SolverKind, name: &str| {
        let joint = json!({ "bone": "Feather", "own": { name: 0.5 } });
        item(solver, json!({ "joint": { "scope": "details", "joint": joint } }))
    };
    let kawaii = json!({ "solver": "KawaiiPhysics", "extras": { "kawaii": { "base_bone": "Hips" } } });
    let unity = SolverKind::UnityChanSpringBone;
    let stay = [
        center(SolverKind::Vrm, &theirs),
        row("[VRM]", "Wing"),
        center(SolverKind::Vrm, "Wing"),
        item(SolverKind::KawaiiPhysics, json!({ "system": kawaii })),
        value(SolverKind::DynamicBone, "m_Damping"),
        item(unity, json!({ "excluded": "Nobody" })),
    ];
    let go =
        [center(unity, &ours), row("[SpringBones]", "Ribbon"), center(unity, "Ribbon"), value(unity, "stiffnessForce")];
    document.passthrough = stay.iter().chain(&go).cloned().collect();
    let (after, _) = replaced(&opened, &document, &hair);
    assert_eq!(after.passthrough, stay);
    // Where all is of one solver there is nobody to wait for.
    let opened = super::sample(SolverKind::UnityChanSpringBone);
    let mut document = opened.document.clone();
    let file = file(&opened, &document, |_| true);
    document.passthrough = vec![item(unity, json!({ "excluded": "Nobody" }))];
    assert_eq!(replaced(&opened, &document, &file).0.passthrough, []);
}
