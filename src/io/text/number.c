/* number.c - decimal text to double and back, exactly: see text.h.
 *
 * Reading: a number of at most 19 digits is a whole number times a power of ten.
 *   1. With 15 digits and up to 10^22 both factors are doubles without error, and one operation rounds once
 *      (Clinger 1990).
 *   2. Up to 10^27 the power is 5^k 2^k with 5^k in 64 bits, and 128 bits hold the product or the quotient well
 *      enough to round it once.
 *   3. Whatever is longer or further off goes to strtod, written without a decimal point: no locale can change it.
 * Writing: more digits than are needed by the same arithmetic, then the fewest of 15, 16 and 17 that read back the
 * same. */
#include "io/text/text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/digits.h"

__extension__ typedef unsigned __int128 wide;

enum { N_DIGITS = 19, MAX_TEN = 22, MAX_FIVE = 27 };

/* Digits beyond these cannot change a double, except by being there: the longest tie has 767. */
enum { LONGEST = 800 };

static const double tens[MAX_TEN + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* clang-format off */
static const uint64_t fives[MAX_FIVE + 1] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125,
    6103515625, 30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625,
    476837158203125, 2384185791015625, 11920928955078125, 59604644775390625, 298023223876953125,
    1490116119384765625, 7450580596923828125};

/* (2^127 - 1) / (5^k 2^s) where 5^k 2^s has 64 bits: a product is faster than a quotient. */
static const uint64_t inverses[MAX_FIVE + 1] = {
    0xFFFFFFFFFFFFFFFF, 0xCCCCCCCCCCCCCCCC, 0xA3D70A3D70A3D70A, 0x83126E978D4FDF3B, 0xD1B71758E219652B,
    0xA7C5AC471B478423, 0x8637BD05AF6C69B5, 0xD6BF94D5E57A42BC, 0xABCC77118461CEFC, 0x89705F4136B4A597,
    0xDBE6FECEBDEDD5BE, 0xAFEBFF0BCB24AAFE, 0x8CBCCC096F5088CB, 0xE12E13424BB40E13, 0xB424DC35095CD80F,
    0x901D7CF73AB0ACD9, 0xE69594BEC44DE15B, 0xB877AA3236A4B449, 0x9392EE8E921D5D07, 0xEC1E4A7DB69561A5,
    0xBCE5086492111AEA, 0x971DA05074DA7BEE, 0xF1C90080BAF72CB1, 0xC16D9A0095928A27, 0x9ABE14CD44753B52,
    0xF79687AED3EEC551, 0xC612062576589DDA, 0x9E74D1B791E07E48};
/* clang-format on */

/* ---- Digits to double ---- */

static double power_of_two(int exponent) { /* for exponents of normal doubles */
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static double times_five(uint64_t digits, int exponent) {
    wide product = (wide)digits * fives[exponent];
    uint64_t high = (uint64_t)(product >> 64);
    if (high == 0) return (double)(uint64_t)product * power_of_two(exponent);
    int excess = 64 - __builtin_clzll(high);
    uint64_t leading = (uint64_t)(product >> excess);
    bool is_cut = ((uint64_t)product & (UINT64_MAX >> (64 - excess))) != 0;
    return (double)(leading | is_cut) * power_of_two(exponent + excess);
}

static double divided_by_five(uint64_t digits, int exponent) {
    uint64_t divisor = fives[-exponent];
    int up = __builtin_clzll(digits), divisor_up = __builtin_clzll(divisor);
    wide dividend = (wide)(digits << up) << 62;
    divisor <<= divisor_up;
    uint64_t quotient = (uint64_t)(dividend / divisor); /* 62 or 63 bits */
    bool is_cut = dividend - (wide)quotient * divisor != 0;
    return (double)(int64_t)(quotient | is_cut) * power_of_two(exponent - up + divisor_up - 62);
}

/* digits * 10^exponent where that is rare, or hard to tell. The 64 leading bits of the exact result, the last of
 * them set if anything was cut off, round to a double as the exact result would. */
static __attribute__((noinline)) double scale_slowly(uint64_t digits, int64_t exponent) {
    if (digits == 0) return 0;
    if (exponent >= 0 && exponent <= MAX_FIVE) return times_five(digits, (int)exponent);
    if (exponent < 0 && exponent >= -MAX_FIVE) return divided_by_five(digits, (int)exponent);
    if (exponent < -400) return 0; /* 19 digits: below 10^-381 */
    if (exponent > 400) return INFINITY;
    char text[SM_NUMBER_SPACE];
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, (int)exponent);
    return strtod(text, NULL);
}

static inline double digits_to_double(uint64_t digits, int64_t exponent) {
    if (digits < 1000000000000000 && exponent >= -MAX_TEN && exponent <= MAX_TEN)
        return exponent < 0 ? (double)(int64_t)digits / tens[-exponent] : (double)(int64_t)digits * tens[exponent];
    if (digits == 0 || exponent >= 0 || exponent < -MAX_FIVE) return scale_slowly(digits, exponent);
    int up = __builtin_clzll(digits), divisor_up = __builtin_clzll(fives[-exponent]);
    /* The quotient lies between this and two more: its last eight bits leave the rounding open at their ends only. */
    uint64_t quotient = (uint64_t)((wide)(digits << up) * inverses[-exponent] >> 65);
    if ((quotient & 0xFF) - 1 >= 0xFD) return scale_slowly(digits, exponent);
    return (double)(int64_t)quotient * power_of_two((int)exponent - up + divisor_up - 62);
}

/* ---- Text to double ---- */

static bool is_digit(char c) { return (unsigned)(c - '0') <= 9; }

/* Appends the digits that stand at `at` to *digits, which may overflow; returns the position after them. */
static const char *take_digits(const char *at, const char *end, uint64_t *digits) {
    for (; end - at >= 8; at += 8) {
        uint64_t word = sm_digits_load(at);
        if (sm_digits_others(word) != 0) break;
        *digits = 100000000 * *digits + sm_digits_join(word);
    }
    for (; at < end && is_digit(*at); at++) *digits = 10 * *digits + (uint64_t)(*at - '0');
    return at;
}

/* The number whose digits, and at most one point, stand in [text, end); the exponent is that of its last digit. */
static double long_to_double(const char *text, const char *end, int64_t exponent) {
    char kept[LONGEST + SM_NUMBER_SPACE];
    size_t n = 0;
    bool is_cut = false;
    for (; text < end; text++) {
        if (*text == '.' || (*text == '0' && n == 0)) continue;
        if (n < LONGEST) {
            kept[n++] = *text;
        } else {
            is_cut |= *text != '0';
            exponent++;
        }
    }
    if (n == 0) return 0;
    if (is_cut) { /* a digit that stands for all that were left out */
        kept[n++] = '1';
        exponent--;
    }
    if (exponent < -9999) return 0;
    if (exponent > 9999) return INFINITY;
    snprintf(kept + n, SM_NUMBER_SPACE - 1, "e%d", (int)exponent);
    return strtod(kept, NULL);
}

/* Zeros at the front are digits that do not count. */
static bool is_short(const char *text, const char *end, size_t n_digits) {
    for (; text < end && (*text == '0' || *text == '.'); text++) n_digits -= *text == '0';
    return n_digits <= N_DIGITS;
}

/* Adds the exponent that follows an "e"; returns the position after it, or NULL if there is none. */
static const char *take_exponent(const char *at, const char *end, int64_t *sum) {
    bool is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    const char *first = at;
    int64_t exponent = 0;
    for (; at < end && is_digit(*at); at++)
        if (exponent < INT64_MAX / 100) exponent = 10 * exponent + (*at - '0'); /* beyond, more is the same */
    *sum += is_negative ? -exponent : exponent;
    return at > first ? at : NULL;
}

static inline double with_sign(bool is_negative, double size) {
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    bits |= (uint64_t)is_negative << 63;
    memcpy(&size, &bits, sizeof size);
    return size;
}

/* The end of a number whose digits have been read. */
static __attribute__((noinline)) const char *scan_exponent(const char *at, const char *end, uint64_t digits,
                                                           int64_t exponent, bool is_negative, double *value) {
    at = take_exponent(at, end, &exponent);
    if (at != NULL) *value = with_sign(is_negative, digits_to_double(digits, exponent));
    return at;
}

/* The bytes that scan_short may look at: a sign and a map of 32 bytes. */
enum { REACH = 40 };

/* sm_number_scan for numbers as they mostly are, with REACH bytes to read; NULL: this is another, or none.
 * Where the digits and the point lie is found for all of them at once; then they are taken eight bytes at a time, and
 * the point, which must be among the first eight, is left out. */
static inline const char *scan_short(const char *text, const char *end, double *value) {
    bool is_negative = *text == '-';
    text += is_negative;
    uint32_t others = sm_digits_map(text) | (uint32_t)1 << 31;
    unsigned n_whole = (unsigned)__builtin_ctz(others);
    bool has_point = text[n_whole] == '.';
    others &= others - has_point; /* without the point */
    if (n_whole >= 8 || others == 0) return NULL;
    unsigned n_bytes = (unsigned)__builtin_ctz(others), n_digits = n_bytes - has_point;
    if (n_digits == 0 || n_digits > N_DIGITS) return NULL;

    uint64_t word = sm_digits_load(text), after_point = UINT64_MAX << 8 * n_whole;
    word = (word & ~after_point) | ((word >> 8) & after_point);
    uint64_t digits;
    int64_t exponent = has_point ? (int64_t)n_whole + 1 - n_bytes : 0;
    if (n_bytes <= 8) {
        digits = sm_digits_value(word, n_digits);
    } else { /* there is a point, as more than 7 digits before it are not for here: 19 digits, the last perhaps zeros */
        digits = sm_digits_value(word, 7) * 1000000000000 + sm_digits_twelve(text + 8, n_bytes - 8);
        exponent = (int64_t)n_whole - N_DIGITS;
    }
    text += n_bytes;
    if ((*text | 0x20) == 'e') return scan_exponent(text + 1, end, digits, exponent, is_negative, value);
    *value = with_sign(is_negative, digits_to_double(digits, exponent));
    return text;
}

/* The same for any number, up to the end of the text. */
static __attribute__((noinline)) const char *scan_any(const char *text, const char *end, double *value) {
    bool is_negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+')) text++;
    uint64_t digits = 0;
    int64_t exponent = 0;
    const char *at = take_digits(text, end, &digits);
    size_t n_digits = (size_t)(at - text);
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = take_digits(fraction, end, &digits);
        n_digits += (size_t)(at - fraction);
        exponent = fraction - at;
    }
    if (n_digits == 0) return NULL;
    const char *last = at;
    if (at < end && (*at == 'e' || *at == 'E')) at = take_exponent(at + 1, end, &exponent);
    if (at == NULL) return NULL;
    double size = n_digits <= N_DIGITS || is_short(text, last, n_digits) ? digits_to_double(digits, exponent)
                                                                         : long_to_double(text, last, exponent);
    *value = with_sign(is_negative, size);
    return at;
}

const char *sm_number_scan(const char *text, const char *end, double *value) {
    const char *after = end - text >= REACH ? scan_short(text, end, value) : NULL;
    return after != NULL ? after : scan_any(text, end, value);
}

static bool equals_ignoring_case(const char *text, size_t n, const char *word) {
    if (n != strlen(word)) return false;
    for (size_t i = 0; i < n; i++)
        if ((text[i] | 0x20) != word[i]) return false;
    return true;
}

static bool is_missing(const char *text, size_t n) {
    if (n == 0) return true;
    if (n == 2) return memcmp(text, "NA", 2) == 0;
    return n == 3 && (memcmp(text, "NaN", 3) == 0 || memcmp(text, "nan", 3) == 0 || memcmp(text, "NAN", 3) == 0);
}

sm_cell sm_number_parse(const char *text, size_t n, double *value) {
    const char *end = text + n;
    while (text < end && (*text == ' ' || *text == '\t')) text++;
    while (text < end && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (is_missing(text, (size_t)(end - text))) return SM_CELL_MISSING;
    double number;
    if (sm_number_scan(text, end, &number) == end) {
        if (isinf(number)) return SM_CELL_INFINITE;
        *value = number;
        return SM_CELL_NUMBER;
    }
    if (*text == '-' || *text == '+') text++;
    size_t left = (size_t)(end - text);
    bool is_infinite = equals_ignoring_case(text, left, "inf") || equals_ignoring_case(text, left, "infinity");
    return is_infinite ? SM_CELL_INFINITE : SM_CELL_TEXT;
}

/* ---- Double to text ---- */

#define EIGHTEEN_DIGITS ((uint64_t)1000000000000000000) /* the first number that has more */

/* A value as digits * 10^exponent. */
typedef struct written {
    uint64_t digits;
    int exponent;
} written;

/* Digits cut off rather than rounded, so that they can be rounded later, once. What was cut off is kept in the last
 * digit, which is then no half and no whole. */
static uint64_t cut_digits(uint64_t digits, bool has_rest) { return digits + (has_rest && digits % 5 == 0); }

/* The value cut to 18 digits, where 128 bits hold its scaled form. */
static bool write_wide(double value, written *number) {
    int exponent;
    uint64_t bits = (uint64_t)ldexp(frexp(value, &exponent), 53); /* value = bits * 2^(exponent - 53) */
    exponent -= 53;
    int magnitude = (int)floor((exponent + 52) * 0.30102999566398120); /* log10: this or one more */
    int power = 17 - magnitude;                                        /* 10^power * value has 18 or 19 digits */
    for (;; power--) {
        int down = -(exponent + power);
        if (power < 0 || power > MAX_FIVE || down < 0 || down > 100) return false;
        wide scaled = (wide)bits * fives[power]; /* * 2^-down */
        uint64_t digits = (uint64_t)(scaled >> down);
        if (digits < EIGHTEEN_DIGITS) {
            *number = (written){cut_digits(digits, (wide)digits << down != scaled), -power};
            return true;
        }
    }
}

/* The same by printf, for any positive value. */
static void write_slowly(double value, written *number) {
    char text[64];
    snprintf(text, sizeof text, "%.30e", value);
    uint64_t digits = 0;
    bool has_rest = false;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (!is_digit(*at)) continue; /* the point, which a locale may write as it likes */
        if (digits < EIGHTEEN_DIGITS / 10)
            digits = 10 * digits + (uint64_t)(*at - '0');
        else
            has_rest |= *at != '0';
    }
    *number = (written){cut_digits(digits, has_rest), atoi(at + 1) - 17};
}

/* The fewest digits that read back as the value, and of those the nearest to it. */
static written write_shortest(double value) {
    written all;
    if (!write_wide(value, &all)) write_slowly(value, &all);
    bool is_tiny = value < DBL_MIN; /* there doubles lie so far apart that one digit may do */
    uint64_t reach = is_tiny ? UINT64_MAX : (all.digits >> 53) + 1; /* further off is another double */
    for (uint64_t unit = is_tiny ? EIGHTEEN_DIGITS / 10 : 1000; unit >= 10; unit /= 10) {
        uint64_t rest = all.digits % unit, below = all.digits - rest, above = below + unit;
        bool is_below_nearer = rest < unit / 2 || (rest == unit / 2 && below / unit % 2 == 0);
        uint64_t near = is_below_nearer ? below : above, far = is_below_nearer ? above : below;
        if ((rest <= reach || unit - rest <= reach) && digits_to_double(near, all.exponent) == value)
            return (written){near, all.exponent};
        if (rest <= reach && unit - rest <= reach && digits_to_double(far, all.exponent) == value)
            return (written){far, all.exponent};
    }
    return all; /* not reached: 17 digits always suffice */
}

/* The digits without trailing zeros; returns how many. */
static size_t print_digits(written *number, char digits[SM_NUMBER_SPACE]) {
    while (number->digits % 10 == 0) {
        number->digits /= 10;
        number->exponent++;
    }
    char reversed[SM_NUMBER_SPACE];
    size_t n = 0;
    for (uint64_t left = number->digits; left > 0; left /= 10) reversed[n++] = (char)('0' + left % 10);
    for (size_t i = 0; i < n; i++) digits[i] = reversed[n - 1 - i];
    return n;
}

static char *append(char *text, const char *more, size_t n) {
    memcpy(text, more, n);
    return text + n;
}

static char *append_zeros(char *text, size_t n) {
    memset(text, '0', n);
    return text + n;
}

/* As Python's repr lays digits out: with an exponent from 10^16 on and below 10^-4. Returns the end. */
static char *print_number(written number, char *text) {
    char digits[SM_NUMBER_SPACE] = "";
    size_t n = print_digits(&number, digits);
    int magnitude = number.exponent + (int)n - 1; /* of the first digit */
    if (magnitude < -4 || magnitude >= 16) {
        text = append(text, digits, 1);
        if (n > 1) text = append(append(text, ".", 1), digits + 1, n - 1);
        return text + snprintf(text, 6, "e%c%02d", magnitude < 0 ? '-' : '+', abs(magnitude));
    }
    if (magnitude < 0) {
        text = append_zeros(append(text, "0.", 2), (size_t)(-magnitude - 1));
        return append(text, digits, n);
    }
    if (number.exponent >= 0) return append_zeros(append(text, digits, n), (size_t)number.exponent);
    size_t n_whole = (size_t)magnitude + 1;
    text = append(append(text, digits, n_whole), ".", 1);
    return append(text, digits + n_whole, n - n_whole);
}

size_t sm_number_format(double value, char text[SM_NUMBER_SPACE]) {
    char *end = text;
    double size = fabs(value);
    if (!isnan(value) && signbit(value)) end = append(end, "-", 1);
    if (isinf(size))
        end = append(end, "inf", 3);
    else if (size == 0)
        end = append(end, "0", 1);
    else if (size < 1e15 && size == floor(size))
        end = print_number((written){(uint64_t)size, 0}, end);
    else if (!isnan(value))
        end = print_number(write_shortest(size), end);
    *end = '\0';
    return (size_t)(end - text);
}
