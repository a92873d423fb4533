//! The differences of two documents as a person reads them: labels instead of fields, numbers with units, and curves as
//! small plots.

use crate::tr;
use crate::ui::UiContext;
use crate::ui::dialogs::table::{Cells, row_text};
use crate::ui::kit::i18n::{self, Lang};
use crate::ui::kit::number::{NumberFormat, short_number};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{radius, space, stroke};
use crate::ui::panels::inspector::number_format as feel_number_format;
use egui::{Rect, Response, Shape, Stroke, StrokeKind, Ui, pos2, vec2};
use serde_json::Value;
use yuremono_model::document::{ChainId, ChainPart, Document, Edit, EditLabel, System};
use yuremono_model::exchange::{
    DocumentComparison, DocumentDifference, EntryChange, EntryKind, FeelDifference, ParamPart,
};
use yuremono_session::Command;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::math::{Curve, RingCurve};
use yuremono_sim::params::{ParamDef, ParamKind, Unit};
use yuremono_sim::rig::BoneId;
use yuremono_sim::{ColliderShape, FeelParam, ForceKind, SolverKind, UNLIMITED_ANGLE_DEG};

/// Size of the plot of a curve, in points.
const PLOT_SIZE: [f32; 2] = [72.0, 18.0];
/// Number of samples of a plotted curve, without its last point.
const PLOT_SAMPLES: usize = 32;

/// A row of a table of differences.
pub(in crate::ui::dialogs) enum DifferenceRow {
    /// The heading of a chain, or of the rest of the character.
    Heading(Option<ChainId>, String),
    Line(DifferenceLine),
}

pub(in crate::ui::dialogs) struct DifferenceLine {
    pub label: String,
    /// The value in each document.
    pub values: [DifferenceValue; 2],
    /// The command that takes the second value across, if it can be taken alone.
    pub take: Option<Box<Command>>,
    /// The joint of the value.
    pub bone: Option<BoneId>,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::ui::dialogs) enum DifferenceValue {
    Text(String),
    /// Values of a curve at equal distances.
    Plot(Vec<f32>),
}

impl DifferenceValue {
    fn of_curve(curve: Option<&Curve>) -> Self {
        let at = |i: usize| curve.map_or(1.0, |curve| curve.eval(i as f32 / PLOT_SAMPLES as f32));
        Self::Plot((0..=PLOT_SAMPLES).map(at).collect())
    }

    /// The curve from the back over the front to the back.
    fn of_ring_curve(curve: Option<&RingCurve>) -> Self {
        let angle = |i: usize| 360.0 * i as f32 / PLOT_SAMPLES as f32 - 180.0;
        let at = |i: usize| curve.map_or(1.0, |curve| curve.eval(angle(i)));
        Self::Plot((0..=PLOT_SAMPLES).map(at).collect())
    }

    pub(in crate::ui::dialogs) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Plot(values) => [values[0], values[values.len() - 1]].map(short_number).join(" … "),
        }
    }
}

impl DifferenceLine {
    /// Returns the line as one text, for screen readers and tooltips.
    pub(in crate::ui::dialogs) fn text(&self) -> String {
        format!("{}: {} → {}", self.label, self.values[0].text(), self.values[1].text())
    }
}

/// Draws the first cells of a row: the label, and the value in each document. Returns the response of the whole row.
pub(in crate::ui::dialogs) fn line_cells_ui(cells: &mut Cells<'_, '_>, line: &DifferenceLine) -> Response {
    let name = line.text();
    let first = cells.first_cell(&name, false, |ui, rect| {
        let width = rect.width() - space::XL - space::S;
        row_text(ui, rect, space::XL, width, &line.label, TextSize::Small, Theme::of(ui).color.text_2)
    });
    let mut is_cut = first.inner;
    let range = plot_range(&line.values);
    for (at, value) in line.values.iter().enumerate() {
        is_cut |= cells.cell(|ui, rect| ValueCell { value, range, is_new: at == 1 }.show(ui, rect));
    }
    if is_cut {
        first.response.clone().on_hover_text(&name);
    }
    first.response
}

/// Draws the heading of a group in the first cells.
pub(in crate::ui::dialogs) fn heading_cells_ui(cells: &mut Cells<'_, '_>, name: &str) {
    cells.heading(|ui, rect| {
        row_text(ui, rect, space::L, rect.width() * 0.6, name, TextSize::Strong, Theme::of(ui).color.text);
    });
    cells.cell(|_, _| ());
    cells.cell(|_, _| ());
}

struct ValueCell<'a> {
    value: &'a DifferenceValue,
    /// Lowest and highest value of a plot.
    range: [f32; 2],
    is_new: bool,
}

impl ValueCell<'_> {
    /// Draws the value. The new value is brighter than the old value. Returns whether the text is cut.
    fn show(&self, ui: &Ui, rect: Rect) -> bool {
        let c = Theme::of(ui).color;
        match self.value {
            DifferenceValue::Text(text) => {
                let color = if self.is_new { c.text } else { c.text_2 };
                row_text(ui, rect, 0.0, rect.width() - space::S, text, TextSize::Small, color)
            }
            DifferenceValue::Plot(values) => {
                let frame = Rect::from_center_size(rect.center(), PLOT_SIZE.into());
                let frame = frame.translate(vec2(rect.left() - frame.left(), 0.0));
                let edge = Stroke::new(stroke::EDGE, c.border);
                ui.painter().rect(frame, radius::FIELD, c.field, edge, StrokeKind::Inside);
                let inside = frame.shrink2(vec2(3.0, space::XS));
                let [low, high] = self.range;
                let point_at = |(i, value): (usize, &f32)| {
                    let x = inside.left() + inside.width() * i as f32 / PLOT_SAMPLES as f32;
                    pos2(x, inside.bottom() - inside.height() * (value - low) / (high - low))
                };
                let line = values.iter().enumerate().map(point_at).collect();
                let color = if self.is_new { c.accent } else { c.text_2 };
                ui.painter().add(Shape::line(line, Stroke::new(1.5, color)));
                false
            }
        }
    }
}

/// Returns the range of the values of all plots, with 0 and 1.
fn plot_range(values: &[DifferenceValue]) -> [f32; 2] {
    let plotted = values.iter().filter_map(|value| match value {
        DifferenceValue::Plot(values) => Some(values),
        DifferenceValue::Text(_) => None,
    });
    plotted.flatten().fold([0.0, 1.0], |[low, high], value| [value.min(low), value.max(high)])
}

/// Two compared documents, and the texts of their differences.
pub(in crate::ui::dialogs) struct DifferenceTexts<'a> {
    pub cx: &'a UiContext<'a>,
    pub comparison: &'a DocumentComparison,
}

impl DifferenceTexts<'_> {
    /// Returns all rows. Each chain has a heading; feel is above the parameters that result in it.
    pub(in crate::ui::dialogs) fn rows(&self) -> Vec<DifferenceRow> {
        let DocumentComparison { differences, feel_differences, .. } = self.comparison;
        let mut chains: Vec<Option<ChainId>> = differences.iter().map(|difference| difference.chain).collect();
        chains.extend(feel_differences.iter().map(|difference| Some(difference.chain)));
        chains.sort_unstable();
        chains.dedup();
        chains.into_iter().flat_map(|chain| self.group(chain)).collect()
    }

    fn group(&self, chain: Option<ChainId>) -> Vec<DifferenceRow> {
        let name = chain.map_or_else(|| tr!(self, "Character"), |id| self.chain_name(id));
        let feel = self.comparison.feel_differences.iter().filter(|difference| Some(difference.chain) == chain);
        let mut lines: Vec<DifferenceLine> = feel.flat_map(|difference| self.feel_lines(difference)).collect();
        for difference in self.comparison.differences.iter().filter(|difference| difference.chain == chain) {
            let line = self.line(difference);
            // A curve, a shape or a list differs in several fields, but is one row.
            if lines.last().is_none_or(|last| last.label != line.label) {
                lines.push(line);
            }
        }
        std::iter::once(DifferenceRow::Heading(chain, name)).chain(lines.into_iter().map(DifferenceRow::Line)).collect()
    }

    fn lang(&self) -> Lang {
        self.cx.theme.lang
    }

    fn tr(&self, text: MessageText) -> String {
        self.cx.tr(text).into_owned()
    }

    fn documents(&self) -> [&Document; 2] {
        [self.cx.document(), &self.comparison.document]
    }

    fn chain_name(&self, id: ChainId) -> String {
        let mut chains = self.documents().into_iter().filter_map(|document| document.chains.get(&id));
        chains.next().map(|chain| chain.name.clone()).unwrap_or_default()
    }

    fn feel_lines(&self, difference: &FeelDifference) -> Vec<DifferenceLine> {
        let name = i18n::param_label(self.lang(), difference.param.def());
        let feel = tr!(self, "Feel");
        let line = |label: String, values| DifferenceLine { label, values, take: None, bone: None };
        let [a, b] = &difference.values;
        let mut lines = Vec::new();
        if difference.differs_in_base() {
            let values = self.feel_texts(difference.param, [a.base, b.base]).map(DifferenceValue::Text);
            lines.push(line(format!("{feel} · {name}"), values));
        }
        if difference.differs_in_curve() {
            let values = [a, b].map(|value| DifferenceValue::of_curve(value.curve.as_ref()));
            lines.push(line(format!("{feel} · {}", tr!(self.cx, "Curve of {name}", name)), values));
        }
        lines
    }

    /// Returns both values with their unit, and with more digits if few digits do not tell the values apart.
    fn feel_texts(&self, param: FeelParam, values: [f32; 2]) -> [String; 2] {
        let unit = if param.def().unit == Unit::Acceleration { " m/s²" } else { "" };
        let text = |format: NumberFormat, value: f32| {
            if param == FeelParam::MaxAngle && value >= UNLIMITED_ANGLE_DEG {
                return tr!(self, "free");
            }
            format!("{}{unit}", format.text(value))
        };
        let format = feel_number_format(param);
        let texts = values.map(|value| text(format, value));
        if texts[0] != texts[1] {
            return texts;
        }
        values.map(|value| text(format.decimals(4), value))
    }

    fn line(&self, difference: &DocumentDifference) -> DifferenceLine {
        let found = &difference.difference;
        let entry = self.entry_text(found.entry, &found.name);
        let skeleton = &self.cx.character().skeleton;
        let bone = (found.entry == EntryKind::Joint).then(|| skeleton.find(&found.name)).flatten();
        let line = |label, values| DifferenceLine { label, values, take: self.take_command(difference), bone };
        let there =
            |is_there: bool| DifferenceValue::Text(if is_there { tr!(self, "present") } else { "–".to_owned() });
        match &found.change {
            EntryChange::Added => line(entry, [false, true].map(there)),
            EntryChange::Removed => line(entry, [true, false].map(there)),
            EntryChange::Changed { field, old, new } => {
                let (label, values) = match self.param_line(difference) {
                    Some(param_line) => param_line,
                    None => (self.field_label(field), self.field_values(field, [old.as_ref(), new.as_ref()])),
                };
                let label = match found.entry {
                    EntryKind::Chain => label,
                    EntryKind::Joint => format!("{} · {label}", found.name),
                    _ => format!("{entry} · {label}"),
                };
                line(label, values)
            }
        }
    }

    fn take_command(&self, difference: &DocumentDifference) -> Option<Box<Command>> {
        let (name, _) = difference.difference.change.param()?;
        let param = self.param_def(difference, name)?.label_text();
        let label = EditLabel::new(message!("Take {param} of B", param));
        Some(Box::new(Command::ApplyEdit(difference.take.clone()?, label)))
    }

    /// Returns the entry with its kind. A system without a name has the name of its solver.
    fn entry_text(&self, entry: EntryKind, name: &str) -> String {
        let solver = SolverKind::ALL.iter().find(|solver| solver.key() == name);
        match solver.filter(|_| entry == EntryKind::System) {
            Some(solver) => i18n::solver_name(self.lang(), *solver).into_owned(),
            None => self.tr(entry.message(name)),
        }
    }

    /// Returns the label and the values of a parameter; `None` for other fields.
    fn param_line(&self, difference: &DocumentDifference) -> Option<(String, [DifferenceValue; 2])> {
        let change = &difference.difference.change;
        let (name, part) = change.param()?;
        let EntryChange::Changed { old, new, .. } = change else { return None };
        let def = self.param_def(difference, name);
        let label = def.map_or_else(|| tr!(self, "Other settings"), |def| i18n::param_label(self.lang(), def).into());
        if part == ParamPart::Value {
            let numbers = [old, new].map(|value| number_of(value.as_ref()?));
            let texts = def.map_or_else(
                || [old, new].map(|value| self.value_text(value.as_ref())),
                |def| param_texts(self.cx, def, numbers),
            );
            return Some((label, texts.map(DifferenceValue::Text)));
        }
        let label = if part == ParamPart::Curve {
            tr!(self, "Curve of {name}", name = label)
        } else {
            tr!(self, "Curve around the ring of {name}", name = label)
        };
        let values = self.documents().map(|document| match &difference.take {
            Some(Edit::SetCurve { chain, param, .. }) => {
                let value = document.chains.get(chain).and_then(|chain| chain.values.get(param.index()));
                DifferenceValue::of_curve(value.and_then(|value| value.curve.as_ref()))
            }
            Some(Edit::SetRingCurve { chain, param, .. }) => {
                let value = document.chains.get(chain).and_then(|chain| chain.values.get(param.index()));
                DifferenceValue::of_ring_curve(value.and_then(|value| value.around.as_ref()))
            }
            _ => DifferenceValue::Text(String::new()),
        });
        let is_plot = values.iter().all(|value| matches!(value, DifferenceValue::Plot(_)));
        let values = if is_plot { values } else { self.changed() };
        Some((label, values))
    }

    /// Returns the definition of a parameter, first under the solver of the chain.
    fn param_def(&self, difference: &DocumentDifference, name: &str) -> Option<&'static ParamDef> {
        let [document, other] = self.documents();
        let of_chain =
            difference.chain.and_then(|id| document.chains.get(&id)).map(|chain| document.param_defs_of(chain));
        let others = document.systems.values().chain(other.systems.values()).map(System::param_defs);
        of_chain.into_iter().chain(others).flatten().find(|def| def.name == name)
    }

    /// Returns the label of a field that is no parameter.
    fn field_label(&self, path: &str) -> String {
        let mut parts = path.split('/');
        let (first, last) = (parts.next().unwrap_or_default(), parts.next_back());
        if let Some(def) = last.and_then(|last| shape_or_force_field(first, last)) {
            return i18n::param_label(self.lang(), def).into_owned();
        }
        self.tr(field_text(match first {
            "local" => last.unwrap_or(first),
            first => first,
        }))
    }

    fn field_values(&self, path: &str, values: [Option<&Value>; 2]) -> [DifferenceValue; 2] {
        let mut parts = path.split('/');
        let (first, last) = (parts.next().unwrap_or_default(), parts.next_back());
        let numbers = values.map(|value| number_of(value?));
        let texts = match (first, last.and_then(|last| shape_or_force_field(first, last))) {
            (_, Some(def)) => param_texts(self.cx, def, numbers),
            ("part", _) => values.map(|value| {
                let key = value.and_then(Value::as_str).unwrap_or_default();
                let part = ChainPart::ALL.into_iter().find(|part| part.key() == key).unwrap_or(ChainPart::Other);
                i18n::part_name(self.lang(), part).into_owned()
            }),
            ("solver" | "system", _) => values.map(|value| {
                let key = value.and_then(Value::as_str).unwrap_or_default();
                let solver = SolverKind::ALL.iter().find(|solver| solver.key() == key);
                solver.map_or_else(|| key.to_owned(), |solver| i18n::solver_name(self.lang(), *solver).into_owned())
            }),
            ("curve_domain" | "role", _) => values.map(|value| {
                self.tr(match value.and_then(Value::as_str).unwrap_or("length") {
                    "length" => message!("length"),
                    "depth" => message!("depth"),
                    "plain" => message!("plain"),
                    "pivot" => message!("pivot"),
                    "null" => message!("node of a table"),
                    _ => message!("other"),
                })
            }),
            ("ring", _) if last == Some("angle") => numbers.map(degrees_text),
            ("local", _) if last == Some("translation") => values.map(|value| Self::vector_text(value, Unit::Metres)),
            _ => values.map(|value| self.value_text(value)),
        };
        if texts[0] == texts[1] { self.changed() } else { texts.map(DifferenceValue::Text) }
    }

    /// The values of something that has no short text.
    fn changed(&self) -> [DifferenceValue; 2] {
        [DifferenceValue::Text("…".to_owned()), DifferenceValue::Text(tr!(self, "changed"))]
    }

    fn vector_text(value: Option<&Value>, unit: Unit) -> String {
        let format = NumberFormat::for_unit(unit);
        let numbers = value.and_then(Value::as_array).into_iter().flatten().filter_map(number_of);
        numbers.map(|number| format.text(number)).collect::<Vec<_>>().join(", ")
    }

    fn value_text(&self, value: Option<&Value>) -> String {
        match value {
            None | Some(Value::Null) => "–".to_owned(),
            Some(Value::Bool(on)) => self.tr(if *on { message!("on") } else { message!("off") }),
            Some(Value::String(name)) => name.clone(),
            Some(Value::Array(all)) if all.iter().all(Value::is_string) => {
                all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
            }
            Some(Value::Array(all)) if all.iter().all(Value::is_number) => Self::vector_text(value, Unit::None),
            Some(Value::Array(all)) => tr!(self, "{n:entry|entries}", n = all.len()),
            Some(number @ Value::Number(_)) => {
                number_of(number).map_or_else(String::new, |number| NumberFormat::for_unit(Unit::None).text(number))
            }
            Some(Value::Object(fields)) => match fields.iter().next() {
                Some((_, Value::String(name))) if fields.len() == 1 => name.clone(),
                _ => "…".to_owned(),
            },
        }
    }
}

fn degrees_text(number: Option<f32>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| NumberFormat::for_unit(Unit::Degrees).text(number))
}

/// Returns a number of the JSON of files, in which a text can represent infinity.
fn number_of(value: &Value) -> Option<f32> {
    let spelled = || value.as_str().and_then(|text| text.parse().ok());
    value.as_f64().map(|number| number as f32).or_else(spelled).or_else(|| number_of(value.get("base")?))
}

/// Returns the label of a field of a file.
fn field_text(field: &str) -> MessageText {
    match field {
        "name" => message!("Name"),
        "part" => message!("Part"),
        "system" => message!("System"),
        "solver" => message!("Solver"),
        "component" => message!("Component's node"),
        "component_lists" => message!("Lists of the component"),
        "curve_domain" => message!("Curves run along"),
        "material" => message!("Material"),
        "groups" => message!("Collider groups"),
        "center" => message!("Center"),
        "ring" => message!("Place in the ring"),
        "chain" => message!("Chain"),
        "tip" => message!("Tip"),
        "pivot" => message!("Pivot"),
        "length_targets" => message!("Length limits"),
        "colliders" => message!("Colliders"),
        "limit" => message!("Angle limit{:item}"),
        "enabled" => message!("Switched on"),
        "animated" => message!("Moved by animation"),
        "overrides" => message!("Values of the joint"),
        "values" => message!("Values"),
        "parent" => message!("Parent"),
        "translation" => message!("Position"),
        "rotation" => message!("Rotation"),
        "scale" => message!("Scale"),
        "role" => message!("Kind of node"),
        "node" => message!("Bone or node"),
        "shape" => message!("Shape"),
        "mesh_name" => message!("Only with mesh"),
        "kind" => message!("Kind"),
        "hip" => message!("Hip node"),
        "legs" => message!("Legs"),
        _ => message!("Other settings"),
    }
}

/// Returns the definition of a field of a collider shape or a force.
fn shape_or_force_field(first: &str, last: &str) -> Option<&'static ParamDef> {
    let find = |fields: &'static [ParamDef]| fields.iter().find(|def| def.name == last);
    match first {
        "shape" => ColliderShape::BASIC.iter().find_map(|shape| find(shape.fields())),
        "kind" => ForceKind::ALL.iter().find_map(|kind| find(kind.fields())),
        _ => None,
    }
}

/// Returns both values with their unit, and with all digits if few digits do not tell the values apart.
fn param_texts(cx: &UiContext<'_>, def: &'static ParamDef, numbers: [Option<f32>; 2]) -> [String; 2] {
    let format = NumberFormat::for_param(def);
    let unit = unit_suffix(def.unit);
    let text = |number: f32, digits: String| match def.kind {
        ParamKind::Toggle => cx.tr(if number == 0.0 { message!("off") } else { message!("on") }).into_owned(),
        ParamKind::Choice(_) => i18n::param_choice(cx.theme.lang, def, number.max(0.0) as usize).into_owned(),
        _ => format!("{digits}{unit}"),
    };
    let none = || "–".to_owned();
    let short = numbers.map(|number| number.map_or_else(none, |number| text(number, format.text(number))));
    if short[0] != short[1] {
        return short;
    }
    let plain = NumberFormat::for_unit(Unit::None);
    let unit_name = if def.unit == Unit::Metres { " m" } else { "" };
    numbers
        .map(|number| number.map_or_else(none, |number| text(number, format!("{}{unit_name}", plain.editable(number)))))
}

/// Returns the suffix of a unit that [`NumberFormat`] leaves out.
const fn unit_suffix(unit: Unit) -> &'static str {
    match unit {
        Unit::Acceleration => " m/s²",
        Unit::PerSecondSquared => " /s²",
        Unit::PerSecond => " /s",
        Unit::Speed => " m/s",
        Unit::AngularSpeed => " °/s",
        Unit::Seconds => " s",
        Unit::Hertz => " Hz",
        Unit::None | Unit::Fraction | Unit::Metres | Unit::Degrees => "",
    }
}
