/* SPDX-License-Identifier: MIT
 *
 * number.c - compare and divide JSON numbers exactly.
 *
 * No number is converted to a double.  A number is represented by the digits of its
 * token, without the zeros at both ends, and a power of ten.  Comparison uses signs,
 * magnitudes and digits.  Division is long division.  A divisor of more than 18 digits is
 * kept in limbs of nine digits.
 */
#include <string.h>

#include "schema/inner.h"

#define MAGNITUDE_MAX ((int64_t)1000 * 1000 * 1000 * 1000 * 1000)
#define LIMB          1000000000u
#define LIMBS         (MCPH_DIVISOR_DIGITS / 9 + 2)

static int64_t
saturate(int64_t n)
{
    return n > MAGNITUDE_MAX ? MAGNITUDE_MAX : n < -MAGNITUDE_MAX ? -MAGNITUDE_MAX : n;
}

static int64_t
exponent_of(const char *p, const char *end)
{
    bool negative = p < end && *p == '-';
    int64_t n = 0;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end && n < MAGNITUDE_MAX; p++)
        n = n * 10 + (*p - '0');
    return saturate(negative ? -n : n);
}

/* Skips a point, then reads the next digit.  The caller counts the digits. */
static inline unsigned
next_digit(const char **p)
{
    if (**p == '.')
        ++*p;
    return (unsigned)(*(*p)++ - '0');
}

struct mcph_number
mcph_number(struct mcph_span token)
{
    struct mcph_number num = {0};
    const char *p = token.p, *end = token.p + token.len, *mantissa_end, *point = NULL;
    int64_t exponent = 0;

    if (p < end && *p == '-') {
        num.negative = true;
        p++;
    }
    for (mantissa_end = p; mantissa_end < end; mantissa_end++) {
        if (*mantissa_end == '.')
            point = mantissa_end;
        else if (*mantissa_end == 'e' || *mantissa_end == 'E')
            break;
    }
    if (mantissa_end < end)
        exponent = exponent_of(mantissa_end + 1, end);
    if (!point)
        point = mantissa_end;
    while (p < mantissa_end && (*p == '0' || *p == '.'))
        p++;
    while (mantissa_end > p && (mantissa_end[-1] == '0' || mantissa_end[-1] == '.'))
        mantissa_end--;
    if (p == mantissa_end) {
        num.negative = false; /* -0 equals 0 */
        return num;
    }
    num.digits = p;
    num.len = (size_t)(mantissa_end - p);
    num.n = num.len - (point > p && point < mantissa_end);
    /* The magnitude counts the digits before the point.  In 0.00d, each zero after the
     * point counts as -1. */
    num.magnitude = saturate(exponent + (point > p ? point - p : point - p + 1));
    return num;
}

static int
compare_digits(const struct mcph_number *a, const struct mcph_number *b)
{
    const char *p = a->digits, *q = b->digits;
    size_t i, n = a->n < b->n ? a->n : b->n;

    for (i = 0; i < n; i++) {
        unsigned x = next_digit(&p), y = next_digit(&q);

        if (x != y)
            return x < y ? -1 : 1;
    }
    return (a->n > b->n) - (a->n < b->n);
}

int
mcph_number_compare(const struct mcph_number *a, const struct mcph_number *b)
{
    int r;

    if (a->n == 0 || b->n == 0) {
        if (a->n == 0 && b->n == 0)
            return 0;
        return a->n == 0 ? (b->negative ? 1 : -1) : (a->negative ? -1 : 1);
    }
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    if (a->magnitude != b->magnitude)
        r = a->magnitude < b->magnitude ? -1 : 1;
    else
        r = compare_digits(a, b);
    return a->negative ? -r : r;
}

bool
mcph_number_is_integer(const struct mcph_number *a)
{
    return a->n == 0 || (a->magnitude > 0 && (uint64_t)a->magnitude >= a->n);
}

uint64_t
mcph_number_hash(const struct mcph_number *a)
{
    uint64_t h = (uint64_t)a->magnitude * 2 + a->negative;
    const char *p = a->digits;
    size_t i;

    for (i = 0; i < a->n; i++)
        h = h * 31 + next_digit(&p);
    return mcph_hash64(&h, sizeof(h));
}

bool
mcph_number_size(const struct mcph_number *a, size_t *ret_size)
{
    const char *p = a->digits;
    size_t size = 0;
    int64_t i;

    if (a->negative || !mcph_number_is_integer(a))
        return false;
    for (i = 0; a->n > 0 && i < a->magnitude; i++) {
        unsigned digit = (uint64_t)i < a->n ? next_digit(&p) : 0;

        if (__builtin_mul_overflow(size, 10, &size) ||
            __builtin_add_overflow(size, digit, &size)) {
            size = SIZE_MAX;
            break;
        }
    }
    *ret_size = size;
    return true;
}

/* ---- long division ----------------------------------------------------------------- */

struct limbs {
    uint32_t at[LIMBS]; /* lowest limb first */
    size_t n;
};

/* Multiplies by ten and adds a digit. */
static void
shift_in(struct limbs *x, unsigned digit)
{
    uint64_t carry = digit;
    size_t i;

    for (i = 0; i < x->n; i++) {
        uint64_t v = (uint64_t)x->at[i] * 10 + carry;

        x->at[i] = (uint32_t)(v % LIMB);
        carry = v / LIMB;
    }
    if (carry > 0)
        x->at[x->n++] = (uint32_t)carry;
}

static bool
is_less(const struct limbs *x, const struct limbs *y)
{
    size_t i;

    if (x->n != y->n)
        return x->n < y->n;
    for (i = x->n; i > 0; i--) {
        if (x->at[i - 1] != y->at[i - 1])
            return x->at[i - 1] < y->at[i - 1];
    }
    return false;
}

static void
subtract(struct limbs *x, const struct limbs *y)
{
    int64_t borrow = 0;
    size_t i;

    for (i = 0; i < x->n; i++) {
        int64_t v = (int64_t)x->at[i] - borrow - (i < y->n ? (int64_t)y->at[i] : 0);

        borrow = v < 0;
        x->at[i] = (uint32_t)(v + (borrow ? (int64_t)LIMB : 0));
    }
    while (x->n > 0 && x->at[x->n - 1] == 0)
        x->n--;
}

static void
remainder_in(struct limbs *rest, const struct limbs *divisor, unsigned digit)
{
    shift_in(rest, digit);
    while (!is_less(rest, divisor))
        subtract(rest, divisor);
}

/* Checks by long division whether `divisor` divides `a`.  `divisor` has at most 18
 * digits, so that `rest` cannot overflow.  `zeros` is the number of zeros that follow the
 * digits of `a`. */
static bool
is_multiple_small(const struct mcph_number *a, uint64_t divisor, uint64_t zeros)
{
    const char *p = a->digits;
    uint64_t rest = 0, i;

    for (i = 0; i < a->n; i++)
        rest = (rest * 10 + next_digit(&p)) % divisor;
    for (i = 0; i < zeros && rest != 0; i++)
        rest = rest * 10 % divisor;
    return rest == 0;
}

static bool
is_multiple_long(const struct mcph_number *a, const struct mcph_number *b, uint64_t zeros)
{
    struct limbs divisor = {.n = 0}, rest = {.n = 0};
    const char *p = b->digits;
    uint64_t i;

    for (i = 0; i < b->n; i++)
        shift_in(&divisor, next_digit(&p));
    p = a->digits;
    for (i = 0; i < a->n; i++)
        remainder_in(&rest, &divisor, next_digit(&p));
    for (i = 0; i < zeros && rest.n > 0; i++)
        remainder_in(&rest, &divisor, 0);
    return rest.n == 0;
}

bool
mcph_number_is_multiple(const struct mcph_number *a, const struct mcph_number *b,
                        uint64_t *ret_steps)
{
    int64_t ea = a->magnitude - (int64_t)a->n, eb = b->magnitude - (int64_t)b->n;
    const char *p = b->digits;
    uint64_t zeros, divisor = 0;
    size_t i;

    *ret_steps = 1;
    if (a->n == 0)
        return true;
    /* Return false if the divisor has more factors of ten than `a`, because the digits of
     * `a` do not end with 0.  rules.c has already refused a divisor of 0 or of more than
     * MCPH_DIVISOR_DIGITS digits. */
    if (ea < eb || b->n == 0 || b->n > MCPH_DIVISOR_DIGITS)
        return false;
    /* Limit the zeros to 4n for a divisor of n digits, because more zeros change nothing.
     * Each zero can cancel a factor 2 and a factor 5 of the divisor.  The divisor has
     * fewer than 4n of these factors. */
    zeros = (uint64_t)(ea - eb);
    if (zeros > b->n * 4)
        zeros = b->n * 4;
    *ret_steps += (a->n + zeros) * (b->n / 9 + 1) / 16;
    if (b->n > 18)
        return is_multiple_long(a, b, zeros);
    for (i = 0; i < b->n; i++)
        divisor = divisor * 10 + next_digit(&p);
    return is_multiple_small(a, divisor, zeros);
}
