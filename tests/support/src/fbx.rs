//! Writes small FBX files in the text form.

use std::fmt::Write as _;

/// Ticks of FBX in a second.
const SECOND: i64 = 46_186_158_000;

/// An FBX in the making: two bones and a triangle, in centimetres with +Y up.
///
/// `Hips` is at a height of 100, `Hair` 20 above it and 10 in front of it. The first two corners of the triangle follow
/// the hips, the third follows the hair.
#[derive(Clone, Debug)]
pub struct Fbx {
    /// 1 for +Y up, 2 for +Z up.
    pub up_axis: u8,
    /// Centimetres for each unit.
    pub unit: f64,
    /// Properties of `Hair`.
    pub hair: String,
    /// Where `Hair` is bound, as a translation in the world.
    pub hair_bind: [f64; 3],
    /// Bones and weights of the last corner, more than in a sound file.
    pub extra_weights: usize,
    /// Path of the image of the material.
    pub image: String,
    pub shape_weight: Option<f64>,
    pub take: String,
    /// First and last second of the take.
    pub range: [f64; 2],
    /// Seconds of both keys of the take.
    pub keys: [f64; 2],
    /// Rotation of the hips around X at the second key.
    pub degrees: f64,
    pub has_mesh: bool,
}

impl Default for Fbx {
    fn default() -> Self {
        Self {
            up_axis: 1,
            unit: 1.0,
            hair: String::new(),
            hair_bind: [0.0, 120.0, 10.0],
            extra_weights: 0,
            image: String::new(),
            shape_weight: None,
            take: "Root|Nod".to_owned(),
            range: [2.0, 3.0],
            keys: [2.0, 3.0],
            degrees: 90.0,
            has_mesh: true,
        }
    }
}

fn list(numbers: impl IntoIterator<Item = f64>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    format!("*{} {{\na: {}\n}}", numbers.len(), numbers.join(","))
}

fn translation([x, y, z]: [f64; 3]) -> String {
    list([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0])
}

/// Returns a property with three numbers.
pub fn vector(name: &str, [x, y, z]: [f64; 3]) -> String {
    format!("P: \"{name}\", \"{name}\", \"\", \"A\",{x},{y},{z}\n")
}

impl Fbx {
    /// Returns the text of the file.
    pub fn text(&self) -> String {
        let front = if self.up_axis == 1 { (2, 1) } else { (1, -1) };
        let mut text = format!(
            "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}}\n\
             GlobalSettings:  {{\nVersion: 1000\nProperties70:  {{\n\
             P: \"UpAxis\", \"int\", \"Integer\", \"\",{}\nP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n\
             P: \"FrontAxis\", \"int\", \"Integer\", \"\",{}\nP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",{}\n\
             P: \"CoordAxis\", \"int\", \"Integer\", \"\",0\nP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n\
             P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{}\nP: \"TimeMode\", \"enum\", \"\", \"\",6\n}}\n}}\n",
            self.up_axis, front.0, front.1, self.unit
        );
        self.write_objects(&mut text);
        self.write_connections(&mut text);
        text
    }

    fn write_objects(&self, text: &mut String) {
        text.push_str("Objects:  {\n");
        let mut model = |id: u32, name: &str, kind: &str, properties: &str| {
            writeln!(
                text,
                "Model: {id}, \"Model::{name}\", \"{kind}\" {{\nVersion: 232\nProperties70:  {{\n{properties}}}\n}}"
            )
            .expect("text");
        };
        model(10, "Hips", "LimbNode", &vector("Lcl Translation", [0.0, 100.0, 0.0]));
        model(11, "Hair", "LimbNode", &format!("{}{}", vector("Lcl Translation", [0.0, 20.0, 10.0]), self.hair));
        model(12, "Hair_end", "Null", &vector("Lcl Translation", [0.0, 0.0, 5.0]));
        model(13, "Body", "Mesh", "");
        (0..self.extra_weights).for_each(|n| model(60 + n as u32, &format!("Extra{n}"), "LimbNode", ""));
        let corners = [0.0, 100.0, 0.0, 10.0, 100.0, 0.0, 0.0, 120.0, 20.0];
        writeln!(
            text,
            "Geometry: 20, \"Geometry::Body\", \"Mesh\" {{\nVertices: {}\nPolygonVertexIndex: *3 {{\na: 0,1,-3\n}}\n\
             LayerElementUV: 0 {{\nVersion: 101\nMappingInformationType: \"ByPolygonVertex\"\n\
             ReferenceInformationType: \"Direct\"\nUV: {}\n}}\n\
             LayerElementMaterial: 0 {{\nMappingInformationType: \"AllSame\"\nReferenceInformationType: \"IndexToDirect\"\n\
             Materials: *1 {{\na: 0\n}}\n}}\n\
             Layer: 0 {{\nLayerElement:  {{\nType: \"LayerElementUV\"\nTypedIndex: 0\n}}\n\
             LayerElement:  {{\nType: \"LayerElementMaterial\"\nTypedIndex: 0\n}}\n}}\n}}",
            list(corners),
            list([0.0, 0.25, 1.0, 0.0, 0.0, 1.0]),
        )
        .expect("text");
        let color = "P: \"DiffuseColor\", \"Color\", \"\", \"A\",0.5,0.25,0.125\nP: \"TransparentColor\", \"Color\", \"\", \"A\",1,1,1\nP: \"TransparencyFactor\", \"Number\", \"\", \"A\",0.5\n";
        writeln!(
            text,
            "Material: 21, \"Material::Skin\", \"\" {{\nVersion: 102\nShadingModel: \"phong\"\nProperties70:  {{\n{color}}}\n}}"
        )
        .expect("text");
        if !self.image.is_empty() {
            writeln!(
                text,
                "Texture: 22, \"Texture::hair\", \"\" {{\nType: \"TextureVideoClip\"\nFileName: \"{0}\"\nRelativeFilename: \"{0}\"\n}}",
                self.image
            )
            .expect("text");
        }
        text.push_str("Deformer: 30, \"Deformer::\", \"Skin\" {\nVersion: 101\n}\n");
        let mut cluster = |id: u32, indices: &str, weights: &[f64], bind: [f64; 3]| {
            let [x, y, z] = bind;
            writeln!(
                text,
                "Deformer: {id}, \"SubDeformer::\", \"Cluster\" {{\nVersion: 100\nIndexes: *{} {{\na: {indices}\n}}\n\
                 Weights: {}\nTransform: {}\nTransformLink: {}\n}}",
                weights.len(),
                list(weights.iter().copied()),
                translation([-x, -y, -z]),
                translation(bind),
            )
            .expect("text");
        };
        cluster(31, "0,1", &[1.0, 1.0], [0.0, 100.0, 0.0]);
        cluster(32, "2", &[1.0], self.hair_bind);
        (0..self.extra_weights).for_each(|n| cluster(70 + n as u32, "2", &[0.1], [0.0, 0.0, 0.0]));
        self.write_shape(text);
        self.write_take(text);
        text.push_str("}\n");
    }

    /// A shape that moves the first corner up by 50.
    fn write_shape(&self, text: &mut String) {
        if let Some(weight) = self.shape_weight {
            writeln!(
                text,
                "Geometry: 33, \"Geometry::Smile\", \"Shape\" {{\nVersion: 100\nIndexes: *1 {{\na: 0\n}}\nVertices: {}\n}}\n\
                 Deformer: 34, \"Deformer::\", \"BlendShape\" {{\nVersion: 100\n}}\n\
                 Deformer: 35, \"SubDeformer::Smile\", \"BlendShapeChannel\" {{\nVersion: 100\nDeformPercent: {weight}\n\
                 FullWeights: *1 {{\na: 100\n}}\n}}",
                list([0.0, 50.0, 0.0]),
            )
            .expect("text");
        }
    }

    /// A take in which the hips turn around X.
    fn write_take(&self, text: &mut String) {
        let ticks = |seconds: f64| (seconds * SECOND as f64) as i64;
        let ([begin, end], [first, last]) = (self.range.map(ticks), self.keys.map(ticks));
        let time = |name: &str, time: i64| format!("P: \"{name}\", \"KTime\", \"Time\", \"\",{time}\n");
        writeln!(
            text,
            "AnimationStack: 40, \"AnimStack::{}\", \"\" {{\nProperties70:  {{\n{}{}}}\n}}\n\
             AnimationLayer: 41, \"AnimLayer::Base\", \"\" {{\n}}\n\
             AnimationCurveNode: 42, \"AnimCurveNode::R\", \"\" {{\nProperties70:  {{\n\
             P: \"d|X\", \"Number\", \"\", \"A\",0\nP: \"d|Y\", \"Number\", \"\", \"A\",0\nP: \"d|Z\", \"Number\", \"\", \"A\",0\n}}\n}}\n\
             AnimationCurve: 43, \"AnimCurve::\", \"\" {{\nDefault: 0\nKeyVer: 4008\nKeyTime: *2 {{\na: {first},{last}\n}}\n\
             KeyValueFloat: *2 {{\na: 0,{degrees}\n}}\nKeyAttrFlags: *1 {{\na: 24836\n}}\nKeyAttrDataFloat: *4 {{\na: 0,0,0,0\n}}\n\
             KeyAttrRefCount: *1 {{\na: 2\n}}\n}}",
            self.take,
            time("LocalStart", begin),
            time("LocalStop", end),
            degrees = self.degrees,
        )
        .expect("text");
    }

    fn write_connections(&self, text: &mut String) {
        let mut pairs = vec![(10, 0), (11, 10), (12, 11)];
        if self.has_mesh {
            pairs.extend([(13, 0), (20, 13)]);
        }
        pairs.extend([(21, 13), (30, 20), (31, 30), (10, 31), (32, 30), (11, 32), (41, 40), (42, 41)]);
        for n in 0..self.extra_weights as i64 {
            pairs.extend([(60 + n, 10), (70 + n, 30), (60 + n, 70 + n)]);
        }
        if self.shape_weight.is_some() {
            pairs.extend([(34, 20), (35, 34), (33, 35)]);
        }
        text.push_str("Connections:  {\n");
        for (child, parent) in pairs {
            writeln!(text, "C: \"OO\",{child},{parent}").expect("text");
        }
        text.push_str("C: \"OP\",42,10, \"Lcl Rotation\"\nC: \"OP\",43,42, \"d|X\"\n");
        if !self.image.is_empty() {
            text.push_str("C: \"OP\",22,21, \"DiffuseColor\"\n");
        }
        text.push_str("}\n");
    }
}
