/* Reading, ordering and matching ids, in one pass over bytes.
 *
 * Why C: files to scores is dominated by cutting lines and comparing document
 * ids.  A general CSV reader materialises six string columns per line before the
 * first comparison; here an id is a place in the file (start, length, hash) and is
 * compared byte by byte where a hash agrees, so no document is ever found by a hash alone.
 * (Draws of collections are another matter: how often a document is copied is read off
 * its hash, so that two ids of one hash would be copied alike; sampling/_copies.c.)
 *
 * All arrays are allocated by the caller (numpy) and filled here without the
 * interpreter lock, so that files are read in parallel threads.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../little_endian.h"

/* Where words can be looked at as 8 bytes, lines of the usual form are cut without looking at every byte in turn;
 * elsewhere, and for every unusual line, byte by byte, with the same result. */
#if (defined(__GNUC__) || defined(__clang__)) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && \
    defined(__SIZEOF_INT128__)
#define BY_WORDS 1
#define ALWAYS_INLINE inline __attribute__((always_inline))
#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif
#else
#define BY_WORDS 0
#define ALWAYS_INLINE inline
#endif

/* ---------------------------------------------------------------- arguments */

typedef struct {
    Py_buffer view;
    int held;
} Array;

/* One C-contiguous array argument with items of `size` bytes. */
static int take(PyObject *object, Array *array, size_t size, int writable)
{
    int flags = PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
    array->held = 0;
    if (PyObject_GetBuffer(object, &array->view, flags) < 0)
        return -1;
    array->held = 1;
    if ((size_t)array->view.itemsize != size && size != 1) {
        PyErr_Format(PyExc_TypeError, "expected items of %zu bytes, got %zd", size, array->view.itemsize);
        return -1;
    }
    return 0;
}

static void release(Array *arrays, int count)
{
    for (int i = 0; i < count; i++)
        if (arrays[i].held)
            PyBuffer_Release(&arrays[i].view);
}

/* Take all arrays of one call: `sizes[i]` is the item size, negative if written to. */
static int take_all(PyObject **objects, Array *arrays, const int *sizes, int count)
{
    memset(arrays, 0, sizeof(Array) * (size_t)count);
    for (int i = 0; i < count; i++)
        if (take(objects[i], &arrays[i], (size_t)abs(sizes[i]), sizes[i] < 0) < 0)
            return -1;
    return 0;
}

#define DATA(type, i) ((type *)arrays[i].view.buf)
#define COUNT(i, size) (arrays[i].view.len / (Py_ssize_t)(size))

/* --------------------------------------------------------------------- hash */

static inline uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ULL;
    h ^= h >> 29;
    return h;
}

static inline uint64_t hash_bytes(const unsigned char *text, size_t length)
{
    uint64_t h = 0x9e3779b97f4a7c15ULL ^ (uint64_t)length;
    for (; length >= 8; text += 8, length -= 8)
        h = mix(h ^ little_endian(text, 8));
    if (length)
        h = mix(h ^ little_endian(text, length));
    return mix(h);
}

static inline int same_bytes(const unsigned char *a, size_t la, const unsigned char *b, size_t lb)
{
    return la == lb && memcmp(a, b, la) == 0;
}

static size_t table_size(Py_ssize_t entries)
{
    size_t size = 8;
    while (size < (size_t)entries * 2)
        size *= 2;
    return size;
}

/* ------------------------------------------------------------------ numbers */

static const double POWERS_OF_TEN[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if BY_WORDS
typedef unsigned __int128 Wide;

/* 5^q for q = -FIVES to FIVES with its highest bit at the top: cut off for q >= 0, where it is exact, rounded up
 * below.  5^27 is the largest that fits into 64 bits. */
enum { FIVES = 27 };
static Wide powers_of_five[2 * FIVES + 1];

static void make_powers_of_five(void)
{
    uint64_t five = 1;
    for (int q = 0; q <= FIVES; q++, five *= 5) {
        int length = 64 - __builtin_clzll(five);
        powers_of_five[FIVES + q] = (Wide)five << (128 - length);
        /* 2^(127 + length) / 5^q has 128 bits, unless it is 2^128 for q = 0, which is not asked for; bit by bit */
        Wide quotient = 0, rest = (Wide)1 << (length - 1);
        for (int bit = 0; bit < 128; bit++) {
            rest <<= 1;
            quotient = quotient << 1 | (rest >= five);
            rest -= rest >= five ? five : 0;
        }
        if (q)
            powers_of_five[FIVES - q] = quotient + 1;
    }
}

/* The double nearest to mantissa * 10^q (Lemire, Number parsing at a gigabyte per second, 2021); 0 where that needs
 * more digits of 5^q than there are. */
static inline int nearest(uint64_t mantissa, int q, double *value)
{
    if (!mantissa || q < -FIVES || q > FIVES)
        return 0;
    int zeros = __builtin_clzll(mantissa);
    uint64_t w = mantissa << zeros;
    Wide product = (Wide)w * (uint64_t)(powers_of_five[FIVES + q] >> 64);
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if ((high & 0x1FF) == 0x1FF) { /* the lower half of 5^q may carry */
        uint64_t more = (uint64_t)((Wide)w * (uint64_t)powers_of_five[FIVES + q] >> 64);
        low += more;
        high += low < more;
    }
    int top = (int)(high >> 63), shift = top + 9;
    uint64_t bits = high >> shift;
    int64_t exponent = ((217706 * q) >> 16) + 63 + top - zeros + 1023;
    if (low <= 1 && q >= -4 && q <= 23 && (bits & 3) == 1 && bits << shift == high)
        bits &= ~1ULL; /* exactly between two doubles: to the even one */
    bits = (bits + (bits & 1)) >> 1;
    if (bits >> 53) {
        bits >>= 1;
        exponent++;
    }
    uint64_t whole = (uint64_t)exponent << 52 | (bits & ((1ULL << 52) - 1));
    memcpy(value, &whole, 8);
    return 1;
}
#else
static void make_powers_of_five(void) {}
static inline int nearest(uint64_t mantissa, int q, double *value)
{
    (void)mantissa, (void)q, (void)value;
    return 0;
}
#endif

/* mantissa * 10^exponent: where one operation on doubles is exact (Clinger), or from a longer product. */
static inline int from_decimal(uint64_t mantissa, int exponent, int negative, double *value)
{
    double v;
    if (mantissa <= 1ULL << 53 && exponent >= -22 && exponent <= 22) {
        v = (double)mantissa;
        v = exponent < 0 ? v / POWERS_OF_TEN[-exponent] : v * POWERS_OF_TEN[exponent];
    } else if (!nearest(mantissa, exponent, &v))
        return 0;
    *value = negative ? -v : v;
    return 1;
}

/* Decimal text of at most 19 digits to the nearest double;
 * returns 0 when the text is not of that kind and the slow reader must decide. */
static inline int quick_number(const unsigned char *text, size_t length, double *value)
{
    const unsigned char *p = text, *end = text + length;
    uint64_t mantissa = 0;
    int negative = 0, digits = 0, seen = 0, exponent = 0;
    if (p < end && (*p == '-' || *p == '+'))
        negative = *p++ == '-';
    for (; p < end && *p >= '0' && *p <= '9'; p++, seen = 1) {
        mantissa = mantissa * 10 + (*p - '0');
        digits += digits || mantissa;
        if (digits > 19)
            return 0;
    }
    if (p < end && *p == '.')
        for (p++; p < end && *p >= '0' && *p <= '9'; p++, seen = 1) {
            mantissa = mantissa * 10 + (*p - '0');
            digits += digits || mantissa;
            exponent--;
            if (digits > 19)
                return 0;
        }
    if (!seen)
        return 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int sign = 1, power = 0;
        p++;
        if (p < end && (*p == '-' || *p == '+'))
            sign = *p++ == '-' ? -1 : 1;
        if (p == end || end - p > 4)
            return 0;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            power = power * 10 + (*p - '0');
        exponent += sign * power;
    }
    return p == end && from_decimal(mantissa, exponent, negative, value);
}

/* Python's own reader, exact for every decimal; needs the interpreter lock. */
static int slow_number(const unsigned char *text, size_t length, double *value)
{
    char brief[128];
    char *copy = length < sizeof brief ? brief : malloc(length + 1), *end = NULL;
    int good = 0;
    if (!copy)
        return 0;
    memcpy(copy, text, length);
    copy[length] = 0;
    *value = PyOS_string_to_double(copy, &end, NULL);
    if (PyErr_Occurred())
        PyErr_Clear();
    else
        good = end == copy + length;
    if (copy != brief)
        free(copy);
    return good;
}

#if BY_WORDS
/* -------------------------------------------------------------------- words
 *
 * Eight bytes at a time, the first of them the lowest.  Whoever loads them sees to it that the text goes on so far. */

static inline uint64_t load(const unsigned char *text)
{
    uint64_t word;
    memcpy(&word, text, 8);
    return word;
}

/* The lowest 1 to 8 bytes of a word. */
static inline uint64_t lowest(size_t bytes) { return ~0ULL >> (64 - 8 * bytes); }

static inline uint64_t hash_loaded(const unsigned char *text, size_t length)
{
    uint64_t h = 0x9e3779b97f4a7c15ULL ^ (uint64_t)length;
    for (; length > 8; text += 8, length -= 8)
        h = mix(h ^ load(text));
    return mix(length ? mix(h ^ (load(text) & lowest(length))) : h);
}

static inline int same_loaded(const unsigned char *a, size_t la, const unsigned char *b, size_t lb)
{
    return la == lb && (la <= 8 ? !((load(a) ^ load(b)) & lowest(la)) : !memcmp(a, b, la));
}

/* Up to 8 characters at the end of a word, zeros before them. */
static inline uint64_t right(uint64_t word, size_t length)
{
    return length == 8 ? word : word << (64 - 8 * length) | 0x3030303030303030ULL >> (8 * length);
}

static inline int all_digits(uint64_t word)
{
    return ((word & 0xF0F0F0F0F0F0F0F0ULL) | ((word + 0x0606060606060606ULL) & 0xF0F0F0F0F0F0F0F0ULL) >> 4) ==
           0x3333333333333333ULL;
}

static inline uint64_t eight_digits(uint64_t word)
{
    word -= 0x3030303030303030ULL;
    word = word * 10 + (word >> 8);
    return ((word & 0x000000FF000000FFULL) * 0x000F424000000064ULL +
            (word >> 16 & 0x000000FF000000FFULL) * 0x0000271000000001ULL) >> 32;
}

/* Numbers such as 13.30927 of at most 16 characters after the sign; 0 for all others. */
static inline int number_loaded(const unsigned char *text, size_t length, double *value)
{
    int negative = *text == '-';
    text += negative;
    length -= (size_t)negative;
    if (length - 1 > 15)
        return 0;
    uint64_t head = 0x3030303030303030ULL, tail;
    if (length <= 8)
        tail = right(load(text), length);
    else {
        head = right(load(text), length - 8);
        tail = load(text + length - 8);
    }
    /* without its point, what stands before it moves on by one */
    uint64_t x = tail ^ 0x2E2E2E2E2E2E2E2EULL, point = (x - 0x0101010101010101ULL) & ~x & 0x8080808080808080ULL;
    int decimals = 0;
    if (point) {
        int at = __builtin_ctzll(point) & ~7;
        uint64_t before = (1ULL << at) - 1;
        tail = (tail & before) << 8 | (tail & ~(before << 8 | 0xFF)) | head >> 56;
        head = head << 8 | 0x30;
        decimals = 7 - at / 8;
        if (length == 1)
            return 0;
    } else if (length > 8) {
        x = head ^ 0x2E2E2E2E2E2E2E2EULL;
        point = (x - 0x0101010101010101ULL) & ~x & 0x8080808080808080ULL;
        if (point) {
            int at = __builtin_ctzll(point) & ~7;
            uint64_t before = (1ULL << at) - 1;
            head = (head & before) << 8 | (head & ~(before << 8 | 0xFF)) | 0x30;
            decimals = 15 - at / 8;
        }
    }
    if (!all_digits(tail))
        return 0;
    uint64_t mantissa = eight_digits(tail);
    if (length > 8) {
        if (!all_digits(head))
            return 0;
        mantissa += eight_digits(head) * 100000000;
    }
    return from_decimal(mantissa, -decimals, negative, value);
}

/* Which of 64 bytes are blanks, ends of lines, or other bytes up to a blank. */
static inline uint64_t blanks(const unsigned char *p)
{
#if defined(__ARM_NEON) && defined(__aarch64__)
    const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128}, blank = vdupq_n_u8(' ');
    uint8x16_t a = vandq_u8(vcleq_u8(vld1q_u8(p), blank), bit);
    uint8x16_t b = vandq_u8(vcleq_u8(vld1q_u8(p + 16), blank), bit);
    uint8x16_t c = vandq_u8(vcleq_u8(vld1q_u8(p + 32), blank), bit);
    uint8x16_t d = vandq_u8(vcleq_u8(vld1q_u8(p + 48), blank), bit);
    a = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(a, a)), 0);
#else
    uint64_t mask = 0;
#if defined(__SSE2__)
    for (int i = 0; i < 4; i++) {
        __m128i x = _mm_loadu_si128((const __m128i *)(p + 16 * i));
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(' ')), x);
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(low) << (16 * i);
    }
#else
    for (int i = 0; i < 8; i++) {
        uint64_t word = load(p + 8 * i);
        uint64_t low = ~((word & 0x7F7F7F7F7F7F7F7FULL) + 0x5F5F5F5F5F5F5F5FULL) & ~word & 0x8080808080808080ULL;
        mask |= ((low >> 7) * 0x0102040810204080ULL >> 56) << (8 * i);
    }
#endif
    return mask;
#endif
}

enum { BLOCK = 8192, BEYOND = 16 }; /* bytes looked at in one go; bytes that may be loaded behind a field */

/* Where the blanks and ends of lines are in the next block, and how many; `covered` is how many bytes were looked at. */
static int blanks_of(const unsigned char *p, const unsigned char *stop, uint16_t *at, int *covered)
{
    int count = 0, bytes = stop - p < BLOCK + BEYOND ? (int)(stop - p) - BEYOND : BLOCK;
    bytes = bytes < 0 ? 0 : bytes & ~63;
    for (int base = 0; base < bytes; base += 64) {
        uint64_t mask = blanks(p + base);
        int next = count + __builtin_popcountll(mask);
        for (uint16_t *to = at + count; mask; to += 8) /* eight whether there are so many or not: that costs less */
            for (int i = 0; i < 8; i++, mask &= mask - 1)
                to[i] = (uint16_t)(base + __builtin_ctzll(mask | 1ULL << 63));
        count = next;
    }
    *covered = bytes;
    return count;
}
#endif

/* -------------------------------------------------------------------- lines */

enum { FINE, TOO_FEW_FIELDS, TOO_MANY_FIELDS, NOT_A_NUMBER, NAN_VALUE, LONE_RETURN };
enum { MAX_FIELDS = 8 };

typedef struct {
    const unsigned char *start[MAX_FIELDS];
    size_t length[MAX_FIELDS];
    int count;
    int more; /* whether there are fields beyond those that were cut */
} Fields;

static const unsigned char SPACE[256] = {['\t'] = 1, ['\v'] = 1, ['\f'] = 1, ['\r'] = 1, [' '] = 1};

/* Cut [p, end) at white space; fields beyond the sixth are left alone when allowed. */
static inline int cut(const unsigned char *p, const unsigned char *end, int most, Fields *fields)
{
    fields->count = fields->more = 0;
    while (end > p && end[-1] == '\r')
        end--;
    for (;;) {
        while (p < end && SPACE[*p])
            if (*p++ == '\r')
                return LONE_RETURN;
        if (p == end)
            return FINE;
        if (fields->count == MAX_FIELDS || (fields->count == 6 && most > 6)) {
            fields->more = 1;
            return memchr(p, '\r', (size_t)(end - p)) ? LONE_RETURN : FINE;
        }
        const unsigned char *start = p;
        while (p < end && !SPACE[*p])
            p++;
        fields->start[fields->count] = start;
        fields->length[fields->count++] = (size_t)(p - start);
    }
}

/* A column whose value seldom changes from line to line, kept as runs of equal values. */
typedef struct {
    int32_t *segment;
    int64_t *start;
    int32_t *length;
    Py_ssize_t count;
    const unsigned char *last;
    size_t last_length;
} Grouped;

static inline void append_value(Grouped *g, Py_ssize_t row, const unsigned char *base,
                                const unsigned char *text, size_t length, int as_before)
{
    if (!as_before) {
        g->start[g->count] = text - base;
        g->length[g->count] = (int32_t)length;
        g->count++;
    }
    g->last = text;
    g->last_length = length;
    g->segment[row] = (int32_t)(g->count - 1);
}

static inline void append_group(Grouped *g, Py_ssize_t row, const unsigned char *base,
                                const unsigned char *text, size_t length)
{
    append_value(g, row, base, text, length, g->count && same_bytes(g->last, g->last_length, text, length));
}

static inline int32_t rank_of(const unsigned char *text, size_t length)
{
    int64_t value = 0;
    if (!length || length > 9)
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return (int32_t)value;
}

/* Numbers for the slow reader, kept until there are many: the lock is dear to take line by line. */
enum { MAX_SLOW = 512 };

typedef struct {
    Py_ssize_t row;
    const unsigned char *line, *text;
    size_t length;
} Slow;

/* Read the numbers that were kept; at the first bad one return its status and its line. */
static int settle(const Slow *slow, int count, double *values, PyThreadState **thread, const unsigned char **line)
{
    int status = FINE;
    if (!count)
        return FINE;
    PyEval_RestoreThread(*thread);
    for (int i = 0; i < count && status == FINE; i++) {
        if (!slow_number(slow[i].text, slow[i].length, &values[slow[i].row]))
            status = NOT_A_NUMBER;
        else if (isnan(values[slow[i].row]))
            status = NAN_VALUE;
        if (status != FINE)
            *line = slow[i].line;
    }
    *thread = PyEval_SaveThread();
    return status;
}

/* Which field of a line is what; rank -1: there is none. */
typedef struct {
    int fewest, most, topic, second, doc, value, rank;
} Layout;

static const Layout RUN = {6, 99, 0, 5, 2, 4, 3}; /* nearly all that is read: compiled for it alone */

/* Where what is read goes. */
typedef struct {
    const unsigned char *base;
    Grouped topics, seconds;
    int64_t *doc_start;
    int32_t *doc_length;
    uint64_t *doc_hash;
    double *values;
    int32_t *ranks;
    Py_ssize_t rows, more;
    int kept;
    Slow slow[MAX_SLOW];
} Columns;

/* Any line, byte by byte. */
static int read_line(Columns *c, Layout layout, const unsigned char *line, const unsigned char *end)
{
    Fields f;
    int status = cut(line, end, layout.most, &f);
    if (status != FINE || !f.count || f.start[0][0] == '#')
        return status;
    if (f.count < layout.fewest)
        return TOO_FEW_FIELDS;
    if (f.count > layout.most)
        return TOO_MANY_FIELDS;
    Py_ssize_t row = c->rows++;
    const unsigned char *value = f.start[layout.value], *doc = f.start[layout.doc];
    size_t value_length = f.length[layout.value], doc_length = f.length[layout.doc];
    if (!quick_number(value, value_length, &c->values[row]))
        c->slow[c->kept++] = (Slow){row, line, value, value_length};
    append_group(&c->topics, row, c->base, f.start[layout.topic], f.length[layout.topic]);
    append_group(&c->seconds, row, c->base, f.start[layout.second], f.length[layout.second]);
    c->doc_start[row] = doc - c->base;
    c->doc_length[row] = (int32_t)doc_length;
    c->doc_hash[row] = hash_bytes(doc, doc_length);
    c->ranks[row] = layout.rank < 0 ? -1 : rank_of(f.start[layout.rank], f.length[layout.rank]);
    c->more += f.more;
    return FINE;
}

#if BY_WORDS
static const unsigned char BLANK[256] = {['\t'] = 1, [' '] = 1};

static inline void append_loaded(Grouped *g, Py_ssize_t row, const unsigned char *base,
                                 const unsigned char *text, size_t length)
{
    append_value(g, row, base, text, length, g->count && same_loaded(g->last, g->last_length, text, length));
}

/* The line that begins at `line` of a block, `at` being the blanks from there on: how many of these it takes where it
 * has just the fields that are needed with one blank between them, as nearly all lines have, or 0. */
static ALWAYS_INLINE int read_usual_line(Columns *c, Layout layout, const unsigned char *block, int line, const uint16_t *at, int left)
{
    int last = layout.fewest - 1, begin = line, wrong = 0, taken = layout.fewest;
    if (left <= last || block[line] == '#')
        return 0;
    for (int f = 0; f <= last; f++) { /* fields that are empty, and blanks of another kind */
        wrong |= at[f] - begin - 1;
        wrong |= f < last ? -!BLANK[block[at[f]]] : 0;
        begin = at[f] + 1;
    }
    if (wrong < 0)
        return 0;
    if (block[at[last]] != '\n') {
        if (left == taken || block[at[last]] != '\r' || block[at[taken]] != '\n' || at[taken] != at[last] + 1)
            return 0;
        taken++;
    }
#define START(f) (block + ((f) ? at[(f) - 1] + 1 : line))
#define LENGTH(f) ((size_t)(block + at[f] - START(f)))
    Py_ssize_t row = c->rows++;
    const unsigned char *value = START(layout.value), *doc = START(layout.doc);
    size_t value_length = LENGTH(layout.value), doc_length = LENGTH(layout.doc);
    if (!number_loaded(value, value_length, &c->values[row]) && !quick_number(value, value_length, &c->values[row]))
        c->slow[c->kept++] = (Slow){row, block + line, value, value_length};
    append_loaded(&c->topics, row, c->base, START(layout.topic), LENGTH(layout.topic));
    append_loaded(&c->seconds, row, c->base, START(layout.second), LENGTH(layout.second));
    c->doc_start[row] = doc - c->base;
    c->doc_length[row] = (int32_t)doc_length;
    c->doc_hash[row] = hash_loaded(doc, doc_length);
    int32_t rank = -1;
    if (layout.rank >= 0) {
        const unsigned char *text = START(layout.rank);
        size_t length = LENGTH(layout.rank);
        uint64_t word = length <= 8 ? right(load(text), length) : 0;
        rank = all_digits(word) ? (int32_t)eight_digits(word) : rank_of(text, length);
    }
    c->ranks[row] = rank;
    return taken;
#undef START
#undef LENGTH
}
#endif

/* Read lines of [p, stop) until there are none, no room, or one is bad: its status, and it. */
static ALWAYS_INLINE int read_lines(Columns *c, const Layout layout, const unsigned char *p, const unsigned char *stop,
                                    Py_ssize_t capacity, PyThreadState **thread, const unsigned char **bad)
{
    int status = FINE;
    while (p < stop && c->rows < capacity && status == FINE) {
        const unsigned char *block = p;
        int covered = 0;
#if BY_WORDS
        uint16_t at[BLOCK + 8];
        int count = blanks_of(p, stop, at, &covered), next = 0;
#endif
        while (p < stop && c->rows < capacity && status == FINE) {
#if BY_WORDS
            int taken = read_usual_line(c, layout, block, (int)(p - block), at + next, count - next);
            if (taken) {
                next += taken;
                p = block + at[next - 1] + 1;
            } else
#endif
            {
                const unsigned char *end = memchr(p, '\n', (size_t)(stop - p));
                end = end ? end : stop;
                if (p > block && end >= block + covered)
                    break; /* it goes on behind this block: begin another */
                status = read_line(c, layout, p, end);
                *bad = status == FINE ? NULL : p;
                p = end + 1;
#if BY_WORDS
                while (next < count && block + at[next] < p)
                    next++;
#endif
            }
            if (c->kept == MAX_SLOW && status == FINE) {
                status = settle(c->slow, c->kept, c->values, thread, bad);
                c->kept = 0;
            }
            if (p >= block + covered)
                break;
        }
    }
    int earlier = settle(c->slow, c->kept, c->values, thread, bad); /* what was kept stands before any fault */
    return earlier != FINE ? earlier : status;
}

PyDoc_STRVAR(scan_doc,
"scan(text, begin, end, layout, topic_segment, topic_start, topic_length, second_segment, second_start,\n"
"second_length, doc_start, doc_length, doc_hash, value, rank) -> (rows, topic segments, second segments, lines with\n"
"more fields than are read, status, offset)\n\n"
"Cut the lines of text[begin:end] into columns; layout = (fewest fields, most fields, and the positions of\n"
"topic, second, document, value and rank, -1 for no rank).  Stops at the first bad line: status and its offset.");

static PyObject *scan(PyObject *self, PyObject *args)
{
    Py_ssize_t begin, end;
    Layout l;
    PyObject *objects[12];
    Array arrays[12];
    static const int sizes[12] = {1, -4, -8, -4, -4, -8, -4, -8, -4, -8, -8, -4};
    (void)self;
    if (!PyArg_ParseTuple(args, "Onn(iiiiiii)OOOOOOOOOOO", &objects[0], &begin, &end, &l.fewest, &l.most, &l.topic,
                          &l.second, &l.doc, &l.value, &l.rank, &objects[1], &objects[2], &objects[3], &objects[4],
                          &objects[5], &objects[6], &objects[7], &objects[8], &objects[9], &objects[10],
                          &objects[11]))
        return NULL;
    if (take_all(objects, arrays, sizes, 12) < 0) {
        release(arrays, 12);
        return NULL;
    }
    const unsigned char *base = DATA(const unsigned char, 0);
    Py_ssize_t capacity = COUNT(7, 8);
    if (begin < 0 || end > arrays[0].view.len || begin > end) {
        release(arrays, 12);
        PyErr_SetString(PyExc_ValueError, "begin and end must lie inside the text");
        return NULL;
    }
    /* every field that is read must be among the fewest a line may have, every array as long as the first */
    int sound = l.fewest >= 1 && l.fewest <= 6 && l.topic >= 0 && l.topic < l.fewest && l.second >= 0 &&
                l.second < l.fewest && l.doc >= 0 && l.doc < l.fewest && l.value >= 0 && l.value < l.fewest &&
                l.rank < l.fewest;
    for (int i = 1; i < 12; i++)
        sound = sound && COUNT(i, abs(sizes[i])) >= capacity;
    if (!sound) {
        release(arrays, 12);
        PyErr_SetString(PyExc_ValueError, "the layout does not fit, or an array is too short");
        return NULL;
    }
    Columns *c = malloc(sizeof *c);
    if (!c) {
        release(arrays, 12);
        return PyErr_NoMemory();
    }
    c->base = base;
    c->topics = (Grouped){DATA(int32_t, 1), DATA(int64_t, 2), DATA(int32_t, 3), 0, NULL, 0};
    c->seconds = (Grouped){DATA(int32_t, 4), DATA(int64_t, 5), DATA(int32_t, 6), 0, NULL, 0};
    c->doc_start = DATA(int64_t, 7), c->doc_length = DATA(int32_t, 8), c->doc_hash = DATA(uint64_t, 9);
    c->values = DATA(double, 10), c->ranks = DATA(int32_t, 11);
    c->rows = c->more = c->kept = 0;
    const unsigned char *bad = NULL;
    PyThreadState *thread = PyEval_SaveThread();
    int status = memcmp(&l, &RUN, sizeof l)
                     ? read_lines(c, l, base + begin, base + end, capacity, &thread, &bad)
                     : read_lines(c, RUN, base + begin, base + end, capacity, &thread, &bad);
    PyEval_RestoreThread(thread);
    PyObject *answer = Py_BuildValue("(nnnnin)", c->rows, c->topics.count, c->seconds.count, c->more, status,
                                     bad ? (Py_ssize_t)(bad - base) : -1);
    free(c);
    release(arrays, 12);
    return answer;
}

PyDoc_STRVAR(count_lines_doc, "count_lines(text, begin, end) -> lines in text[begin:end], the last one with or without its newline.");

static PyObject *count_lines(PyObject *self, PyObject *args)
{
    PyObject *object;
    Py_ssize_t begin, end, count = 0;
    Array array;
    (void)self;
    if (!PyArg_ParseTuple(args, "Onn", &object, &begin, &end) || take(object, &array, 1, 0) < 0)
        return NULL;
    if (begin < 0 || end > array.view.len || begin > end) {
        release(&array, 1);
        PyErr_SetString(PyExc_ValueError, "begin and end must lie inside the text");
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    const unsigned char *p = (const unsigned char *)array.view.buf + begin;
    const unsigned char *stop = (const unsigned char *)array.view.buf + end;
    count = p < stop && stop[-1] != '\n';
    while (p < stop) {
        uint8_t some = 0; /* so short that 8 bits hold it, and many are counted at once */
        for (const unsigned char *end = stop - p > 192 ? p + 192 : stop; p < end; p++)
            some += *p == '\n';
        count += some;
    }
    PyEval_RestoreThread(thread);
    release(&array, 1);
    return PyLong_FromSsize_t(count);
}

/* ---------------------------------------------------------------------- ids */

typedef struct {
    const unsigned char *text;
    const int64_t *start;
    const int32_t *length;
    const uint64_t *hash;
} Ids;

static inline int same_id(const Ids *a, Py_ssize_t i, const Ids *b, Py_ssize_t j)
{
    return a->hash[i] == b->hash[j] &&
           same_bytes(a->text + a->start[i], (size_t)a->length[i], b->text + b->start[j], (size_t)b->length[j]);
}

/* strcmp order: unsigned bytes, the shorter first when one begins the other. */
static inline int compare_ids(const Ids *ids, Py_ssize_t i, Py_ssize_t j)
{
    int32_t a = ids->length[i], b = ids->length[j];
    int order = memcmp(ids->text + ids->start[i], ids->text + ids->start[j], (size_t)(a < b ? a : b));
    return order ? order : (a > b) - (a < b);
}

/* Every id must lie inside its text: the arrays come from Python. */
static int ids_inside(const Array *arrays, int text, Py_ssize_t rows)
{
    const int64_t *start = (const int64_t *)arrays[text + 1].view.buf;
    const int32_t *length = (const int32_t *)arrays[text + 2].view.buf;
    for (Py_ssize_t i = 0; i < rows; i++)
        if (start[i] < 0 || length[i] < 0 || start[i] > arrays[text].view.len - length[i])
            return 0;
    return 1;
}

static PyObject *outside(Array *arrays, int count)
{
    release(arrays, count);
    PyErr_SetString(PyExc_ValueError, "an id lies outside its text, or an array is too short");
    return NULL;
}

PyDoc_STRVAR(hash_ids_doc, "hash_ids(text, start, length, hash): fill hash for every id.");

static PyObject *hash_ids(PyObject *self, PyObject *args)
{
    PyObject *objects[4];
    Array arrays[4];
    static const int sizes[4] = {1, 8, 4, -8};
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO", &objects[0], &objects[1], &objects[2], &objects[3]))
        return NULL;
    if (take_all(objects, arrays, sizes, 4) < 0) {
        release(arrays, 4);
        return NULL;
    }
    Py_ssize_t rows = COUNT(1, 8);
    if (COUNT(2, 4) < rows || COUNT(3, 8) < rows || !ids_inside(arrays, 0, rows))
        return outside(arrays, 4);
    for (Py_ssize_t i = 0; i < rows; i++)
        DATA(uint64_t, 3)[i] = hash_bytes(DATA(unsigned char, 0) + DATA(int64_t, 1)[i], (size_t)DATA(int32_t, 2)[i]);
    release(arrays, 4);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(intern_doc,
"intern(text, start, length, hash, code, first) -> distinct ids; code[i] numbers them in order of appearance, first[c] is a row.");

static PyObject *intern_ids(PyObject *self, PyObject *args)
{
    PyObject *objects[6];
    Array arrays[6];
    static const int sizes[6] = {1, 8, 4, 8, -4, -8};
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4], &objects[5]))
        return NULL;
    if (take_all(objects, arrays, sizes, 6) < 0) {
        release(arrays, 6);
        return NULL;
    }
    Py_ssize_t rows = COUNT(1, 8), distinct = 0;
    if (COUNT(2, 4) < rows || COUNT(3, 8) < rows || COUNT(4, 4) < rows || COUNT(5, 8) < rows ||
        !ids_inside(arrays, 0, rows))
        return outside(arrays, 6);
    Ids ids = {DATA(unsigned char, 0), DATA(int64_t, 1), DATA(int32_t, 2), DATA(uint64_t, 3)};
    int32_t *code = DATA(int32_t, 4);
    int64_t *first = DATA(int64_t, 5);
    size_t size = table_size(rows);
    int32_t *slots = malloc(size * sizeof *slots);
    if (!slots) {
        release(arrays, 6);
        return PyErr_NoMemory();
    }
    memset(slots, 0xff, size * sizeof *slots);
    for (Py_ssize_t i = 0; i < rows; i++) {
        size_t at = (size_t)ids.hash[i] & (size - 1);
        while (slots[at] >= 0 && !same_id(&ids, i, &ids, first[slots[at]]))
            at = (at + 1) & (size - 1);
        if (slots[at] < 0) {
            slots[at] = (int32_t)distinct;
            first[distinct++] = i;
        }
        code[i] = slots[at];
    }
    free(slots);
    release(arrays, 6);
    return PyLong_FromSsize_t(distinct);
}

/* -------------------------------------------------------------------- order */

typedef struct {
    double score;
    int64_t row;
} Entry;

enum { DESCENDING, ASCENDING, INPUT }; /* which of equal scores comes first: by document id, or as given */

static inline int before(const Ids *ids, const Entry *a, const Entry *b, int ties)
{
    if (a->score != b->score)
        return a->score > b->score;
    if (ties == INPUT) /* the sort is stable */
        return 0;
    int order = compare_ids(ids, a->row, b->row);
    return ties == ASCENDING ? order < 0 : order > 0;
}

/* Merge sort that does nothing where the two halves already stand in order. */
static void sort_entries(const Ids *ids, Entry *entries, Entry *spare, Py_ssize_t n, int ties)
{
    if (n < 2)
        return;
    Py_ssize_t half = n / 2, i = 0, j = half, k = 0;
    sort_entries(ids, entries, spare, half, ties);
    sort_entries(ids, entries + half, spare, n - half, ties);
    if (!before(ids, &entries[half], &entries[half - 1], ties))
        return;
    memcpy(spare, entries, (size_t)half * sizeof *entries);
    while (i < half && j < n)
        entries[k++] = before(ids, &entries[j], &spare[i], ties) ? entries[j++] : spare[i++];
    while (i < half)
        entries[k++] = spare[i++];
}

/* Whether two rows of a list may be of one document: told by 32 bits of the hash, which seldom err.
 * `tags` holds four times as many as there are rows, rounded up to a power of two. */
static int maybe_twice(const Ids *ids, const Entry *entries, Py_ssize_t n, uint32_t *tags)
{
    size_t size = 2 * table_size(n);
    memset(tags, 0, size * sizeof *tags);
    for (Py_ssize_t i = 0; i < n; i++) {
        uint64_t hash = ids->hash[entries[i].row];
        uint32_t tag = (uint32_t)(hash >> 32) | 1;
        size_t at = (size_t)hash & (size - 1);
        for (; tags[at]; at = (at + 1) & (size - 1))
            if (tags[at] == tag)
                return 1;
        tags[at] = tag;
    }
    return 0;
}

/* Rows of the same document within one list: the first such pair, if any. */
static int find_twice(const Ids *ids, const Entry *entries, Py_ssize_t n, int32_t *slots, int64_t *pair)
{
    size_t size = table_size(n);
    memset(slots, 0xff, size * sizeof *slots);
    for (Py_ssize_t i = 0; i < n; i++) {
        size_t at = (size_t)ids->hash[entries[i].row] & (size - 1);
        for (; slots[at] >= 0; at = (at + 1) & (size - 1))
            if (same_id(ids, entries[i].row, ids, entries[slots[at]].row)) {
                pair[0] = entries[slots[at]].row;
                pair[1] = entries[i].row;
                return 1;
            }
        slots[at] = (int32_t)i;
    }
    return 0;
}

enum { ALL_TIED = 1, RANKS_CONTRADICT = 2, FLOAT32_TIES = 4 };

/* What is legal but suspicious in one ordered list. */
static int32_t suspicions(const Entry *entries, Py_ssize_t n, const int32_t *ranks, const double *scores)
{
    int32_t flags = 0, highest_above = -1, highest_here = -1;
    if (n > 1 && entries[0].score == entries[n - 1].score)
        flags |= ALL_TIED;
    for (Py_ssize_t i = 0; i < n; i++) {
        int32_t rank = ranks[entries[i].row];
        if (i) {
            double above = scores[entries[i - 1].row], here = scores[entries[i].row];
            if (above != here && (float)above == (float)here)
                flags |= FLOAT32_TIES;
            if (entries[i - 1].score != entries[i].score)
                highest_above = highest_here;
        }
        if (rank >= 0 && rank < highest_above)
            flags |= RANKS_CONTRADICT;
        if (rank > highest_here)
            highest_here = rank;
    }
    return flags;
}

PyDoc_STRVAR(order_doc,
"order(text, start, length, hash, list, score, rank, single, ties, order, begin, flags) -> (row, row) of a document listed twice, or (-1, -1).\n\n"
"Sort every list by score, then document id, both descending, as trec_eval does; single compares scores as float32,\n"
"ties 1 puts the smallest id of equal scores first, 2 the row that was given first.\n"
"order holds the rows list by list, begin[l] where list l begins, flags[l] what is suspicious in it.");

static PyObject *order(PyObject *self, PyObject *args)
{
    PyObject *objects[10];
    Array arrays[10];
    static const int sizes[10] = {1, 8, 4, 8, 4, 8, 4, -8, -8, -4};
    int single, ties;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOpiOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4],
                          &objects[5], &objects[6], &single, &ties, &objects[7], &objects[8], &objects[9]))
        return NULL;
    if (take_all(objects, arrays, sizes, 10) < 0) {
        release(arrays, 10);
        return NULL;
    }
    Py_ssize_t rows = COUNT(1, 8), lists = COUNT(9, 4), longest = 0;
    const int32_t *list = DATA(int32_t, 4);
    const double *scores = DATA(double, 5);
    int64_t *ordered = DATA(int64_t, 7), *begin = DATA(int64_t, 8), pair[2] = {-1, -1};
    int sound = COUNT(2, 4) >= rows && COUNT(3, 8) >= rows && COUNT(4, 4) >= rows && COUNT(5, 8) >= rows &&
                COUNT(6, 4) >= rows && COUNT(7, 8) >= rows && COUNT(8, 8) >= lists + 1 && ids_inside(arrays, 0, rows);
    for (Py_ssize_t i = 0; sound && i < rows; i++)
        sound = list[i] >= 0 && list[i] < lists;
    if (!sound)
        return outside(arrays, 10);
    Ids ids = {DATA(unsigned char, 0), DATA(int64_t, 1), DATA(int32_t, 2), DATA(uint64_t, 3)};
    PyThreadState *thread = PyEval_SaveThread();
    memset(begin, 0, (size_t)(lists + 1) * sizeof *begin);
    for (Py_ssize_t i = 0; i < rows; i++)
        begin[list[i] + 1]++;
    for (Py_ssize_t l = 0; l < lists; l++) {
        longest = begin[l + 1] > longest ? begin[l + 1] : longest;
        begin[l + 1] += begin[l];
    }
    Entry *entries = malloc((size_t)(longest + 1) * sizeof *entries * 2);
    int32_t *slots = malloc(2 * table_size(longest) * sizeof *slots);
    int64_t *next = malloc((size_t)(lists + 1) * sizeof *next);
    if (entries && slots && next) {
        memcpy(next, begin, (size_t)(lists + 1) * sizeof *next);
        for (Py_ssize_t i = 0; i < rows; i++)
            ordered[next[list[i]]++] = i;
        for (Py_ssize_t l = 0; l < lists && pair[0] < 0; l++) {
            Py_ssize_t n = begin[l + 1] - begin[l];
            for (Py_ssize_t i = 0; i < n; i++) {
                int64_t row = ordered[begin[l] + i];
                entries[i].row = row;
                entries[i].score = single ? (double)(float)scores[row] : scores[row];
            }
            if (maybe_twice(&ids, entries, n, (uint32_t *)slots) && find_twice(&ids, entries, n, slots, pair))
                break;
            Py_ssize_t falls = 1;
            while (falls < n && entries[falls].score < entries[falls - 1].score)
                falls++;
            if (falls < n) { /* else it stands in order already, as most lists do */
                sort_entries(&ids, entries, entries + longest + 1, n, ties);
                for (Py_ssize_t i = 0; i < n; i++)
                    ordered[begin[l] + i] = entries[i].row;
            }
            DATA(int32_t, 9)[l] = suspicions(entries, n, DATA(int32_t, 6), scores);
        }
    }
    int starved = !entries || !slots || !next;
    free(entries);
    free(slots);
    free(next);
    PyEval_RestoreThread(thread);
    release(arrays, 10);
    if (starved)
        return PyErr_NoMemory();
    return Py_BuildValue("(LL)", (long long)pair[0], (long long)pair[1]);
}

/* -------------------------------------------------------------------- match */

/* The judged documents of topic t are the rows begin[t] to begin[t + 1]; twice as many slots, from 2 begin[t] on, are
 * its hash table: small, so that it stays near while a list of that topic is looked up.  A slot is 0, or a row + 1 above
 * 32 bits of its hash. */
typedef struct {
    Ids ids;
    Py_ssize_t rows, bytes, topics;
    const int64_t *begin;
    const uint64_t *slots;
} Table;

/* The first slot for a hash in a table of so many slots, by the upper half of its bits. */
static inline uint64_t slot_of(uint64_t hash, uint64_t size) { return (hash >> 32) * size >> 32; }

/* Whether begin divides so many rows among topics. */
static int divides(const int64_t *begin, Py_ssize_t topics, Py_ssize_t rows)
{
    if (topics < 0 || begin[0] != 0 || begin[topics] != rows || rows > INT32_MAX)
        return 0;
    for (Py_ssize_t t = 0; t < topics; t++)
        if (begin[t] > begin[t + 1])
            return 0;
    return 1;
}

static inline int lies_inside(const Ids *ids, Py_ssize_t row, Py_ssize_t bytes)
{
    return ids->start[row] >= 0 && ids->length[row] >= 0 && ids->start[row] <= bytes - ids->length[row];
}

/* The hash table of one topic, and where in it to look for a hash. */
typedef struct {
    const uint64_t *slots;
    uint64_t size;
} Part;

static inline Part part_of(const Table *table, int64_t topic)
{
    uint64_t first = 2 * (uint64_t)table->begin[topic];
    return (Part){table->slots + first, 2 * (uint64_t)table->begin[topic + 1] - first};
}

/* The next row whose hash may be this one, from a slot on, which is left where that row was; -1: there is none. */
static inline Py_ssize_t candidate(Part part, uint64_t hash, uint64_t *at, uint64_t *tries)
{
    uint64_t slot;
    for (; *tries < part.size && (slot = part.slots[*at]); *at = *at + 1 == part.size ? 0 : *at + 1, ++*tries)
        if ((uint32_t)slot == (uint32_t)hash)
            return (Py_ssize_t)(slot >> 32) - 1;
    return -1;
}

enum { MANY = 64 }; /* documents looked up side by side: while one is fetched from memory, so are the others */
#if defined(__GNUC__) || defined(__clang__)
#define FETCH(place) __builtin_prefetch(place)
#else
#define FETCH(place) ((void)(place))
#endif

/* For up to MANY asked ids of one topic the row of the same bytes, or -1; 0 where a place lies outside its text. */
static int look_up(const Table *table, int64_t topic, const Ids *asked, Py_ssize_t bytes, const int64_t *rows, int many,
                   int32_t *found)
{
    Part part = part_of(table, topic);
    const Ids *known = &table->ids;
    uint64_t at[MANY], tries[MANY];
    Py_ssize_t row[MANY];
    for (int i = 0; i < many; i++) {
        at[i] = slot_of(asked->hash[rows[i]], part.size);
        tries[i] = 0;
        FETCH(part.slots + at[i]);
    }
    for (int i = 0; i < many; i++) {
        row[i] = candidate(part, asked->hash[rows[i]], &at[i], &tries[i]);
        if (row[i] >= 0 && row[i] < table->rows) {
            FETCH(known->start + row[i]);
            FETCH(known->length + row[i]);
        }
    }
    for (int i = 0; i < many; i++)
        if (row[i] >= 0) {
            if (row[i] >= table->rows || !lies_inside(known, row[i], table->bytes) ||
                !lies_inside(asked, rows[i], bytes))
                return 0;
            FETCH(known->text + known->start[row[i]]);
            FETCH(asked->text + asked->start[rows[i]]);
        }
    for (int i = 0; i < many; i++) {
        while (row[i] >= 0 && !same_bytes(known->text + known->start[row[i]], (size_t)known->length[row[i]],
                                          asked->text + asked->start[rows[i]], (size_t)asked->length[rows[i]])) {
            at[i] = at[i] + 1 == part.size ? 0 : at[i] + 1; /* another id with the same 32 bits: look further */
            tries[i]++;
            row[i] = candidate(part, asked->hash[rows[i]], &at[i], &tries[i]);
            if (row[i] >= table->rows || (row[i] >= 0 && !lies_inside(known, row[i], table->bytes)))
                return 0;
        }
        found[i] = (int32_t)row[i];
    }
    return 1;
}

/* A table from the arrays text, start, length, hash, begin and slots; 0 where they do not fit together. */
static int table_of(const Array *arrays, Table *table)
{
    table->ids = (Ids){DATA(unsigned char, 0), DATA(int64_t, 1), DATA(int32_t, 2), DATA(uint64_t, 3)};
    table->rows = COUNT(1, 8);
    table->bytes = arrays[0].view.len;
    table->topics = COUNT(4, 8) - 1;
    table->begin = DATA(int64_t, 4);
    table->slots = DATA(uint64_t, 5);
    return COUNT(2, 4) >= table->rows && COUNT(3, 8) >= table->rows && COUNT(5, 8) >= 2 * table->rows &&
           divides(table->begin, table->topics, table->rows);
}

PyDoc_STRVAR(index_doc,
"index(text, start, length, hash, begin, slots) -> (row, row) of an id that stands twice in a topic, or (-1, -1).\n\n"
"Fill slots, two for each row, for match() and found(); topic t has the rows begin[t] to begin[t + 1].");

static PyObject *index_ids(PyObject *self, PyObject *args)
{
    PyObject *objects[6];
    Array arrays[6];
    static const int sizes[6] = {1, 8, 4, 8, 8, -8};
    Table table;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4], &objects[5]))
        return NULL;
    if (take_all(objects, arrays, sizes, 6) < 0) {
        release(arrays, 6);
        return NULL;
    }
    if (!table_of(arrays, &table) || !ids_inside(arrays, 0, table.rows))
        return outside(arrays, 6);
    Py_ssize_t first = -1, second = -1;
    uint64_t *slots = DATA(uint64_t, 5);
    memset(slots, 0, 2 * (size_t)table.rows * sizeof *slots);
    for (Py_ssize_t t = 0; t < table.topics && first < 0; t++) {
        uint64_t from = 2 * (uint64_t)table.begin[t], size = 2 * (uint64_t)table.begin[t + 1] - from;
        for (int64_t i = table.begin[t]; i < table.begin[t + 1]; i++) {
            int32_t there = -1;
            look_up(&table, t, &table.ids, table.bytes, &i, 1, &there);
            if (there >= 0) {
                first = there;
                second = i;
                break;
            }
            uint64_t hash = table.ids.hash[i], at = slot_of(hash, size);
            while (slots[from + at])
                at = at + 1 == size ? 0 : at + 1;
            slots[from + at] = (uint64_t)(i + 1) << 32 | (uint32_t)hash;
        }
    }
    release(arrays, 6);
    return Py_BuildValue("(nn)", first, second);
}

PyDoc_STRVAR(match_doc,
"match(text, start, length, hash, begin, slots, text, start, length, hash, topic, found): for every id of the second\n"
"table the row of the first with the same topic and bytes, or -1.");

static PyObject *match(PyObject *self, PyObject *args)
{
    PyObject *objects[12];
    Array arrays[12];
    static const int sizes[12] = {1, 8, 4, 8, 8, 8, 1, 8, 4, 8, 4, -4};
    Table table;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4],
                          &objects[5], &objects[6], &objects[7], &objects[8], &objects[9], &objects[10],
                          &objects[11]))
        return NULL;
    if (take_all(objects, arrays, sizes, 12) < 0) {
        release(arrays, 12);
        return NULL;
    }
    Py_ssize_t rows = COUNT(7, 8);
    int sound = table_of(arrays, &table) && COUNT(8, 4) >= rows && COUNT(9, 8) >= rows && COUNT(10, 4) >= rows &&
                COUNT(11, 4) >= rows;
    if (!sound)
        return outside(arrays, 12);
    Ids asked = {DATA(unsigned char, 6), DATA(int64_t, 7), DATA(int32_t, 8), DATA(uint64_t, 9)};
    const int32_t *topic = DATA(int32_t, 10);
    int32_t *found = DATA(int32_t, 11);
    Py_ssize_t bytes = arrays[6].view.len;
    PyThreadState *thread = PyEval_SaveThread();
    for (Py_ssize_t i = 0; i < rows && sound;) {
        int64_t row[MANY];
        int many = 0;
        while (many < MANY && i + many < rows && topic[i + many] == topic[i]) {
            found[i + many] = -1;
            row[many] = i + many;
            many++;
        }
        if (topic[i] >= 0)
            sound = topic[i] < table.topics && look_up(&table, topic[i], &asked, bytes, row, many, found + i);
        i += many;
    }
    PyEval_RestoreThread(thread);
    if (!sound)
        return outside(arrays, 12);
    release(arrays, 12);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(found_doc,
"found(text, start, length, hash, begin, slots, text, start, length, hash, order, list_begin, list, rank, item, count)\n"
"-> how many were found.\n\n"
"For every topic t of the first table the ids of the second that stand in its list, list[t] (-1 for none), looked up\n"
"best first: their ranks from 1, their rows in the first table, one topic after the other, and how many each has.\n"
"List l of the second table is the rows order[list_begin[l]:list_begin[l + 1]].");

static PyObject *found_in_lists(PyObject *self, PyObject *args)
{
    PyObject *objects[16];
    Array arrays[16];
    static const int sizes[16] = {1, 8, 4, 8, 8, 8, 1, 8, 4, 8, 8, 8, 8, -8, -4, -8};
    Table table;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOOOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4],
                          &objects[5], &objects[6], &objects[7], &objects[8], &objects[9], &objects[10], &objects[11],
                          &objects[12], &objects[13], &objects[14], &objects[15]))
        return NULL;
    if (take_all(objects, arrays, sizes, 16) < 0) {
        release(arrays, 16);
        return NULL;
    }
    Py_ssize_t rows = COUNT(7, 8), lists = COUNT(11, 8) - 1, total = 0;
    const int64_t *order = DATA(int64_t, 10), *list_begin = DATA(int64_t, 11), *list = DATA(int64_t, 12);
    int sound = table_of(arrays, &table) && COUNT(8, 4) >= rows && COUNT(9, 8) >= rows && COUNT(10, 8) == rows &&
                divides(list_begin, lists, rows) && COUNT(12, 8) >= table.topics && COUNT(13, 8) >= rows &&
                COUNT(14, 4) >= rows && COUNT(15, 8) >= table.topics;
    if (!sound)
        return outside(arrays, 16);
    Ids asked = {DATA(unsigned char, 6), DATA(int64_t, 7), DATA(int32_t, 8), DATA(uint64_t, 9)};
    int64_t *rank = DATA(int64_t, 13), *count = DATA(int64_t, 15);
    int32_t *item = DATA(int32_t, 14);
    PyThreadState *thread = PyEval_SaveThread();
    for (Py_ssize_t t = 0; t < table.topics && sound; t++) {
        Py_ssize_t before = total;
        int64_t l = list[t];
        sound = l < lists;
        int64_t from = l >= 0 && sound ? list_begin[l] : 0, length = l >= 0 && sound ? list_begin[l + 1] - from : 0;
        for (int64_t at = 0; at < length && sound; at += MANY) {
            int many = length - at < MANY ? (int)(length - at) : MANY;
            int32_t there[MANY];
            for (int i = 0; i < many; i++)
                sound = sound && order[from + at + i] >= 0 && order[from + at + i] < rows;
            sound = sound && total + many <= rows &&
                    look_up(&table, t, &asked, arrays[6].view.len, order + from + at, many, there);
            for (int i = 0; i < many && sound; i++) {
                rank[total] = at + i + 1;
                item[total] = there[i];
                total += there[i] >= 0;
            }
        }
        count[t] = total - before;
    }
    PyEval_RestoreThread(thread);
    if (!sound)
        return outside(arrays, 16);
    release(arrays, 16);
    return PyLong_FromSsize_t(total);
}

static PyMethodDef methods[] = {{"scan", scan, METH_VARARGS, scan_doc},
                                {"count_lines", count_lines, METH_VARARGS, count_lines_doc},
                                {"hash_ids", hash_ids, METH_VARARGS, hash_ids_doc},
                                {"intern", intern_ids, METH_VARARGS, intern_doc},
                                {"order", order, METH_VARARGS, order_doc},
                                {"index", index_ids, METH_VARARGS, index_doc},
                                {"match", match, METH_VARARGS, match_doc},
                                {"found", found_in_lists, METH_VARARGS, found_doc},
                                {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "truegain.io._scan", "Reading, ordering and matching ids.", 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__scan(void)
{
    make_powers_of_five();
    return PyModuleDef_Init(&module);
}
