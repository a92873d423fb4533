//! The columns of joint rows for each solver.

use super::cells::{CellReader, number_text, parse_number, require_cells, toggle_text};
use super::is_unity_chan;
use yuremono_model::document::{ByName, Joint, LengthTarget, NodeRef};
use yuremono_model::exchange::{CellFault, CellProblem};
use yuremono_sim::SolverKind;
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamDef, ParamKind, ParamScope, enumerate_params, find_param};

/// UnityChan's columns in file order: the parameter and the column header. The empty name marks the cell of the pivot.
/// A test checks that the list contains every joint parameter of UnityChan once.
const UNITY_CHAN_COLUMNS: &[(&str, &str)] = &[
    ("radius", "radius"),
    ("stiffnessForce", "stiffnessForce"),
    ("dragForce", "dragForce"),
    ("springForce x", "springForce x"),
    ("springForce y", "springForce y"),
    ("springForce z", "springForce z"),
    ("windInfluence", "wind influence"),
    ("", "pivot node"),
    ("yAngleLimits.active", "use y angle limit"),
    ("yAngleLimits.min", "y angle min"),
    ("yAngleLimits.max", "y angle max"),
    ("zAngleLimits.active", "use z angle limit"),
    ("zAngleLimits.min", "z angle min"),
    ("zAngleLimits.max", "z angle max"),
    ("angularStiffness", "angle stiffness"),
];
const LENGTH_COUNT_COLUMN: &str = "length limit count";
const LENGTH_TARGET_COLUMN: &str = "length limit target";
const LENGTH_RATIO_COLUMN: &str = "length limit ratio";
/// UnityChan writes this ratio after every length target and never uses it.
const LENGTH_RATIO_TEXT: &str = "1.01";

struct JointColumn {
    header: &'static str,
    /// `None` for the cell of the pivot.
    def: Option<&'static ParamDef>,
}

/// The columns of joint rows for one solver: UnityChan's columns, or all joint parameters of the solver. The length
/// targets, which only UnityChan has, and the names of the colliders follow.
pub(super) struct JointColumns {
    columns: Vec<JointColumn>,
    has_length_limits: bool,
}

impl JointColumns {
    pub(super) fn of(solver: SolverKind) -> Self {
        let table = solver.info().params;
        let has_lengths = is_unity_chan(solver);
        let columns = if has_lengths {
            let column = |(name, header): &(&str, &'static str)| {
                let def = find_param(table, name).and_then(|param| table.get(param.index()));
                (name.is_empty() || def.is_some()).then_some(JointColumn { header, def })
            };
            UNITY_CHAN_COLUMNS.iter().filter_map(column).collect()
        } else {
            let of_engine = enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint && !def.extension);
            of_engine.map(|(_, def)| JointColumn { header: def.name, def: Some(def) }).collect()
        };
        Self { columns, has_length_limits: has_lengths }
    }

    /// Returns the headers of all columns after the name. Repeated columns are listed once.
    pub(super) fn headers(&self) -> Vec<&'static str> {
        let mut all: Vec<_> = self.columns.iter().map(|column| column.header).collect();
        if self.has_length_limits {
            all.extend([LENGTH_COUNT_COLUMN, LENGTH_TARGET_COLUMN, "length limit ratio x N"]);
        }
        all.push("collider x N");
        all
    }

    /// Returns the positions of decimal numbers among the cells after the name.
    pub(super) fn decimal_columns(&self) -> impl Iterator<Item = usize> + '_ {
        let is_decimal = |column: &JointColumn| column.def.is_some_and(|def| def.kind != ParamKind::Toggle);
        self.columns.iter().enumerate().filter(move |(_, column)| is_decimal(column)).map(|(at, _)| at)
    }

    /// Reads the cells after the name of a bone.
    pub(super) fn read(
        &self,
        bone: &str,
        cells: &[String],
        decimal_comma: bool,
    ) -> Result<Joint<ByName>, Vec<CellProblem>> {
        require_cells(cells, self.columns.len() + usize::from(self.has_length_limits))?;
        let mut reader = CellReader::new(cells, decimal_comma);
        let mut joint: Joint<ByName> = Joint::new(bone.to_owned());
        for JointColumn { header, def } in &self.columns {
            let Some(def) = def else {
                joint.pivot = Some(reader.text()).filter(|name| !name.is_empty()).map(NodeRef::Named);
                continue;
            };
            let value = if def.kind == ParamKind::Toggle { reader.toggle(header) } else { reader.number(header) };
            joint.overrides.insert(def.name.to_owned(), JsonNumber(value));
        }
        if self.has_length_limits {
            match reader.counted_pairs(LENGTH_COUNT_COLUMN) {
                Ok(pairs) => joint.length_targets = length_targets(pairs, decimal_comma, &mut reader),
                Err(problem) => reader.problems.push(problem),
            }
        }
        joint.colliders = reader.rest().iter().filter(|name| !name.is_empty()).cloned().collect();
        reader.finish(joint)
    }

    pub(super) fn range_problems(&self, joint: &Joint<ByName>) -> Vec<CellProblem> {
        let problem = |JointColumn { header, def }: &JointColumn| {
            let def = (*def)?;
            let value = joint.overrides.get(def.name)?.0;
            let (from, to) = def.range_exceeded_by(value, value)?;
            let to = (to != f32::MAX).then_some(to);
            Some(CellProblem::new(header, number_text(value, None), CellFault::OutOfRange { min: from, max: to }))
        };
        self.columns.iter().filter_map(problem).collect()
    }

    pub(super) fn write(&self, joint: &Joint<ByName>, digits: Option<u8>) -> Vec<String> {
        let mut cells = Vec::with_capacity(self.columns.len() + joint.colliders.len() + 1);
        for JointColumn { def, .. } in &self.columns {
            cells.push(match def {
                None => joint.pivot.as_ref().map_or_else(String::new, |pivot| pivot.name().to_owned()),
                Some(def) => {
                    let value = joint.overrides.get(def.name).map_or(def.default, |value| value.0);
                    if def.kind == ParamKind::Toggle { toggle_text(value != 0.0) } else { number_text(value, digits) }
                }
            });
        }
        if self.has_length_limits {
            cells.push(joint.length_targets.len().to_string());
            for target in &joint.length_targets {
                cells.extend([target.node.name().to_owned(), LENGTH_RATIO_TEXT.to_owned()]);
            }
        }
        cells.extend(joint.colliders.iter().cloned());
        cells
    }

    /// Returns the values of a joint that a row cannot store, or `None` if they are all defaults.
    pub(super) fn details(&self, joint: &Joint<ByName>) -> Option<Joint<ByName>> {
        let in_row = |name: &str| self.columns.iter().any(|column| column.def.is_some_and(|def| def.name == name));
        let with_constant = |target: &&LengthTarget<ByName>| target.constant.is_some();
        let mut details = Joint { pivot: None, colliders: Vec::new(), ..joint.clone() };
        details.overrides.retain(|name, _| !in_row(name));
        details.length_targets = joint.length_targets.iter().filter(with_constant).cloned().collect();
        (details != Joint::new(joint.bone.clone())).then_some(details)
    }
}

fn length_targets(pairs: &[String], decimal_comma: bool, reader: &mut CellReader<'_>) -> Vec<LengthTarget<ByName>> {
    let is_bad = |pair: &&[String]| parse_number(&pair[1], decimal_comma).is_err();
    // UnityChan rejects a row if the ratio is not a number, but ignores the value of the ratio.
    if let Some(pair) = pairs.chunks_exact(2).find(is_bad)
        && let Err(fault) = parse_number(&pair[1], decimal_comma)
    {
        reader.reject(LENGTH_RATIO_COLUMN, pair[1].clone(), fault);
    }
    pairs.chunks_exact(2).map(|pair| LengthTarget::new(NodeRef::Named(pair[0].clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_joint_parameter_of_every_solver_has_one_column() {
        for kind in SolverKind::ALL {
            let columns = JointColumns::of(*kind).columns;
            for (_, def) in enumerate_params(kind.info().params) {
                let count = columns.iter().filter(|column| column.def == Some(def)).count();
                assert_eq!(count, usize::from(def.scope == ParamScope::Joint && !def.extension), "{}", def.name);
            }
        }
        let columns = JointColumns::of(SolverKind::UnityChanSpringBone).columns;
        assert_eq!(columns.len(), UNITY_CHAN_COLUMNS.len(), "a column has no parameter");
    }

    #[test]
    fn a_vrm_row_lists_its_parameters_before_its_colliders() {
        let columns = JointColumns::of(SolverKind::Vrm);
        let names = "stiffness,gravityPower,gravityDir x,gravityDir y,gravityDir z,dragForce,hitRadius,collider x N";
        assert_eq!(columns.headers().join(","), names);
        let cells: Vec<String> = "1,0.5,0,-1,0,0.4,0.02,Head_Sphere".split(',').map(str::to_owned).collect();
        let joint = columns.read("hair", &cells, false).expect("a good row");
        assert_eq!(joint.colliders, ["Head_Sphere"]);
        assert_eq!((joint.overrides["gravityPower"], joint.overrides.len()), (JsonNumber(0.5), 7));
        assert_eq!(columns.write(&joint, None), cells);
        let problems = columns.read("hair", &cells[..6], false).expect_err("a cell is missing");
        assert_eq!(problems, [CellProblem::for_row(CellFault::TooFewCells { found: 7, expected: 8 })]);
    }

    #[test]
    fn details_contain_only_values_that_a_row_cannot_store() {
        let columns = JointColumns::of(SolverKind::UnityChanSpringBone);
        let mut joint: Joint<ByName> = Joint::new("hair".to_owned());
        joint.overrides.insert("radius".to_owned(), JsonNumber(0.1));
        joint.pivot = Some("hair_Pivot".into());
        joint.length_targets = vec![LengthTarget::new("Head".into())];
        assert_eq!(columns.details(&joint), None);
        joint.animated = true;
        joint.length_targets[0].constant = Some(5.0);
        let details = columns.details(&joint).expect("two details");
        assert_eq!((details.animated, details.length_targets.len(), details.pivot), (true, 1, None));
        assert!(details.overrides.is_empty());
    }
}
