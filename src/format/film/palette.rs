use super::FilmKind;
use std::collections::BTreeMap;

/// Bits that are dropped of each channel when colours are counted: red, green, blue, alpha.
const DROPPED: [u32; 4] = [1, 1, 1, 4];
/// Rounds in which every colour of the palette moves to the middle of what it stands for.
const ROUNDS: usize = 6;
/// Most of the palette that soft edges may take.
const EDGES: f32 = 0.25;
/// Places of the memory of colours that were looked up.
const REMEMBERED: usize = 1 << 16;

/// Where a colour lies, so that distances are about what an eye sees. Multiplied by alpha: what is nearly clear has
/// nearly no colour.
type Place = [f32; 4];

fn place([r, g, b, a]: [u8; 4]) -> Place {
    let cover = f32::from(a) / 255.0;
    let of = |c: u8, weight: f32| f32::from(c) * cover * weight;
    [of(r, 1.2), of(g, 1.7), of(b, 1.0), f32::from(a) * 1.7]
}

fn color(place: Place) -> [u8; 4] {
    let alpha = (place[3] / 1.7).clamp(1.0, 255.0);
    let of = |p: f32, weight: f32| (p / weight * 255.0 / alpha).round().clamp(0.0, 255.0) as u8;
    [of(place[0], 1.2), of(place[1], 1.7), of(place[2], 1.0), alpha.round() as u8]
}

fn apart(a: Place, b: Place) -> f32 {
    let [x, y, z, w] = [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]];
    x * x + y * y + z * z + w * w
}

/// Colours that were seen and how often, from which a [`Palette`] is chosen.
#[derive(Clone, Debug)]
pub struct Swatches {
    kind: FilmKind,
    seen: BTreeMap<u32, Swatch>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Swatch {
    sum: [u64; 4],
    count: u64,
}

/// A swatch on the way to a palette.
#[derive(Clone, Copy, Debug)]
struct Dab {
    place: Place,
    weight: f32,
}

impl Swatches {
    /// None yet, for a film of that kind.
    pub const fn new(kind: FilmKind) -> Self {
        Self { kind, seen: BTreeMap::new() }
    }

    /// Counts the pixels of a picture; what is wholly clear needs no colour.
    pub fn add(&mut self, rgba: &[u8]) {
        let gif = self.kind == FilmKind::Gif;
        let pixels = rgba.as_chunks::<4>().0.iter().map(|p| if gif { hardened(*p) } else { *p });
        for pixel in pixels.filter(|p| p[3] > 0) {
            // Opaque colours keep to themselves.
            let alpha = if pixel[3] == 255 { 16 } else { u32::from(pixel[3]) >> DROPPED[3] };
            let key = (0..3).fold(alpha, |key, c| key << 7 | u32::from(pixel[c]) >> DROPPED[c]);
            let swatch = self.seen.entry(key).or_default();
            swatch.count += 1;
            for (sum, c) in swatch.sum.iter_mut().zip(pixel) {
                *sum += u64::from(c);
            }
        }
    }

    /// At most `colors` of them (2 to 256, the clear one among them) that stand for all.
    pub fn palette(&self, colors: usize) -> Palette {
        let dab = |s: &Swatch| {
            let mean = s.sum.map(|sum| (sum as f32 / s.count as f32).round() as u8);
            // Counted as they are, a large ground would leave the eyes and the ribbons no colour.
            Dab { place: place(mean), weight: (s.count as f32).powf(0.6) }
        };
        let (opaque, edges): (Vec<_>, Vec<_>) = self.seen.values().partition(|s| s.sum[3] == 255 * s.count);
        let [mut opaque, mut edges] = [opaque, edges].map(|list| list.into_iter().map(dab).collect::<Vec<_>>());
        let room = colors.clamp(2, 256) - 1;
        let for_edges = match (opaque.is_empty(), edges.is_empty()) {
            (_, true) => 0,
            (true, false) => room,
            (false, false) => ((room as f32 * EDGES) as usize).clamp(usize::from(room > 1), edges.len()),
        };
        let mut chosen = vec![[0; 4]];
        chosen.extend(choose(&mut opaque, room - for_edges).into_iter().map(color));
        let edges_from = chosen.len();
        chosen.extend(choose(&mut edges, for_edges).into_iter().map(color));
        Palette::new(chosen, edges_from)
    }
}

/// There or not there.
fn hardened([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    [r, g, b, if a < 128 { 0 } else { 255 }]
}

/// Splits what is most spread out until there are enough groups, then lets their middles settle.
fn choose(dabs: &mut [Dab], most: usize) -> Vec<Place> {
    if dabs.is_empty() || most == 0 {
        return Vec::new();
    }
    let mut groups = vec![Group::of(dabs, 0, dabs.len())];
    while groups.len() < most {
        let widest = (0..groups.len()).max_by(|a, b| groups[*a].spread.total_cmp(&groups[*b].spread));
        let Some(index) = widest.filter(|index| groups[*index].spread > 0.0) else { break };
        let Group { from, to, axis, .. } = groups[index];
        let middle = groups[index].middle[axis];
        dabs[from..to].sort_by(|a, b| a.place[axis].total_cmp(&b.place[axis]));
        let below = dabs[from..to].iter().filter(|d| d.place[axis] <= middle).count().clamp(1, to - from - 1);
        groups[index] = Group::of(dabs, from, from + below);
        groups.push(Group::of(dabs, from + below, to));
    }
    let mut middles: Vec<Place> = groups.iter().map(|g| g.middle).collect();
    for _ in 0..ROUNDS {
        let mut sums = vec![([0.0_f32; 4], 0.0_f32); middles.len()];
        for dab in dabs.iter() {
            let (sum, weight) = &mut sums[nearest(&middles, dab.place)];
            *weight += dab.weight;
            sum.iter_mut().zip(dab.place).for_each(|(sum, p)| *sum += p * dab.weight);
        }
        for (middle, (sum, weight)) in middles.iter_mut().zip(sums) {
            if weight > 0.0 {
                *middle = sum.map(|s| s / weight);
            }
        }
    }
    middles
}

/// Neighbouring dabs that one colour may stand for.
struct Group {
    from: usize,
    to: usize,
    middle: Place,
    /// Along which they lie farthest apart.
    axis: usize,
    /// How wrong one colour would be for all.
    spread: f32,
}

impl Group {
    fn of(dabs: &[Dab], from: usize, to: usize) -> Self {
        let all = &dabs[from..to];
        let weight: f32 = all.iter().map(|d| d.weight).sum();
        let middle: Place = std::array::from_fn(|c| all.iter().map(|d| d.place[c] * d.weight).sum::<f32>() / weight);
        let spreads: Place =
            std::array::from_fn(|c| all.iter().map(|d| (d.place[c] - middle[c]).powi(2) * d.weight).sum());
        let axis = (0..4).max_by(|a, b| spreads[*a].total_cmp(&spreads[*b])).unwrap_or(0);
        let spread = if all.len() > 1 { spreads.iter().sum() } else { 0.0 };
        Self { from, to, middle, axis, spread }
    }
}

fn nearest(places: &[Place], wanted: Place) -> usize {
    let mut best = (0, f32::INFINITY);
    for (index, place) in places.iter().enumerate() {
        let distance = apart(*place, wanted);
        if distance < best.1 {
            best = (index, distance);
        }
    }
    best.0
}

/// At most 256 colours, the first of them clear; opaque colours before those of soft edges.
#[derive(Clone, Debug)]
pub struct Palette {
    colors: Vec<[u8; 4]>,
    places: Vec<Place>,
    edges_from: usize,
    /// Colours looked up before, and what they are.
    remembered: Vec<Option<([u8; 4], u8)>>,
}

impl Palette {
    /// The index of what is wholly clear.
    pub const CLEAR: u8 = 0;

    fn new(colors: Vec<[u8; 4]>, edges_from: usize) -> Self {
        let places = colors.iter().copied().map(place).collect();
        Self { colors, places, edges_from, remembered: vec![None; REMEMBERED] }
    }

    /// Red, green, blue, one after the other.
    pub(super) fn rgb(&self) -> Vec<u8> {
        self.colors.iter().flat_map(|c| &c[..3]).copied().collect()
    }

    /// Alpha of each.
    pub(super) fn alpha(&self) -> Vec<u8> {
        self.colors.iter().map(|c| c[3]).collect()
    }

    /// Without soft edges, for formats where a pixel is there or is not: from half a cover on it is.
    #[must_use]
    pub(super) fn hard(self) -> Self {
        Self::new(self.colors[..self.edges_from].to_vec(), self.edges_from)
    }

    /// The nearest colour's index.
    pub fn index(&mut self, pixel: [u8; 4]) -> u8 {
        let has_edges = self.edges_from < self.colors.len();
        let pixel = if has_edges { pixel } else { hardened(pixel) };
        if pixel[3] == 0 || self.colors.len() == 1 {
            return Self::CLEAR;
        }
        let slot = u32::from_le_bytes(pixel).wrapping_mul(0x9e37_79b1) as usize >> 16 & (REMEMBERED - 1);
        if let Some((color, index)) = self.remembered[slot]
            && color == pixel
        {
            return index;
        }
        // An opaque pixel stays opaque, so that nothing shines through the middle of a face, and a soft edge soft.
        let range = match pixel[3] {
            255 if self.edges_from > 1 => 1..self.edges_from,
            0..255 if has_edges => self.edges_from..self.colors.len(),
            _ => 1..self.colors.len(),
        };
        let index = (range.start + nearest(&self.places[range], place(pixel))) as u8;
        self.remembered[slot] = Some((pixel, index));
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swatches(pixels: &[[u8; 4]]) -> Swatches {
        let mut swatches = Swatches::new(FilmKind::Apng);
        swatches.add(pixels.as_flattened());
        swatches
    }

    #[test]
    fn few_colors_come_back_as_they_are() {
        let pixels = [[255, 0, 0, 255], [0, 254, 30, 255], [18, 20, 22, 255], [90, 80, 200, 128], [0; 4]];
        let mut palette = swatches(&pixels).palette(256);
        for pixel in pixels {
            let index = palette.index(pixel);
            let found = palette.colors[usize::from(index)];
            let far = found.iter().zip(pixel).map(|(a, b)| a.abs_diff(b)).max();
            assert!(far <= Some(1), "{found:?} for {pixel:?}");
        }
        assert_eq!(palette.colors.len(), 5);
    }

    #[test]
    fn a_long_gradient_is_met_within_two_steps_by_half_as_many_colors() {
        let pixels: Vec<_> = (0..=255_u8).map(|n| [n, n / 2, 255 - n, 255]).collect();
        let mut palette = swatches(&pixels).palette(129);
        assert!(palette.colors.len() <= 129);
        for pixel in pixels {
            let index = palette.index(pixel);
            let found = palette.colors[usize::from(index)];
            let far = found.iter().zip(pixel).map(|(a, b)| a.abs_diff(b)).max();
            assert!(far <= Some(3), "{found:?} for {pixel:?}");
        }
    }

    #[test]
    fn opaque_stays_opaque_beside_soft_edges() {
        let soft = (1..=254_u8).map(|a| [200, 100, 50, a]);
        let pixels: Vec<_> = soft.chain((0..=255).map(|n| [200, n, 50, 255])).collect();
        let mut palette = swatches(&pixels).palette(32);
        assert!(palette.colors.len() <= 32 && palette.colors.len() > 24);
        for pixel in &pixels {
            let index = palette.index(*pixel);
            assert_eq!(palette.colors[usize::from(index)][3] == 255, pixel[3] == 255, "{pixel:?}");
        }
        let mut hard = palette.hard();
        assert_eq!([1, 127].map(|a| hard.index([200, 100, 50, a])), [Palette::CLEAR; 2]);
        assert_ne!(hard.index([200, 100, 50, 128]), Palette::CLEAR);
        assert_eq!(Swatches::new(FilmKind::Apng).palette(9).index([1, 2, 3, 255]), Palette::CLEAR, "nothing was seen");
    }
}
