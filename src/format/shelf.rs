//! Stub.
use crate::doc::feel_terms::FeelSet;
use crate::doc::preset::{Preset, Words};
use crate::doc::{Along, Authored, Part};
use std::sync::OnceLock;

/// Built in.
pub fn built_in() -> &'static [Preset] {
    static ALL: OnceLock<Vec<Preset>> = OnceLock::new();
    ALL.get_or_init(|| {
        let one = |key: &str, en: &str, ja: &str, s: &str, sj: &str, part, hz: f32, z: f32, w: f32| Preset {
            key: key.into(),
            name: Words { en: en.into(), ja: ja.into() },
            sentence: Words { en: s.into(), ja: sj.into() },
            parts: vec![part],
            along: Along::Length,
            feel: FeelSet {
                speed: Some(Authored { base: hz, curve: None }),
                settle: Some(Authored { base: z, curve: None }),
                weight: Some(Authored { base: w, curve: None }),
                follow: Some(Authored { base: 0.2, curve: None }),
                reach: Some(Authored { base: 60.0, curve: None }),
                radius: None,
            },
        };
        vec![
            one(
                "twin_tail_airy",
                "Twin tail, airy",
                "ツインテール（ふわり）",
                "Light, one after-swing",
                "軽く、一度だけ揺り返す",
                Part::Hair,
                3.0,
                0.4,
                1.0,
            ),
            one(
                "twin_tail_heavy",
                "Twin tail, heavy",
                "ツインテール（重め）",
                "Slow and full",
                "ゆったり重く揺れる",
                Part::Hair,
                1.8,
                0.55,
                6.0,
            ),
            one(
                "hair_long",
                "Hair, long",
                "ロングヘア",
                "Calm, follows late",
                "静かに遅れてついてくる",
                Part::Hair,
                2.2,
                0.35,
                3.0,
            ),
            one("hair_short", "Hair, short", "ショートヘア", "Quick, small", "速く小さく", Part::Hair, 4.5, 0.45, 1.0),
            one("braid", "Braid", "三つ編み", "Settles at once", "すぐ収まる", Part::Hair, 2.0, 0.7, 4.0),
            one(
                "front_hair",
                "Front hair",
                "前髪",
                "Stays near the face and hardly swings",
                "顔から離れずほとんど揺れない",
                Part::Hair,
                5.5,
                0.6,
                1.0,
            ),
            one(
                "skirt_light",
                "Skirt, light",
                "スカート（軽い）",
                "Floats",
                "ふわっと広がる",
                Part::Skirt,
                2.5,
                0.5,
                2.0,
            ),
            one("tail_fox", "Fox tail", "きつねのしっぽ", "Full and slow", "大きくゆっくり", Part::Tail, 1.5, 0.4, 2.0),
        ]
    })
}
