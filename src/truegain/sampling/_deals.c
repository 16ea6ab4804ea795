/* Scores of each topic dealt to the systems at random, replicate after replicate.
 *
 * How a topic is dealt in a replicate is a function of (key of the topic, replicate): no deal depends on which
 * replicates stand beside it or on how many workers there are.  Whole numbers alone decide it, and sums are added topic
 * after topic, so that every processor has the same bits.
 *
 * Why C: the loop runs (replicates x topics x systems) times, 65 million for 129 systems, 50 topics and 10,000
 * replicates; one random word draws eight places at a time, without the interpreter lock.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- draws */

/* The finaliser of splitmix64 (Steele, Lea and Flood 2014); streams.py has the same. */
static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

static const uint64_t GOLDEN = 0x9e3779b97f4a7c15ULL;

/* The product of two words: its upper half, the lower one in `low`. */
static inline uint64_t times(uint64_t a, uint64_t b, uint64_t *low)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    uint64_t cross = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (cross & 0xffffffff);
    *low = a * b;
    return a1 * b1 + (cross >> 32) + (other >> 32);
#endif
}

/* Places drawn from one word, for the systems from `last` down to `last - count + 1`: that of system p is one of the
 * first p + 1.  A word is multiplied by one bound after the other, the upper halves are the places; words whose rest
 * is below `least`, 2^64 mod the product of the bounds, are drawn again, so that all places are equally likely
 * (Brackett-Rozinsky and Lemire 2025, Software: Practice and Experience 55). */
typedef struct {
    Py_ssize_t last, count;
    uint64_t least;
} Batch;

enum { AT_ONCE = 8 };
static const uint64_t WIDEST = 1ULL << 57; /* of a product: one word in 128 is drawn again at most */

/* How the places of m systems are drawn; `batches` has room for m.  Returns how many there are. */
static Py_ssize_t plan(Py_ssize_t m, Batch *batches)
{
    Py_ssize_t made = 0;
    for (Py_ssize_t last = m - 1; last > 0;) {
        uint64_t product = 1;
        Py_ssize_t count = 0;
        while (last - count > 0 && count < AT_ONCE && product <= WIDEST / (uint64_t)(last - count + 1)) {
            product *= (uint64_t)(last - count + 1);
            count++;
        }
        batches[made++] = (Batch){last, count, (0 - product) % product};
        last -= count;
    }
    return made;
}

/* Draws `count` places from one word, and swaps; a constant count is unrolled. */
static inline uint64_t deal_batch(double *restrict scores, double *restrict total, const Batch *batch, int count,
                                  uint64_t state)
{
    Py_ssize_t place[AT_ONCE], last = batch->last;
    uint64_t word;
    do {
        word = mix(state += GOLDEN);
        for (int k = 0; k < count; k++)
            place[k] = (Py_ssize_t)times(word, (uint64_t)(last - k + 1), &word);
    } while (word < batch->least);
    for (int k = 0; k < count; k++) {
        double got = scores[place[k]];
        scores[place[k]] = scores[last - k];
        total[last - k] += got;
    }
    return state;
}

/* Deals `scores`, which is a copy, and adds what each system has got to its total (Fisher and Yates). */
static inline void deal(double *restrict scores, double *restrict total, const Batch *batches,
                        Py_ssize_t made, uint64_t state)
{
    for (Py_ssize_t b = 0; b < made; b++)
        if (batches[b].count == AT_ONCE)
            state = deal_batch(scores, total, &batches[b], AT_ONCE, state);
        else
            state = deal_batch(scores, total, &batches[b], (int)batches[b].count, state);
    total[0] += scores[0];
}

/* ---------------------------------------------------------------- arguments */

static int take(PyObject *object, Py_buffer *view, int writable, const char *name)
{
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)) < 0)
        return 0;
    if (view->itemsize == 8)
        return 1;
    PyErr_Format(PyExc_TypeError, "%s: expected items of 8 bytes", name);
    PyBuffer_Release(view);
    return 0;
}

PyDoc_STRVAR(dealt_doc,
"dealt(key, first, scores, out)\n\n"
"Replicates from `first` on: out[b, system] is the sum over topics of what the system got, with scores[topic, system]\n"
"dealt by the stream of key[topic] and replicate first + b.  The first topic stays as it is.");

static PyObject *fill(const Py_buffer *key, uint64_t first, const Py_buffer *scores, const Py_buffer *out)
{
    Py_ssize_t topics = key->len / 8, m = topics ? scores->len / 8 / topics : 0;
    if (m < 1 || scores->len != topics * m * 8 || out->len % (m * 8)) {
        PyErr_SetString(PyExc_ValueError, "arrays do not fit together");
        return NULL;
    }
    double *copy = malloc((size_t)m * sizeof *copy), *total = out->buf;
    Batch *batches = malloc((size_t)m * sizeof *batches);
    if (!copy || !batches) {
        free(copy);
        free(batches);
        return PyErr_NoMemory();
    }
    PyThreadState *thread = PyEval_SaveThread();
    Py_ssize_t made = plan(m, batches), replicates = out->len / 8 / m;
    for (Py_ssize_t b = 0; b < replicates; b++, total += m) {
        const double *topic = scores->buf;
        memcpy(total, topic, (size_t)m * sizeof *total);
        for (Py_ssize_t t = 1; t < topics; t++) {
            memcpy(copy, topic + t * m, (size_t)m * sizeof *copy);
            deal(copy, total, batches, made, mix(((const uint64_t *)key->buf)[t] + (first + (uint64_t)b + 1) * GOLDEN));
        }
    }
    PyEval_RestoreThread(thread);
    free(copy);
    free(batches);
    Py_INCREF(Py_None);
    return Py_None;
}

static PyObject *dealt(PyObject *self, PyObject *args)
{
    PyObject *objects[3], *result = NULL;
    Py_buffer key, scores, out;
    unsigned long long first;
    (void)self;
    if (!PyArg_ParseTuple(args, "OKOO", &objects[0], &first, &objects[1], &objects[2]))
        return NULL;
    if (!take(objects[0], &key, 0, "key"))
        return NULL;
    if (take(objects[1], &scores, 0, "scores")) {
        if (take(objects[2], &out, 1, "out")) {
            result = fill(&key, first, &scores, &out);
            PyBuffer_Release(&out);
        }
        PyBuffer_Release(&scores);
    }
    PyBuffer_Release(&key);
    return result;
}

static PyMethodDef methods[] = {{"dealt", dealt, METH_VARARGS, dealt_doc}, {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "truegain.sampling._deals", "Scores dealt to systems at random.", 0, methods, slots,
    NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__deals(void) { return PyModuleDef_Init(&module); }
