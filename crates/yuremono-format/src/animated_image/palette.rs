//! Counts colours and chooses a palette: splits boxes of colours, and refines the result with k-means.

use super::AnimatedImageFormat;
use std::collections::BTreeMap;

/// Number of low bits that are dropped from red, green, blue and alpha when colours are counted.
const DROPPED_BITS: [u32; 4] = [1, 1, 1, 4];
const KMEANS_ITERATIONS: usize = 6;
/// Maximum fraction of the palette for the colours of soft edges.
const MAX_SOFT_EDGE_SHARE: f32 = 0.25;
/// Number of entries in the cache of colour lookups.
const CACHE_SIZE: usize = 1 << 16;

/// A colour with weights that make distances approximate human perception. Colours are multiplied by alpha, so nearly
/// transparent colours are close to each other.
type PerceptualColor = [f32; 4];

fn to_perceptual([r, g, b, a]: [u8; 4]) -> PerceptualColor {
    let cover = f32::from(a) / 255.0;
    let of = |c: u8, weight: f32| f32::from(c) * cover * weight;
    [of(r, 1.2), of(g, 1.7), of(b, 1.0), f32::from(a) * 1.7]
}

fn from_perceptual(place: PerceptualColor) -> [u8; 4] {
    let alpha = (place[3] / 1.7).clamp(1.0, 255.0);
    let of = |p: f32, weight: f32| (p / weight * 255.0 / alpha).round().clamp(0.0, 255.0) as u8;
    [of(place[0], 1.2), of(place[1], 1.7), of(place[2], 1.0), alpha.round() as u8]
}

fn distance_squared(a: PerceptualColor, b: PerceptualColor) -> f32 {
    let [x, y, z, w] = [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]];
    x * x + y * y + z * z + w * w
}

/// Counts colours, from which a [`Palette`] is chosen.
#[derive(Clone, Debug)]
pub struct ColorHistogram {
    kind: AnimatedImageFormat,
    bins: BTreeMap<u32, HistogramBin>,
}

#[derive(Clone, Copy, Debug, Default)]
struct HistogramBin {
    sum: [u64; 4],
    count: u64,
}

#[derive(Clone, Copy, Debug)]
struct WeightedColor {
    color: PerceptualColor,
    weight: f32,
}

impl ColorHistogram {
    /// An empty histogram for a format.
    pub const fn new(kind: AnimatedImageFormat) -> Self {
        Self { kind, bins: BTreeMap::new() }
    }

    /// Counts the pixels of a frame. Fully transparent pixels are ignored.
    pub fn add(&mut self, rgba: &[u8]) {
        let gif = self.kind == AnimatedImageFormat::Gif;
        let pixels = rgba.as_chunks::<4>().0.iter().map(|p| if gif { threshold_alpha(*p) } else { *p });
        for pixel in pixels.filter(|p| p[3] > 0) {
            // Opaque colours have separate bins.
            let alpha = if pixel[3] == 255 { 16 } else { u32::from(pixel[3]) >> DROPPED_BITS[3] };
            let key = (0..3).fold(alpha, |key, c| key << 7 | u32::from(pixel[c]) >> DROPPED_BITS[c]);
            let bin = self.bins.entry(key).or_default();
            bin.count += 1;
            for (sum, c) in bin.sum.iter_mut().zip(pixel) {
                *sum += u64::from(c);
            }
        }
    }

    /// Chooses at most `colors` colours (2 to 256, including the transparent colour) that approximate all counted
    /// colours.
    pub fn palette(&self, colors: usize) -> Palette {
        let color = |s: &HistogramBin| {
            let mean = s.sum.map(|sum| (sum as f32 / s.count as f32).round() as u8);
            // With a linear weight, a large background would leave no colours for small parts such as eyes and ribbons.
            WeightedColor { color: to_perceptual(mean), weight: libm::powf(s.count as f32, 0.6) }
        };
        let (opaque, edges): (Vec<_>, Vec<_>) = self.bins.values().partition(|s| s.sum[3] == 255 * s.count);
        let [mut opaque, mut edges] = [opaque, edges].map(|list| list.into_iter().map(color).collect::<Vec<_>>());
        let room = colors.clamp(2, 256) - 1;
        let for_edges = match (opaque.is_empty(), edges.is_empty()) {
            (_, true) => 0,
            (true, false) => room,
            (false, false) => ((room as f32 * MAX_SOFT_EDGE_SHARE) as usize).clamp(usize::from(room > 1), edges.len()),
        };
        let mut chosen = vec![[0; 4]];
        chosen.extend(quantize(&mut opaque, room - for_edges).into_iter().map(from_perceptual));
        let edges_from = chosen.len();
        chosen.extend(quantize(&mut edges, for_edges).into_iter().map(from_perceptual));
        Palette::new(chosen, edges_from)
    }
}

/// Makes a pixel fully opaque or fully transparent.
fn threshold_alpha([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    [r, g, b, if a < 128 { 0 } else { 255 }]
}

/// Splits the box with the largest spread until there are `most` boxes, then refines the mean colours with k-means.
fn quantize(colors: &mut [WeightedColor], most: usize) -> Vec<PerceptualColor> {
    if colors.is_empty() || most == 0 {
        return Vec::new();
    }
    let mut groups = vec![ColorBox::of(colors, 0, colors.len())];
    while groups.len() < most {
        let widest = (0..groups.len()).max_by(|a, b| groups[*a].spread.total_cmp(&groups[*b].spread));
        let Some(index) = widest.filter(|index| groups[*index].spread > 0.0) else { break };
        let ColorBox { start: from, end: to, axis, .. } = groups[index];
        let middle = groups[index].mean[axis];
        colors[from..to].sort_by(|a, b| a.color[axis].total_cmp(&b.color[axis]));
        let below = colors[from..to].iter().filter(|d| d.color[axis] <= middle).count().clamp(1, to - from - 1);
        groups[index] = ColorBox::of(colors, from, from + below);
        groups.push(ColorBox::of(colors, from + below, to));
    }
    let mut middles: Vec<PerceptualColor> = groups.iter().map(|g| g.mean).collect();
    for _ in 0..KMEANS_ITERATIONS {
        let mut sums = vec![([0.0_f32; 4], 0.0_f32); middles.len()];
        for color in colors.iter() {
            let (sum, weight) = &mut sums[nearest(&middles, color.color)];
            *weight += color.weight;
            sum.iter_mut().zip(color.color).for_each(|(sum, p)| *sum += p * color.weight);
        }
        for (middle, (sum, weight)) in middles.iter_mut().zip(sums) {
            if weight > 0.0 {
                *middle = sum.map(|s| s / weight);
            }
        }
    }
    middles
}

struct ColorBox {
    start: usize,
    end: usize,
    mean: PerceptualColor,
    /// The channel with the largest spread.
    axis: usize,
    /// The total squared error if one colour replaced all colours of the box.
    spread: f32,
}

impl ColorBox {
    fn of(colors: &[WeightedColor], from: usize, to: usize) -> Self {
        let all = &colors[from..to];
        let weight: f32 = all.iter().map(|d| d.weight).sum();
        let middle: PerceptualColor =
            std::array::from_fn(|c| all.iter().map(|d| d.color[c] * d.weight).sum::<f32>() / weight);
        let spreads: PerceptualColor =
            std::array::from_fn(|c| all.iter().map(|d| (d.color[c] - middle[c]).powi(2) * d.weight).sum());
        let axis = (0..4).max_by(|a, b| spreads[*a].total_cmp(&spreads[*b])).unwrap_or(0);
        let spread = if all.len() > 1 { spreads.iter().sum() } else { 0.0 };
        Self { start: from, end: to, mean: middle, axis, spread }
    }
}

fn nearest(places: &[PerceptualColor], wanted: PerceptualColor) -> usize {
    let mut best = (0, f32::INFINITY);
    for (index, place) in places.iter().enumerate() {
        let distance = distance_squared(*place, wanted);
        if distance < best.1 {
            best = (index, distance);
        }
    }
    best.0
}

/// At most 256 colours. The first colour is transparent, and opaque colours come before the colours of soft edges.
#[derive(Clone, Debug)]
pub struct Palette {
    colors: Vec<[u8; 4]>,
    perceptual_colors: Vec<PerceptualColor>,
    soft_edges_start: usize,
    /// Cached lookups: a pixel and the index of its nearest colour.
    cache: Vec<Option<([u8; 4], u8)>>,
}

impl Palette {
    /// The index of the transparent colour.
    pub const TRANSPARENT: u8 = 0;

    fn new(colors: Vec<[u8; 4]>, edges_from: usize) -> Self {
        let places = colors.iter().copied().map(to_perceptual).collect();
        Self { colors, perceptual_colors: places, soft_edges_start: edges_from, cache: vec![None; CACHE_SIZE] }
    }

    /// The palette as red, green and blue bytes.
    pub(super) fn rgb(&self) -> Vec<u8> {
        self.colors.iter().flat_map(|c| &c[..3]).copied().collect()
    }

    /// The alpha of each colour.
    pub(super) fn alpha(&self) -> Vec<u8> {
        self.colors.iter().map(|c| c[3]).collect()
    }

    /// Removes the colours of soft edges, for formats without partial transparency. Pixels with an alpha of at least
    /// 128 become opaque.
    #[must_use]
    pub(super) fn without_soft_edges(self) -> Self {
        Self::new(self.colors[..self.soft_edges_start].to_vec(), self.soft_edges_start)
    }

    /// The index of the nearest colour.
    pub fn nearest_index(&mut self, pixel: [u8; 4]) -> u8 {
        let has_edges = self.soft_edges_start < self.colors.len();
        let pixel = if has_edges { pixel } else { threshold_alpha(pixel) };
        if pixel[3] == 0 || self.colors.len() == 1 {
            return Self::TRANSPARENT;
        }
        let slot = u32::from_le_bytes(pixel).wrapping_mul(0x9e37_79b1) as usize >> 16 & (CACHE_SIZE - 1);
        if let Some((color, index)) = self.cache[slot]
            && color == pixel
        {
            return index;
        }
        // Opaque pixels are mapped to opaque colours, because otherwise the background would show through a face. Soft
        // edges are mapped to the colours of soft edges.
        let range = match pixel[3] {
            255 if self.soft_edges_start > 1 => 1..self.soft_edges_start,
            0..255 if has_edges => self.soft_edges_start..self.colors.len(),
            _ => 1..self.colors.len(),
        };
        let index = (range.start + nearest(&self.perceptual_colors[range], to_perceptual(pixel))) as u8;
        self.cache[slot] = Some((pixel, index));
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram_of(pixels: &[[u8; 4]]) -> ColorHistogram {
        let mut histogram = ColorHistogram::new(AnimatedImageFormat::Apng);
        histogram.add(pixels.as_flattened());
        histogram
    }

    #[test]
    fn few_colors_are_kept_unchanged() {
        let pixels = [[255, 0, 0, 255], [0, 254, 30, 255], [18, 20, 22, 255], [90, 80, 200, 128], [0; 4]];
        let mut palette = histogram_of(&pixels).palette(256);
        for pixel in pixels {
            let index = palette.nearest_index(pixel);
            let found = palette.colors[usize::from(index)];
            let far = found.iter().zip(pixel).map(|(a, b)| a.abs_diff(b)).max();
            assert!(far <= Some(1), "{found:?} for {pixel:?}");
        }
        assert_eq!(palette.colors.len(), 5);
    }

    #[test]
    fn a_gradient_is_approximated_by_half_as_many_colors() {
        let pixels: Vec<_> = (0..=255_u8).map(|n| [n, n / 2, 255 - n, 255]).collect();
        let mut palette = histogram_of(&pixels).palette(129);
        assert!(palette.colors.len() <= 129);
        for pixel in pixels {
            let index = palette.nearest_index(pixel);
            let found = palette.colors[usize::from(index)];
            let far = found.iter().zip(pixel).map(|(a, b)| a.abs_diff(b)).max();
            assert!(far <= Some(3), "{found:?} for {pixel:?}");
        }
    }

    #[test]
    fn opaque_pixels_stay_opaque_next_to_soft_edges() {
        let soft = (1..=254_u8).map(|a| [200, 100, 50, a]);
        let pixels: Vec<_> = soft.chain((0..=255).map(|n| [200, n, 50, 255])).collect();
        let mut palette = histogram_of(&pixels).palette(32);
        assert!(palette.colors.len() <= 32 && palette.colors.len() > 24);
        for pixel in &pixels {
            let index = palette.nearest_index(*pixel);
            assert_eq!(palette.colors[usize::from(index)][3] == 255, pixel[3] == 255, "{pixel:?}");
        }
        let mut hard = palette.without_soft_edges();
        assert_eq!([1, 127].map(|a| hard.nearest_index([200, 100, 50, a])), [Palette::TRANSPARENT; 2]);
        assert_ne!(hard.nearest_index([200, 100, 50, 128]), Palette::TRANSPARENT);
        assert_eq!(
            ColorHistogram::new(AnimatedImageFormat::Apng).palette(9).nearest_index([1, 2, 3, 255]),
            Palette::TRANSPARENT,
            "an empty histogram has only the transparent colour"
        );
    }
}
