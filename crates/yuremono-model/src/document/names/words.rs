//! English and Japanese words for parts of a character.
//!
//! Japanese words are in katakana and kanji, because [`super::fold()`] converts names to them.

use crate::document::ChainPart;

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A simulated part.
    Part(ChainPart),
    /// A part that may be simulated.
    MaybePart(ChainPart),
    /// A position on the body or on a part: front, back, side, centre.
    Position,
    /// Marks secondary motion of any part.
    SecondaryMotion,
    /// A parent of several chains.
    Group,
    /// The end of a chain.
    End,
    /// A body part that animation moves.
    Body,
    /// A rig helper.
    RigHelper,
    /// A tool prefix or another word without meaning.
    Noise,
}
use Meaning::{Body, End, Group, MaybePart, Noise, Position, RigHelper, SecondaryMotion};

/// Words with the same meaning. Parsed names contain the first word instead of the others.
pub(super) struct WordEntry {
    pub(super) meaning: Meaning,
    /// The words, separated by spaces.
    pub(super) words: &'static str,
}

const fn entry(meaning: Meaning, words: &'static str) -> WordEntry {
    WordEntry { meaning, words }
}
const fn part(part: ChainPart, words: &'static str) -> WordEntry {
    WordEntry { meaning: Meaning::Part(part), words }
}

pub(super) const ENTRIES: &[WordEntry] = &[
    part(ChainPart::Hair, "hair kami 髪 髮 ヘア ヘアー 髪ノ毛 カミ hairs"),
    part(ChainPart::Hair, "bangs bang fringe forelock maegami 前髪 マエガミ パッツン"),
    part(ChainPart::Hair, "ahoge wisp cowlick アホ毛 アホゲ"),
    part(ChainPart::Hair, "ponytail ポニーテール ポニテ"),
    part(ChainPart::Hair, "twintail pigtail ツインテール ツインテ"),
    part(ChainPart::Hair, "sidetail サイドテール サイテ"),
    part(ChainPart::Hair, "sidehair yokogami 横髪 サイドヘア ヨコガミ 横毛 鬢"),
    part(ChainPart::Hair, "backhair ushirogami 後髪 後ロ髪 ウシロガミ バックヘア 襟足 エリアシ"),
    part(ChainPart::Hair, "sideburn sidelock momiage モミアゲ 揉ミ上ゲ"),
    part(ChainPart::Hair, "braid plait mitsuami 三ツ編ミ 三ツ編 ミツアミ オサゲ オ下ゲ 編ミ込ミ"),
    part(ChainPart::Hair, "hairbun odango オ団子 オダンゴ"),
    part(ChainPart::Hair, "hairroll drill 縦ロール ドリル ringlet"),
    entry(MaybePart(ChainPart::Hair), "beard mustache moustache 髭 ヒゲ mane 鬣 タテガミ fur 毛"),
    part(ChainPart::Skirt, "skirt スカート petticoat ペチコート パニエ hakama 袴 ハカマ"),
    part(ChainPart::Skirt, "coattail coat コート 燕尾 overcoat longcoat"),
    part(ChainPart::Skirt, "hem suso 裾 スソ frill フリル"),
    part(ChainPart::Skirt, "dress ドレス onepiece ワンピース robe ローブ"),
    part(ChainPart::Skirt, "apron エプロン 前掛ケ 腰布 腰巻 loincloth パレオ pareo tabard"),
    entry(MaybePart(ChainPart::Skirt), "jacket ジャケット 上着 cloth clothes 布 服 kimono 着物"),
    part(ChainPart::Tail, "tail shippo シッポ 尻尾 尾 テール"),
    part(ChainPart::Ribbon, "ribbon リボン bow 蝶結ビ"),
    part(ChainPart::Ribbon, "scarf muffler スカーフ マフラー ストール shawl 羽衣"),
    part(ChainPart::Ribbon, "cape cloak mantle mant マント ケープ クローク 外套"),
    part(ChainPart::Ribbon, "tie necktie ネクタイ タイ"),
    part(ChainPart::Ribbon, "veil ベール ヴェール"),
    part(ChainPart::Ribbon, "himo string cord rope 紐 ヒモ lace 帯 obi タレ 垂レ hachimaki ハチマキ 鉢巻"),
    entry(MaybePart(ChainPart::Ribbon), "belt strap ベルト ストラップ hood フード collar 襟 エリ flag 旗"),
    part(
        ChainPart::Ear,
        "animalear ネコミミ 猫耳 ケモミミ 獣耳 ケモ耳 イヌミミ 犬耳 ウサミミ 兎耳 狐耳 nekomimi kemomimi usamimi ケモノ耳",
    ),
    entry(MaybePart(ChainPart::Ear), "ear mimi 耳 ミミ"),
    part(ChainPart::Breast, "breast bust boob oppai オッパイ 乳 バスト 乳房 titty 胸揺レ 乳揺レ"),
    entry(MaybePart(ChainPart::Breast), "mune 胸 ムネ"),
    entry(MaybePart(ChainPart::Breast), "belly butt 尻 オシリ hipfat"),
    part(ChainPart::Sleeve, "sleeve sode 袖 ソデ スリーブ 振袖 furisode cuff"),
    part(ChainPart::Accessory, "earring イヤリング ピアス 耳飾リ piercing"),
    part(ChainPart::Accessory, "necklace pendant ネックレス ペンダント 首飾リ choker"),
    part(ChainPart::Accessory, "bell suzu 鈴 スズ"),
    part(ChainPart::Accessory, "tassel 房 フサ タッセル pompom ポンポン ボンボン charm チャーム keychain"),
    part(
        ChainPart::Accessory,
        "accessory acc accessories アクセサリー アクセサリ アクセ 飾リ 飾 カザリ ornament 髪飾リ hairpin 簪 カンザシ",
    ),
    entry(MaybePart(ChainPart::Accessory), "chain チェーン 鎖 クサリ"),
    entry(
        MaybePart(ChainPart::Accessory),
        "bag backpack pouch 鞄 カバン バッグ リュック ポーチ antenna アンテナ 触角 feather 羽根 halo",
    ),
    entry(
        MaybePart(ChainPart::Other),
        "wing 翼 ツバサ 羽 ハネ ウイング tentacle 触手 fin ヒレ 鰭 尾ヒレ 尾ビレ 尾鰭 背ビレ 背鰭 胸ビレ 胸鰭",
    ),
    entry(
        SecondaryMotion,
        "sway sec secondary dyn dynamic dynamics physics phys spring jiggle swing 揺レモノ 揺レ ユレ 物理",
    ),
    entry(Group, "root group grp all parent 親 ルート グループ base 根元 親ボーン"),
    entry(End, "end tip nub leaf 先 先端 終端 末端 エンド"),
    entry(Position, "front mae 前 フロント fr frt マエ"),
    entry(Position, "back rear ushiro 後 後ロ ウシロ バック bk bck"),
    entry(Position, "side yoko 横 ヨコ サイド 脇"),
    entry(Position, "center centre middle 中央 中 真中 センター cen ctr"),
    entry(Position, "upper up top 上 ウエ"),
    entry(Position, "lower low bottom under 下 シタ アンダー"),
    entry(Position, "inner inside in 内 ウチ インナー"),
    entry(Position, "outer outside out 外 ソト アウター"),
    entry(Position, "fox cat dog wolf rabbit bunny cow dragon 狐 猫 犬 兎 ネコ イヌ ウサギ キツネ 竜 龍"),
    entry(MaybePart(ChainPart::Sleeve), "tops"),
    entry(Body, "head 頭 アタマ ヘッド"),
    entry(Body, "neck 首 クビ"),
    entry(Body, "hips hip pelvis 腰 コシ waist"),
    entry(Body, "spine torso tummy abdomen stomach 上半身 下半身 背 背骨 腹 body 体"),
    entry(Body, "chest ribcage"),
    entry(Body, "shoulder clavicle 肩 カタ collarbone"),
    entry(Body, "arm 腕 ウデ"),
    entry(Body, "upperarm uparm"),
    entry(Body, "lowerarm forearm elbow 肘 ヒジ"),
    entry(Body, "hand wrist 手 手首 palm metacarpal"),
    entry(Body, "leg 足 脚"),
    entry(Body, "thigh upleg upperleg 腿 太腿"),
    entry(Body, "shin lowerleg calf knee 膝 ヒザ"),
    entry(Body, "foot feet ankle 足首 heel"),
    entry(Body, "finger fingers 指 親指 人指 人差指 中指 薬指 小指 ユビ"),
    entry(Body, "ring"),
    entry(Body, "thumb index pinky little mid prox proximal intermediate distal"),
    entry(Body, "toe toes toebase 爪先 ツマ先 ツマサキ"),
    entry(Body, "eye eyes eyeball 目 眼 瞳 両目 pupil iris ヒトミ"),
    entry(Body, "brow eyebrow 眉 マユ eyelid eyelash lash lid 睫毛 マツゲ 瞼"),
    entry(Body, "mouth lip lips 口 唇 jaw chin 顎 アゴ teeth tooth 歯 tongue 舌 ベロ"),
    entry(Body, "nose 鼻 cheek 頬 face facial 顔 nostril muzzle"),
    entry(Body, "groove グルーブ 全テノ親 操作中心 センターボーン waistcancel 腰キャンセル"),
    entry(RigHelper, "twist 捩 捩リ 捻リ roll tw twst"),
    entry(RigHelper, "ik fk pole target tgt handle effector goal"),
    entry(RigHelper, "ctrl control controller driver constraint mch mechanism helper aim"),
    entry(RigHelper, "weapon sword gun knife shield prop item 武器 剣 刀 銃 盾 杖 staff"),
    entry(RigHelper, "socket attach attachment mount locator null marker pivot collider dummy"),
    entry(RigHelper, "camera cam light lamp mesh カメラ"),
    entry(RigHelper, "adj adjust 補助 キャンセル"),
    entry(
        Noise,
        "bone bones jnt joint bn bip def org j opt b jt ボーン skel skeleton armature valve biped rig bip001 mixamorig",
    ),
];

/// Two words that mean something else together, and the word for the pair.
pub(super) const PAIRS: &[(&str, &str, &str)] = &[
    ("twin", "tail", "twintail"),
    ("pig", "tail", "twintail"),
    ("pony", "tail", "ponytail"),
    ("side", "tail", "sidetail"),
    ("coat", "tail", "coattail"),
    ("tail", "fin", "wing"),
    ("fin", "tail", "wing"),
    ("hair", "tail", "ponytail"),
    ("ear", "ring", "earring"),
    ("neck", "lace", "necklace"),
    ("neck", "tie", "tie"),
    ("fore", "arm", "lowerarm"),
    ("lower", "arm", "lowerarm"),
    ("upper", "arm", "upperarm"),
    ("lower", "leg", "shin"),
    ("upper", "leg", "thigh"),
    ("eye", "lash", "brow"),
    ("eye", "brow", "brow"),
    ("hair", "bun", "hairbun"),
    ("hair", "roll", "hairroll"),
    ("hair", "pin", "accessory"),
    ("hair", "clip", "accessory"),
    ("hair", "band", "accessory"),
    ("one", "piece", "dress"),
    ("collar", "bone", "shoulder"),
    ("animal", "ear", "animalear"),
    ("cat", "ear", "animalear"),
    ("fox", "ear", "animalear"),
    ("dog", "ear", "animalear"),
    ("wolf", "ear", "animalear"),
    ("rabbit", "ear", "animalear"),
    ("bunny", "ear", "animalear"),
    ("pom", "pom", "tassel"),
    ("front", "hair", "bangs"),
    ("side", "hair", "sidehair"),
    ("back", "hair", "backhair"),
];
