/* Average precision of many collections drawn from one.
 *
 * Every document is copied Poisson(1) times (Cormack and Lynam 2006).  Only relevant
 * documents matter one by one: the others between two of them are one Poisson draw of
 * their number, and a relevant document without a copy adds its stretch to the next.
 *
 * Why C: this loop runs (replicates x relevant retrieved) times, half a billion for
 * 129 runs of 50 topics at 2,000 replicates; it draws by table, without the
 * interpreter lock.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* xoshiro256++ of Blackman and Vigna, public domain. */
typedef struct {
    uint64_t s[4];
} Random;

static inline uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t next(Random *r)
{
    uint64_t *s = r->s, result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* Uniform in (0, 1). */
static inline double uniform(Random *r) { return ((double)(next(r) >> 11) + 0.5) * 0x1p-53; }

/* Poisson draws by inversion: for each whole mean its cumulative probabilities, and a
 * guide that tells where to begin looking (Chen and Asau). */
typedef struct {
    const double *cumulative;
    const int32_t *first_value; /* per mean: the value of its first entry */
    const int64_t *begin;       /* per mean: its entries begin[m] to begin[m + 1] */
    const int32_t *guide;       /* as long as cumulative: index relative to begin[m] */
    int64_t largest;            /* largest mean with a table */
} Tables;

static inline int64_t draw_one(const Tables *t, int64_t mean, Random *r)
{
    int64_t begin = t->begin[mean], size = t->begin[mean + 1] - begin;
    double u = uniform(r);
    int64_t at = t->guide[begin + (int64_t)(u * (double)size)];
    const double *cumulative = t->cumulative + begin;
    while (at < size - 1 && cumulative[at] < u)
        at++;
    return t->first_value[mean] + at;
}

/* A Poisson of a large mean is a sum of Poissons of smaller ones. */
static inline int64_t draw(const Tables *t, int64_t mean, Random *r)
{
    int64_t total = 0;
    for (; mean > t->largest; mean -= t->largest)
        total += draw_one(t, t->largest, r);
    return mean > 0 ? total + draw_one(t, mean, r) : total;
}

/* k copies of a relevant document after `total` documents of which `found` are relevant. */
static inline double gain_of_copies(int64_t k, int64_t *total, int64_t *found)
{
    double gain = 0;
    for (int64_t c = 0; c < k; c++)
        gain += (double)++*found / (double)++*total;
    return gain;
}

/* ---------------------------------------------------------------- arguments */

enum { MOST = 12 };

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

#define DATA(type, i) ((type *)arrays.view[i].buf)
#define COUNT(i) (arrays.view[i].len / arrays.view[i].itemsize)

static int tables_sound(const Tables *t, Py_ssize_t entries, Py_ssize_t means)
{
    if (t->largest < 1 || means != t->largest + 2 || t->begin[0] != 0 || t->begin[means - 1] != entries)
        return 0;
    for (Py_ssize_t m = 0; m + 1 < means; m++) {
        if (t->begin[m + 1] <= t->begin[m])
            return 0;
        for (int64_t e = t->begin[m]; e < t->begin[m + 1]; e++)
            if (t->guide[e] < 0 || t->guide[e] >= t->begin[m + 1] - t->begin[m])
                return 0;
    }
    return 1;
}

static PyObject *unsound(Arrays *arrays)
{
    PyErr_SetString(PyExc_ValueError, "arrays do not fit together");
    return release(arrays, NULL);
}

/* --------------------------------------------------------------------- AP */

PyDoc_STRVAR(average_precision_doc,
"average_precision(seed, list_seeds, cumulative, first_value, table_begin, guide, relevant, begin, item, gap, out) -> redrawn\n\n"
"One topic: list l has its relevant retrieved documents begin[l] to begin[l + 1], each with its number `item` below\n"
"`relevant` and the `gap` of other documents before it.  Fills out[list, replicate]; a replicate without a relevant\n"
"document is drawn again, and counted.  Copies of relevant documents come from `seed`, the gaps of list l from\n"
"list_seeds[l], so that a list gives the same values whichever lists stand beside it.");

static PyObject *average_precision(PyObject *self, PyObject *args)
{
    PyObject *objects[10];
    Arrays arrays;
    Py_ssize_t relevant;
    static const int sizes[10] = {8, 8, 4, 8, 4, 8, 4, 4, -8, 8};
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOnOOOO", &objects[0], &objects[9], &objects[1], &objects[2], &objects[3],
                          &objects[4], &relevant, &objects[5], &objects[6], &objects[7], &objects[8]))
        return NULL;
    if (take_all(&arrays, objects, sizes, 10) < 0)
        return release(&arrays, NULL);
    Tables tables = {DATA(double, 1), DATA(int32_t, 2), DATA(int64_t, 3), DATA(int32_t, 4), COUNT(3) - 2};
    const int64_t *begin = DATA(int64_t, 5);
    const int32_t *item = DATA(int32_t, 6), *gap = DATA(int32_t, 7);
    double *out = DATA(double, 8);
    Py_ssize_t lists = COUNT(5) - 1;
    int sound = COUNT(0) == 4 && lists >= 1 && relevant >= 1 && COUNT(8) % lists == 0 && COUNT(7) == COUNT(6) &&
                COUNT(2) == COUNT(3) - 1 && COUNT(4) == COUNT(1) && tables_sound(&tables, COUNT(1), COUNT(3)) &&
                begin[0] == 0 && begin[lists] == COUNT(6) && COUNT(9) == 4 * lists;
    for (Py_ssize_t l = 0; sound && l < lists; l++)
        sound = begin[l + 1] >= begin[l];
    for (Py_ssize_t e = 0; sound && e < COUNT(6); e++)
        sound = item[e] >= 0 && item[e] < relevant && gap[e] >= 0;
    if (!sound)
        return unsound(&arrays);
    Py_ssize_t replicates = COUNT(8) / lists, redrawn = 0;
    int32_t *copies = malloc((size_t)relevant * sizeof *copies);
    Random *own = malloc((size_t)lists * sizeof *own);
    if (!copies || !own) {
        free(copies);
        free(own);
        return release(&arrays, PyErr_NoMemory());
    }
    Random random;
    memcpy(random.s, DATA(uint64_t, 0), sizeof random.s);
    memcpy(own, DATA(uint64_t, 9), (size_t)lists * sizeof *own);
    PyThreadState *thread = PyEval_SaveThread();
    for (Py_ssize_t b = 0; b < replicates; b++) {
        int64_t drawn = 0;
        for (;; redrawn++) {
            for (Py_ssize_t i = 0; i < relevant; i++)
                drawn += copies[i] = (int32_t)draw_one(&tables, 1, &random);
            if (drawn)
                break;
        }
        for (Py_ssize_t l = 0; l < lists; l++) {
            int64_t total = 0, found = 0, waiting = 0;
            double sum = 0;
            for (int64_t e = begin[l]; e < begin[l + 1]; e++) {
                waiting += gap[e];
                int32_t k = copies[item[e]];
                if (!k)
                    continue;
                total += draw(&tables, waiting, &own[l]);
                waiting = 0;
                sum += gain_of_copies(k, &total, &found);
            }
            out[l * replicates + b] = sum / (double)drawn;
        }
    }
    PyEval_RestoreThread(thread);
    free(copies);
    free(own);
    return release(&arrays, PyLong_FromSsize_t(redrawn));
}

PyDoc_STRVAR(paired_average_precision_doc,
"paired_average_precision(seed, cumulative, first_value, table_begin, guide, documents, relevant, begin, document, out) -> redrawn\n\n"
"One topic, every document by itself: documents are numbered from 0, the first `relevant` of them are the relevant\n"
"ones; list l has its documents in rank order at begin[l] to begin[l + 1].  The same document has the same copies in\n"
"every list.  Fills out[list, replicate].");

static PyObject *paired_average_precision(PyObject *self, PyObject *args)
{
    PyObject *objects[8];
    Arrays arrays;
    Py_ssize_t documents, relevant;
    static const int sizes[8] = {8, 8, 4, 8, 4, 8, 4, -8};
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOnnOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4],
                          &documents, &relevant, &objects[5], &objects[6], &objects[7]))
        return NULL;
    if (take_all(&arrays, objects, sizes, 8) < 0)
        return release(&arrays, NULL);
    Tables tables = {DATA(double, 1), DATA(int32_t, 2), DATA(int64_t, 3), DATA(int32_t, 4), COUNT(3) - 2};
    const int64_t *begin = DATA(int64_t, 5);
    const int32_t *document = DATA(int32_t, 6);
    double *out = DATA(double, 7);
    Py_ssize_t lists = COUNT(5) - 1;
    int sound = COUNT(0) == 4 && lists >= 1 && relevant >= 1 && documents >= relevant && COUNT(7) % lists == 0 &&
                COUNT(2) == COUNT(3) - 1 && COUNT(4) == COUNT(1) && tables_sound(&tables, COUNT(1), COUNT(3)) &&
                begin[0] == 0 && begin[lists] == COUNT(6);
    for (Py_ssize_t l = 0; sound && l < lists; l++)
        sound = begin[l + 1] >= begin[l];
    for (Py_ssize_t e = 0; sound && e < COUNT(6); e++)
        sound = document[e] >= 0 && document[e] < documents;
    if (!sound)
        return unsound(&arrays);
    Py_ssize_t replicates = COUNT(7) / lists, redrawn = 0;
    int32_t *copies = malloc((size_t)documents * sizeof *copies);
    if (!copies)
        return release(&arrays, PyErr_NoMemory());
    Random random;
    memcpy(random.s, DATA(uint64_t, 0), sizeof random.s);
    PyThreadState *thread = PyEval_SaveThread();
    for (Py_ssize_t b = 0; b < replicates; b++) {
        int64_t drawn = 0;
        for (;; redrawn++) {
            for (Py_ssize_t i = 0; i < relevant; i++)
                drawn += copies[i] = (int32_t)draw_one(&tables, 1, &random);
            if (drawn)
                break;
        }
        for (Py_ssize_t i = relevant; i < documents; i++)
            copies[i] = (int32_t)draw_one(&tables, 1, &random);
        for (Py_ssize_t l = 0; l < lists; l++) {
            int64_t total = 0, found = 0;
            double sum = 0;
            for (int64_t e = begin[l]; e < begin[l + 1]; e++) {
                int32_t d = document[e], k = copies[d];
                if (d < relevant)
                    sum += gain_of_copies(k, &total, &found);
                else
                    total += k;
            }
            out[l * replicates + b] = sum / (double)drawn;
        }
    }
    PyEval_RestoreThread(thread);
    free(copies);
    return release(&arrays, PyLong_FromSsize_t(redrawn));
}

static PyMethodDef methods[] = {
    {"average_precision", average_precision, METH_VARARGS, average_precision_doc},
    {"paired_average_precision", paired_average_precision, METH_VARARGS, paired_average_precision_doc},
    {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "truegain.sampling._copies", "Average precision of drawn collections.", 0, methods, slots,
    NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__copies(void) { return PyModuleDef_Init(&module); }
