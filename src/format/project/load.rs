//! The setup of a project onto a character.
//!
//! Everything enters through [`Document::apply`], so that a file written by hand is held to the same rules as an
//! artist's edits; what is refused is reported and left out.

use crate::diagnostics::{Diagnostic, Location, excerpt};
use crate::document::{
    BonePath, BonePaths, ById, ByPath, Chain, ChainValue, ColliderId, ComponentLists, Document, Edit, FoundBone,
    GroupId, MapNaming, MaterialId, Node, Setup, System,
};
use crate::math::JsonNumber;
use crate::params::{ParamId, ParamScope, ParamSet, ValueMigration, find_param_or_former};
use crate::rig::{BoneId, Skeleton};
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write as _};

/// Most findings that one file yields.
const MAX_DIAGNOSTICS: usize = 200;

/// Ids are counted up one by one; a file that is near the end of counting leaves no room for new things.
const MAX_ID: u32 = 1 << 30;

pub(super) fn load_setup(setup: &Setup<ByPath>, skeleton: &Skeleton, file: &str) -> (Document, Vec<Diagnostic>) {
    let mut load = ProjectLoader {
        document: Document::default(),
        bones: BTreeMap::new(),
        collected_bones: Some(Vec::new()),
        pointer: "/setup".to_owned(),
        file,
        diagnostics: Vec::new(),
    };
    // One walk finds the bones, the next asks for them.
    _ = setup.map_naming(&mut load);
    load.diagnostics.clear();
    load.resolve_bones(skeleton);
    load.add_systems(setup);
    load.add_helpers(setup);
    load.apply_entries(
        "colliders",
        &setup.colliders,
        |id| id.0,
        |load, id, collider| {
            let collider = Some(collider.map_naming(load)?);
            Some(Edit::PutCollider { id, collider })
        },
    );
    load.apply_entries(
        "systems",
        &setup.systems,
        |id| id.0,
        |load, id, system| {
            let system = load.load_system(system);
            Some(Edit::PutSystem { id, system: Some(Box::new(system)) })
        },
    );
    load.apply_entries(
        "groups",
        &setup.groups,
        |id| id.0,
        |load, id, group| {
            let group = Some(group.map_naming(load));
            Some(Edit::PutGroup { id, group })
        },
    );
    load.apply_entries(
        "forces",
        &setup.forces,
        |id| id.0,
        |load, id, force| {
            let force = Some(force.map_naming(load)?);
            Some(Edit::PutForce { id, force })
        },
    );
    load.apply_entries(
        "high_legs",
        &setup.high_legs,
        |id| id.0,
        |load, id, high_leg| {
            let high_leg = Some(high_leg.map_naming(load)?);
            Some(Edit::PutHighLeg { id, high_leg })
        },
    );
    load.document.hidden_meshes.clone_from(&setup.hidden_meshes);
    load.apply_entries(
        "materials",
        &setup.materials,
        |id| id.0,
        |load, id, material| {
            let material = Some(Box::new(material.map_naming(load)));
            Some(Edit::PutMaterial { id, material })
        },
    );
    load.apply_entries(
        "chains",
        &setup.chains,
        |id| id.0,
        |load, id, chain| {
            let chain = Some(Box::new(load.load_chain(chain)?));
            Some(Edit::PutChain { id, chain })
        },
    );
    load.document.excluded_bones = setup.excluded_bones.iter().filter_map(|bone| load.bone(bone)).collect();
    load.apply_entries(
        "gestures",
        &setup.gestures,
        |id| id.0,
        |load, id, gesture| {
            let gesture = Some(gesture.map_naming(load)?);
            Some(Edit::PutGesture { id, gesture })
        },
    );
    load.apply_entries(
        "base_motions",
        &setup.base_motions,
        |id| id.0,
        |_, id, over| Some(Edit::SetBaseMotion { id, base_motion: Some(over.clone()) }),
    );
    load.document.passthrough.clone_from(&setup.passthrough);
    (load.document, load.diagnostics)
}

struct ProjectLoader<'a> {
    document: Document,
    /// The character's bones, or lost ones.
    bones: BTreeMap<BonePath, BoneId>,
    /// Every bone that the file names, once, with the pointer of its first mention; while they are being collected.
    collected_bones: Option<Vec<(BonePath, String)>>,
    /// The pointer of what is read.
    pointer: String,
    file: &'a str,
    diagnostics: Vec<Diagnostic>,
}

impl ProjectLoader<'_> {
    fn warn(&mut self, message: impl Into<String>) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics
                .push(Diagnostic::warning(Location::file(self.file).with_pointer(&self.pointer), message.into()));
        }
    }

    /// Whether the file's bones are being collected; then nothing is left out.
    const fn is_collecting_bones(&self) -> bool {
        self.collected_bones.is_some()
    }

    /// Applies an edit for each entry of a list that may have its id.
    fn apply_entries<K: Copy, T>(
        &mut self,
        list: &str,
        all: &BTreeMap<K, T>,
        number: impl Fn(K) -> u32,
        mut edit: impl FnMut(&mut Self, K, &T) -> Option<Edit>,
    ) {
        self.at_path(list, |load| {
            for (id, value) in all {
                load.at_path(number(*id), |load| {
                    if number(*id) > MAX_ID {
                        load.warn(format!("the id is beyond {MAX_ID}; left out"));
                    } else if let Some(Err(e)) = edit(load, *id, value).map(|edit| load.document.apply(edit)) {
                        load.warn(format!("{e}; left out"));
                    }
                });
            }
        });
    }

    /// Bones that the character lacks keep what was set on them, as lost ones.
    fn resolve_bones(&mut self, skeleton: &Skeleton) {
        let (paths, places): (Vec<_>, Vec<_>) = self.collected_bones.take().unwrap_or_default().into_iter().unzip();
        let found = BonePaths::of(skeleton).match_paths(&paths);
        for ((path, found), at) in paths.into_iter().zip(found).zip(places) {
            let name = excerpt(&path.name);
            let message = match found {
                Some(FoundBone::ByPath(_)) => None,
                Some(FoundBone::ByName(_)) => {
                    Some(format!("bone \"{name}\" has another parent on this character; used by its name"))
                }
                None => {
                    let why = match skeleton.find_all(&path.name) {
                        [] => "is not on this character",
                        _ => "has another parent on this character, and its name is not unique",
                    };
                    Some(format!("bone \"{name}\" {why}; what was set on it is kept"))
                }
            };
            if let Some(message) = message {
                let outer = std::mem::replace(&mut self.pointer, at);
                self.warn(message);
                self.pointer = outer;
            }
            let bone = found.map(FoundBone::id);
            let bone = bone.unwrap_or_else(|| self.document.missing_bones.add(path.clone()));
            self.bones.insert(path, bone);
        }
    }

    /// Systems without what names nodes, so that all else can be read; a document has one at least.
    fn add_systems(&mut self, setup: &Setup<ByPath>) {
        let known = setup.systems.iter().filter(|(id, _)| id.0 <= MAX_ID);
        let systems: BTreeMap<_, _> = known.map(|(id, system)| (*id, System::with_solver(system.solver))).collect();
        if !systems.is_empty() {
            self.document.systems = systems;
        }
    }

    /// Parents first, whatever their ids.
    fn add_helpers(&mut self, setup: &Setup<ByPath>) {
        let mut waiting = setup.helpers.clone();
        while !waiting.is_empty() {
            let is_next = |parent: &Node<BonePath>| !matches!(parent, Node::Helper(id) if waiting.contains_key(id));
            let ready: BTreeSet<_> =
                waiting.iter().filter(|(_, helper)| is_next(&helper.parent)).map(|(id, _)| *id).collect();
            let next: BTreeMap<_, _> = waiting.extract_if(.., |id, _| ready.is_empty() || ready.contains(id)).collect();
            self.apply_entries(
                "helpers",
                &next,
                |id| id.0,
                |load, id, helper| {
                    let helper = Some(helper.map_naming(load)?);
                    Some(Edit::PutHelper { id, helper })
                },
            );
        }
    }

    /// A system with lists of its solver.
    fn load_system(&mut self, saved: &System<ByPath>) -> System {
        let mut system = saved.map_naming(self);
        let fits = system.component_lists.matches_solver(system.solver) && system.component_lists.is_finite();
        if !fits && system.component_lists != ComponentLists::None {
            let message = format!("expected lists of {}, and no number that is too large", system.solver.key());
            self.at_path("component_lists", |load| load.warn(format!("{message}; left out")));
        }
        system.component_lists =
            if fits { system.component_lists.without_duplicate_nodes() } else { ComponentLists::empty(system.solver) };
        system
    }

    fn load_chain(&mut self, saved: &Chain<ByPath>) -> Option<Chain> {
        let Some(solver) = self.document.systems.get(&saved.system).map(|system| system.solver) else {
            self.warn(format!("there is no system {}; chain \"{}\" is left out", saved.system.0, excerpt(&saved.name)));
            return None;
        };
        let mut chain = saved.map_naming(solver, self);
        if chain.joints.is_empty() {
            self.warn(format!("chain \"{}\" has no joint; left out", excerpt(&saved.name)));
            return None;
        }
        chain.material = chain.material.and_then(|id| self.matching_material(&chain, id));
        Some(chain)
    }

    /// The material that a chain names, where it is there and the chain has its values.
    fn matching_material(&mut self, chain: &Chain, id: MaterialId) -> Option<MaterialId> {
        let solver = self.document.solver_of(chain);
        let why = match self.document.materials.get(&id) {
            Some(material) if material.solver == solver && material.matches_chain(chain) => return Some(id),
            Some(material) if material.solver != solver => {
                format!("material \"{}\" is of {}", excerpt(&material.name), material.solver.key())
            }
            Some(material) => format!("the values are not those of material \"{}\"", excerpt(&material.name)),
            None => format!("there is no material {}", id.0),
        };
        let message = format!("{why}; chain \"{}\" has no material", excerpt(&chain.name));
        self.at_path("material", |load| load.warn(message));
        None
    }

    /// The rows of values; their names may be those of an earlier release. Under both names, today's counts.
    fn known_params<V: Clone>(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, V>,
        fits: impl Fn(ParamId) -> bool,
    ) -> Vec<(ParamId, ValueMigration, V)> {
        let table = solver.info().params;
        let mut rows = Vec::new();
        for (name, value) in values {
            let Some((row, was)) = find_param_or_former(table, name).filter(|(row, _)| fits(*row)) else {
                let message = format!("parameter \"{}\" is not known; left out", excerpt(name));
                self.warn(message);
                continue;
            };
            let today = table[row.index()].name;
            if today == name || !values.contains_key(today) {
                rows.push((row, was, value.clone()));
            }
        }
        rows
    }
}

/// The engine's default of a row.
fn default_value(solver: SolverKind, row: ParamId) -> ChainValue {
    ChainValue { base: solver.info().params[row.index()].default, curve: None }
}

fn migrate_former_value(was: ValueMigration, value: ChainValue) -> ChainValue {
    ChainValue { base: was.migrate(value.base), ..value }
}

impl MapNaming<ByPath, ById> for ProjectLoader<'_> {
    fn node(&mut self, node: &Node<BonePath>) -> Option<Node> {
        match node {
            Node::Bone(bone) => self.bone(bone).map(Node::Bone),
            Node::Helper(id) if self.is_collecting_bones() || self.document.helpers.contains_key(id) => {
                Some(Node::Helper(*id))
            }
            Node::Helper(id) => {
                self.warn(format!("helper {} is not there; left out", id.0));
                None
            }
        }
    }

    fn bone(&mut self, bone: &BonePath) -> Option<BoneId> {
        if let Some(named) = &mut self.collected_bones
            && self.bones.insert(bone.clone(), BoneId(0)).is_none()
        {
            named.push((bone.clone(), self.pointer.clone()));
        }
        self.bones.get(bone).copied()
    }

    fn collider(&mut self, id: &ColliderId) -> Option<ColliderId> {
        let is_there = self.is_collecting_bones() || self.document.colliders.contains_key(id);
        if !is_there {
            self.warn(format!("collider {} is not there; left out", id.0));
        }
        is_there.then_some(*id)
    }

    fn group(&mut self, id: GroupId) -> Option<GroupId> {
        let is_there = self.is_collecting_bones() || self.document.groups.contains_key(&id);
        if !is_there {
            self.warn(format!("collider group {} is not there; left out", id.0));
        }
        is_there.then_some(id)
    }

    fn system_values(&mut self, solver: SolverKind, values: &BTreeMap<String, JsonNumber>) -> ParamSet {
        let table = solver.info().params;
        let mut set = ParamSet::defaults(table);
        for (row, was, JsonNumber(value)) in
            self.known_params(solver, values, |row| table[row.index()].scope == ParamScope::System)
        {
            set.set(row, was.migrate(value));
        }
        set
    }

    fn chain_values(&mut self, solver: SolverKind, values: &BTreeMap<String, ChainValue>) -> Vec<ChainValue> {
        let table = solver.info().params;
        let mut all: Vec<_> = (0..table.len()).map(|at| default_value(solver, ParamId(at as u16))).collect();
        // A chain has a value for each row, those of system scope included, though nothing reads them.
        for (row, was, value) in self.known_params(solver, values, |_| true) {
            all[row.index()] = migrate_former_value(was, value);
        }
        all
    }

    fn material_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, ChainValue>,
    ) -> BTreeMap<ParamId, ChainValue> {
        let own = solver.info().material_params;
        let mut all: BTreeMap<_, _> = own.iter().map(|row| (*row, default_value(solver, *row))).collect();
        let known = self.known_params(solver, values, |row| own.contains(&row));
        all.extend(known.into_iter().map(|(row, was, value)| (row, migrate_former_value(was, value))));
        all
    }

    fn joint_values(&mut self, solver: SolverKind, values: &BTreeMap<String, JsonNumber>) -> BTreeMap<ParamId, f32> {
        self.known_params(solver, values, |_| true)
            .into_iter()
            .map(|(row, was, value)| (row, was.migrate(value.0)))
            .collect()
    }

    fn enter_path(&mut self, step: &dyn Display) {
        _ = write!(self.pointer, "/{step}");
    }

    fn leave_path(&mut self) {
        let end = self.pointer.rfind('/').unwrap_or_default();
        self.pointer.truncate(end);
    }
}
