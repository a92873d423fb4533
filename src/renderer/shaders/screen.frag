uniform sampler2D picture;
// Lower left corner of the picture in the window, in pixels.
uniform highp vec2 origin;
// The picture has the size of its place, so that each pixel is copied.
uniform bool sameSize;
in highp vec2 uv;
layout(location = 0) out vec4 outColor;
void main() {
    vec3 c = sameSize ? texelFetch(picture, ivec2(gl_FragCoord.xy - origin), 0).rgb : texture(picture, uv).rgb;
    outColor = vec4(c, 1.0);
}
