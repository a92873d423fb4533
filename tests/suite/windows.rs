//! The windows that import, map names, detect and export, worked by what they say.
//!
//! Set `YUREMONO_PICTURES` to a folder to look at them.

mod tables;

use super::support;
use super::support::glow_renderer::{GlowRenderer, headless_or_skip};
use egui::{Key, Modifiers, Role, UiBuilder, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{AccessKitNode, By, NodeT as _, Queryable as _};
use std::path::PathBuf;
use std::sync::Arc;
use yuremono::document::{Axis, Document, Passthrough, SetupItem};
use yuremono::exchange::remap::Rules;
use yuremono::exchange::{ExportOptions, export};
use yuremono::format::tables::write_setup;
use yuremono::math::{Curve, CurveShape, Number};
use yuremono::rig::Skeleton;
use yuremono::schema::{Idea, Row, rows};
use yuremono::session::{Command, Pick, Session};
use yuremono::ui::kit::theme::Mode;
use yuremono::ui::kit::words::Lang;
use yuremono::ui::{FileView, Input, MatchView, Prefs, Request, Ui, Window};

/// The whole window over a session that does what is asked of it.
struct Bench {
    session: Session,
    ui: Ui,
    requests: Vec<Request>,
}

impl Bench {
    fn show(&mut self, ui: &mut egui::Ui) {
        let file = FileView { name: "sample.vrm", is_sample: true, ..FileView::default() };
        let nothing = |_, _, _: &[bool]| None;
        let input = Input {
            session: &self.session,
            file,
            scene: &nothing,
            bounds: None,
            step_seconds: 0.0,
            matching: MatchView::None,
        };
        let whole = ui.ctx().content_rect();
        let mut root = ui.new_child(UiBuilder::new().max_rect(whole));
        root.set_clip_rect(whole);
        let output = self.ui.show(&mut root, &input);
        output.commands.into_iter().for_each(|command| self.session.handle(command));
        self.requests.extend(output.requests);
    }

    fn offer(&mut self, text: &str) {
        let (file, found) = yuremono::format::tables::read_setup(text.as_bytes(), "hair.csv").expect("a table");
        self.ui.windows_mut().offer_setup("hair.csv", file, found, &self.session);
    }

    fn open(&mut self, window: Window) {
        self.ui.shared_mut().open.push(window);
    }
}

/// The bundled character as she is.
fn girl() -> Session {
    let opened = support::sample(yuremono::sim::SolverKind::UnityChanSpringBone);
    Session::new(opened.character, opened.document)
}

/// The same without any chain.
fn bare_girl() -> Session {
    let girl = girl();
    Session::new(Arc::clone(girl.character()), Document::default())
}

/// With much on her that no table can hold.
fn worn_girl() -> Session {
    let mut girl = girl();
    let chains: Vec<_> = girl.document().chains.values().map(|c| c.joints.clone()).collect();
    let bones = |i: usize| chains[i].iter().map(|j| j.bone).collect::<Vec<_>>();
    girl.handle(Command::Enable(bones(1), false));
    girl.handle(Command::Exclude(chains[2][1].bone, true));
    girl.handle(Command::Select(bones(3), Pick::Replace));
    let stiffness = stiffness(&girl);
    girl.handle(Command::SetCurve(stiffness, Some(Curve::shape(CurveShape::Ease))));
    let system = |(_, def): &(_, &yuremono::schema::ParamDef)| def.scope == yuremono::schema::Scope::System;
    let row = rows(girl.document().main().table()).find(system).expect("a value of the whole character").0;
    girl.handle(Command::Set(row, 7.0));
    girl
}

fn stiffness(session: &Session) -> Row {
    rows(session.document().main().table()).find(|(_, def)| def.idea == Idea::Restore).expect("stiffness").0
}

fn prefs(mode: Mode, lang: Lang) -> Prefs {
    Prefs { mode, lang, reduce_motion: true, ..Prefs::default() }
}

fn bench(session: Session, prefs: Prefs) -> Bench {
    Bench { session, ui: Ui::new(prefs), requests: Vec::new() }
}

fn english(session: Session) -> Bench {
    bench(session, prefs(Mode::Dark, Lang::En))
}

fn harness(bench: Bench) -> Harness<'static, Bench> {
    let builder =
        Harness::builder().with_size(vec2(1280.0, 720.0)).with_context_setup(yuremono::ui::kit::fonts::install);
    let mut harness = builder.build_ui_state(|ui, bench: &mut Bench| bench.show(ui), bench);
    harness.run_steps(4);
    harness
}

fn click(harness: &mut Harness<'static, Bench>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(4);
}

/// Her own table, with every stiffness one tenth higher.
fn table_of(session: &Session) -> String {
    let mut exported = export(session.document(), &session.character().skeleton, ExportOptions::default());
    let name = session.document().main().solver.info().params[stiffness(session).index()].name;
    for item in &mut exported.file.items {
        if let Ok(SetupItem::Joint(joint)) = &mut item.content
            && let Some(value) = joint.joint.own.get_mut(name)
        {
            *value = Number((value.0 * 1.1).round());
        }
    }
    let bytes = write_setup(&exported.file, ExportOptions::default());
    String::from_utf8(bytes).expect("UTF-8")
}

/// Bone rows of a table's text, as positions of lines.
fn bone_lines(text: &str) -> Vec<usize> {
    let mut inside = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            inside = line == "[SpringBones]";
        } else if inside && !line.is_empty() && !line.starts_with("//") {
            found.push(at);
        }
    }
    found
}

/// How many rows a table's text has in all sections, our own comment rows among them.
fn all_rows(text: &str) -> usize {
    let row = |line: &&str| !line.is_empty() && !line.starts_with("//") && !line.starts_with('[');
    text.lines().filter(row).count() - 1
}

/// The text with some of its bone rows changed; gets the row's position among bone rows and its line.
fn changed(text: &str, change: impl Fn(usize, &str) -> String) -> String {
    let rows = bone_lines(text);
    let line =
        |(at, line): (usize, &str)| rows.iter().position(|r| *r == at).map_or(line.to_owned(), |i| change(i, line));
    text.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// As an artist meets them: most rows fit, one bone is unknown, one cell is no number, one name is a formula.
fn mixed_table(session: &Session) -> String {
    changed(&table_of(session), |i, line| {
        let (name, rest) = line.split_once(',').expect("cells");
        match i {
            2 => format!("Ribbon_Back,{rest}"),
            4 => format!("{name},o.5,{}", rest.split_once(',').expect("cells").1),
            6 => format!("=Bell,{rest}"),
            _ => line.to_owned(),
        }
    })
}

/// The names of another character: a prefix on all, other words for some.
fn renamed_table(session: &Session) -> String {
    changed(&table_of(session), |i, line| {
        let (name, rest) = line.split_once(',').expect("cells");
        match i {
            3 => format!("cape_01,{rest}"),
            n if n % 5 == 1 => format!("{}_x,{rest}", name.to_lowercase()),
            _ => format!("Hair_{name},{rest}"),
        }
    })
}

#[test]
fn the_counts_of_a_table_are_shown() {
    let session = girl();
    let text = mixed_table(&session);
    let all = bone_lines(&text).len();
    let mut bench = english(session);
    bench.offer(&text);
    let harness = harness(bench);
    harness.get_by_label(&format!("{} rows match", all - 3));
    harness.get_by_label("2 have no bone");
    harness.get_by_label("1 unreadable");
    harness.get_by_label("2 not in the file, kept");
    harness.get_by_label(&format!("Import {} rows", all_rows(&text) - 3));
}

#[test]
fn a_card_filters_the_rows() {
    let session = girl();
    let text = mixed_table(&session);
    let mut bench = english(session);
    bench.offer(&text);
    let mut harness = harness(bench);
    click(&mut harness, "2 have no bone");
    assert_eq!(harness.get_all_by_role(Role::Row).count(), 2);
    harness.get_by_label("=Bell");
    click(&mut harness, "2 not in the file, kept");
    assert_eq!(harness.get_all_by_role(Role::Row).count(), 2);
}

#[test]
fn applying_a_table_is_one_undo_step() {
    let session = girl();
    let before = session.document().clone();
    let text = table_of(&session);
    let all = all_rows(&text);
    let mut bench = english(session);
    bench.offer(&text);
    let mut harness = harness(bench);
    assert_eq!(harness.state().session.document(), &before, "nothing changes before the button is pressed");
    click(&mut harness, &format!("Import {all} rows"));
    let session = &mut harness.state_mut().session;
    assert_ne!(session.document(), &before);
    assert_eq!(session.history().next_undo().map(|l| (l.what, l.count)), Some(("import", all)));
    session.handle(Command::Undo);
    assert_eq!(session.document(), &before);
    assert!(session.history().next_undo().is_none());
    assert!(harness.query_by_label("Map names…").is_none(), "closed");
}

#[test]
fn a_row_without_tick_stays_out() {
    let session = girl();
    let text = table_of(&session);
    let rows = bone_lines(&text);
    let name = text.lines().nth(rows[0]).and_then(|l| l.split(',').next()).expect("a name").to_owned();
    let bone = session.character().skeleton.find(&name).expect("her bone");
    let (chain, at) = session.document().joint_of(bone).expect("a joint");
    let mut bench = english(session);
    bench.offer(&text);
    let mut harness = harness(bench);
    click(&mut harness, &format!("Take {name}"));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    harness.run_steps(4);
    let session = &harness.state().session;
    assert_eq!(session.history().next_undo().map(|l| l.count), Some(all_rows(&text) - 1));
    assert_eq!(session.document().chains[&chain].joints[at], session.loaded().chains[&chain].joints[at]);
}

#[test]
fn cancel_and_escape_change_nothing() {
    for escape in [false, true] {
        let session = girl();
        let before = session.document().clone();
        let text = table_of(&session);
        let mut bench = english(session);
        bench.offer(&text);
        let mut harness = harness(bench);
        if escape {
            harness.key_press(Key::Escape);
            harness.run_steps(4);
        } else {
            click(&mut harness, "Cancel");
        }
        assert!(harness.query_by_label("Map names…").is_none(), "closed, by escape: {escape}");
        assert_eq!(harness.state().session.document(), &before);
    }
}

#[test]
fn mapped_names_reach_their_bones() {
    let session = girl();
    let before = session.document().clone();
    let text = renamed_table(&session);
    let mut bench = english(session);
    bench.offer(&text);
    let mut harness = harness(bench);
    click(&mut harness, "Map names…");
    harness.get_by_label("Use rule Strip prefix Hair_");
    let confirm = harness.query_by_label_contains("Confirm ").map(|n| n.accesskit_node().label().expect("words"));
    if let Some(confirm) = confirm {
        click(&mut harness, &confirm);
        assert!(harness.query_by_label_contains("Confirm ").is_none());
    }
    harness.get_by_label("1 row not taken stays in the file when you export.");
    let apply = harness.get_by_label_contains("Apply ").accesskit_node().label().expect("words");
    let all: usize = apply.split(' ').nth(1).and_then(|n| n.parse().ok()).expect("a count");
    assert!(all >= bone_lines(&text).len() - 1, "{apply}");
    click(&mut harness, &apply);
    let session = &harness.state().session;
    assert_ne!(session.document(), &before);
    assert_eq!(session.history().next_undo().map(|l| l.count), Some(all));
    let is_kept = |kept: &Passthrough| matches!(kept, Passthrough::Row { cells, .. } if cells[0] == "cape_01");
    assert!(session.document().setup.passthrough.iter().any(is_kept), "the row is kept");
}

#[test]
fn a_target_is_chosen_from_the_list_of_bones() {
    let session = girl();
    let bone = session.document().chains.values().next().expect("a chain").root();
    let name = session.character().skeleton.name(bone).to_owned();
    let text = renamed_table(&session);
    let mut bench = english(session);
    bench.offer(&text);
    let mut harness = harness(bench);
    click(&mut harness, "Map names…");
    click(&mut harness, "No match");
    click(&mut harness, "Target of cape_01");
    harness.get_by_label("Search a bone").type_text(&name);
    harness.run_steps(4);
    harness.key_press(Key::Enter);
    harness.run_steps(4);
    assert_eq!(harness.query_all_by_role(Role::Row).count(), 0, "no row is left without a bone");
}

#[test]
fn rules_are_asked_for_and_kept() {
    let session = girl();
    let text = renamed_table(&session);
    let mut bench = english(session);
    bench.offer(&text);
    let mut harness = harness(bench);
    click(&mut harness, "Map names…");
    click(&mut harness, "Save…");
    click(&mut harness, "Open…");
    let [Request::SaveRules(bytes), Request::OpenRules] = &harness.state().requests[..] else {
        panic!("{:?}", harness.state().requests)
    };
    let rules = String::from_utf8(bytes.clone()).expect("JSON");
    assert!(rules.contains("Hair_"));
    let other = rules.replace("Hair_", "Cape_");
    let rules = Rules::from_json(&other).expect("rules");
    let bench = harness.state_mut();
    bench.ui.windows_mut().take_rules(rules, &bench.session);
    harness.run_steps(4);
    harness.get_by_label("Use rule Strip prefix Cape_");
}

#[test]
fn detected_chains_are_made_with_one_click() {
    let mut bench = english(bare_girl());
    bench.open(Window::DetectChains);
    let mut harness = harness(bench);
    let words = harness.get_by_label_contains("Make ").accesskit_node().label().expect("words");
    click(&mut harness, &words);
    let session = &harness.state().session;
    let count = session.document().chains.len();
    assert!(count > 5, "{count}");
    assert_eq!(words, format!("Make {count} chains"));
    assert_eq!(session.history().next_undo().map(|l| (l.what, l.count)), Some(("make_chains", count)));
    assert!(harness.query_by_label("Take all chains").is_none(), "closed");
}

#[test]
fn detection_without_a_find_says_what_to_do() {
    let mut bench = english(girl());
    bench.open(Window::DetectChains);
    let harness = harness(bench);
    harness.get_by_label_contains("choose Make chain from here");
}

#[test]
fn an_export_tells_its_losses_and_carries_its_options() {
    let mut bench = english(girl());
    bench.open(Window::Export);
    let mut harness = harness(bench);
    assert!(harness.query_by_label("Unix LF").is_none(), "how the text is written waits under Advanced");
    click(&mut harness, "Expand Advanced");
    click(&mut harness, "Unix LF");
    click(&mut harness, "7 digits");
    click(&mut harness, "Mirror Z");
    let words = format!("Export {} bones…", girl().document().joint_count());
    click(&mut harness, &words);
    let [Request::ExportDialog(options)] = &harness.state().requests[..] else {
        panic!("{:?}", harness.state().requests)
    };
    assert_eq!((options.mirror, options.digits), (Axis::Z, Some(7)));
}

#[test]
fn what_stood_on_a_gone_bone_is_led_to_another() {
    let mut session = girl();
    let (chain, before) = session.document().chains.iter().next().map(|(id, c)| (*id, c.clone())).expect("a chain");
    let root = before.root();
    let mut newer = (**session.character()).clone();
    let mut bones = newer.skeleton.bones().to_vec();
    bones[root.index()].name = format!("{}_new", bones[root.index()].name);
    newer.skeleton = Skeleton::new(bones).expect("the same tree");
    let lost = session.replace_character(Arc::new(newer));
    let name = lost.first().expect("one bone is gone").1.clone();
    assert_ne!(session.document().chains[&chain].root(), root);
    let mut bench = english(session);
    bench.ui.windows_mut().offer_lost(lost, &bench.session);
    let mut harness = harness(bench);
    click(&mut harness, &format!("Target of {name}"));
    harness.get_by_label("Search a bone").type_text(&format!("{name}_new"));
    harness.run_steps(4);
    harness.key_press(Key::Enter);
    harness.run_steps(4);
    click(&mut harness, "Apply 1 row");
    assert_eq!(harness.state().session.document().chains[&chain], before);
}

#[test]
fn the_windows_speak_japanese() {
    let session = girl();
    let text = mixed_table(&session);
    let mut bench = bench(session, prefs(Mode::Light, Lang::Ja));
    bench.offer(&text);
    let mut harness = harness(bench);
    harness.get_by_label_contains("読み取り不可");
    click(&mut harness, "名前の対応…");
    harness.get_by_label("ルールを追加");
}

/// A picture of a window where someone wants to look at it.
fn picture(name: &str, bench: Bench, size: [f32; 2], density: f32, steps: impl FnOnce(&mut Harness<'static, Bench>)) {
    let Some(folder) = std::env::var_os("YUREMONO_PICTURES") else { return };
    let Some(headless) = headless_or_skip() else { return };
    let builder = Harness::builder()
        .with_size(vec2(size[0], size[1]))
        .with_pixels_per_point(density)
        .with_context_setup(yuremono::ui::kit::fonts::install)
        .renderer(GlowRenderer::new(headless));
    let mut harness = builder.build_ui_state(|ui, bench: &mut Bench| bench.show(ui), bench);
    harness.run_steps(6);
    steps(&mut harness);
    harness.run_steps(6);
    let image = harness.render().expect("drawn");
    image.save(PathBuf::from(folder).join(name)).expect("the folder can be written");
}

#[test]
fn the_windows_are_drawn() {
    const SIZES: [[f32; 2]; 2] = [[1280.0, 720.0], [1440.0, 900.0]];
    if support::folder("YUREMONO_PICTURES").is_none() {
        return;
    }
    for (mode, lang, size, density) in [
        (Mode::Dark, Lang::En, SIZES[1], 1.0),
        (Mode::Dark, Lang::Ja, SIZES[0], 1.0),
        (Mode::Light, Lang::En, SIZES[0], 1.0),
        (Mode::Light, Lang::Ja, SIZES[1], 2.0),
    ] {
        let name = |what: &str| format!("{what}-{mode:?}-{}-{}.png", lang.code(), size[0] * density).to_lowercase();
        let prefs = || prefs(mode, lang);
        let map = yuremono::ui::kit::words::tr(lang, "windows.import.map");
        let mut import = bench(girl(), prefs());
        import.offer(&mixed_table(&import.session));
        picture(&name("import"), import, size, density, |_| {});
        let mut names = bench(girl(), prefs());
        names.offer(&renamed_table(&names.session));
        picture(&name("names"), names, size, density, |h| click(h, &map));
        let target = yuremono::ui::kit::words::tr_with(lang, "windows.names.target_of", &[("name", "cape_01")]);
        let mut picker = bench(girl(), prefs());
        picker.offer(&renamed_table(&picker.session));
        picture(&name("picker"), picker, size, density, |h| {
            click(h, &map);
            click(h, &target);
        });
        let mut detect = bench(bare_girl(), prefs());
        detect.open(Window::DetectChains);
        picture(&name("detect"), detect, size, density, |_| {});
        let mut empty = bench(girl(), prefs());
        empty.open(Window::DetectChains);
        picture(&name("empty"), empty, size, density, |_| {});
        let mut export = bench(worn_girl(), prefs());
        export.open(Window::Export);
        picture(&name("export"), export, size, density, |_| {});
    }
}

/// Whether a button says how many rows it imports.
fn counts_rows(node: &AccessKitNode<'_>) -> bool {
    node.label().is_some_and(|label| label.contains(" row"))
}

#[test]
fn names_are_mapped_first_where_most_rows_find_no_bone() {
    let first = |text: &str| {
        let mut bench = english(girl());
        bench.offer(text);
        let harness = harness(bench);
        let map = harness.get_by_label("Map names…").rect();
        let import = By::new().role(Role::Button).label_contains("Import ").predicate(counts_rows);
        map.left() > harness.get(import).rect().right()
    };
    let session = girl();
    // The first button of a footer is the primary one, at the right.
    assert!(first(&renamed_table(&session)), "another character's table");
    assert!(!first(&mixed_table(&session)), "her own table");
}
