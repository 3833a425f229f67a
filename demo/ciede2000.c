/* ciede2000.c - from screen colours to perceived differences.
 *   1. undo the sRGB curve: channels proportional to light       IEC 61966-2-1
 *   2. mix the channels into XYZ, relative to white              CSS Color Module Level 4, sample code
 *   3. compress XYZ into CIELAB                                  CIE 15:2004
 *   4. compare two CIELAB colours                                Sharma, Wu and Dalal (2005)
 * Step 4 follows "The CIEDE2000 Color-Difference Formula: Implementation Notes, Supplementary Test Data, and
 * Mathematical Observations", Color Research and Application 30(1). Steps and equation numbers below are
 * those of that paper, and angles are in degrees because its case distinctions are. */
#include "demo/ciede2000.h"

#include <math.h>
#include <stdbool.h>

/* Relative to white: X/Xn, Y/Yn, Z/Zn. */
typedef struct xyz_colour {
    double x, y, z;
} xyz_colour;

/* One colour after step 1 of the paper: a* stretched near the grey axis, then in polar form. */
typedef struct adjusted_colour {
    double lightness; /* L* */
    double chroma;    /* C' */
    double hue;       /* h', 0..360 */
} adjusted_colour;

/* Step 2 of the paper: what changes from the left colour to the right one. */
typedef struct colour_change {
    double lightness; /* Delta L' */
    double chroma;    /* Delta C' */
    double hue;       /* Delta H', a length and not an angle */
} colour_change;

/* ---- sRGB to CIELAB ---- */

static double linear_from_srgb(double channel) {
    double v = channel / 255.0;

    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* Rows X, Y, Z; columns red, green, blue. The fractions follow exactly from the sRGB primaries and the D65
 * white x = 0.3127, y = 0.3290, so each row adds up to that white. */
static const double xyz_weights[3][3] = {
    {506752.0 / 1228815.0, 87881.0 / 245763.0, 12673.0 / 70218.0},
    {87098.0 / 409605.0, 175762.0 / 245763.0, 12673.0 / 175545.0},
    {7918.0 / 409605.0, 87881.0 / 737289.0, 1001167.0 / 1053270.0},
};

/* X, Y or Z as a share of white's. The weighted mean is written as green plus differences so that a grey
 * gives exactly the same share three times: CIEDE2000 must see no hue in it, not the hue of a rounding. */
static double share_of_white(const double weights[3], double red, double green, double blue) {
    double white = weights[0] + weights[1] + weights[2];

    return green + (weights[0] * (red - green) + weights[2] * (blue - green)) / white;
}

static xyz_colour xyz_from_linear(double red, double green, double blue) {
    xyz_colour xyz = {
        share_of_white(xyz_weights[0], red, green, blue),
        share_of_white(xyz_weights[1], red, green, blue),
        share_of_white(xyz_weights[2], red, green, blue),
    };

    return xyz;
}

/* The f of CIELAB: a cube root, and its tangent line close to black, where the root would be too steep. */
static double lab_compress(double t) {
    const double delta = 6.0 / 29.0;

    return t > delta * delta * delta ? cbrt(t) : t / (3.0 * delta * delta) + 4.0 / 29.0;
}

static lab_colour lab_from_xyz(xyz_colour xyz) {
    double fx = lab_compress(xyz.x);
    double fy = lab_compress(xyz.y);
    double fz = lab_compress(xyz.z);
    lab_colour lab = {116.0 * fy - 16.0, 500.0 * (fx - fy), 200.0 * (fy - fz)};

    return lab;
}

lab_colour lab_from_srgb(double red, double green, double blue) {
    xyz_colour xyz = xyz_from_linear(linear_from_srgb(red), linear_from_srgb(green), linear_from_srgb(blue));

    return lab_from_xyz(xyz);
}

/* ---- CIEDE2000 ---- */

static const double pi = 3.14159265358979323846; /* M_PI is not C11 */

static double radians(double degrees) { return degrees * pi / 180.0; }

static double cos_degrees(double degrees) { return cos(radians(degrees)); }

static double mean(double left, double right) { return (left + right) / 2.0; }

/* sqrt(C^7 / (C^7 + 25^7)): near 0 for greys, near 1 for vivid colours. */
static double vividness(double chroma) {
    double c7 = pow(chroma, 7.0);
    double c7_of_25 = pow(25.0, 7.0);

    return sqrt(c7 / (c7 + c7_of_25));
}

/* Equation 7: the hue angle, 0 by convention for a grey. */
static double hue_angle(double a, double b) {
    double hue;

    if (a == 0.0 && b == 0.0) {
        return 0.0;
    }
    hue = atan2(b, a) * 180.0 / pi;
    return hue < 0.0 ? hue + 360.0 : hue;
}

/* Equations 5 to 7, given G. */
static adjusted_colour adjust(lab_colour lab, double g) {
    double a = (1.0 + g) * lab.a;
    adjusted_colour adjusted = {lab.lightness, hypot(a, lab.b), hue_angle(a, lab.b)};

    return adjusted;
}

/* Step 1, equations 2 to 4: the G that stretches a*, the same for both colours. */
static double red_green_range(lab_colour left, lab_colour right) {
    double mean_chroma = mean(hypot(left.a, left.b), hypot(right.a, right.b));

    return 0.5 * (1.0 - vividness(mean_chroma));
}

static bool either_is_grey(adjusted_colour left, adjusted_colour right) { return left.chroma * right.chroma == 0.0; }

/* Whether the short way from one hue to the other passes through 0 degrees. Equations 10 and 14 leave exactly
 * opposite hues on the "no" side; the slack keeps them there when rounding makes it 180 and a hair. */
static bool short_way_crosses_zero(adjusted_colour left, adjusted_colour right) {
    const double slack = 1e-9;

    return fabs(left.hue - right.hue) > 180.0 + slack;
}

/* Equation 10: the angle from the left hue to the right one, the short way round. */
static double hue_turn(adjusted_colour left, adjusted_colour right) {
    double turn = right.hue - left.hue;

    if (either_is_grey(left, right)) {
        return 0.0;
    }
    if (!short_way_crosses_zero(left, right)) {
        return turn;
    }
    return turn > 0.0 ? turn - 360.0 : turn + 360.0;
}

/* Step 2, equations 8, 9 and 11. */
static colour_change change_between(adjusted_colour left, adjusted_colour right) {
    double half_turn = radians(hue_turn(left, right) / 2.0);
    colour_change change = {
        right.lightness - left.lightness,
        right.chroma - left.chroma,
        2.0 * sqrt(left.chroma * right.chroma) * sin(half_turn),
    };

    return change;
}

/* Equation 14: the hue halfway along the short way. A grey has hue 0, so then the sum is the other's hue. */
static double mean_hue(adjusted_colour left, adjusted_colour right) {
    double sum = left.hue + right.hue;

    if (either_is_grey(left, right)) {
        return sum;
    }
    if (!short_way_crosses_zero(left, right)) {
        return sum / 2.0;
    }
    return sum < 360.0 ? (sum + 360.0) / 2.0 : (sum - 360.0) / 2.0;
}

/* Step 3, equations 12, 13 and 14. */
static adjusted_colour midpoint(adjusted_colour left, adjusted_colour right) {
    adjusted_colour middle = {
        mean(left.lightness, right.lightness),
        mean(left.chroma, right.chroma),
        mean_hue(left, right),
    };

    return middle;
}

/* Equation 15, T: people see hue steps better in some hues than in others. */
static double hue_sensitivity(double hue) {
    return 1.0 - 0.17 * cos_degrees(hue - 30.0) + 0.24 * cos_degrees(2.0 * hue) + 0.32 * cos_degrees(3.0 * hue + 6.0) -
           0.20 * cos_degrees(4.0 * hue - 63.0);
}

/* Equation 18, S_L: lightness steps count most around L* = 50. */
static double lightness_weight(double lightness) {
    double offset = lightness - 50.0;
    double square = offset * offset;

    return 1.0 + 0.015 * square / sqrt(20.0 + square);
}

/* Equations 16, 17 and 21, R_T: in the blues, chroma and hue steps are not seen independently. */
static double blue_rotation(adjusted_colour middle) {
    double distance_from_blue = (middle.hue - 275.0) / 25.0;
    double delta_theta = 30.0 * exp(-distance_from_blue * distance_from_blue);

    return -sin(radians(2.0 * delta_theta)) * 2.0 * vividness(middle.chroma);
}

/* Equations 19, 20 and 22: each change divided by its weight, then combined. */
static double weighted_length(colour_change change, adjusted_colour middle) {
    double chroma_weight = 1.0 + 0.045 * middle.chroma;
    double hue_weight = 1.0 + 0.015 * middle.chroma * hue_sensitivity(middle.hue);
    double l = change.lightness / lightness_weight(middle.lightness);
    double c = change.chroma / chroma_weight;
    double h = change.hue / hue_weight;

    return sqrt(l * l + c * c + h * h + blue_rotation(middle) * c * h);
}

double ciede2000(lab_colour left, lab_colour right) {
    double g = red_green_range(left, right);
    adjusted_colour from = adjust(left, g);
    adjusted_colour to = adjust(right, g);

    return weighted_length(change_between(from, to), midpoint(from, to));
}
