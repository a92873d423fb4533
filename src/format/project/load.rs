//! The setup of a project onto a character.
//!
//! Everything enters through [`Document::apply`], so that a file written by hand is held to the same rules as an
//! artist's edits; what is refused is reported and left out.

use crate::document::{
    Authored, BonePath, BonePaths, ById, ByPath, Chain, ColliderId, Document, Edit, Extras, FoundBone, GroupId,
    MaterialId, Node, Rename, Setup, System,
};
use crate::math::Number;
use crate::report::{Diagnostic, Place, clip};
use crate::rig::{BoneId, Skeleton};
use crate::schema::{FormerValue, ParamSet, Row, Scope, find_row_or_former};
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write as _};

/// Most findings that one file yields.
const MOST_FINDINGS: usize = 200;

/// Ids are counted up one by one; a file that is near the end of counting leaves no room for new things.
const MOST_ID: u32 = 1 << 30;

pub(super) fn load(setup: &Setup<ByPath>, skeleton: &Skeleton, file: &str) -> (Document, Vec<Diagnostic>) {
    let mut load = Load {
        document: Document::default(),
        bones: BTreeMap::new(),
        named: Some(Vec::new()),
        at: "/setup".to_owned(),
        file,
        found: Vec::new(),
    };
    // One walk finds the bones, the next asks for them.
    _ = setup.rename(&mut load);
    load.found.clear();
    load.find_bones(skeleton);
    load.systems(setup);
    load.helpers(setup);
    load.all(
        "colliders",
        &setup.colliders,
        |id| id.0,
        |load, id, collider| {
            let collider = Some(collider.rename(load)?);
            Some(Edit::PutCollider { id, collider })
        },
    );
    load.all(
        "systems",
        &setup.systems,
        |id| id.0,
        |load, id, system| {
            let system = load.system(system);
            Some(Edit::PutSystem { id, system: Some(Box::new(system)) })
        },
    );
    load.all(
        "groups",
        &setup.groups,
        |id| id.0,
        |load, id, group| {
            let group = Some(group.rename(load));
            Some(Edit::PutGroup { id, group })
        },
    );
    load.all(
        "forces",
        &setup.forces,
        |id| id.0,
        |load, id, force| {
            let force = Some(force.rename(load)?);
            Some(Edit::PutForce { id, force })
        },
    );
    load.all(
        "high_legs",
        &setup.high_legs,
        |id| id.0,
        |load, id, high_leg| {
            let high_leg = Some(high_leg.rename(load)?);
            Some(Edit::PutHighLeg { id, high_leg })
        },
    );
    load.document.renderers_off.clone_from(&setup.renderers_off);
    load.all(
        "materials",
        &setup.materials,
        |id| id.0,
        |load, id, material| {
            let material = Some(Box::new(material.rename(load)));
            Some(Edit::PutMaterial { id, material })
        },
    );
    load.all(
        "chains",
        &setup.chains,
        |id| id.0,
        |load, id, chain| {
            let chain = Some(Box::new(load.chain(chain)?));
            Some(Edit::PutChain { id, chain })
        },
    );
    load.document.excluded = setup.excluded.iter().filter_map(|bone| load.bone(bone)).collect();
    load.all(
        "gestures",
        &setup.gestures,
        |id| id.0,
        |load, id, gesture| {
            let gesture = Some(gesture.rename(load)?);
            Some(Edit::PutGesture { id, gesture })
        },
    );
    load.all(
        "underlays",
        &setup.underlays,
        |id| id.0,
        |_, id, over| Some(Edit::SetUnderlay { id, over: Some(over.clone()) }),
    );
    load.document.passthrough.clone_from(&setup.passthrough);
    (load.document, load.found)
}

struct Load<'a> {
    document: Document,
    /// The character's bones, or lost ones.
    bones: BTreeMap<BonePath, BoneId>,
    /// Every bone that the file names, once, with the pointer of its first mention; while they are being collected.
    named: Option<Vec<(BonePath, String)>>,
    /// The pointer of what is read.
    at: String,
    file: &'a str,
    found: Vec<Diagnostic>,
}

impl Load<'_> {
    fn warn(&mut self, message: impl Into<String>) {
        if self.found.len() < MOST_FINDINGS {
            self.found.push(Diagnostic::warning(Place::file(self.file).at(&self.at), message.into()));
        }
    }

    /// Whether the file's bones are being collected; then nothing is left out.
    const fn collects(&self) -> bool {
        self.named.is_some()
    }

    /// Applies an edit for each entry of a list that may have its id.
    fn all<K: Copy, T>(
        &mut self,
        list: &str,
        all: &BTreeMap<K, T>,
        number: impl Fn(K) -> u32,
        mut edit: impl FnMut(&mut Self, K, &T) -> Option<Edit>,
    ) {
        self.within(list, |load| {
            for (id, value) in all {
                load.within(number(*id), |load| {
                    if number(*id) > MOST_ID {
                        load.warn(format!("the id is beyond {MOST_ID}; left out"));
                    } else if let Some(Err(e)) = edit(load, *id, value).map(|edit| load.document.apply(edit)) {
                        load.warn(format!("{e}; left out"));
                    }
                });
            }
        });
    }

    /// Bones that the character lacks keep what was set on them, as lost ones.
    fn find_bones(&mut self, skeleton: &Skeleton) {
        let (paths, places): (Vec<_>, Vec<_>) = self.named.take().unwrap_or_default().into_iter().unzip();
        let found = BonePaths::of(skeleton).find_again(&paths);
        for ((path, found), at) in paths.into_iter().zip(found).zip(places) {
            let name = clip(&path.name);
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
                let outer = std::mem::replace(&mut self.at, at);
                self.warn(message);
                self.at = outer;
            }
            let bone = found.map(FoundBone::id);
            let bone = bone.unwrap_or_else(|| self.document.lost.add(path.clone()));
            self.bones.insert(path, bone);
        }
    }

    /// Systems without what names nodes, so that all else can be read; a document has one at least.
    fn systems(&mut self, setup: &Setup<ByPath>) {
        let known = setup.systems.iter().filter(|(id, _)| id.0 <= MOST_ID);
        let systems: BTreeMap<_, _> = known.map(|(id, system)| (*id, System::under(system.solver))).collect();
        if !systems.is_empty() {
            self.document.systems = systems;
        }
    }

    /// Parents first, whatever their ids.
    fn helpers(&mut self, setup: &Setup<ByPath>) {
        let mut waiting = setup.helpers.clone();
        while !waiting.is_empty() {
            let is_next = |parent: &Node<BonePath>| !matches!(parent, Node::Helper(id) if waiting.contains_key(id));
            let ready: BTreeSet<_> =
                waiting.iter().filter(|(_, helper)| is_next(&helper.parent)).map(|(id, _)| *id).collect();
            let next: BTreeMap<_, _> = waiting.extract_if(.., |id, _| ready.is_empty() || ready.contains(id)).collect();
            self.all(
                "helpers",
                &next,
                |id| id.0,
                |load, id, helper| {
                    let helper = Some(helper.rename(load)?);
                    Some(Edit::PutHelper { id, helper })
                },
            );
        }
    }

    /// A system with lists of its solver.
    fn system(&mut self, saved: &System<ByPath>) -> System {
        let mut system = saved.rename(self);
        let fits = system.extras.fit(system.solver) && system.extras.is_finite();
        if !fits && system.extras != Extras::None {
            let message = format!("expected lists of {}, and no number that is too large", system.solver.key());
            self.within("extras", |load| load.warn(format!("{message}; left out")));
        }
        system.extras = if fits { system.extras.without_doubles() } else { Extras::empty(system.solver) };
        system
    }

    fn chain(&mut self, saved: &Chain<ByPath>) -> Option<Chain> {
        let Some(solver) = self.document.systems.get(&saved.system).map(|system| system.solver) else {
            self.warn(format!("there is no system {}; chain \"{}\" is left out", saved.system.0, clip(&saved.name)));
            return None;
        };
        let mut chain = saved.rename(solver, self);
        if chain.joints.is_empty() {
            self.warn(format!("chain \"{}\" has no joint; left out", clip(&saved.name)));
            return None;
        }
        chain.material = chain.material.and_then(|id| self.material_for(&chain, id));
        Some(chain)
    }

    /// The material that a chain names, where it is there and the chain has its values.
    fn material_for(&mut self, chain: &Chain, id: MaterialId) -> Option<MaterialId> {
        let solver = self.document.solver_of(chain);
        let why = match self.document.materials.get(&id) {
            Some(material) if material.solver == solver && material.agrees(chain) => return Some(id),
            Some(material) if material.solver != solver => {
                format!("material \"{}\" is of {}", clip(&material.name), material.solver.key())
            }
            Some(material) => format!("the values are not those of material \"{}\"", clip(&material.name)),
            None => format!("there is no material {}", id.0),
        };
        let message = format!("{why}; chain \"{}\" has no material", clip(&chain.name));
        self.within("material", |load| load.warn(message));
        None
    }

    /// The rows of values; their names may be those of an earlier release. Under both names, today's counts.
    fn rows<V: Clone>(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, V>,
        fits: impl Fn(Row) -> bool,
    ) -> Vec<(Row, FormerValue, V)> {
        let table = solver.info().params;
        let mut rows = Vec::new();
        for (name, value) in values {
            let Some((row, was)) = find_row_or_former(table, name).filter(|(row, _)| fits(*row)) else {
                let message = format!("parameter \"{}\" is not known; left out", clip(name));
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
fn stock(solver: SolverKind, row: Row) -> Authored {
    Authored { base: solver.info().params[row.index()].default, curve: None }
}

fn current(was: FormerValue, value: Authored) -> Authored {
    Authored { base: was.current(value.base), ..value }
}

impl Rename<ByPath, ById> for Load<'_> {
    fn node(&mut self, node: &Node<BonePath>) -> Option<Node> {
        match node {
            Node::Bone(bone) => self.bone(bone).map(Node::Bone),
            Node::Helper(id) if self.collects() || self.document.helpers.contains_key(id) => Some(Node::Helper(*id)),
            Node::Helper(id) => {
                self.warn(format!("helper {} is not there; left out", id.0));
                None
            }
        }
    }

    fn bone(&mut self, bone: &BonePath) -> Option<BoneId> {
        if let Some(named) = &mut self.named
            && self.bones.insert(bone.clone(), BoneId(0)).is_none()
        {
            named.push((bone.clone(), self.at.clone()));
        }
        self.bones.get(bone).copied()
    }

    fn collider(&mut self, id: &ColliderId) -> Option<ColliderId> {
        let is_there = self.collects() || self.document.colliders.contains_key(id);
        if !is_there {
            self.warn(format!("collider {} is not there; left out", id.0));
        }
        is_there.then_some(*id)
    }

    fn group(&mut self, id: GroupId) -> Option<GroupId> {
        let is_there = self.collects() || self.document.groups.contains_key(&id);
        if !is_there {
            self.warn(format!("collider group {} is not there; left out", id.0));
        }
        is_there.then_some(id)
    }

    fn system_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Number>) -> ParamSet {
        let table = solver.info().params;
        let mut set = ParamSet::defaults(table);
        for (row, was, Number(value)) in self.rows(solver, values, |row| table[row.index()].scope == Scope::System) {
            set.set(row, was.current(value));
        }
        set
    }

    fn chain_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Authored>) -> Vec<Authored> {
        let table = solver.info().params;
        let mut all: Vec<_> = (0..table.len()).map(|at| stock(solver, Row(at as u16))).collect();
        // A chain has a value for each row, those of system scope included, though nothing reads them.
        for (row, was, value) in self.rows(solver, values, |_| true) {
            all[row.index()] = current(was, value);
        }
        all
    }

    fn material_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Authored>) -> BTreeMap<Row, Authored> {
        let own = solver.info().material;
        let mut all: BTreeMap<_, _> = own.iter().map(|row| (*row, stock(solver, *row))).collect();
        let known = self.rows(solver, values, |row| own.contains(&row));
        all.extend(known.into_iter().map(|(row, was, value)| (row, current(was, value))));
        all
    }

    fn joint_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Number>) -> BTreeMap<Row, f32> {
        self.rows(solver, values, |_| true).into_iter().map(|(row, was, value)| (row, was.current(value.0))).collect()
    }

    fn enter(&mut self, step: &dyn Display) {
        _ = write!(self.at, "/{step}");
    }

    fn leave(&mut self) {
        let end = self.at.rfind('/').unwrap_or_default();
        self.at.truncate(end);
    }
}
