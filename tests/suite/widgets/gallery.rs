//! A gallery of all widgets, arranged as in the program, for visual review and for checks of all widgets.

use egui::{Align, Frame, Layout, Margin, Rect, Ui, UiBuilder, Vec2, pos2, vec2};
use yuremono::ui::kit::button::{primary, secondary};
use yuremono::ui::kit::collapsible_section::{CollapsibleSection, heading_ui};
use yuremono::ui::kit::curve_editor::{
    AxisDomain, BaseValue, CurveAxis, CurveEditorInput, JointMark, SideColumn, curve_editor,
};
use yuremono::ui::kit::frame::{MessageLevel, StripDirection, message_strip, strip, strip_separator, toast, window};
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::icons::{self, IconButton};
use yuremono::ui::kit::meter::{confidence_bar, count_card, progress_bar};
use yuremono::ui::kit::number::{NumberFormat, Span};
use yuremono::ui::kit::param_bar::{BarValue, ParamBar, RangeBar};
use yuremono::ui::kit::param_row::{ChangeMarker, ParamControl, ParamRow};
use yuremono::ui::kit::text_field::search_field;
use yuremono::ui::kit::theme::{self, TextSize, Theme, ThemeMode};
use yuremono::ui::kit::toggle::{CheckState, Tab, badge, checkbox, chip, segmented, switch, tab_bar};
use yuremono::ui::kit::tree_row::{RowSelection, TreeRow, TreeRowIcon};
use yuremono_sim::math::{Curve, CurveShape};
use yuremono_sim::params::Unit;

/// All combinations of themes and languages.
pub(crate) const THEMES_AND_LANGUAGES: [(ThemeMode, Lang); 4] = [
    (ThemeMode::Dark, Lang::En),
    (ThemeMode::Light, Lang::En),
    (ThemeMode::Dark, Lang::Ja),
    (ThemeMode::Light, Lang::Ja),
];

/// The window size that the layout assumes.
pub(crate) const SIZE: Vec2 = Vec2::new(1440.0, 900.0);

fn panel_area(ui: &mut Ui, rect: Rect, margin: f32, add: impl FnOnce(&mut Ui)) {
    let fill = Theme::of(ui).color.panel;
    ui.painter().rect_filled(rect, 0.0, fill);
    let builder = UiBuilder::new().max_rect(rect.shrink(margin)).layout(Layout::top_down(Align::Min));
    add(&mut ui.new_child(builder));
}

/// Draws the gallery in the whole area of `ui`.
pub(crate) fn gallery_ui(ui: &mut Ui, search: &mut String) {
    let theme = Theme::of(ui);
    let full = Rect::from_min_size(pos2(0.0, 0.0), SIZE);
    ui.painter().rect_filled(full, 0.0, theme.color.window);
    let view = Rect::from_min_max(pos2(264.0, 40.0), pos2(1088.0, 664.0));
    ui.painter().rect_filled(view, 0.0, theme.color.view_bottom);
    panel_area(ui, Rect::from_min_size(full.min, vec2(1440.0, 39.0)), 6.0, top_bar_ui);
    panel_area(ui, Rect::from_min_max(pos2(0.0, 40.0), pos2(263.0, 876.0)), 0.0, |ui| outliner_ui(ui, search));
    panel_area(ui, Rect::from_min_max(pos2(1089.0, 40.0), pos2(1440.0, 876.0)), 12.0, inspector_ui);
    panel_area(ui, Rect::from_min_max(pos2(264.0, 640.0), pos2(1088.0, 876.0)), 0.0, drawer_ui);
    viewport_strips_ui(ui, view);
    dialog_ui(ui);
}

fn top_bar_ui(ui: &mut Ui) {
    let theme = Theme::of(ui);
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(28.0, 28.0), egui::Sense::hover());
        icons::paint_logo(ui.painter(), rect.center(), 20.0, theme.color.accent);
        for word in ["File", "Edit", "Chain", "View", "Window", "Help"] {
            ui.label(word);
        }
        icons::icon_button(ui, icons::ARROW_U_UP_LEFT, "Undo", "Ctrl+Z");
        IconButton::new(icons::ARROW_U_UP_RIGHT, "Redo").enabled(false).show(ui);
        ui.label(TextSize::Small.rich("Undo: Stiffness on 8 joints").color(theme.color.text_3));
        ui.add_space(30.0);
        progress_bar(ui, "Opening Fox.glb", Some(0.62), true);
        secondary("Import CSV").icon(icons::DOWNLOAD_SIMPLE).show(ui);
        primary("Export CSV").icon(icons::UPLOAD_SIMPLE).show(ui);
        secondary("Export CSV").icon(icons::UPLOAD_SIMPLE).enabled(false).show(ui);
    });
}

fn outliner_ui(ui: &mut Ui, search: &mut String) {
    ui.spacing_mut().item_spacing.y = 0.0;
    tab_bar(ui, &["Bones", "Chains", "Colliders", "Meshes"].map(Tab::new), Some(0));
    Frame::new().inner_margin(Margin::same(8)).show(ui, |ui| {
        search_field(ui, search, "Name or *pattern*", 247.0);
    });
    let bone = TreeRowIcon::Icon(icons::BONE);
    let still = |name, level| TreeRow { is_simulated: false, open: Some(true), ..TreeRow::new(name, level, bone) };
    still("Root", 0).show(ui, 0);
    TreeRow { open: Some(true), ..TreeRow::new("Hips", 1, TreeRowIcon::Icon(icons::ARROWS_OUT_CARDINAL)) }.show(ui, 1);
    still("Spine", 2).show(ui, 2);
    let chain = |name, note| TreeRow { open: Some(false), note, ..TreeRow::new(name, 3, TreeRowIcon::Chain) };
    chain("J_Sec_FrontHair", "3").show(ui, 3);
    TreeRow { open: Some(true), selection: RowSelection::Selected, ..chain("TwinTail_L_01", "8") }.show(ui, 4);
    for (i, name) in ["TwinTail_L_02", "TwinTail_L_03", "TwinTail_L_04", "TwinTail_L_05"].into_iter().enumerate() {
        let chosen = if i == 2 { RowSelection::Active } else { RowSelection::Selected };
        let row = TreeRow::new(name, 4, TreeRowIcon::Joint { last: i == 3 });
        TreeRow { selection: chosen, overridden: i == 2, ..row }.show(ui, 5 + i);
    }
    chain("リボン_左", "2").show(ui, 20);
    for (i, name) in ["Ribbon_01", "Ribbon_02"].into_iter().enumerate() {
        TreeRow { highlighted: i == 0, ..TreeRow::new(name, 4, TreeRowIcon::Joint { last: i == 1 }) }.show(ui, 21 + i);
    }
    let hidden = TreeRow { note: "excluded", eye: Some(false), ..still("スカート飾り", 2) };
    TreeRow { open: None, ..hidden }.show(ui, 30);
    still("a_very_long_name_that_does_not_fit_into_the_panel", 3).show(ui, 31);
    ui.add_space(12.0);
    Frame::new().inner_margin(Margin::same(8)).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(8.0, 8.0);
        ui.horizontal(|ui| {
            secondary("Detect chains").icon(icons::SPARKLE).width(170.0).show(ui);
            secondary("Mirror").icon(icons::FLIP_HORIZONTAL).show(ui);
        });
        message_strip(ui, MessageLevel::Warning, "2 joints have no length", Some("Show"));
        message_strip(ui, MessageLevel::Error, "hair.csv:3, column \"stiffnessForce\"", None);
        toast(ui, MessageLevel::Ok, "Saved hair_v5.csv");
        for size in TextSize::ALL {
            ui.label(size.rich("Aa 0123 揺れもの"));
        }
    });
}

fn inspector_ui(ui: &mut Ui) {
    let theme = Theme::of(ui);
    let ja = theme.lang == Lang::Ja;
    let pick = move |en: &'static str, ja_words: &'static str| if ja { ja_words } else { en };
    ui.horizontal(|ui| {
        ui.label(TextSize::Title.rich("TwinTail_L"));
        badge(ui, pick("8 joints", "8ジョイント"));
    });
    ui.horizontal(|ui| {
        segmented(ui, &[(pick("As Unity", "Unity同様"), None), (pick("Improved", "改良"), None)], 0, 26.0);
        secondary("A/B").show(ui);
    });
    ui.add_space(8.0);
    let ease = Curve::from_shape(CurveShape::Ease);
    let rise = Curve::from_shape(CurveShape::StiffTip);
    CollapsibleSection {
        title: pick("Feel", "手ざわり"),
        note: pick("the same for all solvers", "全ソルバー共通"),
        switch: None,
    }
    .show(ui, |ui| {
        let speed = ParamBar {
            role: theme::ColorRole::Spring,
            format: NumberFormat::with_suffix(" Hz", 1),
            ..ParamBar::new(pick("Speed", "速さ"), 3.0, Span::logarithmic(0.05, 60.0))
        };
        bar_row(ui, speed, "", ChangeMarker::Changed, std::slice::from_ref(&ease));
        let settle = ParamBar {
            role: theme::ColorRole::Inertia,
            ..ParamBar::new(pick("Settling", "収まり"), 0.4, Span::linear(0.0, 1.0))
        };
        bar_row(ui, settle, pick("soft", "柔"), ChangeMarker::Changed, &[]);
        let weight = ParamBar {
            role: theme::ColorRole::Gravity,
            format: NumberFormat::with_suffix(" m/s²", 1),
            ..ParamBar::new(pick("Weight", "重さ"), 6.0, Span::linear(0.0, 10.0))
        };
        bar_row(ui, weight, "", ChangeMarker::Overridden, std::slice::from_ref(&rise));
        let follow = ParamBar {
            has_effect: false,
            replacement_text: Some(pick("fixed", "固定")),
            ..ParamBar::new(pick("Follow", "追従"), 1.0, Span::linear(0.0, 1.0))
        };
        let reason = pick(
            "UnityChan SpringBone always takes all body motion.",
            "UnityChan SpringBoneは体の動きを必ず全部受けます",
        );
        let row = ParamRow::new(follow.name, ParamControl::Bar(follow));
        ParamRow { no_effect_reason: Some(reason), curves: Some(&[]), ..row }.show(ui);
    });
    CollapsibleSection { title: pick("Spring", "ばね"), note: pick("raw parameters", "生の値"), switch: None }.show(
        ui,
        |ui| {
            let stiff = ParamBar {
                role: theme::ColorRole::Spring,
                ..ParamBar::new(pick("Stiffness", "硬さ"), 623.0, Span::logarithmic(1.0, 5000.0))
            };
            let row_of = ParamRow::new(stiff.name, ParamControl::Bar(stiff));
            let curves = Some(std::slice::from_ref(&ease));
            ParamRow { hint: "3.0 Hz", marker: ChangeMarker::Changed, curves, curve_open: true, ..row_of }.show(ui);
            let drag = ParamBar {
                role: theme::ColorRole::Inertia,
                ..ParamBar::new(pick("Drag", "抵抗"), 0.22, Span::linear(0.0, 1.0))
            };
            bar_row(ui, drag, "ζ 0.40", ChangeMarker::None, &[]);
            let gravity = ParamBar {
                role: theme::ColorRole::Gravity,
                ..ParamBar::new(pick("Gravity Y", "重力 Y"), -12.0, Span::linear(-50.0, 50.0))
            };
            bar_row(ui, gravity, "m/s²", ChangeMarker::None, std::slice::from_ref(&rise));
            let wind = ParamBar {
                value: BarValue::Mixed { low: 0.6, high: 1.0 },
                role: theme::ColorRole::Wind,
                ..ParamBar::new(pick("Wind", "風"), 1.0, Span::linear(0.0, 1.0))
            };
            bar_row(ui, wind, pick("mixed", "混在"), ChangeMarker::None, &[]);
        },
    );
    limits_ui(ui, pick, &rise);
    collision_ui(ui, pick, &ease);
}

fn limits_ui(ui: &mut Ui, pick: impl Fn(&'static str, &'static str) -> &'static str, rise: &Curve) {
    CollapsibleSection {
        title: pick("Angle limits", "角度制限"),
        note: pick("pivot: Head", "ピボット：Head"),
        switch: Some(true),
    }
    .show(ui, |ui| {
        let limits = RangeBar {
            name: pick("Sideways (Y)", "上下 (Y)"),
            low: -50.0,
            high: 26.0,
            span: Span::linear(-180.0, 180.0),
            format: NumberFormat::for_unit(Unit::Degrees),
            role: theme::ColorRole::Limit,
            has_effect: true,
        };
        let row = ParamRow::new(limits.name, ParamControl::Range(limits));
        ParamRow { curves: Some(std::slice::from_ref(rise)), ..row }.show(ui);
        let off = RangeBar { name: pick("In-out (Z)", "左右 (Z)"), has_effect: false, ..limits };
        ParamRow { curves: Some(&[]), ..ParamRow::new(off.name, ParamControl::Range(off)) }.show(ui);
    });
}

fn collision_ui(ui: &mut Ui, pick: impl Fn(&'static str, &'static str) -> &'static str, ease: &Curve) {
    let theme = Theme::of(ui);
    CollapsibleSection { title: pick("Collision", "当たり"), note: "", switch: Some(false) }.show(ui, |ui| {
        let radius = ParamBar {
            role: theme::ColorRole::Collision,
            format: NumberFormat::for_unit(Unit::Metres),
            ..ParamBar::new(pick("Hit radius", "半径"), 0.03, Span::linear(0.0, 0.1))
        };
        bar_row(ui, radius, "", ChangeMarker::None, std::slice::from_ref(ease));
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            chip(ui, "Head", Some(icons::CIRCLE), false, None);
            chip(ui, "Chest", Some(icons::PILL), true, None);
            chip(ui, "Sign flips", None, false, Some(theme.color.warning));
            chip(ui, "Add", Some(icons::PLUS), false, None);
        });
    });
}

fn bar_row(ui: &mut Ui, bar: ParamBar<'_>, hint: &str, dot: ChangeMarker, curves: &[Curve]) {
    ParamRow {
        hint,
        marker: dot,
        curves: Some(curves),
        tooltip: "One sentence.",
        ..ParamRow::new(bar.name, ParamControl::Bar(bar))
    }
    .show(ui);
}

fn drawer_ui(ui: &mut Ui) {
    let theme = Theme::of(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.horizontal(|ui| {
        ui.add_space(6.0);
        let tab = |words, icon| Tab { icon: Some(icon), ..Tab::new(words) };
        let badge = Some((icons::WARNING, theme.color.warning, 2));
        let tabs = [
            tab("Curves", icons::BEZIER_CURVE),
            tab("Graph", icons::CHART_LINE),
            tab("Presets", icons::SPARKLE),
            Tab { badge, ..tab("Messages", icons::CHAT_TEXT) },
        ];
        tab_bar(ui, &tabs, Some(0));
    });
    let names = ["01", "02", "03", "04", "05", "06", "07", "08"];
    let values = ["623", "613", "550", "440", "323", "229", "168", "137"];
    let joints: Vec<JointMark<'_>> = (0..8)
        .map(|i| JointMark {
            t: i as f32 / 7.0,
            number: names[i],
            value: values[i],
            override_factor: None,
            meaning: "2.5 Hz",
            active: i == 3,
            highlighted: false,
        })
        .collect();
    let (curve, _) = Curve::from_shape(CurveShape::Ease).with_key_added(0.34);
    let before = Curve::from_points(&[(0.0, 0.8), (1.0, 0.44)]).expect("finite");
    let name = if theme.lang == Lang::Ja { "硬さ" } else { "Stiffness" };
    let view = CurveEditorInput {
        name,
        curve: &curve,
        before: Some(&before),
        axis: CurveAxis::Chain { joints: &joints, domain: AxisDomain::Length, can_choose_domain: true },
        base: Some(BaseValue { value: Some(623.0), format: NumberFormat::for_unit(Unit::None), hint: "3.0 Hz" }),
        role: theme::ColorRole::Spring,
        locked_to_unit_range: true,
        shapes: &CurveShape::FOR_CHAINS,
        is_straight: false,
        subject: 1,
        side: SideColumn::Shown,
    };
    curve_editor(ui, &view);
}

fn viewport_strips_ui(ui: &mut Ui, view: Rect) {
    let mut tools =
        ui.new_child(UiBuilder::new().max_rect(Rect::from_min_size(view.min + vec2(13.0, 13.0), vec2(60.0, 300.0))));
    strip(&mut tools, StripDirection::Vertical, |ui| {
        let all =
            [icons::HAND_GRABBING, icons::ARROW_CLOCKWISE, icons::HAND_POINTING, icons::CIRCLE_DASHED, icons::ANGLE];
        for (i, icon) in all.into_iter().enumerate() {
            IconButton::new(icon, icon.name).on(i == 0).sized(30.0, 20.0).show(ui);
            if i == 2 {
                strip_separator(ui, StripDirection::Vertical);
            }
        }
    });
    let mut toggles =
        ui.new_child(UiBuilder::new().max_rect(Rect::from_min_size(view.min + vec2(590.0, 13.0), vec2(240.0, 40.0))));
    strip(&mut toggles, StripDirection::Horizontal, |ui| {
        let all = [icons::BONE, icons::CIRCLE_DASHED, icons::PILL, icons::ANGLE, icons::TEXT_AA];
        for (i, icon) in all.into_iter().enumerate() {
            let name = format!("show {}", icon.name);
            IconButton::new(icon, &name).on(i < 4).sized(28.0, 16.0).show(ui);
        }
        strip_separator(ui, StripDirection::Horizontal);
        IconButton::new(icons::CUBE, "View").sized(28.0, 16.0).show(ui);
        switch(ui, "Springs back", true);
    });
}

fn dialog_ui(ui: &mut Ui) {
    let ctx = ui.ctx().clone();
    let at = Rect::from_min_size(pos2(350.0, 130.0), vec2(640.0, 420.0));
    let contents = |ui: &mut Ui, (): &mut ()| {
        let c = Theme::of(ui).color;
        Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| {
            ui.horizontal(|ui| {
                count_card(ui, icons::CHECK_CIRCLE, c.ok, 96, "rows match", true, Some(134.0));
                count_card(ui, icons::WARNING, c.warning, 4, "rows have no bone here", false, None);
                count_card(ui, icons::X_CIRCLE, c.error, 2, "cells cannot be read", false, None);
                count_card(ui, icons::MINUS_CIRCLE, c.text_2, 12, "bones not in the file", false, None);
            });
            heading_ui(ui, "Sure", "top to bottom");
            for (name, tick, sure) in
                [("a", CheckState::On, Some(1.0)), ("b", CheckState::Mixed, Some(0.64)), ("c", CheckState::Off, None)]
            {
                ui.horizontal(|ui| {
                    checkbox(ui, name, "Skirt_01", tick);
                    confidence_bar(ui, &format!("sure of {name}"), sure, 52.0);
                });
            }
            let choices = [("All", Some(112)), ("To confirm", Some(6)), ("No match", Some(4)), ("Matched", Some(102))];
            segmented(ui, &choices, 0, 24.0);
            secondary("Open character…").icon(icons::FOLDER_OPEN).key("Ctrl+O").left().width(300.0).show(ui);
            primary("Open character…").icon(icons::FOLDER_OPEN).key("Ctrl+O").left().width(300.0).show(ui);
        });
    };
    window(&ctx, egui::Id::unique("import"), ["Import CSV", "hair_v4.csv"], at, &mut (), contents, |ui, ()| {
        primary("Apply 96 good rows").show(ui);
        secondary("Cancel").show(ui);
        secondary("Map names…").show(ui);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.label(
                TextSize::Small.rich("Version 4, UTF-8, 112 rows. One undo step.").color(Theme::of(ui).color.text_3),
            );
        });
    });
}
