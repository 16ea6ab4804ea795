/* Scores on many collections drawn from one.
 *
 * Every document is copied Poisson(1) times (Cormack and Lynam 2006).  How often is a function of
 * (stream, document): no draw depends on which lists are looked at, in which order, or by how many workers,
 * and a document has the same copies in every list.
 *
 * Why C: the loops run (replicates x documents of all lists) times, ten billion for 129 runs of 50 topics at
 * 2,000 replicates; they draw by table, sixteen replicates at a time, without the interpreter lock.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, FULL = 4096 }; /* replicates at a time; documents whose copies surely fit 16 bits */

/* ------------------------------------------------------------------- draws */

/* The finaliser of splitmix64 (Steele, Lea and Flood 2014); streams.py has the same. */
static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

static inline uint64_t stream_of(uint64_t key, uint64_t replicate, uint64_t attempt)
{
    return mix(key + (replicate + 1) * 0x9e3779b97f4a7c15ULL + attempt * 0xd1342543de82ef95ULL);
}

/* Poisson(1) by inversion of 32 bits: `limit[k]` is 2^32 times the chance of at most k; `quick` answers for most
 * values of the first 12 bits. */
enum { MOST_COPIES = 12, UNSURE = 255, QUICK = 4096 };
static uint64_t limit[MOST_COPIES];
static uint8_t quick[QUICK];

static inline int copies_slowly(uint64_t u)
{
    int k = 0;
    while (k < MOST_COPIES && u >= limit[k])
        k++;
    return k;
}

static void fill_tables(void)
{
    double term = 0.36787944117144233, sum = 0; /* 1/e */
    for (int k = 0; k < MOST_COPIES; k++) {
        sum += term;
        limit[k] = (uint64_t)(sum * 4294967296.0 + 0.5);
        term /= k + 1;
    }
    for (uint64_t i = 0; i < QUICK; i++) {
        int first = copies_slowly(i << 20), last = copies_slowly((i << 20) | 0xfffff);
        quick[i] = (uint8_t)(first == last ? first : UNSURE);
    }
}

static inline int copies_of(uint64_t document, uint64_t stream)
{
    uint64_t u = mix(document + stream) >> 32;
    int k = quick[u >> 20];
    return k == UNSURE ? copies_slowly(u) : k;
}

/* ---------------------------------------------------------------- arguments */

enum { MOST = 8 };

typedef struct {
    Py_buffer view[MOST];
    int count;
} Arrays;

static int take_all(Arrays *arrays, PyObject **objects, const int *sizes, int count)
{
    arrays->count = 0;
    for (int i = 0; i < count; i++) {
        int flags = PyBUF_C_CONTIGUOUS | (sizes[i] < 0 ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(objects[i], &arrays->view[i], flags) < 0)
            return -1;
        arrays->count++;
        if (arrays->view[i].itemsize != abs(sizes[i])) {
            PyErr_Format(PyExc_TypeError, "argument %d: expected items of %d bytes", i + 1, abs(sizes[i]));
            return -1;
        }
    }
    return 0;
}

static PyObject *release(Arrays *arrays, PyObject *result)
{
    for (int i = 0; i < arrays->count; i++)
        PyBuffer_Release(&arrays->view[i]);
    return result;
}

static PyObject *unsound(Arrays *arrays)
{
    PyErr_SetString(PyExc_ValueError, "arrays do not fit together");
    return release(arrays, NULL);
}

#define DATA(type, i) ((type *)arrays.view[i].buf)
#define COUNT(i) (arrays.view[i].len / arrays.view[i].itemsize)

PyDoc_STRVAR(draw_doc,
"draw(document, stream, out): out[i] is how often document[i] is copied in stream[i].");

static PyObject *draw(PyObject *self, PyObject *args)
{
    PyObject *objects[3];
    Arrays arrays;
    static const int sizes[3] = {8, 8, -4};
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &objects[0], &objects[1], &objects[2]))
        return NULL;
    if (take_all(&arrays, objects, sizes, 3) < 0)
        return release(&arrays, NULL);
    if (COUNT(0) != COUNT(1) || COUNT(0) != COUNT(2))
        return unsound(&arrays);
    const uint64_t *document = DATA(uint64_t, 0), *stream = DATA(uint64_t, 1);
    int32_t *out = DATA(int32_t, 2);
    Py_ssize_t count = COUNT(0);
    PyThreadState *thread = PyEval_SaveThread();
    for (Py_ssize_t i = 0; i < count; i++)
        out[i] = (int32_t)copies_of(document[i], stream[i]);
    PyEval_RestoreThread(thread);
    Py_INCREF(Py_None);
    return release(&arrays, Py_None);
}

/* ------------------------------------------------------- collections of a topic */

/* One topic: its documents (the first `relevant` are the relevant ones) and its lists of them. */
typedef struct {
    uint64_t key;
    const uint64_t *document;
    Py_ssize_t documents, relevant, lists, replicates;
    const int64_t *begin;
    const int32_t *entry;
    double *out;
} Topic;

/* Copies of all documents in LANES replicates from `first` on; how many relevant copies each has.  A replicate
 * without a relevant document is drawn again, as a whole; returns how many were. */
static Py_ssize_t draw_lanes(const Topic *t, Py_ssize_t first, uint8_t *copies, int64_t *drawn)
{
    uint64_t stream[LANES];
    Py_ssize_t again = 0;
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t attempt = 0;
        for (drawn[lane] = 0;; attempt++, again++) {
            stream[lane] = stream_of(t->key, (uint64_t)(first + lane), attempt);
            for (Py_ssize_t d = 0; d < t->relevant; d++)
                drawn[lane] += copies_of(t->document[d], stream[lane]);
            if (drawn[lane] || !t->relevant)
                break;
        }
        if (first + lane >= t->replicates) /* beyond the last replicate: not counted */
            again -= (Py_ssize_t)attempt;
    }
    for (Py_ssize_t d = 0; d < t->documents; d++)
        for (int lane = 0; lane < LANES; lane++)
            copies[d * LANES + lane] = (uint8_t)copies_of(t->document[d], stream[lane]);
    return again;
}

/* Adds the copies of entries from to (not including) to; at most FULL of them. */
static inline void add_stretch(const Topic *t, const uint8_t *copies, int64_t from, int64_t to, int64_t *total)
{
    uint16_t sum[LANES] = {0};
    for (int64_t e = from; e < to; e++) {
        const uint8_t *of = copies + (size_t)t->entry[e] * LANES;
        for (int lane = 0; lane < LANES; lane++)
            sum[lane] = (uint16_t)(sum[lane] + of[lane]);
    }
    for (int lane = 0; lane < LANES; lane++)
        total[lane] += sum[lane];
}

static void average_precision_lanes(const Topic *t, Py_ssize_t l, const uint8_t *copies, double *score)
{
    int64_t total[LANES] = {0}, found[LANES] = {0}, from = t->begin[l];
    memset(score, 0, LANES * sizeof *score);
    for (int64_t e = from; e < t->begin[l + 1]; e++) {
        if (t->entry[e] >= t->relevant) {
            if (e - from < FULL)
                continue;
            add_stretch(t, copies, from, e, total);
            from = e;
            continue;
        }
        add_stretch(t, copies, from, e, total);
        from = e + 1;
        const uint8_t *of = copies + (size_t)t->entry[e] * LANES;
        for (int lane = 0; lane < LANES; lane++)
            for (int c = 0; c < of[lane]; c++)
                score[lane] += (double)++found[lane] / (double)++total[lane];
    }
}

/* The sum over documents of worth x (W[s + c] - W[s]), c copies after s others, W the running sum of the weights. */
static void weighted_lanes(const Topic *t, Py_ssize_t l, const uint8_t *copies, const double *worth, const double *w,
                           int64_t depth, double *score)
{
    int64_t total[LANES] = {0};
    memset(score, 0, LANES * sizeof *score);
    for (int64_t e = t->begin[l]; e < t->begin[l + 1]; e++) {
        int32_t d = t->entry[e];
        const uint8_t *of = copies + (size_t)d * LANES;
        int64_t least = depth;
        for (int lane = 0; lane < LANES; lane++) {
            int64_t before = total[lane], after = before + of[lane];
            if (after > depth)
                after = depth;
            if (worth[d] != 0)
                score[lane] += worth[d] * (w[after] - w[before]);
            total[lane] = after;
            least = after < least ? after : least;
        }
        if (least == depth)
            break;
    }
}

/* The arguments both functions share: arrays 0 document, 1 begin, 2 entry, 3 out. */
static int topic_of(Topic *t, Arrays *given, unsigned long long key, Py_ssize_t relevant)
{
    Arrays arrays = *given;
    *t = (Topic){key, DATA(uint64_t, 0), COUNT(0), relevant, COUNT(1) - 1, 0,
                 DATA(int64_t, 1), DATA(int32_t, 2), DATA(double, 3)};
    if (t->lists < 1 || COUNT(3) % t->lists || relevant < 0 || relevant > t->documents || t->begin[0] != 0 ||
        t->begin[t->lists] != COUNT(2))
        return 0;
    for (Py_ssize_t l = 0; l < t->lists; l++)
        if (t->begin[l + 1] < t->begin[l])
            return 0;
    for (Py_ssize_t e = 0; e < COUNT(2); e++)
        if (t->entry[e] < 0 || t->entry[e] >= t->documents)
            return 0;
    t->replicates = COUNT(3) / t->lists;
    return 1;
}

/* Draws, scores every list, LANES replicates at a time; with `worth` weighted sums, else average precision. */
static Py_ssize_t score_all(const Topic *t, uint8_t *copies, const double *worth, const double *w, int64_t depth)
{
    int64_t drawn[LANES];
    double score[LANES];
    Py_ssize_t again = 0;
    for (Py_ssize_t first = 0; first < t->replicates; first += LANES) {
        Py_ssize_t left = t->replicates - first < LANES ? t->replicates - first : LANES;
        again += draw_lanes(t, first, copies, drawn);
        for (Py_ssize_t l = 0; l < t->lists; l++) {
            if (worth)
                weighted_lanes(t, l, copies, worth, w, depth, score);
            else
                average_precision_lanes(t, l, copies, score);
            for (Py_ssize_t lane = 0; lane < left; lane++)
                t->out[l * t->replicates + first + lane] = worth ? score[lane] : score[lane] / (double)drawn[lane];
        }
    }
    return again;
}

static PyObject *scored(Arrays *arrays, const Topic *t, const double *worth, const double *w, int64_t depth)
{
    uint8_t *copies = malloc((size_t)t->documents * LANES + 1);
    if (!copies)
        return release(arrays, PyErr_NoMemory());
    PyThreadState *thread = PyEval_SaveThread();
    Py_ssize_t again = score_all(t, copies, worth, w, depth);
    PyEval_RestoreThread(thread);
    free(copies);
    return release(arrays, PyLong_FromSsize_t(again));
}

PyDoc_STRVAR(average_precision_doc,
"average_precision(key, relevant, document, begin, entry, out) -> redrawn\n\n"
"One topic with the streams of `key`: documents by their hash, the first `relevant` of them (retrieved or not) are the\n"
"relevant ones; list l has its documents in rank order at begin[l] to begin[l + 1].  Fills out[list, replicate]; a\n"
"replicate without a relevant document is drawn again, and counted.");

static PyObject *average_precision(PyObject *self, PyObject *args)
{
    PyObject *objects[4];
    Arrays arrays;
    Topic topic;
    unsigned long long key;
    Py_ssize_t relevant;
    static const int sizes[4] = {8, 8, 4, -8};
    (void)self;
    if (!PyArg_ParseTuple(args, "KnOOOO", &key, &relevant, &objects[0], &objects[1], &objects[2], &objects[3]))
        return NULL;
    if (take_all(&arrays, objects, sizes, 4) < 0)
        return release(&arrays, NULL);
    if (!topic_of(&topic, &arrays, key, relevant) || relevant < 1)
        return unsound(&arrays);
    return scored(&arrays, &topic, NULL, NULL, 0);
}

PyDoc_STRVAR(weighted_doc,
"weighted(key, relevant, document, begin, entry, out, worth, running) -> redrawn\n\n"
"The same for sums over ranks of weight x worth: worth[d] of each document, running[i] the weight of the first i ranks.");

static PyObject *weighted(PyObject *self, PyObject *args)
{
    PyObject *objects[6];
    Arrays arrays;
    Topic topic;
    unsigned long long key;
    Py_ssize_t relevant;
    static const int sizes[6] = {8, 8, 4, -8, 8, 8};
    (void)self;
    if (!PyArg_ParseTuple(args, "KnOOOOOO", &key, &relevant, &objects[0], &objects[1], &objects[2], &objects[3],
                          &objects[4], &objects[5]))
        return NULL;
    if (take_all(&arrays, objects, sizes, 6) < 0)
        return release(&arrays, NULL);
    if (!topic_of(&topic, &arrays, key, relevant) || COUNT(4) != topic.documents || COUNT(5) < 1)
        return unsound(&arrays);
    return scored(&arrays, &topic, DATA(double, 4), DATA(double, 5), COUNT(5) - 1);
}

static PyMethodDef methods[] = {{"draw", draw, METH_VARARGS, draw_doc},
                                {"average_precision", average_precision, METH_VARARGS, average_precision_doc},
                                {"weighted", weighted, METH_VARARGS, weighted_doc},
                                {NULL, NULL, 0, NULL}};

static int prepare(PyObject *module)
{
    (void)module;
    fill_tables();
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, prepare}, {0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "truegain.sampling._copies", "Scores of drawn collections.", 0, methods, slots,
    NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__copies(void) { return PyModuleDef_Init(&module); }
