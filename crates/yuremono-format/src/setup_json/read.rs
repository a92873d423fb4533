//! Converts JSON to the entries of a setup.

use super::super::json_location::pointer_token;
use super::super::repair::{self, RemovedEntries};
use super::{FORMAT_NAME, MAX_FILE_MIB, SavedSetup, VERSION};
use crate::fixed_text;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{Display, Write as _};
use yuremono_model::document::{
    ByName, Chain, ChainValue, GroupId, HelperId, MapNaming, Material, MaterialId, NodeRef, Setup, System, SystemId,
    Tip,
};
use yuremono_model::exchange::{CellFault, CellProblem, MAX_SYSTEMS, ReadResult, SetupFile};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamDef, ParamId, ParamScope, ValueMigration, find_param_or_former};

/// Maximum number of diagnostics per file. The last diagnostic reports how many were dropped.
const MAX_DIAGNOSTICS: usize = 200;

/// Reads a file. `file_name` appears in messages. Returns `Err` only if no part of the file can be read.
pub fn read(bytes: &[u8], file_name: &str) -> ReadResult {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut json = parse_document(bytes, file_name)?;
    let mut found = remove_unknown_systems(&mut json, file_name);
    let (saved, repairs, removed): (SavedSetup, _, _) = repair::read(&mut json, bytes, file_name)?;
    found.extend(repairs);
    let mut check = SetupChecker {
        file: file_name,
        pointer: "/setup".to_owned(),
        removed: &removed,
        groups: saved.setup.groups.keys().copied().collect(),
        diagnostics: found,
        dropped_count: 0,
    };
    let setup = check.check_setup(saved.setup);
    if setup.systems.is_empty() {
        let place = Location::file(file_name).with_pointer("/setup/systems");
        let mut found = check.into_diagnostics();
        found.push(Diagnostic::error(place, message!("the file has no system")));
        return Err(found);
    }
    let positions = SetPositions::new(&json, &setup);
    let pointer = |path: &str| removed.original_pointer(&format!("/setup/{}", positions.original_path(path)));
    let helpers = parents_first(&setup.helpers);
    let file = SetupFile::from_setup(&super::INFO, setup, &helpers, &pointer);
    Ok((SetupFile { source_frames: saved.rest_frames, ..file }, check.into_diagnostics()))
}

/// Parses the JSON of a file and checks its format and version.
fn parse_document(bytes: &[u8], file_name: &str) -> Result<Value, Vec<Diagnostic>> {
    let place = Location::file(file_name);
    let fail = |place: Location, message: MessageText| Err(vec![Diagnostic::error(place, message)]);
    if bytes.len() > MAX_FILE_MIB << 20 {
        return fail(
            place,
            message!("the file is larger than the {max_file_mib} MiB that are read", max_file_mib = MAX_FILE_MIB),
        );
    }
    let json: Value = match serde_json::from_slice(bytes) {
        Ok(json) => json,
        Err(e) => {
            return fail(
                place.with_line(e.line() as u64),
                message!("this is not JSON: {error}", error = format_args!("{e}")),
            );
        }
    };
    let Some(fields) = json.as_object() else {
        return fail(place, message!("this is not a setup: expected an object"));
    };
    if fields.get("format").and_then(Value::as_str) != Some(FORMAT_NAME) {
        return fail(
            place.with_pointer("/format"),
            message!("this is not a setup: expected \"{format_name}\"", format_name = FORMAT_NAME),
        );
    }
    match version_problem(fields) {
        Some(message) => fail(place.with_pointer("/version"), message),
        None => Ok(json),
    }
}

fn remove_unknown_systems(json: &mut Value, file_name: &str) -> Vec<Diagnostic> {
    let Some(systems) = json.pointer_mut("/setup/systems").and_then(Value::as_object_mut) else { return Vec::new() };
    let mut found = Vec::new();
    systems.retain(|key, system| {
        let Some(system) = system.as_object() else { return true };
        let solver = system.get("solver").unwrap_or(&Value::Null);
        let is_known = serde_json::from_value::<SolverKind>(solver.clone()).is_ok();
        if !is_known && found.len() < MAX_DIAGNOSTICS {
            let place = Location::file(file_name).with_pointer(format!("/setup/systems/{}/solver", pointer_token(key)));
            let message =
                message!("{solver} is not a solver; the system is left out", solver = excerpt(&solver.to_string()));
            found.push(Diagnostic::warning(place, message));
        }
        is_known
    });
    found
}

/// Returns the problem with the version of a file, if there is a problem.
fn version_problem(fields: &Map<String, Value>) -> Option<MessageText> {
    let version = match fields.get("version") {
        Some(version) if version.as_u64() == Some(VERSION) => return None,
        Some(version) => version,
        None => return Some(message!("there is no version; expected {version}", version = VERSION)),
    };
    let shown = excerpt(&version.to_string());
    Some(if version.as_u64().is_some_and(|newer| newer > VERSION) {
        message!(
            "the setup has version {shown}; this Yuremono reads up to {version}. Open it with a newer Yuremono",
            shown,
            version = VERSION
        )
    } else {
        message!("{shown} is not a version; expected {version}", shown, version = VERSION)
    })
}

/// The positions of the excluded bones and the hidden meshes in their JSON lists, in the order of the sets that the lists
/// become.
struct SetPositions([(&'static str, Vec<usize>); 2]);

impl SetPositions {
    fn new(json: &Value, setup: &Setup<ByName>) -> Self {
        let of_list = |list: &'static str, set: &BTreeSet<String>| {
            let names = json.pointer(&format!("/setup/{list}")).and_then(Value::as_array).into_iter().flatten();
            let names = names.enumerate().filter_map(|(at, name)| Some((name.as_str()?, at)));
            let last: HashMap<&str, usize> = names.collect();
            (list, set.iter().map(|name| last.get(name.as_str()).copied().unwrap_or_default()).collect())
        };
        Self([of_list("excluded_bones", &setup.excluded_bones), of_list("hidden_meshes", &setup.hidden_meshes)])
    }

    /// Returns the path of an entry of the setup in the JSON.
    fn original_path(&self, path: &str) -> String {
        let in_list = self.0.iter().find_map(|(list, positions)| {
            let at: usize = path.strip_prefix(list)?.strip_prefix('/')?.parse().ok()?;
            Some(format!("{list}/{}", positions.get(at)?))
        });
        in_list.unwrap_or_else(|| path.to_owned())
    }
}

/// Removes inconsistent parts of a setup and reports them.
struct SetupChecker<'a> {
    file: &'a str,
    /// The JSON pointer of the value that is being checked.
    pointer: String,
    removed: &'a RemovedEntries,
    groups: BTreeSet<GroupId>,
    diagnostics: Vec<Diagnostic>,
    /// The number of diagnostics beyond the maximum.
    dropped_count: usize,
}

impl SetupChecker<'_> {
    fn push(&mut self, finding: fn(Location, MessageText) -> Diagnostic, message: MessageText) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            let mut diagnostic = finding(Location::file(self.file).with_pointer(&self.pointer), message);
            self.removed.restore_pointer(&mut diagnostic);
            self.diagnostics.push(diagnostic);
        } else {
            self.dropped_count += 1;
        }
    }

    fn warn(&mut self, message: MessageText) {
        self.push(Diagnostic::warning, message);
    }

    fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if self.dropped_count > 0 {
            let message = message!("{dropped_count} more findings are not listed", dropped_count = self.dropped_count);
            self.diagnostics.push(Diagnostic::warning(Location::file(self.file), message));
        }
        self.diagnostics
    }

    fn check_setup(&mut self, mut setup: Setup<ByName>) -> Setup<ByName> {
        self.remove_project_parts(&mut setup);
        self.check_systems(&mut setup);
        let solvers: BTreeSet<_> = setup.systems.values().map(|system| system.solver).collect();
        self.retain_valid(
            "materials",
            &mut setup.materials,
            |id| id.0,
            |material| {
                let has_system = solvers.contains(&material.solver);
                (!has_system)
                    .then(|| message!("the file has no system of {solver}; left out", solver = material.solver.key()))
            },
        );
        let Setup { systems, materials, chains, .. } = &mut setup;
        self.retain_valid(
            "chains",
            chains,
            |id| id.0,
            |chain| {
                if !systems.contains_key(&chain.system) {
                    let name = excerpt(&chain.name);
                    return Some(message!(
                        "there is no system {system}; chain \"{name}\" is left out",
                        system = chain.system.0,
                        name
                    ));
                }
                let is_empty = chain.joints.is_empty();
                is_empty.then(|| message!("chain \"{name}\" has no joint; left out", name = excerpt(&chain.name)))
            },
        );
        self.at_path("chains", |check| {
            for (id, chain) in chains {
                check.at_path(id.0, |check| check.check_chain(chain, systems, materials));
            }
        });
        setup.map_naming(self)
    }

    /// Removes the parts that only a project can contain.
    fn remove_project_parts(&mut self, setup: &mut Setup<ByName>) {
        let parts = [
            ("gestures", setup.gestures.len()),
            ("base_motions", setup.base_motions.len()),
            ("kept_pose", setup.kept_pose.len()),
        ];
        for (part, count) in parts.into_iter().filter(|(_, count)| *count > 0) {
            let message = message!("a setup file does not exchange {part}; {count} ignored", part, count);
            self.at_path(part, |check| check.push(Diagnostic::info, message));
        }
        setup.gestures.clear();
        setup.base_motions.clear();
        setup.kept_pose.clear();
    }

    /// Limits the number of systems, and checks that each system has the lists of its solver.
    fn check_systems(&mut self, setup: &mut Setup<ByName>) {
        let count = setup.systems.len();
        if let Some(first) = setup.systems.keys().nth(MAX_SYSTEMS).copied() {
            let message = message!(
                "the file has {count} systems; at most {max_systems} are read. Systems from here on are left out",
                count,
                max_systems = MAX_SYSTEMS
            );
            self.at_path("systems", |check| check.at_path(first.0, |check| check.warn(message)));
            let left_out = setup.systems.split_off(&first);
            setup.chains.retain(|_, chain| !left_out.contains_key(&chain.system));
        }
        self.at_path("systems", |check| {
            for (id, system) in &mut setup.systems {
                if !system.component_lists.is_none() && !system.component_lists.matches_solver(system.solver) {
                    let message = message!("expected lists of {solver}; left out", solver = system.solver.key());
                    check.at_path(id.0, |check| check.at_path("component_lists", |check| check.warn(message)));
                    system.component_lists = yuremono_model::document::ComponentLists::None;
                }
            }
        });
    }

    /// Removes each entry of a list for which `fault` returns a problem.
    fn retain_valid<K: Copy + Ord, T>(
        &mut self,
        list: &str,
        all: &mut BTreeMap<K, T>,
        number: impl Fn(K) -> u32,
        fault: impl Fn(&T) -> Option<MessageText>,
    ) {
        self.at_path(list, |check| {
            all.retain(|id, entry| {
                let fault = fault(entry);
                let is_good = fault.is_none();
                if let Some(message) = fault {
                    check.at_path(number(*id), |check| check.warn(message));
                }
                is_good
            });
        });
    }

    /// Checks the references of a chain and the points of its joints.
    fn check_chain(
        &mut self,
        chain: &mut Chain<ByName>,
        systems: &BTreeMap<SystemId, System<ByName>>,
        materials: &BTreeMap<MaterialId, Material<ByName>>,
    ) {
        let solver = systems.get(&chain.system).map(|system| system.solver);
        if let Some(id) = chain.material {
            let fault = match materials.get(&id) {
                None => Some(message!("there is no material {id}; left out", id = id.0)),
                Some(material) if Some(material.solver) != solver => {
                    let (name, solver) = (excerpt(&material.name), material.solver.key());
                    Some(message!("material \"{name}\" belongs to {solver}; left out", name, solver))
                }
                Some(_) => None,
            };
            if let Some(message) = fault {
                self.at_path("material", |check| check.warn(message));
                chain.material = None;
            }
        }
        self.at_path("joints", |check| {
            for (at, joint) in chain.joints.iter_mut().enumerate() {
                if matches!(joint.tip, Tip::Offset(offset) if !offset.is_finite()) {
                    let message = message!("expected finite numbers; left out, its default is used");
                    check.at_path(at, |check| {
                        check.at_path("tip", |check| check.at_path("offset", |check| check.warn(message)));
                    });
                    joint.tip = Tip::Children;
                }
            }
        });
    }

    /// Returns the values of parameters that the solver has in this scope, under their current names.
    fn known_values<V: NamedValue>(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, V>,
        place: &ValueScope<'_>,
    ) -> BTreeMap<String, V> {
        let table = solver.info().params;
        let mut known = BTreeMap::new();
        for (name, value) in values {
            let param =
                find_param_or_former(table, name).filter(|(param, _)| (place.contains)(*param, &table[param.index()]));
            let fault = match param {
                None => Err(message!(
                    "{solver} has no such value of {description}; left out",
                    solver = solver.key(),
                    description = fixed_text(place.description)
                )),
                Some((param, former)) => {
                    let def = &table[param.index()];
                    if def.name != name && values.contains_key(def.name) {
                        Err(message!("the same value is also given as \"{name}\", which is used", name = def.name))
                    } else {
                        let value = value.migrated(former);
                        let problem = value.range_problem(def);
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
            self.at_path(pointer_token(name), |check| check.warn(message));
        }
        known
    }
}

/// The rows of a parameter table that can have a value in one scope.
struct ValueScope<'a> {
    /// The name of the scope, for messages.
    description: &'static str,
    contains: &'a dyn Fn(ParamId, &ParamDef) -> bool,
}

impl ValueScope<'_> {
    const SYSTEM: ValueScope<'static> =
        ValueScope { description: "the whole system", contains: &|_, def| def.scope == ParamScope::System };
    const JOINTS: ValueScope<'static> =
        ValueScope { description: "joints", contains: &|_, def| def.scope == ParamScope::Joint };
}

/// A value that is stored under the name of a parameter.
trait NamedValue: Clone {
    /// Converts a value of an earlier release to the current meaning.
    fn migrated(&self, former: ValueMigration) -> Self;

    /// The lowest and the highest value that joints get.
    fn lowest_and_highest(&self) -> (f32, f32);

    /// Returns the problem if a value is outside the range of the parameter.
    fn range_problem(&self, def: &ParamDef) -> Option<CellProblem> {
        let (low, high) = self.lowest_and_highest();
        let (from, to) = def.range_exceeded_by(low, high)?;
        let number = if low < from { low } else { high };
        let to = (to != f32::MAX).then_some(to);
        Some(CellProblem::new("", number_text(number), CellFault::OutOfRange { min: from, max: to }))
    }
}

impl NamedValue for JsonNumber {
    fn migrated(&self, former: ValueMigration) -> Self {
        Self(former.migrate(self.0))
    }

    fn lowest_and_highest(&self) -> (f32, f32) {
        (self.0, self.0)
    }
}

impl NamedValue for ChainValue {
    fn migrated(&self, former: ValueMigration) -> Self {
        Self { base: former.migrate(self.base), ..self.clone() }
    }

    fn lowest_and_highest(&self) -> (f32, f32) {
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

impl MapNaming<ByName, ByName> for SetupChecker<'_> {
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
            self.warn(message!("collider group {id} does not exist; left out", id = id.0));
        }
        is_there.then_some(id)
    }

    fn system_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, JsonNumber>,
    ) -> BTreeMap<String, JsonNumber> {
        self.known_values(solver, values, &ValueScope::SYSTEM)
    }

    fn chain_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, ChainValue>,
    ) -> BTreeMap<String, ChainValue> {
        self.known_values(solver, values, &ValueScope::JOINTS)
    }

    fn material_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, ChainValue>,
    ) -> BTreeMap<String, ChainValue> {
        let own = solver.info().material_params;
        self.known_values(
            solver,
            values,
            &ValueScope { description: "materials", contains: &|param, _| own.contains(&param) },
        )
    }

    fn joint_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, JsonNumber>,
    ) -> BTreeMap<String, JsonNumber> {
        self.known_values(solver, values, &ValueScope::JOINTS)
    }

    fn enter_path(&mut self, step: &dyn Display) {
        _ = write!(self.pointer, "/{step}");
    }

    fn leave_path(&mut self) {
        let end = self.pointer.rfind('/').unwrap_or_default();
        self.pointer.truncate(end);
    }
}

/// Returns the helpers in the order of their ids, but each helper after its parent helper. Cycles are cut.
fn parents_first(helpers: &BTreeMap<HelperId, yuremono_model::document::Helper<ByName>>) -> Vec<HelperId> {
    let mut by_name: HashMap<&str, HelperId> = HashMap::new();
    for (id, helper) in helpers {
        by_name.entry(&helper.name).or_insert(*id);
    }
    let parent = |id: &HelperId| match &helpers.get(id)?.parent {
        NodeRef::Named(name) => by_name.get(name.as_str()).copied(),
        NodeRef::Inline(_) => None,
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
