use super::Session;
use crate::doc::names::BoneName;
use crate::doc::parts;
use crate::doc::{ChainId, ColliderId, Edit, Label, Part};
use crate::rig::BoneId;
use crate::schema::{self, Row};
use crate::session::Scope as Reach;
use crate::sim::Shape;

/// What the inspector is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Nothing is selected, so tuning reaches everything that the tuned solver moves.
    All {
        /// How many chains.
        chains: usize,
        /// How many joints they have.
        joints: usize,
    },
    /// One chain.
    Chain {
        /// Which.
        id: ChainId,
        /// How many joints it has.
        joints: usize,
    },
    /// Several chains.
    Chains {
        /// How many.
        chains: usize,
        /// How many joints they have.
        joints: usize,
    },
    /// One joint alone.
    Joint {
        /// Its chain.
        chain: ChainId,
        /// Counted from 1.
        number: usize,
        /// Its bone.
        bone: BoneId,
    },
    /// Several joints.
    Joints(usize),
    /// Bones that no chain moves, the active one first.
    Still(Vec<BoneId>),
}

/// Which joints of the tuned chain have values of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overrides {
    /// None, or all alike.
    None,
    /// One joint, one value.
    One {
        /// Counted from 1.
        joint: usize,
        /// Which value.
        row: Row,
    },
    /// One joint, several values.
    Joint {
        /// Counted from 1.
        joint: usize,
        /// How many values.
        rows: usize,
    },
    /// Several joints.
    Joints(usize),
    /// Every joint has all its values, as an import writes them.
    Imported,
}

/// A collider as it is assigned to what is tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderChoice {
    /// Which.
    pub id: ColliderId,
    /// As it goes into files.
    pub name: String,
    /// The name without the words for its shape.
    pub short: String,
    /// What it is.
    pub shape: Shape,
    /// How many of the tuned joints it pushes.
    pub joints: usize,
    /// Whether that is all of them.
    pub all: bool,
}

impl Session {
    /// What the inspector is about.
    pub fn subject(&self) -> Subject {
        let document = &self.document;
        let targets = self.targets();
        let joints = targets.joint_count(document);
        if self.selection.bones.is_empty() {
            return Subject::All { chains: targets.chains.len(), joints };
        }
        match (targets.chains.as_slice(), targets.joints.as_slice()) {
            ([], []) => {
                let active = self.selection.active;
                let others = self.selection.bones.iter().copied().filter(|b| Some(*b) != active);
                Subject::Still(active.into_iter().chain(others).collect())
            }
            ([id], _) => Subject::Chain { id: *id, joints },
            ([], [(chain, bone)]) => {
                let number = document.chains[chain].position(*bone).map_or(0, |at| at + 1);
                Subject::Joint { chain: *chain, number, bone: *bone }
            }
            ([], many) => Subject::Joints(many.len()),
            (many, _) => Subject::Chains { chains: many.len(), joints },
        }
    }

    /// Which joints of a chain have values of their own beside the chain's.
    pub fn overrides(&self, id: ChainId) -> Overrides {
        let Some(chain) = self.document.chains.get(&id) else { return Overrides::None };
        let rows: Vec<Row> = schema::rows(self.system().table())
            .filter(|(_, def)| def.scope == schema::Scope::Joint)
            .map(|(row, _)| row)
            .collect();
        if chain.joints.len() > 1 && rows.iter().all(|row| chain.is_exact(*row)) {
            return Overrides::Imported;
        }
        let loose: Vec<Row> = rows.into_iter().filter(|row| !chain.is_exact(*row)).collect();
        let own = |joint: &crate::doc::Joint| loose.iter().copied().filter(|row| joint.own.contains_key(row)).collect();
        let found: Vec<(usize, Vec<Row>)> = chain
            .joints
            .iter()
            .enumerate()
            .map(|(i, joint)| (i + 1, own(joint)))
            .filter(|(_, rows): &(usize, Vec<Row>)| !rows.is_empty())
            .collect();
        match found.as_slice() {
            [] => Overrides::None,
            [(joint, rows)] => match rows.as_slice() {
                [row] => Overrides::One { joint: *joint, row: *row },
                many => Overrides::Joint { joint: *joint, rows: many.len() },
            },
            many => Overrides::Joints(many.len()),
        }
    }

    /// Whether the scope can be narrowed to one joint: the active bone is a joint.
    pub fn can_tune_joint(&self) -> bool {
        self.selection.scope == Reach::Joints
            || self.selection.active.is_some_and(|bone| self.document.joint_of(bone).is_some())
    }

    /// What a bone's name says that it is.
    pub fn guess_part(&self, bone: BoneId) -> Part {
        let verdict = BoneName::read(self.character.skeleton.name(bone)).verdict();
        verdict.part.map_or(Part::Other, |(part, _)| part)
    }

    /// All colliders, and how many of the tuned joints each pushes.
    pub fn collider_choices(&self) -> Vec<ColliderChoice> {
        let joints: Vec<_> = self.target_joints().map(|(_, joint, ..)| joint).collect();
        let choice = |(id, collider): (&ColliderId, &crate::doc::Collider)| {
            let pushed = joints.iter().filter(|j| j.colliders.contains(id)).count();
            ColliderChoice {
                id: *id,
                name: collider.name.clone(),
                short: short_name(&collider.name),
                shape: collider.shape,
                joints: pushed,
                all: pushed == joints.len() && pushed > 0,
            }
        };
        self.document.colliders.iter().map(choice).collect()
    }

    /// What lets colliders push all joints that tuning reaches, or none of them; named after the first.
    pub fn assign(&self, colliders: &[ColliderId], on: bool) -> (Edit, Label) {
        let targets = self.targets();
        let name = colliders.first().and_then(|id| self.document.colliders.get(id)).map(|c| c.name.clone());
        let count = targets.joint_count(&self.document);
        let label =
            Label::new(if on { "assign_collider" } else { "take_collider" }, count).name(name.unwrap_or_default());
        (parts::assign(&self.document, &targets, colliders, on), label)
    }
}

/// `Head_SphereCollider2` is `Head 2` beside a picture of its shape; names without such words stay.
pub fn short_name(name: &str) -> String {
    let ends = ["SphereCollider", "CapsuleCollider", "PanelCollider"];
    let Some((stem, number)) = ends.iter().find_map(|end| name.rsplit_once(end)) else { return name.to_owned() };
    let stem = stem.trim_end_matches(['_', '.', ' ', '-']);
    match (stem.is_empty(), number.is_empty()) {
        (true, _) => name.to_owned(),
        (false, true) => stem.to_owned(),
        (false, false) => format!("{stem} {}", number.trim_start_matches(['_', '.', ' ', '-'])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collider_names_lose_the_words_for_their_shape() {
        for (name, short) in [
            ("J_Bip_C_Head_SphereCollider", "J_Bip_C_Head"),
            ("J_Bip_C_Head_SphereCollider2", "J_Bip_C_Head 2"),
            ("SphereCollider", "SphereCollider"),
            ("頭_当たり", "頭_当たり"),
        ] {
            assert_eq!(short_name(name), short);
        }
    }
}
