/* Dividing lines by topic: which part each line of a text belongs to, and the lines of each part put together.
 *
 * Why C: a file larger than memory is looked at line by line before anything else is done with it.
 * Parts are stretches of topics in the order of their bytes, so that parts one after the other give all topics in
 * the order in which they are scored.  All arrays are allocated by the caller.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

static const unsigned char SPACE[256] = {['\t'] = 1, ['\v'] = 1, ['\f'] = 1, ['\r'] = 1, [' '] = 1};

static int take(PyObject *object, Py_buffer *view, Py_ssize_t size, int writable)
{
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)) < 0)
        return -1;
    if (size != 1 && view->itemsize != size) {
        PyErr_Format(PyExc_TypeError, "expected items of %zd bytes, got %zd", size, view->itemsize);
        PyBuffer_Release(view);
        return -1;
    }
    return 0;
}

/* Take `count` arguments: sizes[i] is the size of an item, negative if written to. */
static int take_all(PyObject **objects, Py_buffer *views, const int *sizes, int count)
{
    for (int i = 0; i < count; i++)
        if (take(objects[i], &views[i], sizes[i] < 0 ? -sizes[i] : sizes[i], sizes[i] < 0) < 0) {
            while (i--)
                PyBuffer_Release(&views[i]);
            return -1;
        }
    return 0;
}

static void release_all(Py_buffer *views, int count)
{
    for (int i = 0; i < count; i++)
        PyBuffer_Release(&views[i]);
}

/* The field of a number in [p, end); NULL where the line is blank, a comment, or too short to have it. */
static const unsigned char *find_field(const unsigned char *p, const unsigned char *end, int field, size_t *length)
{
    for (int number = 0;; number++) {
        while (p < end && SPACE[*p])
            p++;
        if (p == end || (!number && *p == '#'))
            return NULL;
        const unsigned char *start = p;
        while (p < end && !SPACE[*p])
            p++;
        if (number == field) {
            *length = (size_t)(p - start);
            return start;
        }
    }
}

/* How many of the bounds, in the order of their bytes, are not beyond a topic. */
static int32_t part_of(const unsigned char *topic, size_t length, const unsigned char *bounds, const int64_t *start,
                       Py_ssize_t count)
{
    Py_ssize_t low = 0, high = count;
    while (low < high) {
        Py_ssize_t middle = (low + high) / 2;
        size_t its = (size_t)(start[middle + 1] - start[middle]);
        int order = memcmp(bounds + start[middle], topic, its < length ? its : length);
        if (order < 0 || (order == 0 && its <= length))
            low = middle + 1;
        else
            high = middle;
    }
    return (int32_t)low;
}

PyDoc_STRVAR(split_doc,
"split(text, begin, field, bounds, bound_start, part, run_part, run_begin, run_line) -> (runs, lines, end)\n\n"
"Lines of text[begin:] that stand together and belong to the same part, as runs: their part, where the run begins,\n"
"and the lines before it.  The topic is the field of a number; bounds are the first topics of all parts but the\n"
"first; a line without a topic belongs to the part of the line before, the first one to `part`.\n"
"Ends where the arrays of runs are full.");

static PyObject *split(PyObject *self, PyObject *args)
{
    PyObject *objects[6];
    Py_buffer views[6];
    static const int sizes[6] = {1, 1, 8, -4, -8, -8};
    Py_ssize_t begin;
    int field, part;
    (void)self;
    if (!PyArg_ParseTuple(args, "OniOOiOOO", &objects[0], &begin, &field, &objects[1], &objects[2], &part,
                          &objects[3], &objects[4], &objects[5]))
        return NULL;
    if (take_all(objects, views, sizes, 6) < 0)
        return NULL;
    const int64_t *start = views[2].buf;
    Py_ssize_t count = views[2].len / 8 - 1, capacity = views[3].len / 4, runs = 0, lines = 0;
    int sound = begin >= 0 && begin <= views[0].len && field >= 0 && count >= 0 && part >= 0 && part <= count &&
                views[4].len / 8 >= capacity && views[5].len / 8 >= capacity;
    for (Py_ssize_t i = 0; sound && i <= count; i++)
        sound = start[i] >= (i ? start[i - 1] : 0) && start[i] <= views[1].len;
    if (!sound) {
        release_all(views, 6);
        PyErr_SetString(PyExc_ValueError, "bounds lie outside of their text, or an array is too short");
        return NULL;
    }
    const unsigned char *base = views[0].buf, *p = base + begin, *stop = base + views[0].len;
    const unsigned char *bounds = views[1].buf, *last = NULL;
    int32_t *run_part = views[3].buf, here = part;
    int64_t *run_begin = views[4].buf, *run_line = views[5].buf;
    size_t last_length = 0;
    PyThreadState *thread = PyEval_SaveThread();
    while (p < stop) {
        const unsigned char *end = memchr(p, '\n', (size_t)(stop - p));
        size_t length = 0;
        const unsigned char *topic = find_field(p, end ? end : stop, field, &length);
        if (topic && !(last && last_length == length && memcmp(last, topic, length) == 0)) {
            here = part_of(topic, length, bounds, start, count);
            last = topic;
            last_length = length;
        }
        if (!runs || run_part[runs - 1] != here) {
            if (runs == capacity)
                break;
            run_part[runs] = here;
            run_begin[runs] = p - base;
            run_line[runs++] = lines;
        }
        lines++;
        p = end ? end + 1 : stop;
    }
    PyEval_RestoreThread(thread);
    release_all(views, 6);
    return Py_BuildValue("(nnn)", runs, lines, (Py_ssize_t)(p - base));
}

PyDoc_STRVAR(gather_doc,
"gather(text, run_part, run_begin, place, out): put the runs of each part together.\n\n"
"Run r is text[run_begin[r]:run_begin[r + 1]]; it goes to out[place[its part]:], and place is moved on.");

static PyObject *gather(PyObject *self, PyObject *args)
{
    PyObject *objects[5];
    Py_buffer views[5];
    static const int sizes[5] = {1, 4, 8, -8, -1};
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4]))
        return NULL;
    if (take_all(objects, views, sizes, 5) < 0)
        return NULL;
    const unsigned char *text = views[0].buf;
    const int32_t *part = views[1].buf;
    const int64_t *begin = views[2].buf;
    int64_t *place = views[3].buf;
    unsigned char *out = views[4].buf;
    Py_ssize_t runs = views[1].len / 4, parts = views[3].len / 8, room = views[4].len;
    int64_t *at = PyMem_Malloc(views[3].len ? (size_t)views[3].len : 1);
    if (!at) {
        release_all(views, 5);
        return PyErr_NoMemory();
    }
    memcpy(at, place, (size_t)parts * 8);
    int sound = views[2].len / 8 == runs + 1;
    PyThreadState *thread = PyEval_SaveThread();
    for (Py_ssize_t r = 0; sound && r < runs; r++) {  /* all is looked at before a byte is copied */
        sound = begin[r] >= 0 && begin[r] <= begin[r + 1] && begin[r + 1] <= views[0].len && part[r] >= 0 &&
                part[r] < parts && at[part[r]] >= 0 && at[part[r]] <= room - (begin[r + 1] - begin[r]);
        if (sound)
            at[part[r]] += begin[r + 1] - begin[r];
    }
    for (Py_ssize_t r = 0; sound && r < runs; r++) {
        int64_t length = begin[r + 1] - begin[r];
        memcpy(out + place[part[r]], text + begin[r], (size_t)length);
        place[part[r]] += length;
    }
    PyEval_RestoreThread(thread);
    PyMem_Free(at);
    release_all(views, 5);
    if (!sound) {
        PyErr_SetString(PyExc_ValueError, "a run lies outside of its text, or there is no room for it");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"split", split, METH_VARARGS, split_doc},
    {"gather", gather, METH_VARARGS, gather_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "truegain.io._split", "Dividing lines by topic.", 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__split(void) { return PyModuleDef_Init(&module); }
