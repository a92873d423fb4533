//! Loads the setup of a project onto a character.
//!
//! All entries are added with [`Document::apply`], so a file written by hand must obey the same rules as an artist's
//! edits. Rejected data is reported and skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write as _};
use yuremono_model::document::{
    BonePath, BonePaths, ById, ByPath, Chain, ChainValue, ColliderId, ComponentLists, Document, Edit, FoundBone,
    GroupId, MapNaming, MaterialId, Node, PosedBone, Setup, System,
};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamId, ParamScope, ParamSet, ValueMigration, find_param_or_former};
use yuremono_sim::rig::{BoneId, Skeleton};

/// Maximum number of diagnostics per file.
const MAX_DIAGNOSTICS: usize = 200;

/// New ids count up from the highest id. A file with ids near the maximum of `u32` would leave no ids for new objects.
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
    // The first pass collects the bones. The second pass resolves them.
    _ = setup.map_naming(&mut load);
    load.diagnostics.clear();
    load.resolve_bones(skeleton);
    load.add_systems(setup);
    load.add_helpers(setup);
    load.apply_entries("colliders", &setup.colliders, |load, id, collider| {
        Some(Edit::PutCollider { id, collider: Some(collider.map_naming(load)?) })
    });
    load.apply_entries("systems", &setup.systems, |load, id, system| {
        Some(Edit::PutSystem { id, system: Some(Box::new(load.load_system(system))) })
    });
    load.apply_entries("groups", &setup.groups, |load, id, group| {
        Some(Edit::PutGroup { id, group: Some(group.map_naming(load)) })
    });
    load.apply_entries("forces", &setup.forces, |load, id, force| {
        Some(Edit::PutForce { id, force: Some(force.map_naming(load)?) })
    });
    load.apply_entries("high_legs", &setup.high_legs, |load, id, high_leg| {
        Some(Edit::PutHighLeg { id, high_leg: Some(high_leg.map_naming(load)?) })
    });
    load.document.hidden_meshes.clone_from(&setup.hidden_meshes);
    load.apply_entries("materials", &setup.materials, |load, id, material| {
        Some(Edit::PutMaterial { id, material: Some(Box::new(material.map_naming(load))) })
    });
    load.apply_entries("chains", &setup.chains, |load, id, chain| {
        Some(Edit::PutChain { id, chain: Some(Box::new(load.load_chain(chain)?)) })
    });
    load.document.excluded_bones = setup.excluded_bones.iter().filter_map(|bone| load.bone(bone)).collect();
    load.apply_entries("gestures", &setup.gestures, |load, id, gesture| {
        Some(Edit::PutGesture { id, gesture: Some(gesture.map_naming(load)?) })
    });
    load.apply_entries("base_motions", &setup.base_motions, |_, id, base_motion| {
        Some(Edit::SetBaseMotion { id, base_motion: Some(base_motion.clone()) })
    });
    let kept_pose = load.at_path("kept_pose", |load| {
        let posed = |(at, posed): (usize, &PosedBone<ByPath>)| load.at_path(at, |load| posed.map_naming(load));
        setup.kept_pose.iter().enumerate().filter_map(posed).collect::<Vec<_>>()
    });
    load.at_path("kept_pose", |load| {
        if let Err(e) = load.document.apply(Edit::SetKeptPose(kept_pose)) {
            load.warn(message!("{error}; left out", error = format_args!("{e}")));
        }
    });
    load.document.passthrough.clone_from(&setup.passthrough);
    (load.document, load.diagnostics)
}

struct ProjectLoader<'a> {
    document: Document,
    /// The id of each bone: a bone of the character or a missing bone.
    bones: BTreeMap<BonePath, BoneId>,
    /// The distinct bones that the file names, each with the JSON pointer of its first occurrence. `Some` only during
    /// the first pass.
    collected_bones: Option<Vec<(BonePath, String)>>,
    /// The JSON pointer of the value that is being read.
    pointer: String,
    file: &'a str,
    diagnostics: Vec<Diagnostic>,
}

impl ProjectLoader<'_> {
    fn warn(&mut self, message: MessageText) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic::warning(Location::file(self.file).with_pointer(&self.pointer), message));
        }
    }

    /// Returns `value` if it is known. Otherwise reports a warning and returns `None`, except in the first pass, which
    /// never drops a value.
    fn if_known<T>(&mut self, is_known: bool, value: T, message: impl FnOnce() -> MessageText) -> Option<T> {
        let is_kept = is_known || self.collected_bones.is_some();
        if !is_kept {
            self.warn(message());
        }
        is_kept.then_some(value)
    }

    fn apply_entries<K: Copy + Into<u32>, T>(
        &mut self,
        list: &str,
        all: &BTreeMap<K, T>,
        mut edit: impl FnMut(&mut Self, K, &T) -> Option<Edit>,
    ) {
        self.at_path(list, |load| {
            for (id, value) in all {
                let number: u32 = (*id).into();
                load.at_path(number, |load| {
                    if number > MAX_ID {
                        load.warn(message!("the id is greater than {max_id}; left out", max_id = MAX_ID));
                    } else if let Some(Err(e)) = edit(load, *id, value).map(|edit| load.document.apply(edit)) {
                        load.warn(message!("{error}; left out", error = format_args!("{e}")));
                    }
                });
            }
        });
    }

    /// Resolves the collected bones. Bones that the character lacks become missing bones, which keep their values.
    fn resolve_bones(&mut self, skeleton: &Skeleton) {
        let (paths, places): (Vec<_>, Vec<_>) = self.collected_bones.take().unwrap_or_default().into_iter().unzip();
        let found = BonePaths::of(skeleton).match_paths(&paths);
        for ((path, found), at) in paths.into_iter().zip(found).zip(places) {
            let name = excerpt(&path.name);
            let message = match found {
                Some(FoundBone::ByPath(_)) => None,
                Some(FoundBone::ByName(_)) => {
                    Some(message!("bone \"{name}\" has another parent on this character; used by its name", name))
                }
                None => {
                    let why = match skeleton.find_all(&path.name) {
                        [] => message!("is not on this character"),
                        _ => message!("has another parent on this character, and its name is not unique"),
                    };
                    Some(message!("bone \"{name}\" {why}; its settings are kept", name, why))
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

    /// Adds the systems without their component lists, because the following entries refer to systems. A document has
    /// at least one system.
    fn add_systems(&mut self, setup: &Setup<ByPath>) {
        let known = setup.systems.iter().filter(|(id, _)| id.0 <= MAX_ID);
        let systems: BTreeMap<_, _> = known.map(|(id, system)| (*id, System::with_solver(system.solver))).collect();
        if !systems.is_empty() {
            self.document.systems = systems;
        }
    }

    fn add_helpers(&mut self, setup: &Setup<ByPath>) {
        let mut waiting = setup.helpers.clone();
        while !waiting.is_empty() {
            let is_next = |parent: &Node<BonePath>| !matches!(parent, Node::Helper(id) if waiting.contains_key(id));
            let ready: BTreeSet<_> =
                waiting.iter().filter(|(_, helper)| is_next(&helper.parent)).map(|(id, _)| *id).collect();
            let next: BTreeMap<_, _> = waiting.extract_if(.., |id, _| ready.is_empty() || ready.contains(id)).collect();
            self.apply_entries("helpers", &next, |load, id, helper| {
                Some(Edit::PutHelper { id, helper: Some(helper.map_naming(load)?) })
            });
        }
    }

    /// Converts a system. Component lists that do not match its solver are replaced with empty lists.
    fn load_system(&mut self, saved: &System<ByPath>) -> System {
        let mut system = saved.map_naming(self);
        let fits = system.component_lists.matches_solver(system.solver) && system.component_lists.is_finite();
        if !fits && system.component_lists != ComponentLists::None {
            let message =
                message!("expected lists of {solver} without numbers that are too large", solver = system.solver.key());
            self.at_path("component_lists", |load| {
                load.warn(message!("{message}; left out", message = message.clone()));
            });
        }
        system.component_lists =
            if fits { system.component_lists.without_duplicate_nodes() } else { ComponentLists::empty(system.solver) };
        system
    }

    fn load_chain(&mut self, saved: &Chain<ByPath>) -> Option<Chain> {
        let Some(solver) = self.document.systems.get(&saved.system).map(|system| system.solver) else {
            self.warn(message!(
                "there is no system {system}; chain \"{name}\" is left out",
                system = saved.system.0,
                name = excerpt(&saved.name)
            ));
            return None;
        };
        let mut chain = saved.map_naming(solver, self);
        if chain.joints.is_empty() {
            self.warn(message!("chain \"{name}\" has no joint; left out", name = excerpt(&saved.name)));
            return None;
        }
        chain.material = chain.material.and_then(|id| self.matching_material(&chain, id));
        Some(chain)
    }

    /// Returns the material that a chain names, if the material exists and has the same values as the chain.
    fn matching_material(&mut self, chain: &Chain, id: MaterialId) -> Option<MaterialId> {
        let solver = self.document.solver_of(chain);
        let why = match self.document.materials.get(&id) {
            Some(material) if material.solver == solver && material.matches_chain(chain) => return Some(id),
            Some(material) if material.solver != solver => {
                message!(
                    "material \"{name}\" belongs to {solver}",
                    name = excerpt(&material.name),
                    solver = material.solver.key()
                )
            }
            Some(material) => {
                message!("the values differ from material \"{name}\"", name = excerpt(&material.name))
            }
            None => message!("there is no material {id}", id = id.0),
        };
        let message = message!("{why}; chain \"{name}\" has no material", why, name = excerpt(&chain.name));
        self.at_path("material", |load| load.warn(message));
        None
    }

    /// Finds the parameters of named values. A name may be from an earlier release. If both names occur, the current
    /// name wins.
    fn known_params<V: Clone>(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, V>,
        fits: impl Fn(ParamId) -> bool,
    ) -> Vec<(ParamId, ValueMigration, V)> {
        let table = solver.info().params;
        let mut rows = Vec::new();
        for (name, value) in values {
            let Some((param, was)) = find_param_or_former(table, name).filter(|(param, _)| fits(*param)) else {
                let message = message!("parameter \"{name}\" is not known; left out", name = excerpt(name));
                self.warn(message);
                continue;
            };
            let today = table[param.index()].name;
            if today == name || !values.contains_key(today) {
                rows.push((param, was, value.clone()));
            }
        }
        rows
    }
}

fn default_value(solver: SolverKind, param: ParamId) -> ChainValue {
    ChainValue::constant(solver.info().params[param.index()].default)
}

fn migrate_former_value(was: ValueMigration, value: ChainValue) -> ChainValue {
    ChainValue { base: was.migrate(value.base), ..value }
}

impl MapNaming<ByPath, ById> for ProjectLoader<'_> {
    fn node(&mut self, node: &Node<BonePath>) -> Option<Node> {
        match node {
            Node::Bone(bone) => self.bone(bone).map(Node::Bone),
            Node::Helper(id) => {
                let is_known = self.document.helpers.contains_key(id);
                let message = || message!("helper {id} does not exist; left out", id = id.0);
                self.if_known(is_known, Node::Helper(*id), message)
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
        let is_known = self.document.colliders.contains_key(id);
        self.if_known(is_known, *id, || message!("collider {id} does not exist; left out", id = id.0))
    }

    fn group(&mut self, id: GroupId) -> Option<GroupId> {
        let is_known = self.document.groups.contains_key(&id);
        self.if_known(is_known, id, || message!("collider group {id} does not exist; left out", id = id.0))
    }

    fn system_values(&mut self, solver: SolverKind, values: &BTreeMap<String, JsonNumber>) -> ParamSet {
        let table = solver.info().params;
        let mut set = ParamSet::defaults(table);
        for (param, was, JsonNumber(value)) in
            self.known_params(solver, values, |param| table[param.index()].scope == ParamScope::System)
        {
            set.set(param, was.migrate(value));
        }
        set
    }

    fn chain_values(&mut self, solver: SolverKind, values: &BTreeMap<String, ChainValue>) -> Vec<ChainValue> {
        let table = solver.info().params;
        let mut all: Vec<_> = (0..table.len()).map(|at| default_value(solver, ParamId(at as u16))).collect();
        // A chain has a value for each row, including rows of system scope, which are never read from a chain.
        for (param, was, value) in self.known_params(solver, values, |_| true) {
            all[param.index()] = migrate_former_value(was, value);
        }
        all
    }

    fn material_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, ChainValue>,
    ) -> BTreeMap<ParamId, ChainValue> {
        let own = solver.info().material_params;
        let mut all: BTreeMap<_, _> = own.iter().map(|param| (*param, default_value(solver, *param))).collect();
        let known = self.known_params(solver, values, |param| own.contains(&param));
        all.extend(known.into_iter().map(|(param, was, value)| (param, migrate_former_value(was, value))));
        all
    }

    fn joint_values(&mut self, solver: SolverKind, values: &BTreeMap<String, JsonNumber>) -> BTreeMap<ParamId, f32> {
        self.known_params(solver, values, |_| true)
            .into_iter()
            .map(|(param, was, value)| (param, was.migrate(value.0)))
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
