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
    uint64_t h = 0x9e3779b97f4a7c15ULL ^ (uint64_t)length, word;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        h = mix(h ^ word);
    }
    if (length) {
        word = 0;
        memcpy(&word, text, length);
        h = mix(h ^ word);
    }
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

/* Decimal text to the nearest double where one multiplication is exact (Clinger);
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
        digits += mantissa != 0;
        if (digits > 18)
            return 0;
    }
    if (p < end && *p == '.')
        for (p++; p < end && *p >= '0' && *p <= '9'; p++, seen = 1) {
            mantissa = mantissa * 10 + (*p - '0');
            digits += mantissa != 0;
            exponent--;
            if (digits > 18)
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
    if (p != end || mantissa > (1ULL << 53) || exponent < -22 || exponent > 22)
        return 0;
    double v = (double)mantissa;
    v = exponent < 0 ? v / POWERS_OF_TEN[-exponent] : v * POWERS_OF_TEN[exponent];
    *value = negative ? -v : v;
    return 1;
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

static inline void append_group(Grouped *g, Py_ssize_t row, const unsigned char *base,
                                const unsigned char *text, size_t length)
{
    if (!g->count || !same_bytes(g->last, g->last_length, text, length)) {
        g->start[g->count] = text - base;
        g->length[g->count] = (int32_t)length;
        g->count++;
    }
    g->last = text;
    g->last_length = length;
    g->segment[row] = (int32_t)(g->count - 1);
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

PyDoc_STRVAR(scan_doc,
"scan(text, begin, end, layout, topic_segment, topic_start, topic_length, second_segment, second_start,\n"
"second_length, doc_start, doc_length, doc_hash, value, rank) -> (rows, topic segments, second segments, lines with\n"
"more fields than are read, status, offset)\n\n"
"Cut the lines of text[begin:end] into columns; layout = (fewest fields, most fields, and the positions of\n"
"topic, second, document, value and rank, -1 for no rank).  Stops at the first bad line: status and its offset.");

static PyObject *scan(PyObject *self, PyObject *args)
{
    Py_ssize_t begin, end;
    int fewest, most, topic_f, second_f, doc_f, value_f, rank_f;
    PyObject *objects[12];
    Array arrays[12];
    static const int sizes[12] = {1, -4, -8, -4, -4, -8, -4, -8, -4, -8, -8, -4};
    (void)self;
    if (!PyArg_ParseTuple(args, "Onn(iiiiiii)OOOOOOOOOOO", &objects[0], &begin, &end, &fewest, &most, &topic_f,
                          &second_f, &doc_f, &value_f, &rank_f, &objects[1], &objects[2], &objects[3], &objects[4],
                          &objects[5], &objects[6], &objects[7], &objects[8], &objects[9], &objects[10],
                          &objects[11]))
        return NULL;
    if (take_all(objects, arrays, sizes, 12) < 0) {
        release(arrays, 12);
        return NULL;
    }
    const unsigned char *base = DATA(const unsigned char, 0);
    int64_t *doc_start = DATA(int64_t, 7);
    int32_t *doc_length = DATA(int32_t, 8);
    uint64_t *doc_hash = DATA(uint64_t, 9);
    double *values = DATA(double, 10);
    int32_t *ranks = DATA(int32_t, 11);
    Py_ssize_t capacity = COUNT(7, 8);
    if (begin < 0 || end > arrays[0].view.len || begin > end) {
        release(arrays, 12);
        PyErr_SetString(PyExc_ValueError, "begin and end must lie inside the text");
        return NULL;
    }
    /* every field that is read must be among the fewest a line may have, every array as long as the first */
    int sound = fewest >= 1 && fewest <= 6 && topic_f >= 0 && topic_f < fewest && second_f >= 0 &&
                second_f < fewest && doc_f >= 0 && doc_f < fewest && value_f >= 0 && value_f < fewest && rank_f < fewest;
    for (int i = 1; i < 12; i++)
        sound = sound && COUNT(i, abs(sizes[i])) >= capacity;
    if (!sound) {
        release(arrays, 12);
        PyErr_SetString(PyExc_ValueError, "the layout does not fit, or an array is too short");
        return NULL;
    }
    Grouped topics = {DATA(int32_t, 1), DATA(int64_t, 2), DATA(int32_t, 3), 0, NULL, 0};
    Grouped seconds = {DATA(int32_t, 4), DATA(int64_t, 5), DATA(int32_t, 6), 0, NULL, 0};
    Py_ssize_t rows = 0, more = 0, fault = -1;
    int status = FINE, kept = 0;
    Slow slow[MAX_SLOW];
    PyThreadState *thread = PyEval_SaveThread();
    const unsigned char *p = base + begin, *stop = base + end, *bad = NULL;
    while (p < stop && rows < capacity) {
        const unsigned char *line_end = memchr(p, '\n', (size_t)(stop - p));
        if (!line_end)
            line_end = stop;
        Fields f;
        status = cut(p, line_end, most, &f);
        if (status == FINE && f.count && f.start[0][0] != '#') {
            if (f.count < fewest)
                status = TOO_FEW_FIELDS;
            else if (f.count > most)
                status = TOO_MANY_FIELDS;
            else if (!quick_number(f.start[value_f], f.length[value_f], &values[rows]))
                slow[kept++] = (Slow){rows, p, f.start[value_f], f.length[value_f]};
            if (status == FINE) {
                append_group(&topics, rows, base, f.start[topic_f], f.length[topic_f]);
                append_group(&seconds, rows, base, f.start[second_f], f.length[second_f]);
                doc_start[rows] = f.start[doc_f] - base;
                doc_length[rows] = (int32_t)f.length[doc_f];
                doc_hash[rows] = hash_bytes(f.start[doc_f], f.length[doc_f]);
                ranks[rows] = rank_f < 0 ? -1 : rank_of(f.start[rank_f], f.length[rank_f]);
                more += f.more;
                rows++;
            }
        }
        if (status != FINE) {
            bad = p;
            break;
        }
        if (kept == MAX_SLOW) {
            if ((status = settle(slow, kept, values, &thread, &bad)) != FINE)
                break;
            kept = 0;
        }
        p = line_end + 1;
    }
    if (kept < MAX_SLOW) { /* what was kept stands before any fault seen so far */
        int earlier = settle(slow, kept, values, &thread, &bad);
        status = earlier != FINE ? earlier : status;
    }
    if (bad)
        fault = bad - base;
    PyEval_RestoreThread(thread);
    release(arrays, 12);
    return Py_BuildValue("(nnnnin)", rows, topics.count, seconds.count, more, status, fault);
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
    while (p < stop) {
        const unsigned char *newline = memchr(p, '\n', (size_t)(stop - p));
        count++;
        p = newline ? newline + 1 : stop;
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

static inline int before(const Ids *ids, const Entry *a, const Entry *b, int ascending)
{
    if (a->score != b->score)
        return a->score > b->score;
    int order = compare_ids(ids, a->row, b->row);
    return ascending ? order < 0 : order > 0;
}

/* Merge sort that does nothing where the two halves already stand in order. */
static void sort_entries(const Ids *ids, Entry *entries, Entry *spare, Py_ssize_t n, int ascending)
{
    if (n < 2)
        return;
    Py_ssize_t half = n / 2, i = 0, j = half, k = 0;
    sort_entries(ids, entries, spare, half, ascending);
    sort_entries(ids, entries + half, spare, n - half, ascending);
    if (!before(ids, &entries[half], &entries[half - 1], ascending))
        return;
    memcpy(spare, entries, (size_t)half * sizeof *entries);
    while (i < half && j < n)
        entries[k++] = before(ids, &entries[j], &spare[i], ascending) ? entries[j++] : spare[i++];
    while (i < half)
        entries[k++] = spare[i++];
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
"order(text, start, length, hash, list, score, rank, single, ascending, order, begin, flags) -> (row, row) of a document listed twice, or (-1, -1).\n\n"
"Sort every list by score, then document id, both descending, as trec_eval does; single compares scores as float32,\n"
"ascending puts the smallest id of equal scores first.\n"
"order holds the rows list by list, begin[l] where list l begins, flags[l] what is suspicious in it.");

static PyObject *order(PyObject *self, PyObject *args)
{
    PyObject *objects[10];
    Array arrays[10];
    static const int sizes[10] = {1, 8, 4, 8, 4, 8, 4, -8, -8, -4};
    int single, ascending;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOppOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4],
                          &objects[5], &objects[6], &single, &ascending, &objects[7], &objects[8], &objects[9]))
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
    int32_t *slots = malloc(table_size(longest) * sizeof *slots);
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
            if (find_twice(&ids, entries, n, slots, pair))
                break;
            sort_entries(&ids, entries, entries + longest + 1, n, ascending);
            for (Py_ssize_t i = 0; i < n; i++)
                ordered[begin[l] + i] = entries[i].row;
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

static inline size_t slot_of(uint64_t hash, int32_t group, size_t size)
{
    return (size_t)mix(hash ^ ((uint64_t)(uint32_t)group * 0x9e3779b97f4a7c15ULL)) & (size - 1);
}

PyDoc_STRVAR(index_doc,
"index(text, start, length, hash, group, slots) -> (row, row) of an id that stands twice in a group, or (-1, -1).\n\n"
"Fill slots, int32, a power of two at least twice the rows, for match().");

static PyObject *index_ids(PyObject *self, PyObject *args)
{
    PyObject *objects[6];
    Array arrays[6];
    static const int sizes[6] = {1, 8, 4, 8, 4, -4};
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4], &objects[5]))
        return NULL;
    if (take_all(objects, arrays, sizes, 6) < 0) {
        release(arrays, 6);
        return NULL;
    }
    Py_ssize_t rows = COUNT(1, 8), first = -1, second = -1;
    size_t size = (size_t)COUNT(5, 4);
    if (COUNT(2, 4) < rows || COUNT(3, 8) < rows || COUNT(4, 4) < rows || size < table_size(rows) ||
        (size & (size - 1)) || !ids_inside(arrays, 0, rows))
        return outside(arrays, 6);
    Ids ids = {DATA(unsigned char, 0), DATA(int64_t, 1), DATA(int32_t, 2), DATA(uint64_t, 3)};
    const int32_t *group = DATA(int32_t, 4);
    int32_t *slots = DATA(int32_t, 5);
    memset(slots, 0xff, size * sizeof *slots);
    for (Py_ssize_t i = 0; i < rows && first < 0; i++) {
        size_t at = slot_of(ids.hash[i], group[i], size);
        for (; slots[at] >= 0; at = (at + 1) & (size - 1))
            if (group[slots[at]] == group[i] && same_id(&ids, i, &ids, slots[at])) {
                first = slots[at];
                second = i;
                break;
            }
        if (first < 0)
            slots[at] = (int32_t)i;
    }
    release(arrays, 6);
    return Py_BuildValue("(nn)", first, second);
}

PyDoc_STRVAR(match_doc,
"match(text, start, length, hash, group, slots, text, start, length, hash, group, found): for every id of the second\n"
"table the row of the first with the same group and bytes, or -1.");

static PyObject *match(PyObject *self, PyObject *args)
{
    PyObject *objects[12];
    Array arrays[12];
    static const int sizes[12] = {1, 8, 4, 8, 4, 4, 1, 8, 4, 8, 4, -4};
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4],
                          &objects[5], &objects[6], &objects[7], &objects[8], &objects[9], &objects[10],
                          &objects[11]))
        return NULL;
    if (take_all(objects, arrays, sizes, 12) < 0) {
        release(arrays, 12);
        return NULL;
    }
    Py_ssize_t known = COUNT(1, 8), rows = COUNT(7, 8);
    size_t size = (size_t)COUNT(5, 4);
    int sound = COUNT(2, 4) >= known && COUNT(3, 8) >= known && COUNT(4, 4) >= known && size >= table_size(known) &&
                !(size & (size - 1)) && COUNT(8, 4) >= rows && COUNT(9, 8) >= rows && COUNT(10, 4) >= rows &&
                COUNT(11, 4) >= rows && ids_inside(arrays, 0, known) && ids_inside(arrays, 6, rows);
    for (size_t i = 0; sound && i < size; i++)
        sound = DATA(int32_t, 5)[i] < known;
    if (!sound)
        return outside(arrays, 12);
    Ids table = {DATA(unsigned char, 0), DATA(int64_t, 1), DATA(int32_t, 2), DATA(uint64_t, 3)};
    Ids asked = {DATA(unsigned char, 6), DATA(int64_t, 7), DATA(int32_t, 8), DATA(uint64_t, 9)};
    const int32_t *known_group = DATA(int32_t, 4), *slots = DATA(int32_t, 5), *group = DATA(int32_t, 10);
    int32_t *found = DATA(int32_t, 11);
    PyThreadState *thread = PyEval_SaveThread();
    for (Py_ssize_t i = 0; i < rows; i++) {
        found[i] = -1;
        if (group[i] < 0)
            continue;
        size_t at = slot_of(asked.hash[i], group[i], size);
        for (; slots[at] >= 0; at = (at + 1) & (size - 1))
            if (known_group[slots[at]] == group[i] && same_id(&asked, i, &table, slots[at])) {
                found[i] = slots[at];
                break;
            }
    }
    PyEval_RestoreThread(thread);
    release(arrays, 12);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"scan", scan, METH_VARARGS, scan_doc},
                                {"count_lines", count_lines, METH_VARARGS, count_lines_doc},
                                {"hash_ids", hash_ids, METH_VARARGS, hash_ids_doc},
                                {"intern", intern_ids, METH_VARARGS, intern_doc},
                                {"order", order, METH_VARARGS, order_doc},
                                {"index", index_ids, METH_VARARGS, index_doc},
                                {"match", match, METH_VARARGS, match_doc},
                                {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "truegain.tables._scan", "Reading, ordering and matching ids.", 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__scan(void) { return PyModuleDef_Init(&module); }
