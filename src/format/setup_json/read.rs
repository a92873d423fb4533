//! JSON to the entries of a setup.

use super::super::json_place::pointer_part;
use super::super::repair::{self, Removed};
use super::{LARGEST_MIB, NAME, SavedSetup, VERSION};
use crate::document::{
    Authored, ByName, Chain, ChainId, ChainItem, GroupId, HelperId, HelperRole, Joint, JointItem, JointScope, Material,
    MaterialId, NodeRef, Rename, Setup, SetupItem, System, SystemId, Tip,
};
use crate::exchange::TableFormat;
use crate::exchange::{Fault, FileItem, FileSpace, FileSystem, MOST_SYSTEMS, Problem, Section, SetupFile};
use crate::math::Number;
use crate::report::{Diagnostic, Place, clip};
use crate::schema::{FormerValue, ParamDef, Row, Scope, find_row_or_former};
use crate::sim::SolverKind;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{Display, Write as _};

/// Most findings that one file yields; a last one counts the rest.
const MOST_FINDINGS: usize = 200;

/// Reads a file; `file_name` is for messages. `Err` only where nothing can be read.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut json = open(bytes, file_name)?;
    let mut found = remove_unknown_systems(&mut json, file_name);
    let (saved, repairs, removed): (SavedSetup, _, _) = repair::read(&mut json, bytes, file_name)?;
    found.extend(repairs);
    let mut check = Check {
        file: file_name,
        at: "/setup".to_owned(),
        removed: &removed,
        groups: saved.setup.groups.keys().copied().collect(),
        found,
        more: 0,
    };
    let setup = check.setup(saved.setup);
    if setup.systems.is_empty() {
        let place = Place::file(file_name).at("/setup/systems");
        let mut found = check.into_list();
        found.push(Diagnostic::error(place, "the file holds no system"));
        return Err(found);
    }
    let items = Items::new(&setup, &removed, positions(&json)).all(&setup);
    let system = |system: &System<ByName>| FileSystem { solver: system.solver, name: system.name.clone() };
    let file = SetupFile {
        format: TableFormat::Parameters,
        space: FileSpace::Gltf,
        systems: setup.systems.values().map(system).collect(),
        items,
        passthrough: setup.passthrough,
        ..SetupFile::default()
    };
    Ok((file, check.into_list()))
}

/// The JSON of a file of this format and version.
fn open(bytes: &[u8], file_name: &str) -> Result<Value, Vec<Diagnostic>> {
    let place = Place::file(file_name);
    let fail = |place: Place, message: String| Err(vec![Diagnostic::error(place, message)]);
    if bytes.len() > LARGEST_MIB << 20 {
        let mib = bytes.len() >> 20;
        return fail(place, format!("the file has {mib} MiB, a setup of more than {LARGEST_MIB} MiB is not read"));
    }
    let json: Value = match serde_json::from_slice(bytes) {
        Ok(json) => json,
        Err(e) => return fail(place.line(e.line() as u64), format!("this is no JSON: {e}")),
    };
    let Some(fields) = json.as_object() else { return fail(place, "this is no setup: expected an object".to_owned()) };
    if fields.get("format").and_then(Value::as_str) != Some(NAME) {
        return fail(place.at("/format"), format!("this is no setup: expected \"{NAME}\""));
    }
    match check_version(fields) {
        Some(message) => fail(place.at("/version"), message),
        None => Ok(json),
    }
}

/// Removes systems without a known solver. Under the default solver, their values would be those of another engine.
fn remove_unknown_systems(json: &mut Value, file_name: &str) -> Vec<Diagnostic> {
    let Some(systems) = json.pointer_mut("/setup/systems").and_then(Value::as_object_mut) else { return Vec::new() };
    let mut found = Vec::new();
    systems.retain(|key, system| {
        let Some(system) = system.as_object() else { return true };
        let solver = system.get("solver").unwrap_or(&Value::Null);
        let is_known = serde_json::from_value::<SolverKind>(solver.clone()).is_ok();
        if !is_known && found.len() < MOST_FINDINGS {
            let place = Place::file(file_name).at(format!("/setup/systems/{}/solver", pointer_part(key)));
            let message = format!("{} is not a solver; the system is left out", clip(&solver.to_string()));
            found.push(Diagnostic::warning(place, message));
        }
        is_known
    });
    found
}

/// What is wrong with the version of a file.
fn check_version(fields: &Map<String, Value>) -> Option<String> {
    let version = match fields.get("version") {
        Some(version) if version.as_u64() == Some(VERSION) => return None,
        Some(version) => version,
        None => return Some(format!("there is no version, expected {VERSION}")),
    };
    let shown = clip(&version.to_string());
    Some(if version.as_u64().is_some_and(|newer| newer > VERSION) {
        format!("the setup has version {shown}, this Yuremono reads up to {VERSION}; a newer one made it")
    } else {
        format!("{shown} is no version, expected {VERSION}")
    })
}

/// The positions of bones and meshes in the lists that become sets.
fn positions(json: &Value) -> [HashMap<String, usize>; 2] {
    ["/setup/excluded", "/setup/renderers_off"].map(|list| {
        let names = json.pointer(list).and_then(Value::as_array).into_iter().flatten();
        names.enumerate().filter_map(|(at, name)| Some((name.as_str()?.to_owned(), at))).collect()
    })
}

/// Leaves out what does not fit together, and reports it.
struct Check<'a> {
    file: &'a str,
    /// The pointer of what is checked.
    at: String,
    removed: &'a Removed,
    groups: BTreeSet<GroupId>,
    found: Vec<Diagnostic>,
    /// How many findings are not listed.
    more: usize,
}

impl Check<'_> {
    fn push(&mut self, finding: fn(Place, String) -> Diagnostic, message: String) {
        if self.found.len() < MOST_FINDINGS {
            let mut diagnostic = finding(Place::file(self.file).at(&self.at), message);
            self.removed.correct(&mut diagnostic);
            self.found.push(diagnostic);
        } else {
            self.more += 1;
        }
    }

    fn warn(&mut self, message: String) {
        self.push(Diagnostic::warning, message);
    }

    fn into_list(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            let message = format!("{} more findings are not listed", self.more);
            self.found.push(Diagnostic::warning(Place::file(self.file), message));
        }
        self.found
    }

    fn setup(&mut self, mut setup: Setup<ByName>) -> Setup<ByName> {
        self.not_exchanged(&mut setup);
        self.systems(&mut setup);
        let solvers: BTreeSet<_> = setup.systems.values().map(|system| system.solver).collect();
        self.retain(
            "materials",
            &mut setup.materials,
            |id| id.0,
            |material| {
                let has_system = solvers.contains(&material.solver);
                (!has_system).then(|| format!("the file has no system of {}; left out", material.solver.key()))
            },
        );
        let Setup { systems, materials, chains, .. } = &mut setup;
        self.retain(
            "chains",
            chains,
            |id| id.0,
            |chain| {
                if !systems.contains_key(&chain.system) {
                    let name = clip(&chain.name);
                    return Some(format!("there is no system {}; chain \"{name}\" is left out", chain.system.0));
                }
                let is_empty = chain.joints.is_empty();
                is_empty.then(|| format!("chain \"{}\" has no joint; left out", clip(&chain.name)))
            },
        );
        self.within("chains", |check| {
            for (id, chain) in chains {
                check.within(id.0, |check| check.chain(chain, systems, materials));
            }
        });
        setup.rename(self)
    }

    /// Parts of a setup that belong to a project.
    fn not_exchanged(&mut self, setup: &mut Setup<ByName>) {
        let parts = [("gestures", setup.gestures.len()), ("underlays", setup.underlays.len())];
        for (part, count) in parts.into_iter().filter(|(_, count)| *count > 0) {
            let message = format!("a setup file does not exchange {part}; {count} ignored");
            self.within(part, |check| check.push(Diagnostic::info, message));
        }
        setup.gestures.clear();
        setup.underlays.clear();
    }

    /// A bounded number of systems, each with lists of its solver.
    fn systems(&mut self, setup: &mut Setup<ByName>) {
        let count = setup.systems.len();
        if let Some(first) = setup.systems.keys().nth(MOST_SYSTEMS).copied() {
            let message =
                format!("the file has {count} systems, more than {MOST_SYSTEMS}; from here on they are left out");
            self.within("systems", |check| check.within(first.0, |check| check.warn(message)));
            let left_out = setup.systems.split_off(&first);
            setup.chains.retain(|_, chain| !left_out.contains_key(&chain.system));
        }
        self.within("systems", |check| {
            for (id, system) in &mut setup.systems {
                if !system.extras.is_none() && !system.extras.fit(system.solver) {
                    let message = format!("expected lists of {}; left out", system.solver.key());
                    check.within(id.0, |check| check.within("extras", |check| check.warn(message)));
                    system.extras = crate::document::Extras::None;
                }
            }
        });
    }

    /// Keeps the entries of a list in which `fault` finds nothing.
    fn retain<K: Copy + Ord, T>(
        &mut self,
        list: &str,
        all: &mut BTreeMap<K, T>,
        number: impl Fn(K) -> u32,
        fault: impl Fn(&T) -> Option<String>,
    ) {
        self.within(list, |check| {
            all.retain(|id, entry| {
                let fault = fault(entry);
                let is_good = fault.is_none();
                if let Some(message) = fault {
                    check.within(number(*id), |check| check.warn(message));
                }
                is_good
            });
        });
    }

    /// References of a chain and points of its joints.
    fn chain(
        &mut self,
        chain: &mut Chain<ByName>,
        systems: &BTreeMap<SystemId, System<ByName>>,
        materials: &BTreeMap<MaterialId, Material<ByName>>,
    ) {
        let solver = systems.get(&chain.system).map(|system| system.solver);
        if let Some(id) = chain.material {
            let fault = match materials.get(&id) {
                None => Some(format!("there is no material {}; left out", id.0)),
                Some(material) if Some(material.solver) != solver => {
                    let (name, solver) = (clip(&material.name), material.solver.key());
                    Some(format!("material \"{name}\" is of {solver}; left out"))
                }
                Some(_) => None,
            };
            if let Some(message) = fault {
                self.within("material", |check| check.warn(message));
                chain.material = None;
            }
        }
        self.within("joints", |check| {
            for (at, joint) in chain.joints.iter_mut().enumerate() {
                if matches!(joint.tip, Tip::Offset(offset) if !offset.is_finite()) {
                    let message = "expected finite numbers; left out, its default is used".to_owned();
                    check.within(at, |check| {
                        check.within("tip", |check| check.within("offset", |check| check.warn(message)));
                    });
                    joint.tip = Tip::Children;
                }
            }
        });
    }

    /// The values that the solver has in a place, under today's names.
    fn values<V: NamedValue>(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, V>,
        place: &ValuePlace<'_>,
    ) -> BTreeMap<String, V> {
        let table = solver.info().params;
        let mut known = BTreeMap::new();
        for (name, value) in values {
            let row = find_row_or_former(table, name).filter(|(row, _)| (place.has)(*row, &table[row.index()]));
            let fault = match row {
                None => Err(format!("{} has no such value of {}; left out", solver.key(), place.of)),
                Some((row, former)) => {
                    let def = &table[row.index()];
                    if def.name != name && values.contains_key(def.name) {
                        Err(format!("the same value is there as \"{}\", which is used", def.name))
                    } else {
                        let value = value.current(former);
                        let problem = value.beyond_range(def);
                        known.insert(def.name.to_owned(), value);
                        Ok(problem)
                    }
                }
            };
            let message = match fault {
                Ok(None) => continue,
                Ok(Some(problem)) => problem.message(),
                Err(message) => message,
            };
            self.within(pointer_part(name), |check| check.warn(message));
        }
        known
    }
}

/// Which rows of a table have a value in some place.
struct ValuePlace<'a> {
    /// For messages.
    of: &'a str,
    has: &'a dyn Fn(Row, &ParamDef) -> bool,
}

impl ValuePlace<'_> {
    const SYSTEM: ValuePlace<'static> =
        ValuePlace { of: "the whole system", has: &|_, def| def.scope == Scope::System };
    const JOINTS: ValuePlace<'static> = ValuePlace { of: "joints", has: &|_, def| def.scope == Scope::Joint };
}

/// A value under a parameter's name.
trait NamedValue: Clone {
    /// Today's value for that of an earlier release.
    fn current(&self, former: FormerValue) -> Self;

    /// The lowest and the highest number that joints get from it.
    fn ends(&self) -> (f32, f32);

    /// A number that is outside of the range of the parameter.
    fn beyond_range(&self, def: &ParamDef) -> Option<Problem> {
        let (low, high) = self.ends();
        let (from, to) = def.range_left_by(low, high)?;
        let number = if low < from { low } else { high };
        let to = (to != f32::MAX).then_some(to);
        Some(Problem::new("", number_text(number), Fault::BeyondRange { from, to }))
    }
}

impl NamedValue for Number {
    fn current(&self, former: FormerValue) -> Self {
        Self(former.current(self.0))
    }

    fn ends(&self) -> (f32, f32) {
        (self.0, self.0)
    }
}

impl NamedValue for Authored {
    fn current(&self, former: FormerValue) -> Self {
        Self { base: former.current(self.base), ..self.clone() }
    }

    fn ends(&self) -> (f32, f32) {
        let Some(curve) = &self.curve else { return (self.base, self.base) };
        let values = curve.keys().iter().map(|key| self.base * key.value);
        values.fold((f32::MAX, f32::MIN), |(low, high), value| (low.min(value), high.max(value)))
    }
}

fn number_text(number: f32) -> String {
    match number {
        f32::INFINITY => "Infinity".to_owned(),
        f32::NEG_INFINITY => "-Infinity".to_owned(),
        _ => number.to_string(),
    }
}

impl Rename<ByName, ByName> for Check<'_> {
    fn node(&mut self, node: &NodeRef) -> Option<NodeRef> {
        Some(node.clone())
    }

    fn bone(&mut self, bone: &String) -> Option<String> {
        Some(bone.clone())
    }

    fn collider(&mut self, collider: &String) -> Option<String> {
        Some(collider.clone())
    }

    fn group(&mut self, id: GroupId) -> Option<GroupId> {
        let is_there = self.groups.contains(&id);
        if !is_there {
            self.warn(format!("collider group {} is not there; left out", id.0));
        }
        is_there.then_some(id)
    }

    fn system_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Number>) -> BTreeMap<String, Number> {
        self.values(solver, values, &ValuePlace::SYSTEM)
    }

    fn chain_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Authored>) -> BTreeMap<String, Authored> {
        self.values(solver, values, &ValuePlace::JOINTS)
    }

    fn material_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, Authored>,
    ) -> BTreeMap<String, Authored> {
        let own = solver.info().material;
        self.values(solver, values, &ValuePlace { of: "materials", has: &|row, _| own.contains(&row) })
    }

    fn joint_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Number>) -> BTreeMap<String, Number> {
        self.values(solver, values, &ValuePlace::JOINTS)
    }

    fn enter(&mut self, step: &dyn Display) {
        _ = write!(self.at, "/{step}");
    }

    fn leave(&mut self) {
        let end = self.at.rfind('/').unwrap_or_default();
        self.at.truncate(end);
    }
}

/// Lists the entries of a setup with their pointers.
struct Items<'a> {
    /// Positions of the systems by their ids.
    systems: BTreeMap<SystemId, usize>,
    removed: &'a Removed,
    /// See [`positions`].
    positions: [HashMap<String, usize>; 2],
    found: Vec<FileItem>,
}

impl<'a> Items<'a> {
    fn new(setup: &Setup<ByName>, removed: &'a Removed, positions: [HashMap<String, usize>; 2]) -> Self {
        let systems = setup.systems.keys().enumerate().map(|(at, id)| (*id, at)).collect();
        Self { systems, removed, positions, found: Vec::new() }
    }

    fn all(mut self, setup: &Setup<ByName>) -> Vec<FileItem> {
        let solvers: Vec<_> = setup.systems.values().map(|system| system.solver).collect();
        let first_of = |solver: SolverKind| solvers.iter().position(|other| *other == solver).unwrap_or_default();
        for (at, (id, system)) in setup.systems.iter().enumerate() {
            let name = if system.name.is_empty() { system.solver.key() } else { system.name.as_str() };
            self.add((at, Section::Other, name), &format!("systems/{}", id.0), SetupItem::System(system.clone()));
            for (id, material) in setup.materials.iter().filter(|(_, material)| first_of(material.solver) == at) {
                let pointer = format!("materials/{}", id.0);
                self.add((at, Section::Other, &material.name), &pointer, SetupItem::Material(*id, material.clone()));
            }
            if at == 0 {
                self.shared(setup);
            }
            for (chain_id, chain) in setup.chains.iter().filter(|(_, chain)| chain.system == *id) {
                self.chain(at, *chain_id, chain);
            }
            if at == 0 {
                self.names(setup);
            }
        }
        self.found
    }

    /// An entry of a system and a section, with its name; the pointer starts at the setup.
    fn add(&mut self, (system, section, name): (usize, Section, &str), pointer: &str, item: SetupItem) {
        let pointer = self.removed.original_pointer(&format!("/setup/{pointer}"));
        self.found.push(FileItem { pointer, ..FileItem::new(system, section, name, item) });
    }

    /// What belongs to the whole character.
    fn shared(&mut self, setup: &Setup<ByName>) {
        for id in parents_first(&setup.helpers) {
            let Some(helper) = setup.helpers.get(&id) else { continue };
            let section = if helper.role == HelperRole::Pivot { Section::Pivots } else { Section::Nodes };
            self.add((0, section, &helper.name), &format!("helpers/{}", id.0), SetupItem::Node(helper.clone()));
        }
        for (id, collider) in &setup.colliders {
            let pointer = format!("colliders/{}", id.0);
            self.add((0, Section::Colliders, &collider.name), &pointer, SetupItem::Collider(collider.clone()));
        }
        for (id, group) in &setup.groups {
            let pointer = format!("groups/{}", id.0);
            self.add((0, Section::Other, &group.name), &pointer, SetupItem::Group(*id, group.clone()));
        }
        for (id, force) in &setup.forces {
            let pointer = format!("forces/{}", id.0);
            self.add((0, Section::Other, &force.name), &pointer, SetupItem::Force(force.clone()));
        }
        for (id, high_leg) in &setup.high_legs {
            let pointer = format!("high_legs/{}", id.0);
            let item = SetupItem::HighLeg(high_leg.clone());
            self.add((0, Section::HighLegs, high_leg.node.name()), &pointer, item);
        }
    }

    /// A chain and its joints.
    fn chain(&mut self, system: usize, id: ChainId, chain: &Chain<ByName>) {
        let Some(root) = chain.joints.first().map(|joint| joint.bone.clone()) else { return };
        let number = Some(id.0);
        let without_joints = Chain { joints: Vec::new(), system: self.number(chain.system), ..chain.clone() };
        let item = ChainItem { root: root.clone(), number, chain: without_joints };
        let pointer = format!("chains/{}", id.0);
        self.add((system, Section::Other, &root), &pointer, SetupItem::Chain(item));
        for (at, joint) in chain.joints.iter().enumerate() {
            let item = JointItem { scope: JointScope::Whole, chain: number, joint: Joint::clone(joint) };
            self.add((system, Section::Joints, &joint.bone), &format!("{pointer}/joints/{at}"), SetupItem::Joint(item));
        }
    }

    /// The position of a system as its id, so that the entry agrees with [`FileItem::system`].
    fn number(&self, id: SystemId) -> SystemId {
        SystemId(self.systems.get(&id).map_or(0, |at| *at as u32))
    }

    /// Excluded bones and hidden meshes.
    fn names(&mut self, setup: &Setup<ByName>) {
        for bone in &setup.excluded {
            let pointer = format!("excluded/{}", self.positions[0].get(bone).copied().unwrap_or_default());
            self.add((0, Section::Other, bone), &pointer, SetupItem::Excluded(bone.clone()));
        }
        for mesh in &setup.renderers_off {
            let pointer = format!("renderers_off/{}", self.positions[1].get(mesh).copied().unwrap_or_default());
            self.add((0, Section::Other, mesh), &pointer, SetupItem::MeshHidden(mesh.clone()));
        }
    }
}

/// Helpers in the order of their ids, but each behind the helper that its parent's name refers to. Rings are cut.
fn parents_first(helpers: &BTreeMap<HelperId, crate::document::Helper<ByName>>) -> Vec<HelperId> {
    let mut by_name: HashMap<&str, HelperId> = HashMap::new();
    for (id, helper) in helpers {
        by_name.entry(&helper.name).or_insert(*id);
    }
    let parent = |id: &HelperId| match &helpers.get(id)?.parent {
        NodeRef::Named(name) => by_name.get(name.as_str()).copied(),
        NodeRef::Placed(_) => None,
    };
    let (mut order, mut seen) = (Vec::with_capacity(helpers.len()), BTreeSet::new());
    for id in helpers.keys() {
        let mut path = Vec::new();
        let mut next = Some(*id);
        while let Some(id) = next.filter(|id| seen.insert(*id)) {
            path.push(id);
            next = parent(&id);
        }
        order.extend(path.into_iter().rev());
    }
    order
}
