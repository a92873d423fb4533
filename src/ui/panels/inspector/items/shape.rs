//! Fields and switches of colliders and forces, the linked mesh of a collider, and the plot of a wind.

use super::fields::{FieldRow, ValueChange, choice_field};
use crate::tr;
use crate::ui::kit::button::primary;
use crate::ui::kit::collapsible_section::CollapsibleSection;
use crate::ui::kit::paint::{ElidedName, faded};
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::switch;
use crate::ui::kit::tokens::{alpha, radius, size, space, stroke};
use crate::ui::kit::{i18n, icons, paint};
use crate::ui::panels::inspector::label_line::{ChoicePicker, LABEL_LEFT, clamped_to_range};
use crate::ui::panels::labels::enable_label;
use crate::ui::{Highlight, UiContext, viewport};
use egui::{
    Align2, Painter, Pos2, Rect, Role, Sense, Shape, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use glam::Vec3;
use std::borrow::Cow;
use std::mem::discriminant;
use yuremono_model::document::{ColliderId, Document, Edit, EditLabel, ForceId};
use yuremono_model::tools::elements::ElementId;
use yuremono_model::tools::{components, elements};
use yuremono_session::{Command, SceneObject};
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamDef, ParamKind};
use yuremono_sim::{ColliderShape, ForceKind, Wind};

pub(super) fn show(ui: &mut Ui, cx: &mut UiContext<'_>, id: ColliderId) {
    let Some(active) = cx.document().colliders.get(&id).cloned() else { return };
    let alike = same_shape_colliders(cx, id);
    let title = tr!(cx, "Shape");
    let kind = cx.inspection().system().solver;
    let is_known = kind.info().supports_shape(&active.shape);
    let out = CollapsibleSection { title: &title, note: "", switch: Some(active.enabled) }.show(ui, |ui| {
        if !is_known {
            let solver = i18n::solver_name(cx.theme.lang, kind);
            let text = tr!(cx, "{solver} does not support this shape, so it has no effect.", solver);
            info_note(ui, &text, LABEL_LEFT);
        }
        let numbers = NumberFields {
            defs: active.shape.fields(),
            part_count: alike.len(),
            subject: u64::from(id.0),
            has_effect: active.enabled && is_known,
        };
        let value = |document: &Document, i: usize, at: usize| {
            let shape = document.colliders.get(&alike[i])?.shape;
            shape.is_same_kind(&active.shape).then(|| shape.field(at))
        };
        number_fields_ui(ui, cx, &numbers, value, |cx, at, change| {
            let document = cx.document();
            let least = numbers.defs[at].range.0;
            let edit = |(i, id): (usize, &ColliderId)| {
                let shape = document.colliders.get(id)?.shape;
                let value = change(i, shape.field(at)).max(least);
                Some(elements::set_shape(document, *id, shape.with_field(at, value)))
            };
            let edit = Edit::Batch(alike.iter().enumerate().filter_map(edit).collect());
            cx.apply_edit(edit, EditLabel::new(message!("Size of {name}", name = &active.name)));
        });
        solver_fields_ui(ui, cx, &alike, u64::from(id.0), active.enabled && is_known);
    });
    if ui.rect_contains_pointer(ui.min_rect()) {
        cx.state.highlight = Some(Highlight::Collider(id));
    }
    if out.switched {
        let chosen: Vec<ElementId> = alike.iter().map(|id| ElementId::Collider(*id)).collect();
        set_enabled(cx, &chosen, !active.enabled, &active.name);
    }
}

/// The values of several objects of one kind.
struct NumberFields {
    defs: &'static [ParamDef],
    part_count: usize,
    subject: u64,
    has_effect: bool,
}

/// Draws one row per field. `value` reads a field of an object in a document. `write` writes the field of all objects.
fn number_fields_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    numbers: &NumberFields,
    value: impl Fn(&Document, usize, usize) -> Option<f32>,
    mut write: impl FnMut(&mut UiContext<'_>, usize, ValueChange<'_>),
) {
    let &NumberFields { defs, part_count: count, subject, has_effect } = numbers;
    for (at, def) in defs.iter().enumerate() {
        let values: Vec<f32> = (0..count).filter_map(|i| value(cx.document(), i, at)).collect();
        let loaded: Vec<Option<f32>> = (0..count).map(|i| value(cx.session().loaded(), i, at)).collect();
        let field = FieldRow { def, values: &values, loaded: &loaded, subject, has_effect, curve: None };
        field.show(ui, cx, |cx, change| write(cx, at, change));
    }
}

/// Draws the fields that the current solver adds to colliders.
fn solver_fields_ui(ui: &mut Ui, cx: &mut UiContext<'_>, ids: &[ColliderId], subject: u64, has_effect: bool) {
    let Some(side) = cx.inspection().collider_list_kind() else { return };
    for (field, def) in side.fields().iter().enumerate() {
        let extras = &cx.inspection().system().component_lists;
        let values: Vec<f32> = ids.iter().map(|id| extras.collider_field(*id, field)).collect();
        let label = EditLabel::new(def.label_text());
        let apply = |cx: &mut UiContext<'_>, change: &dyn Fn(usize, f32) -> f32| {
            // This row does not offer loaded values, so all values change in the same way.
            let within = |old| clamped_to_range(def, old, change(0, old));
            if let Some(edit) =
                components::edit_collider_field(cx.document(), cx.inspection().system().solver, ids, field, within)
            {
                cx.apply_edit(edit, label.clone());
            }
        };
        if matches!(def.kind, ParamKind::Choice(_)) {
            if let Some(value) = choice_field(ui, cx, def, &values) {
                apply(cx, &|_, _| value);
            }
            continue;
        }
        FieldRow { def, values: &values, loaded: &[], subject, has_effect, curve: None }.show(ui, cx, apply);
    }
    hull_ui(ui, cx, ids, has_effect);
}

/// Draws the choice of a mesh whose convex hull replaces the shape, if the solver supports convex hulls.
fn hull_ui(ui: &mut Ui, cx: &mut UiContext<'_>, ids: &[ColliderId], has_effect: bool) {
    let extras = &cx.inspection().system().component_lists;
    let corners: Vec<_> = ids.iter().map(|id| extras.hull(*id).map(|hull| hull.points().len())).collect();
    let Some(first) = corners.first().copied() else { return };
    if !cx.inspection().supports_hulls() && corners.iter().all(Option::is_none) {
        return;
    }
    let (title, doc, none) = (
        tr!(cx, "Convex hull"),
        tr!(cx, "Replaces the shape with the convex hull of a mesh on the collider's bone"),
        tr!(cx, "None, own shape"),
    );
    let shown = match first {
        _ if corners.iter().any(|other| *other != first) => tr!(cx, "mixed"),
        Some(n) => tr!(cx, "{n:vertex|vertices}", n),
        None => none.clone(),
    };
    let all = || {
        let meshes = cx.inspection().hull_mesh_choices(ids).into_iter().map(|(at, name)| (Some(at), name));
        std::iter::once((None, none.to_string())).chain(meshes).collect()
    };
    let picker = ChoicePicker { has_effect, ..ChoicePicker::new(&title, &doc, &shown, &all) };
    let Some(chosen) = picker.show(ui, cx) else { return };
    cx.command(Command::SetConvexHull(ids.to_vec(), chosen));
}

/// Returns the selected colliders with the same kind of shape as a given collider.
pub(super) fn same_shape_colliders(cx: &UiContext<'_>, id: ColliderId) -> Vec<ColliderId> {
    let colliders = &cx.document().colliders;
    let kind = |id: ColliderId| colliders.get(&id).map(|c| (discriminant(&c.shape), c.shape.is_inside()));
    let of = |item: &SceneObject| if let SceneObject::Collider(id) = item { Some(*id) } else { None };
    same_kind_items(cx, id, of, kind)
}

pub(super) fn show_mesh(ui: &mut Ui, cx: &mut UiContext<'_>, id: ColliderId) {
    let Some(collider) = cx.document().colliders.get(&id).cloned() else { return };
    let title = tr!(cx, "Linked renderer");
    CollapsibleSection { title: &title, note: "", switch: None }.show(ui, |ui| {
        let forgotten = matches!(collider.shape, ColliderShape::Sphere { inside: false, .. });
        let none = tr!(cx, "None");
        let all = || {
            let named = cx.character().meshes.iter().map(|m| (Some(m.name.clone()), m.name.clone()));
            std::iter::once((None, none.to_string())).chain(named).collect()
        };
        let doc = tr!(cx, "The collider is off while Unity does not draw this mesh.");
        let shown = collider.mesh_name.as_deref().unwrap_or(&none);
        let picker = ChoicePicker { has_effect: !forgotten, ..ChoicePicker::new(&title, &doc, shown, &all) };
        if let Some(renderer) = picker.show(ui, cx) {
            let edit = elements::set_mesh_name(cx.document(), id, renderer);
            cx.apply_edit(edit, EditLabel::new(message!("Mesh of {name}", name = &collider.name)));
        }
        if forgotten {
            let text = tr!(cx, "Unity ignores the linked mesh of spheres. Only capsules and panels use it.");
            info_note(ui, &text, LABEL_LEFT);
        } else if let Some(name) = &collider.mesh_name {
            mesh_visible_ui(ui, cx, name);
        }
    });
}

fn mesh_visible_ui(ui: &mut Ui, cx: &mut UiContext<'_>, name: &str) {
    let on = !cx.document().hidden_meshes.contains(name);
    let text = tr!(cx, "Unity draws {name}", name);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let label = ElidedName::new(ui, &text, TextSize::Body, cx.theme.color.text, rect.width() - 50.0);
    let written = label.paint_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y));
    label.with_tooltip(ui.interact(written, ui.scope_id().with("drawn"), Sense::hover()));
    let switch_rect = Rect::from_min_max(pos2(rect.right() - space::XXXL, rect.top() + 1.0), rect.max);
    if switch(&mut ui.new_child(UiBuilder::new().max_rect(switch_rect)), &text, on).clicked() {
        let edit = Edit::SetMeshVisible { name: name.to_owned(), enabled: !on };
        cx.apply_edit(edit, EditLabel::new(message!("Mesh {name}", name)));
    }
    if !on {
        info_note(ui, &tr!(cx, "Unity does not draw this mesh here, so the collider is off."), LABEL_LEFT);
    }
}

pub(super) fn show_force(ui: &mut Ui, cx: &mut UiContext<'_>, id: ForceId) {
    let Some(active) = cx.document().forces.get(&id).cloned() else { return };
    let alike = same_kind_forces(cx, id);
    let title = tr!(cx, "Force");
    let out = CollapsibleSection { title: &title, note: "", switch: Some(active.enabled) }.show(ui, |ui| {
        if let ForceKind::Wind(wind) = active.kind {
            idle_wind_ui(ui, cx, &wind, &alike, &active.name);
        }
        let numbers = NumberFields {
            defs: active.kind.fields(),
            part_count: alike.len(),
            subject: u64::from(id.0),
            has_effect: active.enabled,
        };
        let value = |document: &Document, i: usize, at: usize| {
            let kind = document.forces.get(&alike[i])?.kind;
            (discriminant(&kind) == discriminant(&active.kind)).then(|| kind.field(at))
        };
        number_fields_ui(ui, cx, &numbers, value, |cx, at, change| {
            let (low, high) = numbers.defs[at].range;
            write_forces(cx, &alike, &active.name, |i, kind| {
                kind.with_field(at, change(i, kind.field(at)).clamp(low, high))
            });
        });
        if let ForceKind::Wind(wind) = active.kind {
            ui.add_space(space::M);
            wind_plot_ui(ui, cx, id, &wind);
        }
    });
    if out.switched {
        let chosen: Vec<ElementId> = alike.iter().map(|id| ElementId::Force(*id)).collect();
        set_enabled(cx, &chosen, !active.enabled, &active.name);
    }
}

/// Shows the reason why a wind has no effect, and a button if the weight is 0.
fn idle_wind_ui(ui: &mut Ui, cx: &mut UiContext<'_>, wind: &Wind, alike: &[ForceId], name: &str) {
    if wind.has_force() {
        return;
    }
    if wind.weight > 0.0 {
        info_note(ui, &tr!(cx, "With period 0 or strength 0, the wind has no effect."), 0.0);
        return;
    }
    info_note(ui, &tr!(cx, "New wind has weight 0 and no effect."), 0.0);
    ui.add_space(space::XS);
    if primary(&tr!(cx, "Set weight to 1")).icon(icons::WIND).width(ui.available_width()).show(ui).clicked() {
        write_forces(cx, alike, name, |_, kind| match kind {
            ForceKind::Wind(wind) => ForceKind::Wind(Wind { weight: 1.0, ..wind }),
            volume @ ForceKind::Volume { .. } => volume,
        });
    }
    ui.add_space(space::M);
}

fn write_forces(cx: &mut UiContext<'_>, ids: &[ForceId], name: &str, change: impl Fn(usize, ForceKind) -> ForceKind) {
    let document = cx.document();
    let edit = |(i, id): (usize, &ForceId)| {
        Some(elements::set_force_kind(document, *id, change(i, document.forces.get(id)?.kind)))
    };
    let edit = Edit::Batch(ids.iter().enumerate().filter_map(edit).collect());
    cx.apply_edit(edit, EditLabel::new(message!("Force of {name}", name)));
}

/// Returns the selected forces of the same kind.
fn same_kind_forces(cx: &UiContext<'_>, id: ForceId) -> Vec<ForceId> {
    let forces = &cx.document().forces;
    let kind = |id: ForceId| forces.get(&id).map(|f| discriminant(&f.kind));
    let of = |item: &SceneObject| if let SceneObject::Force(id) = item { Some(*id) } else { None };
    same_kind_items(cx, id, of, kind)
}

/// Returns the selected objects of the same kind as a given object.
fn same_kind_items<I: Copy, K: PartialEq>(
    cx: &UiContext<'_>,
    id: I,
    of: impl Fn(&SceneObject) -> Option<I>,
    kind: impl Fn(I) -> Option<K>,
) -> Vec<I> {
    let chosen = cx.selection().objects.iter().filter_map(of);
    chosen.filter(|other| kind(*other) == kind(id)).collect()
}

/// Sends all changes as one undo step.
fn set_enabled(cx: &mut UiContext<'_>, parts: &[ElementId], on: bool, name: &str) {
    let edit = elements::set_enabled(cx.document(), parts, on);
    cx.apply_edit(edit, enable_label(parts.len(), on, name));
}

const HEIGHT: f32 = 84.0;
/// Number of samples of a curve.
const POINTS: u16 = 120;
/// Minimum and maximum visible time, in seconds.
const SHOWN_SECONDS: [f32; 2] = [2.0, 8.0];

/// Draws the plot over the full width.
fn wind_plot_ui(ui: &mut Ui, cx: &UiContext<'_>, id: ForceId, wind: &Wind) {
    let force = |later: f32| viewport::force_in_node_space(cx.session(), id, later);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT + 18.0), Sense::hover());
    let text = force_text(cx, force(0.0));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    let c = cx.theme.color;
    let title = tr!(cx, "Local wind");
    let head = rect.left_top() + vec2(space::S, 7.0);
    paint::text(ui.painter(), head, Align2::LEFT_CENTER, &title, TextSize::Small, c.text_3);
    let at = pos2(rect.right(), head.y);
    paint::text(ui.painter(), at, Align2::RIGHT_CENTER, &text, TextSize::Small, c.text_2);
    let body = Rect::from_min_max(pos2(rect.left() + space::S, rect.bottom() - HEIGHT), rect.max);
    let round = Rect::from_min_size(body.min, vec2(HEIGHT, HEIGHT));
    let plot = Rect::from_min_max(pos2(round.right() + space::M, body.top()), body.max);
    for area in [round, plot] {
        let edge = Stroke::new(stroke::EDGE, c.border);
        ui.painter().rect(area, radius::FIELD, c.field, edge, StrokeKind::Inside);
    }
    let window = shown_seconds(wind);
    let most = (wind.weight * wind.strength).abs().max(1e-3);
    // The view is from behind the wind, so right is -X.
    let seen = |later: f32| force(later) * view_axes() / most;
    paint_direction(ui, cx, round, &seen, window);
    paint_plot(ui, cx, plot, &seen, window);
}

/// Returns the right, up and forward parts of a direction, seen from behind the wind.
const fn view_axes() -> Vec3 {
    Vec3::new(-1.0, 1.0, 1.0)
}

fn shown_seconds(wind: &Wind) -> f32 {
    let longest = wind.period.abs().max(wind.spin_period.abs());
    if longest.is_finite() { (longest * 2.0).clamp(SHOWN_SECONDS[0], SHOWN_SECONDS[1]) } else { SHOWN_SECONDS[1] }
}

fn force_text(cx: &UiContext<'_>, force: Vec3) -> Cow<'static, str> {
    let off = force.try_normalize().map_or(0.0, |d| libm::acosf(d.dot(Vec3::Z).clamp(-1.0, 1.0)).to_degrees());
    tr!(
        cx,
        "{force} m/s², {angle}° off its axis",
        force = format_args!("{:.0}", force.length()),
        angle = format_args!("{off:.0}")
    )
}

/// Draws the direction of the wind, seen from behind, and the recent path of the direction.
fn paint_direction(ui: &Ui, cx: &UiContext<'_>, rect: Rect, seen: &dyn Fn(f32) -> Vec3, window: f32) {
    let c = cx.theme.color;
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let (middle, reach) = (rect.center(), rect.width() * 0.42);
    painter.circle_stroke(middle, reach, Stroke::new(stroke::HAIRLINE, c.border));
    for (a, b) in [(vec2(-reach, 0.0), vec2(reach, 0.0)), (vec2(0.0, -reach), vec2(0.0, reach))] {
        painter
            .line_segment([middle + a, middle + b], Stroke::new(stroke::HAIRLINE, faded(c.border, alpha::PLOT_GRID)));
    }
    let at = |later: f32| {
        let d = seen(later);
        middle + vec2(d.x, -d.y) * reach
    };
    let path: Vec<Pos2> = (0..=POINTS).map(|i| at(window * (f32::from(i) / f32::from(POINTS) - 1.0))).collect();
    for (i, pair) in path.windows(2).enumerate() {
        let age = i as f32 / f32::from(POINTS);
        painter.line_segment([pair[0], pair[1]], Stroke::new(1.25, faded(c.wind, 0.1 + 0.6 * age * age)));
    }
    let tip = at(0.0);
    painter.line_segment([middle, tip], Stroke::new(stroke::ARROW, c.wind));
    painter.circle_filled(tip, 3.5, c.text);
}

/// Draws the sideways and upward parts over time. The current time is at the right.
fn paint_plot(ui: &Ui, cx: &UiContext<'_>, rect: Rect, seen: &dyn Fn(f32) -> Vec3, window: f32) {
    let c = cx.theme.color;
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let inner = Rect::from_min_max(rect.min + vec2(1.0, 17.0), rect.max - vec2(1.0, space::S));
    let thin = Stroke::new(stroke::HAIRLINE, c.border);
    painter.hline(rect.x_range(), inner.center().y, thin);
    // Draws one mark per second.
    for second in 1..=window as u16 {
        let x = inner.right() - inner.width() * f32::from(second) / window;
        painter.vline(x, rect.bottom() - 5.0..=rect.bottom(), thin);
    }
    let line = |of: fn(Vec3) -> f32| -> Vec<Pos2> {
        let point = |i: u16| {
            let share = f32::from(i) / f32::from(POINTS);
            let value = of(seen(window * (share - 1.0)));
            pos2(inner.left() + inner.width() * share, inner.center().y - inner.height() * 0.5 * value)
        };
        (0..=POINTS).map(point).collect()
    };
    let (side, up) = (line(|d| d.x), line(|d| d.y));
    paint::dashed(&painter, &up, Stroke::new(stroke::CURVE_GHOST, faded(c.wind, alpha::WIND_LINE)), 5.0, 4.0);
    painter.add(Shape::line(side, Stroke::new(stroke::FAN_EDGE, c.wind)));
    legend_ui(cx, &painter, rect.left_top() + vec2(space::S, 3.0));
}

fn legend_ui(cx: &UiContext<'_>, painter: &Painter, at: Pos2) {
    let c = cx.theme.color;
    let draw_text = |at: Pos2, text: &str| paint::text(painter, at, Align2::LEFT_TOP, text, TextSize::Tiny, c.text_2);
    let side = draw_text(at + vec2(15.0, 0.0), &tr!(cx, "Sideways"));
    painter.hline(at.x..=at.x + 11.0, side.center().y, Stroke::new(stroke::FAN_EDGE, c.wind));
    let at = pos2(side.right() + 10.0, at.y);
    let mark = [pos2(at.x, side.center().y), pos2(at.x + 12.0, side.center().y)];
    paint::dashed(painter, &mark, Stroke::new(stroke::CURVE_GHOST, faded(c.wind, alpha::WIND_LINE)), 5.0, 2.0);
    draw_text(at + vec2(space::XL, 0.0), &tr!(cx, "Upwards"));
}
