//! Tests the widgets as an artist uses them: found by name, dragged, typed into, and operated with the keyboard.

pub(crate) mod gallery;

use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, Role, Shape, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use yuremono::tr;
use yuremono::ui::kit::curve_editor::{
    AxisDomain, BaseValue, CurveAxis, CurveChange, CurveEditorInput, JointMark, SideColumn, curve_editor,
};
use yuremono::ui::kit::fonts;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::number::{NumberFormat, Span};
use yuremono::ui::kit::param_bar::{BarChange, BarValue, ParamBar, RangeBar, RangeEnd};
use yuremono::ui::kit::param_row::{ChangeMarker, ParamControl, ParamRow, ParamRowChange};
use yuremono::ui::kit::theme::{self, Theme, ThemeMode};
use yuremono::ui::kit::toggle;
use yuremono::ui::kit::tree_row::{TreeRow, TreeRowIcon};
use yuremono_sim::math::{Curve, CurveShape};
use yuremono_sim::params::Unit;

fn install_theme(ctx: &egui::Context, mode: ThemeMode, lang: Lang) {
    fonts::install_unhinted(ctx);
    theme::apply(ctx, Theme::new(mode, lang));
}

/// Shows `ui` with `state` in an area of 420 × 260 points.
fn widget_harness<'a, S>(state: S, ui: impl FnMut(&mut egui::Ui, &mut S) + 'a) -> Harness<'a, S> {
    let mut harness = Harness::builder()
        .with_size(vec2(420.0, 260.0))
        .with_step_dt(1.0 / 60.0)
        .with_max_steps(120)
        .with_context_setup(|ctx| install_theme(ctx, ThemeMode::Dark, Lang::En))
        .build_ui_state(ui, state);
    harness.run();
    harness
}

fn drag<S>(harness: &mut Harness<'_, S>, from: Pos2, to: Pos2) {
    press_at(harness, from);
    move_pointer(harness, from, to);
    harness.drop_at(to);
    harness.run();
}

fn press_at<S>(harness: &mut Harness<'_, S>, at: Pos2) {
    harness.hover_at(at);
    harness.run();
    harness.drag_at(at);
    harness.run();
}

fn move_pointer<S>(harness: &mut Harness<'_, S>, from: Pos2, to: Pos2) {
    for i in 1..=8_u8 {
        harness.hover_at(from + (to - from) * f32::from(i) / 8.0);
        harness.run();
    }
}

#[derive(Default)]
struct BarState {
    low: f32,
    high: f32,
    /// The values at the start of the change.
    before: (f32, f32),
    changes: Vec<BarChange>,
}

/// Returns a range bar over 0..=1. The fixture stores the value, as the inspector does.
fn bar_harness(low: f32, high: f32) -> Harness<'static, BarState> {
    widget_harness(BarState { low, high, before: (low, high), changes: Vec::new() }, |ui, state| {
        let value = if state.low == state.high {
            BarValue::One(state.low)
        } else {
            BarValue::Mixed { low: state.low, high: state.high }
        };
        let bar = ParamBar { value, ..ParamBar::new("Drag", 0.0, Span::linear(0.0, 1.0)) };
        for change in bar.show(ui, 200.0).changes {
            match change {
                BarChange::Set(value) => (state.low, state.high) = (value, value),
                BarChange::ScaleBy(factor) => {
                    state.low *= factor;
                    state.high *= factor;
                }
                BarChange::Started => state.before = (state.low, state.high),
                BarChange::Cancelled => (state.low, state.high) = state.before,
                BarChange::Ended => {}
            }
            state.changes.push(change);
        }
    })
}

fn bar_center(harness: &Harness<'_, BarState>) -> Pos2 {
    harness.get_by_role_and_label(Role::Slider, "Drag").rect().center()
}

#[test]
fn dragging_a_bar_is_one_gesture() {
    let mut harness = bar_harness(0.2, 0.2);
    let at = bar_center(&harness);
    drag(&mut harness, at, at + vec2(80.0, 0.0));
    let state = harness.state();
    assert_eq!(state.changes.first(), Some(&BarChange::Started));
    assert_eq!(state.changes.last(), Some(&BarChange::Ended));
    assert!((state.low - 0.6).abs() < 0.05, "{}", state.low);
}

#[test]
fn shift_makes_a_drag_ten_times_finer() {
    let mut harness = bar_harness(0.2, 0.2);
    let at = bar_center(&harness);
    harness.event(Event::ModifiersChanged(Modifiers::SHIFT));
    drag(&mut harness, at, at + vec2(80.0, 0.0));
    let moved = harness.state().low - 0.2;
    assert!((0.03..0.05).contains(&moved), "{moved}");
}

#[test]
fn escape_cancels_dragging_a_bar() {
    let mut harness = bar_harness(0.2, 0.2);
    let at = bar_center(&harness);
    press_at(&mut harness, at);
    move_pointer(&mut harness, at, at + vec2(80.0, 0.0));
    harness.key_press(Key::Escape);
    harness.run();
    harness.drop_at(at);
    harness.run();
    assert_eq!(harness.state().low, 0.2);
    assert!(harness.state().changes.ends_with(&[BarChange::Cancelled, BarChange::Ended]));
}

#[test]
fn a_number_can_be_typed() {
    let mut harness = bar_harness(0.2, 0.2);
    harness.get_by_role_and_label(Role::Slider, "Drag").click();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Drag").type_text("0,75");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(harness.state().changes, [BarChange::Set(0.75)]);
    assert!(harness.query_by_role_and_label(Role::TextInput, "Drag").is_none());
}

#[test]
fn escape_cancels_typing() {
    let mut harness = bar_harness(0.2, 0.2);
    harness.get_by_role_and_label(Role::Slider, "Drag").click();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Drag").type_text("9");
    harness.run();
    harness.key_press(Key::Escape);
    harness.run();
    assert!(harness.state().changes.is_empty(), "{:?}", harness.state().changes);
}

#[test]
fn typed_text_that_is_not_a_number_is_ignored() {
    let mut harness = bar_harness(0.2, 0.2);
    harness.get_by_role_and_label(Role::Slider, "Drag").click();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Drag").type_text("o.5");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.state().changes.is_empty());
}

#[test]
fn arrow_keys_step_a_bar_and_enter_opens_its_text_field() {
    let mut harness = bar_harness(0.2, 0.2);
    harness.get_by_role_and_label(Role::Slider, "Drag").focus();
    harness.run();
    harness.key_press(Key::ArrowRight);
    harness.run();
    assert!((harness.state().low - 0.21).abs() < 1e-6);
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.query_by_role_and_label(Role::TextInput, "Drag").is_some());
}

#[test]
fn dragging_a_mixed_bar_scales_all_values_by_one_factor() {
    let mut harness = bar_harness(0.3, 0.6);
    let at = bar_center(&harness);
    drag(&mut harness, at, at - vec2(60.0, 0.0));
    let state = harness.state();
    assert!((state.high / state.low - 2.0).abs() < 1e-3, "{} {}", state.low, state.high);
    assert!((state.high - 0.3).abs() < 0.06, "{}", state.high);
    assert!(!state.changes.iter().any(|c| matches!(c, BarChange::Set(_))));
}

#[test]
fn typing_into_a_mixed_bar_sets_all_values() {
    let mut harness = bar_harness(0.3, 0.6);
    harness.get_by_role_and_label(Role::Slider, "Drag").set_value_accesskit(0.5);
    harness.run();
    assert_eq!(harness.state().changes, [BarChange::Set(0.5)]);
}

#[test]
fn the_text_of_mixed_values_stays_inside_a_narrow_bar() {
    let harness = widget_harness((), |ui, ()| {
        let format = NumberFormat::with_suffix(" Hz", 2);
        let value = BarValue::Mixed { low: 6.82, high: 18.25 };
        ParamBar { value, format, ..ParamBar::new("Drag", 0.0, Span::linear(0.0, 20.0)) }.show(ui, 98.0);
    });
    let bar = harness.get_by_role_and_label(Role::Slider, "Drag").rect();
    let texts: Vec<Rect> = harness
        .output()
        .shapes
        .iter()
        .filter(|clipped| matches!(&clipped.shape, Shape::Text(text) if text.galley.text() == "6.82 … 18.25 Hz"))
        .map(|clipped| clipped.shape.visual_bounding_rect())
        .collect();
    assert_eq!(texts.len(), 1);
    assert!(bar.contains_rect(texts[0]), "{:?} is in {bar:?}", texts[0]);
}

#[test]
fn the_ends_of_a_range_do_not_pass_each_other() {
    let mut harness = widget_harness((-50.0_f32, 26.0_f32), |ui, state| {
        let range = RangeBar {
            name: "Up-down",
            low: state.0,
            high: state.1,
            span: Span::linear(-180.0, 180.0),
            format: NumberFormat::for_unit(Unit::Degrees),
            role: theme::ColorRole::Limit,
            has_effect: true,
        };
        for (end, change) in range.show(ui, 200.0).changes {
            match (end, change) {
                (RangeEnd::Low, BarChange::Set(value)) => state.0 = value,
                (RangeEnd::High, BarChange::Set(value)) => state.1 = value,
                _ => {}
            }
        }
    });
    let low = harness.get_by_role_and_label(Role::Slider, "Up-down, lower end").rect().center();
    drag(&mut harness, low, low + vec2(190.0, 0.0));
    assert_eq!(*harness.state(), (26.0, 26.0));
    let high = harness.get_by_role_and_label(Role::Slider, "Up-down, upper end").rect().center();
    drag(&mut harness, high, high + vec2(20.0, 0.0));
    assert!(harness.state().1 > 40.0);
}

#[test]
fn a_param_row_offers_reset_curve_and_the_original_default() {
    let mut harness = widget_harness(Vec::new(), |ui, changes: &mut Vec<ParamRowChange>| {
        let bar = ParamBar::new("Stiffness", 623.0, Span::logarithmic(1.0, 5000.0));
        let row = ParamRow {
            marker: ChangeMarker::Changed,
            curves: Some(&[]),
            ..ParamRow::new("Stiffness", ParamControl::Bar(bar))
        };
        changes.extend(row.show(ui).changes);
    });
    harness.get_by_label("Reset Stiffness").click();
    harness.run();
    harness.get_by_label("Curve of Stiffness").click();
    harness.run();
    harness.get_by_role_and_label(Role::Slider, "Stiffness").click_secondary();
    harness.run();
    harness.get_by_label("Original default").click();
    harness.run();
    assert_eq!(*harness.state(), [ParamRowChange::Reset, ParamRowChange::OpenCurve, ParamRowChange::OriginalDefault]);
}

#[test]
fn switches_checkboxes_segments_and_tabs_have_accessible_roles() {
    let mut harness = widget_harness(Vec::new(), |ui, clicked: &mut Vec<String>| {
        if toggle::switch(ui, "Limits", true).clicked() {
            clicked.push("switch".to_owned());
        }
        if toggle::checkbox(ui, "take", "", toggle::CheckState::Mixed).clicked() {
            clicked.push("tick".to_owned());
        }
        clicked.extend(toggle::segmented(ui, &[("X", None), ("Z", None)], 0, 26.0).map(|i| format!("segment {i}")));
        let tabs = ["Bones", "Chains"].map(toggle::Tab::new);
        clicked.extend(toggle::tab_bar(ui, &tabs, Some(0)).map(|i| format!("tab {i}")));
    });
    for (role, label) in
        [(Role::Switch, "Limits"), (Role::CheckBox, "take"), (Role::RadioButton, "Z"), (Role::Tab, "Chains")]
    {
        harness.get_by_role_and_label(role, label).click();
        harness.run();
    }
    assert_eq!(*harness.state(), ["switch", "tick", "segment 1", "tab 1"]);
}

struct CurveEditorState {
    curve: Curve,
    before: Curve,
    changes: Vec<CurveChange>,
}

fn curve_harness() -> Harness<'static, CurveEditorState> {
    let start = Curve::from_shape(CurveShape::Ease).with_key_added(0.5).0;
    let mut harness = Harness::builder()
        .with_size(vec2(760.0, 220.0))
        .with_step_dt(1.0 / 60.0)
        .with_max_steps(120)
        .with_context_setup(|ctx| install_theme(ctx, ThemeMode::Dark, Lang::En))
        .build_ui_state(
            |ui, state: &mut CurveEditorState| {
                let joint = |t, number, active| JointMark {
                    t,
                    number,
                    value: "100",
                    override_factor: None,
                    meaning: "2.5 Hz",
                    active,
                    highlighted: false,
                };
                let curve = state.curve.clone();
                let view = CurveEditorInput {
                    name: "stiffness",
                    curve: &curve,
                    before: None,
                    axis: CurveAxis::Chain {
                        joints: &[joint(0.0, "01", true), joint(0.5, "02", false), joint(1.0, "03", false)],
                        domain: AxisDomain::Length,
                        can_choose_domain: true,
                    },
                    base: Some(BaseValue {
                        value: Some(623.0),
                        format: NumberFormat::for_unit(Unit::None),
                        hint: "3.0 Hz",
                    }),
                    role: theme::ColorRole::Spring,
                    locked_to_unit_range: true,
                    shapes: &CurveShape::FOR_CHAINS,
                    is_straight: false,
                    subject: 7,
                    side: SideColumn::Shown,
                };
                for change in curve_editor(ui, &view) {
                    match &change {
                        CurveChange::Replace(curve) => state.curve = curve.clone(),
                        CurveChange::Cancelled => state.curve = state.before.clone(),
                        _ => {}
                    }
                    if !matches!(change, CurveChange::HoverJoint(_)) {
                        state.changes.push(change);
                    }
                }
            },
            CurveEditorState { curve: start.clone(), before: start, changes: Vec::new() },
        );
    harness.run();
    harness
}

fn key_center(harness: &Harness<'_, CurveEditorState>, key: usize) -> Pos2 {
    harness.get_by_label(&format!("Key {key} of stiffness")).rect().center()
}

#[test]
fn dragging_a_key_bends_the_curve_and_commits_once() {
    let mut harness = curve_harness();
    let before = harness.state().curve.keys()[1];
    let at = key_center(&harness, 2);
    drag(&mut harness, at, at + vec2(30.0, 40.0));
    let state = harness.state();
    let key = state.curve.keys()[1];
    assert!(key.value < before.value - 0.15 && key.t > before.t + 0.03, "{key:?}");
    assert_eq!(state.changes.iter().filter(|c| **c == CurveChange::Committed).count(), 1);
    assert_eq!(state.changes.last(), Some(&CurveChange::Committed));
}

#[test]
fn shift_drags_a_key_along_one_axis() {
    let mut harness = curve_harness();
    let before = harness.state().curve.keys()[1];
    let at = key_center(&harness, 2);
    harness.event(Event::ModifiersChanged(Modifiers::SHIFT));
    drag(&mut harness, at, at + vec2(10.0, 40.0));
    let key = harness.state().curve.keys()[1];
    assert_eq!(key.t, before.t);
    assert!(key.value < before.value - 0.15);
}

#[test]
fn escape_cancels_dragging_a_key() {
    let mut harness = curve_harness();
    let before = harness.state().curve.clone();
    let at = key_center(&harness, 2);
    press_at(&mut harness, at);
    move_pointer(&mut harness, at, at + vec2(0.0, 40.0));
    assert_ne!(harness.state().curve, before);
    harness.key_press(Key::Escape);
    harness.run();
    move_pointer(&mut harness, at + vec2(0.0, 40.0), at + vec2(0.0, 50.0));
    harness.drop_at(at + vec2(0.0, 50.0));
    harness.run();
    assert_eq!(harness.state().curve, before);
    assert_eq!(harness.state().changes.last(), Some(&CurveChange::Cancelled));
    assert!(!harness.state().changes.contains(&CurveChange::Committed), "the change is not an undo step");
}

#[test]
fn a_double_click_adds_a_key_and_delete_removes_it() {
    let mut harness = curve_harness();
    let at = key_center(&harness, 2) + vec2(80.0, 0.0);
    harness.hover_at(at);
    harness.step();
    for _ in 0..2 {
        for pressed in [true, false] {
            let button = PointerButton::Primary;
            harness.event(Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
            harness.step();
        }
    }
    harness.run();
    assert_eq!(harness.state().curve.keys().len(), 4, "{:?}", harness.state().changes);
    harness.key_press(Key::Delete);
    harness.run();
    assert_eq!(harness.state().curve.keys().len(), 3);
}

#[test]
fn arrow_keys_move_the_focused_key() {
    let mut harness = curve_harness();
    let before = harness.state().curve.keys()[1];
    harness.get_by_label("Key 2 of stiffness").focus();
    harness.run();
    harness.key_press(Key::ArrowUp);
    harness.run();
    assert!((harness.state().curve.keys()[1].value - before.value - 0.01).abs() < 1e-5);
}

#[test]
fn joints_shapes_base_value_and_unit_range_can_be_set_around_the_curve() {
    let mut harness = curve_harness();
    harness.get_by_label("Joint 03 of stiffness").click();
    harness.run();
    harness.get_by_label("Stiff tip").click();
    harness.run();
    harness.get_by_label("Base value").click();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Base value").type_text("700");
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
    harness.get_by_role_and_label(Role::Switch, "Lock range to 0–1").click();
    harness.run();
    let stiff = Curve::from_shape(CurveShape::StiffTip);
    let expected = [
        CurveChange::SelectJoint(2),
        CurveChange::Replace(stiff),
        CurveChange::Committed,
        CurveChange::SetBase(700.0),
        CurveChange::ToggleUnitRange,
    ];
    assert_eq!(harness.state().changes, expected);
}

#[test]
fn every_widget_is_drawn_in_both_themes_and_languages() {
    for (mode, lang) in gallery::THEMES_AND_LANGUAGES {
        let mut harness = Harness::builder()
            .with_size(gallery::SIZE)
            .with_context_setup(move |ctx| install_theme(ctx, mode, lang))
            .build_ui_state(|ui, search: &mut String| gallery::gallery_ui(ui, search), String::new());
        harness.run();
        let key = tr!(lang, "Joint {n} of {name}", n = "04", name = stiffness_name(lang));
        assert!(harness.get_by_label(&key).accesskit_node().toggled().is_some());
    }
}

fn stiffness_name(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "Stiffness",
        Lang::Ja => "硬さ",
    }
}

/// A painted text and the rectangle of its glyphs.
type PaintedText = (String, Rect);
/// A painted rectangle and its colour.
type PaintedFill = (Rect, egui::Color32);

/// Returns the painted texts and filled rectangles.
fn painted_texts_and_fills<S>(harness: &Harness<'_, S>) -> (Vec<PaintedText>, Vec<PaintedFill>) {
    let (mut texts, mut fills) = (Vec::new(), Vec::new());
    for clipped in &harness.output().shapes {
        match &clipped.shape {
            Shape::Text(text) => {
                let glyphs = text.galley.mesh_bounds.translate(text.pos.to_vec2());
                texts.push((text.galley.text().to_owned(), glyphs));
            }
            Shape::Rect(rect) if rect.fill.a() > 0 => fills.push((rect.rect, rect.fill)),
            _ => {}
        }
    }
    (texts, fills)
}

#[test]
fn the_fill_and_handle_of_a_bar_do_not_overlap_its_digits() {
    let mut harness = widget_harness((0.0_f32, 1.0_f32), |ui, (low, high): &mut (f32, f32)| {
        let color = theme::ColorRole::Spring;
        ParamBar { role: color, ..ParamBar::new("One", *high, Span::linear(0.0, 1.0)) }.show(ui, 110.0);
        let both = BarValue::Mixed { low: *low, high: *high };
        ParamBar { value: both, role: color, ..ParamBar::new("Mixed", 0.0, Span::linear(0.0, 1.0)) }.show(ui, 110.0);
        let format = NumberFormat::for_unit(Unit::Degrees);
        let (low, high) = (*low * 90.0 - 45.0, *high * 90.0 - 45.0);
        let span = Span::linear(-45.0, 45.0);
        RangeBar { name: "Range", low, high, span, format, role: color, has_effect: true }.show(ui, 110.0);
    });
    for step in 0..=20_u8 {
        let high = f32::from(step) / 20.0;
        *harness.state_mut() = (high * 0.4, high);
        harness.run();
        // A change from elsewhere highlights the row for a short time.
        harness.run_steps(60);
        let ground = Theme::new(ThemeMode::Dark, Lang::En).color.field;
        let (texts, fills) = painted_texts_and_fills(&harness);
        assert!(texts.len() >= 4, "{texts:?}");
        for (words, glyphs) in &texts {
            let of_bar = |(rect, fill): &&PaintedFill| *fill != ground && rect.height() < 30.0;
            let cut: Vec<_> = fills.iter().filter(of_bar).filter(|(rect, _)| rect.intersects(*glyphs)).collect();
            assert!(cut.is_empty(), "{words} at {glyphs:?} is cut by {cut:?}");
        }
    }
}

#[test]
fn shortened_names_keep_their_ends() {
    let names = ["J_Sec_L_Hair_TwinTail_Outer_Strand_01", "J_Sec_L_Hair_TwinTail_Outer_Strand_02"];
    let harness = widget_harness((), |ui, ()| {
        ui.set_max_width(170.0);
        for name in names {
            TreeRow::new(name, 2, TreeRowIcon::Chain).show(ui, name);
        }
    });
    let shown: Vec<String> =
        painted_texts_and_fills(&harness).0.into_iter().map(|(text, _)| text).filter(|t| t.contains('…')).collect();
    assert_eq!(shown.len(), 2, "{shown:?}");
    for (shown, name) in shown.iter().zip(names) {
        let (head, tail) = shown.rsplit_once('…').expect("only texts with an ellipsis are kept");
        // The start may be left out too, so that the side stays visible.
        let head = head.trim_start_matches('…');
        assert!(
            head.len() > 3 && name.contains(head) && name.ends_with(tail) && tail.ends_with(&name[35..]),
            "{shown}"
        );
    }
    // A screen reader reads the full text.
    harness.get_by_role_and_label(Role::TreeItem, names[0]);
}
