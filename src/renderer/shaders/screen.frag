uniform sampler2D picture;
// Lower left corner of the picture in the window, in pixels.
uniform highp vec2 origin;
// The picture has the size of its place, so that each pixel is copied.
uniform bool sameSize;
in highp vec2 uv;
layout(location = 0) out vec4 outColor;

// Share of the linear filter, which keeps details that the cubic filter blurs.
const float DETAIL = 0.3;

// Enlarges the picture by a cubic B-spline in four linear reads. A linear filter alone would show the pixels of a small
// picture as steps along edges.
vec3 enlarged() {
    highp vec2 size = vec2(textureSize(picture, 0));
    highp vec2 at = uv * size - 0.5;
    highp vec2 texel = floor(at) + 0.5;
    highp vec2 f = at - floor(at);
    highp vec2 g = 1.0 - f;
    highp vec2 w0 = g * g * g / 6.0;
    highp vec2 w1 = (4.0 - 6.0 * f * f + 3.0 * f * f * f) / 6.0;
    highp vec2 w3 = f * f * f / 6.0;
    highp vec2 low = w0 + w1;
    highp vec2 high = 1.0 - low;
    highp vec2 a = (texel - 1.0 + w1 / low) / size;
    highp vec2 b = (texel + 1.0 + w3 / high) / size;
    vec3 lower = low.x * texture(picture, a).rgb + high.x * texture(picture, vec2(b.x, a.y)).rgb;
    vec3 upper = low.x * texture(picture, vec2(a.x, b.y)).rgb + high.x * texture(picture, b).rgb;
    return mix(low.y * lower + high.y * upper, texture(picture, uv).rgb, DETAIL);
}

void main() {
    vec3 c = sameSize ? texelFetch(picture, ivec2(gl_FragCoord.xy - origin), 0).rgb : enlarged();
    outColor = vec4(c, 1.0);
}
