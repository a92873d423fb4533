uniform sampler2D baseTexture;
uniform vec4 baseColor;
uniform vec3 emissive;
uniform sampler2D glowTexture;
#ifdef CUTOUT
// Below x nothing is drawn, from y on neither.
uniform vec2 alphaRange;
// 0: written alpha is one; 1: blended; 2: edge spread over the samples around alphaRange.x.
uniform int alphaUse;
#endif
// -1 where the transform mirrors and front faces run the other way.
uniform float frontSign;
uniform highp vec3 eye;
uniform vec3 keyLight;
uniform vec3 fillLight;
uniform sampler2D shadeTexture;
uniform vec3 shadeColor;
// Both textures are one, so that one reading does.
uniform bool shadeIsBase;
// Shift, toony.
uniform vec2 toon;

in highp vec3 worldPosition;
in vec3 worldNormal;
in highp vec4 uvs;
in highp vec2 glowUv;
in vec4 tint;

layout(location = 0) out vec4 outColor;

vec3 encoded(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, vec3(lessThanEqual(c, vec3(0.0031308))));
}

void main() {
    vec4 texel = texture(baseTexture, uvs.xy);
    vec4 base = texel * baseColor * tint;
    float alpha = 1.0;
    // Without any discard the depth test can come before the shading.
#ifdef CUTOUT
    if (alphaUse != 0) alpha = base.a;
    if (alphaUse == 2) {
        alpha = clamp((alpha - alphaRange.x) / max(fwidth(alpha), 0.0001) + 0.5, 0.0, 1.0);
        if (alpha <= 0.0) discard;
    } else if (base.a < alphaRange.x || base.a >= alphaRange.y) {
        discard;
    }
#endif
    vec3 c = base.rgb;
#ifndef UNLIT
    vec3 n = normalize(worldNormal) * (gl_FrontFacing ? frontSign : -frontSign);
#endif
#ifdef LIT
    // A wide soft key from the viewer's shoulder, sky and floor around, and a breath of rim.
    float key = clamp((dot(n, keyLight) + 0.4) / 1.4, 0.0, 1.0);
    float fill = clamp(dot(n, fillLight), 0.0, 1.0);
    vec3 around = mix(vec3(0.30, 0.29, 0.31), vec3(0.46, 0.47, 0.50), 0.5 + 0.5 * n.y);
    vec3 light = around + vec3(0.60, 0.585, 0.56) * key * key + vec3(0.07, 0.075, 0.09) * fill;
    float edge = 1.0 - clamp(abs(dot(n, normalize(eye - worldPosition))), 0.0, 1.0);
    c = c * light + (0.03 + 0.14 * c) * edge * edge * edge;
#endif
#ifdef TOON
    vec3 shade = shadeIsBase ? texel.rgb : texture(shadeTexture, uvs.zw).rgb;
    shade *= shadeColor * tint.rgb;
    float lit = clamp((dot(n, keyLight) + toon.x + 1.0 - toon.y) / max(2.0 - 2.0 * toon.y, 0.002), 0.0, 1.0);
    c = mix(shade, c, lit);
#endif
    // The condition is the same all over a draw, so that the texture's smaller levels are chosen rightly.
    if (emissive != vec3(0.0)) c += emissive * texture(glowTexture, glowUv).rgb;
    outColor = vec4(encoded(c), alpha);
}
