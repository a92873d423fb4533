//! Runs the commands of comparisons and sweeps.

use super::comparison::{
    CompareLayout, CompareSource, CompareWith, Compared, Comparison, Sweep, SweepSettings, SweepSubject,
};
use super::inspection::CompareBase;
use super::{Command, Message, Session, command_edits, dispatch};
use yuremono_model::document::{ChainId, Document, Edit, EditLabel};
use yuremono_model::exchange;
use yuremono_sim::diagnostics::message;

impl Session {
    pub(super) fn compare(&mut self, with: CompareWith) {
        let layout = self.comparison().map(|comparison| comparison.layout).unwrap_or_default();
        let is_snapshot = matches!(with, CompareWith::Present);
        let is_chosen = !matches!(with, CompareWith::Before);
        let Some((source, document)) = self.resolve_comparison(with) else { return };
        self.end_comparison();
        if is_chosen {
            self.snapshot = is_snapshot.then(|| document.clone());
        }
        let mut comparison = Comparison::new(source, document.clone(), self);
        comparison.layout = layout;
        self.compared = Compared::Comparison(Box::new(comparison));
        self.playback.set_compared(&self.document, vec![document], &self.character.skeleton);
    }

    /// Returns what B is, and its document. Reports a preset that cannot be applied, and returns `None`.
    fn resolve_comparison(&mut self, with: CompareWith) -> Option<(CompareSource, Document)> {
        // The solver of the file, also for chains that use another solver now.
        let loaded = || self.baseline.opened.clone();
        Some(match with {
            CompareWith::Before if self.snapshot.is_some() => (CompareSource::Present, self.snapshot.clone()?),
            CompareWith::Before => match self.inspection().compare_base() {
                Some((CompareBase::AfterPreset(name), edit)) => {
                    let mut document = self.document.clone();
                    document.apply(edit).ok()?;
                    (CompareSource::AfterPreset(name), document)
                }
                Some((CompareBase::AsLoaded, _)) => (CompareSource::AsLoaded, loaded()),
                None if self.history.current_state() != 0 => (CompareSource::AsLoaded, loaded()),
                None => (CompareSource::Present, self.document.clone()),
            },
            CompareWith::Present => (CompareSource::Present, self.document.clone()),
            CompareWith::AsLoaded => (CompareSource::AsLoaded, loaded()),
            CompareWith::Preset(preset) => {
                let mut document = self.document.clone();
                if let Err(error) = document.apply(preset.edit) {
                    let error = error.with_names(&self.document, &self.character.skeleton);
                    self.messages.push_message(Message::EditRefused(error));
                    return None;
                }
                (CompareSource::Preset(preset.name), document)
            }
            CompareWith::HistoryState(state) => {
                let document = self.history.document_at(state, &self.document)?;
                let label = self.history.states().find(|found| found.0 == state).and_then(|found| found.1.cloned());
                (CompareSource::HistoryState(label), document)
            }
            CompareWith::File { name, document } => (CompareSource::File(name), document),
        })
    }

    pub(super) fn set_compare_layout(&mut self, layout: CompareLayout) {
        let spacing = self.body_spacing();
        if let Compared::Comparison(comparison) = &mut self.compared {
            (comparison.layout, comparison.body_spacing) = (layout, spacing);
        }
    }

    pub(super) fn flip_comparison(&mut self) {
        if let Compared::Comparison(comparison) = &mut self.compared {
            comparison.is_flipped = !comparison.is_flipped;
            self.playback.display_compared(comparison.is_flipped.then_some(0));
        }
    }

    pub(super) fn end_comparison(&mut self) {
        self.compared = Compared::Nothing;
        self.playback.set_compared(&self.document, Vec::new(), &self.character.skeleton);
    }

    pub(super) fn take_chain(&mut self, id: ChainId) {
        let Some(comparison) = self.comparison() else { return };
        let chain = self.document.chains.get(&id).or_else(|| comparison.document().chains.get(&id));
        let Some(name) = chain.map(|chain| chain.name.clone()) else { return };
        let edit = exchange::take_chain(&self.document, comparison.document(), id);
        self.apply(edit, EditLabel::new(message!("Take {name} of B", name)));
    }

    /// Updates the differences or the variants after a change of the document. Waits for the end of a drag.
    pub(super) fn update_comparison(&mut self) {
        if self.history.is_merging() {
            return;
        }
        match self.sweep().map(|sweep| (sweep.has_same_targets(self), sweep.state, sweep.settings)) {
            // The values were chosen for these chains.
            Some((false, ..)) => self.end_comparison(),
            Some((true, state, settings)) if state != self.history.current_state() => self.start_sweep(settings),
            _ => {}
        }
        let state = self.history.current_state();
        match std::mem::take(&mut self.compared) {
            Compared::Comparison(mut comparison) if comparison.compared_state != state => {
                comparison.update_differences(self);
                self.compared = Compared::Comparison(comparison);
            }
            other => self.compared = other,
        }
    }

    /// Starts a sweep, or ends the running one if the new one cannot show anything.
    pub(super) fn start_sweep(&mut self, settings: SweepSettings) {
        // A sweep that starts again keeps the places of its bodies.
        let body_spacing = self.sweep().map_or_else(|| self.body_spacing(), |sweep| sweep.body_spacing);
        if self.comparison().is_some() {
            self.end_comparison();
        }
        let def = self.sweep_param(settings.subject).filter(|_| self.sweep_problem(&settings).is_none());
        let variants = def.map(|def| settings.values(def)).unwrap_or_default();
        let documents: Option<Vec<Document>> =
            variants.iter().map(|value| self.variant_document(settings.subject, *value)).collect();
        let Some((documents, present)) =
            documents.filter(|all| !all.is_empty()).zip(self.swept_values(settings.subject).range())
        else {
            return self.end_comparison();
        };
        let present = (present.0 + present.1) * 0.5;
        let distance = |value: f32| (value - present).abs();
        let nearest = (0..variants.len()).min_by(|a, b| distance(variants[*a]).total_cmp(&distance(variants[*b])));
        let anchor = nearest.unwrap_or(0);
        let inspection = self.inspection();
        self.compared = Compared::Sweep(Box::new(Sweep {
            settings,
            values: variants,
            anchor,
            body_spacing,
            state: self.history.current_state(),
            targets: inspection.targets(),
            solver: inspection.system().solver,
        }));
        self.playback.set_compared(&self.document, documents, &self.character.skeleton);
        self.playback.display_compared(Some(anchor));
    }

    /// Returns the document in which the swept parameter has a value.
    fn variant_document(&self, subject: SweepSubject, value: f32) -> Option<Document> {
        let mut document = self.document.clone();
        let (edit, _) = self.variant_edit(subject, value)?;
        document.apply(edit).ok()?;
        Some(document)
    }

    fn variant_edit(&self, subject: SweepSubject, value: f32) -> Option<(Edit, EditLabel)> {
        match subject {
            SweepSubject::Param(param) => {
                command_edits::labeled_edit(self.inspection(), &Command::SetParam(param, value))
            }
            SweepSubject::Feel(feel) => Some(dispatch::feel_edit(self, feel, value)),
        }
    }

    /// Applies the value of a variant and ends the sweep.
    pub(super) fn take_variant(&mut self, index: usize) {
        let Some((subject, value)) = self.sweep().and_then(|it| Some((it.settings.subject, *it.values.get(index)?)))
        else {
            return;
        };
        let edit = self.variant_edit(subject, value);
        self.end_comparison();
        if let Some((edit, label)) = edit {
            self.apply(edit, label);
        }
    }
}
