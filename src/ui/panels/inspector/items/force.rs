//! The numbers of a force, its switch, and a wind as it blows.

use super::rows::Field;
use super::scope;
use crate::doc::parts::{self, PartId};
use crate::doc::{Edit, ForceId, Label};
use crate::session::{Command, Item};
use crate::sim::{ForceKind, Wind};
use crate::ui::Cx;
use crate::ui::kit::button::primary;
use crate::ui::kit::icons;
use crate::ui::kit::param_row::note;
use crate::ui::kit::section::Section;
use crate::ui::kit::tokens::SPACE;
use egui::Ui;
use std::mem::discriminant;

pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, id: ForceId) {
    let Some(active) = cx.session().document().forces.get(&id).cloned() else { return };
    let alike = alike(cx, id);
    let title = cx.tr("item.force");
    let out = Section { title: &title, fact: "", switch: Some(active.enabled) }.show(ui, |ui| {
        if let ForceKind::Wind(wind) = active.kind {
            silence_ui(ui, cx, &wind, &alike, &active.name);
        }
        for (at, def) in active.kind.fields().iter().enumerate() {
            let document = cx.session().document();
            let values: Vec<f32> =
                alike.iter().filter_map(|id| document.forces.get(id)).map(|f| f.kind.field(at)).collect();
            let was = |id: &ForceId| cx.session().loaded().forces.get(id).map(|f| f.kind);
            let same_kind = |kind: &ForceKind| discriminant(kind) == discriminant(&active.kind);
            let loaded: Vec<Option<f32>> =
                alike.iter().map(|id| was(id).filter(same_kind).map(|kind| kind.field(at))).collect();
            let owner = active.kind.name();
            let field = Field {
                owner,
                def,
                values: &values,
                loaded: &loaded,
                subject: u64::from(id.0),
                has_effect: active.enabled,
                curve: None,
            };
            field.show(ui, cx, |cx, change| {
                write(cx, &alike, &active.name, |i, kind| {
                    let value = change(i, kind.field(at)).clamp(def.range.0, def.range.1);
                    kind.with_field(at, value)
                });
            });
        }
        if let ForceKind::Wind(wind) = active.kind {
            ui.add_space(SPACE[3]);
            scope::show(ui, cx, id, &wind);
        }
    });
    if out.switched {
        let chosen: Vec<PartId> = alike.iter().map(|id| PartId::Force(*id)).collect();
        let what = if active.enabled { "disable_part" } else { "enable_part" };
        let edit = parts::enable(cx.session().document(), &chosen, !active.enabled);
        cx.command(Command::Apply(edit, Label::new(what, chosen.len()).name(active.name)));
    }
}

/// Why a wind does not blow, and the one click that lets a fresh one.
fn silence_ui(ui: &mut Ui, cx: &mut Cx<'_>, wind: &Wind, alike: &[ForceId], name: &str) {
    if wind.blows() {
        return;
    }
    if wind.weight > 0.0 {
        note(ui, &cx.tr("item.wind_still"), 0.0);
        return;
    }
    note(ui, &cx.tr("item.wind_off"), 0.0);
    ui.add_space(SPACE[1]);
    if primary(&cx.tr("item.wind_on")).icon(icons::WIND).width(ui.available_width()).show(ui).clicked() {
        write(cx, alike, name, |_, kind| match kind {
            ForceKind::Wind(wind) => ForceKind::Wind(Wind { weight: 1.0, ..wind }),
            volume @ ForceKind::Volume { .. } => volume,
        });
    }
    ui.add_space(SPACE[3]);
}

fn write(cx: &mut Cx<'_>, ids: &[ForceId], name: &str, change: impl Fn(usize, ForceKind) -> ForceKind) {
    let document = cx.session().document();
    let edit =
        |(i, id): (usize, &ForceId)| Some(parts::put_force(document, *id, change(i, document.forces.get(id)?.kind)));
    let edit = Edit::Batch(ids.iter().enumerate().filter_map(edit).collect());
    cx.command(Command::Apply(edit, Label::new("force_part", ids.len()).name(name)));
}

/// The selected forces of the same kind.
fn alike(cx: &Cx<'_>, id: ForceId) -> Vec<ForceId> {
    let document = cx.session().document();
    let kind = |id: &ForceId| document.forces.get(id).map(|f| discriminant(&f.kind));
    let chosen = cx.session().selection().items.iter().filter_map(|item| match item {
        Item::Force(other) => Some(*other),
        _ => None,
    });
    chosen.filter(|other| kind(other) == kind(&id)).collect()
}
