//! The two ways to run, and what goes beyond the engine.

use super::Session;
use crate::doc::beyond::{self, Beyond, switch_of};
use crate::schema::{Group, Idea, Kind, Row, Scope};
use crate::sim::Origin;
use crate::sim::solver::spring_bone as unity;
use crate::sim::solver::vrm::Preview;

/// Whose motion is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The engine's, quirks included.
    AsUnity,
    /// Better than the engine's.
    Improved,
    /// That of VRM's specification.
    AsSpecified,
    /// That of `UniVRM`.
    AsUniVrm,
    /// That of three-vrm as it ships.
    AsThreeVrm,
    /// That of a plugin for Unreal.
    AsUnreal,
    /// What the engine's public documentation tells.
    AsDocumented,
}

impl Session {
    /// Whose motion is shown.
    pub fn manner(&self) -> Manner {
        let system = self.system();
        match system.solver.info().origin {
            Origin::Unity if system.is_improved() => Manner::Improved,
            Origin::Unity => Manner::AsUnity,
            Origin::Format => match Preview::of(self.preview_row().map_or(0.0, |row| system.get(row))) {
                Preview::Specification => Manner::AsSpecified,
                Preview::UniVrm => Manner::AsUniVrm,
                Preview::ThreeVrm => Manner::AsThreeVrm,
            },
            Origin::Unreal => Manner::AsUnreal,
            Origin::Documentation => Manner::AsDocumented,
        }
    }

    /// The row that chooses between the engine's way and the improved one.
    pub fn way_row(&self) -> Option<Row> {
        beyond::way(self.system().solver)
    }

    /// The row that chooses whose ways are shown, where runtimes differ.
    pub fn preview_row(&self) -> Option<Row> {
        self.system().solver.info().preview
    }

    /// Whether joints can keep their distance to others.
    pub fn links_lengths(&self) -> bool {
        self.has_group(Group::LengthLimits)
    }

    /// Whether joints have pivots as frames of their limits.
    pub fn has_pivots(&self) -> bool {
        self.has_group(Group::AngleLimits)
    }

    /// Whether winds and forces act.
    pub fn has_forces(&self) -> bool {
        let mut rows = self.system().table().iter();
        rows.any(|def| def.scope == Scope::Joint && def.idea == Idea::Wind)
    }

    /// Whether the engine itself has values of the whole character.
    pub fn has_settings(&self) -> bool {
        self.system().table().iter().any(|def| def.scope == Scope::System && !def.beyond)
    }

    fn has_group(&self, group: Group) -> bool {
        self.system().table().iter().any(|def| def.group == group)
    }

    /// Whether the shown pose can be taken for rest.
    pub fn takes_rest(&self) -> bool {
        self.system().solver.info().takes_rest
    }

    /// The improvements that act: what an engine that gets this character's files will not do. In the table's order;
    /// none as long as it runs as the engine does it.
    pub fn beyond_unity(&self) -> Vec<Beyond> {
        beyond::beyond(&self.document, &self.resolved)
    }

    /// Whether the engine will not do what this row says, for what tuning reaches: a switch of the improvements that
    /// is on, or a number of Yuremono's own that acts and is not what the engine does anyhow.
    pub fn is_beyond(&self, row: Row) -> bool {
        let def = self.system().def(row);
        if !def.beyond || !self.system().is_improved() || self.way_row() == Some(row) || self.remark(row).is_some() {
            return false;
        }
        if def.scope == Scope::System {
            let value = self.system().get(row);
            let acts = if row == unity::INERTIA { value != 1.0 } else { value != 0.0 };
            return acts && (def.kind == Kind::Toggle || switch_of(self.system().solver, row).is_none());
        }
        // The first choice and the engine's own constant are what it does; so is a soft edge of no width.
        let same = if row == unity::LENGTH_CONSTANT { def.default } else { 0.0 };
        self.target_joints().any(|(chain, _, i, place)| chain.value(i, row, place) != same)
    }

    /// How many switches and numbers of the improvements are on.
    pub fn improvements_on(&self) -> usize {
        let rows = crate::schema::rows(self.system().table());
        rows.filter(|(row, def)| def.group == Group::Improved && self.is_beyond(*row)).count()
    }

    /// How fast time runs on the players' screens, 1 for as it should: the engine takes one step of its own length for
    /// each of their frames.
    pub fn pace(&self) -> f32 {
        if self.keeps_pace() { 1.0 } else { self.play.players_rate() as f32 * self.step_seconds() }
    }

    /// Length of a step, seconds.
    pub fn step_seconds(&self) -> f32 {
        let frame = 1.0 / self.play.players_rate() as f32;
        self.system().solver.step_seconds(&self.system().values, frame)
    }

    /// Whether time runs alike at every frame rate of the players: steps follow the frame, or the improved way keeps
    /// them to seconds.
    pub fn keeps_pace(&self) -> bool {
        self.system().solver.frame_rate_independent(&self.system().values)
    }

    /// What one of a row's values removes of an error in a step, for rows that are shown as a share; `None` for all
    /// others.
    pub fn share_per_unit(&self, row: Row) -> Option<f32> {
        (self.system().solver.info().step_share == Some(row)).then(|| self.step_seconds().powi(2))
    }
}
