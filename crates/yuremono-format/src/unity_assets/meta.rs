//! Reads the `.meta` file of a model: how Unity imports the model, and which bones are humanoid.

use super::yaml::{Yaml, YamlError};
use crate::fbx::MeshSettings;
use yuremono_sim::rig::{Humanoid, Skeleton, role_of_unity};

/// Maximum number of values of a `.meta`.
const MAX_VALUES: usize = 1 << 20;

/// The settings of Unity's `ModelImporter`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelMeta {
    pub(crate) meshes: MeshSettings,
    /// Names of bones with their roles in the terms of Unity, for example "Left Thumb Proximal".
    human_bones: Vec<(String, String)>,
}

impl ModelMeta {
    /// Reads a `.meta`. Fields that it lacks have their defaults.
    pub(crate) fn read(text: &str) -> Result<Self, YamlError> {
        let yaml = Yaml::parse(text, &mut { MAX_VALUES })?;
        let Some(importer) = yaml.get("ModelImporter") else { return Ok(Self::default()) };
        let number = |key| importer.get("meshes").and_then(|meshes| meshes.number(key));
        let global_scale = number("globalScale").unwrap_or(1.0);
        let meshes = MeshSettings {
            global_scale,
            // Versions of Unity without this field scaled FBX files by 0.01, and ignored their units.
            use_file_scale: number("useFileScale").map_or(global_scale == 1.0, |on| on != 0.0),
            bake_axis_conversion: number("bakeAxisConversion").is_some_and(|on| on != 0.0),
        };
        let human = importer.at(&["humanDescription", "human"]).map_or(&[][..], Yaml::items);
        let bone = |bone: &Yaml| Some((bone.text("boneName")?.to_owned(), bone.text("humanName")?.to_owned()));
        Ok(Self { meshes, human_bones: human.iter().filter_map(bone).collect() })
    }

    /// Returns the bones of the skeleton that have a role. Bones that the skeleton lacks are left out.
    pub(crate) fn humanoid(&self, skeleton: &Skeleton) -> Humanoid {
        let mut humanoid = Humanoid::default();
        for (bone, role) in &self.human_bones {
            if let Some(bone) = skeleton.find(bone) {
                humanoid.set(&role_of_unity(role), bone);
            }
        }
        humanoid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::Bone;

    #[test]
    fn roles_and_scale_are_read() {
        let text = "fileFormatVersion: 2\nguid: 0123\nModelImporter:\n  serializedVersion: 19\n  meshes:\n    \
                    globalScale: 0.01\n    useFileScale: 0\n  humanDescription:\n    human:\n    - boneName: 12\n      \
                    humanName: LeftUpperLeg\n      limit:\n        min: {x: 0, y: 0, z: 0}\n    - boneName: \
                    \"\\u89AA\"\n      humanName: Left Thumb Proximal\n    - boneName: gone\n      humanName: Hips\n";
        let meta = ModelMeta::read(text).expect("a .meta");
        let bone = |name: &&str| Bone { name: (*name).to_owned(), parent: None, rest: Trs::IDENTITY };
        let skeleton = Skeleton::new(["12", "親"].iter().map(bone).collect()).expect("a skeleton");
        let humanoid = meta.humanoid(&skeleton);
        assert_eq!(humanoid.bone("leftUpperLeg"), skeleton.find("12"), "a number is a name");
        assert_eq!(humanoid.bone("leftThumbMetacarpal"), skeleton.find("親"));
        assert_eq!(humanoid.bone("hips"), None);
        assert_eq!(meta.meshes.scale(0.01), 1.0);
        let old = ModelMeta::read("ModelImporter:\n  meshes:\n    globalScale: .00999999978\n").expect("a .meta");
        assert!((old.meshes.scale(0.01) - 1.0).abs() < 1e-6, "an old Unity ignores units");
        assert_eq!(ModelMeta::read("guid: 1").expect("a .meta").meshes, MeshSettings::default());
        ModelMeta::read("{").expect_err("no YAML");
    }
}
