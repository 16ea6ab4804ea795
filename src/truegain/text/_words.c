/* Cutting text into words and counting them, document by document.
 *
 * Why C: the same by polars expressions (lower case, regular expression, explode, group) holds every single word of a
 * partition as a string of its own before the first is counted; benchmarks/content.py prints the ratio.  Here a word
 * is lower-cased into the end of the vocabulary, looked up, and kept only where it is new.
 *
 * What is a word is told by the caller: a class and a lower-case form per code point.  Chinese, Japanese and Korean are
 * written without blanks: a stretch of their characters is counted as its pairs of neighbours, as Lucene's CJKAnalyzer
 * does, and one that stands alone as itself.  Works without the interpreter lock; what it made comes back as bytes, because its size is known only afterwards.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../little_endian.h"

typedef struct {
    unsigned char *data;
    size_t used, room;
} Buffer;

/* Room for `more` bytes at the end; 0 where there is no memory. */
static inline int reserve(Buffer *buffer, size_t more)
{
    if (buffer->used + more <= buffer->room)
        return 1;
    size_t room = buffer->room ? buffer->room : 4096;
    while (room < buffer->used + more)
        room *= 2;
    unsigned char *data = realloc(buffer->data, room);
    if (data == NULL)
        return 0;
    buffer->data = data;
    buffer->room = room;
    return 1;
}

#define PUSH(buffer, type, value)                                                                                      \
    (reserve(buffer, sizeof(type)) ? (((type *)((buffer)->data))[(buffer)->used / sizeof(type)] = (value),             \
                                      (buffer)->used += sizeof(type), 1)                                               \
                                   : 0)
#define AT(buffer, type, i) (((type *)((buffer).data))[i])

/* All that a look-up needs of a word, in half a cache line. */
typedef struct {
    int64_t end;       /* in the text of the vocabulary */
    int64_t frequency;
    int64_t place;     /* of its count in the last document that has it */
    int32_t document;  /* that document, -1 for none */
    int32_t length;
} Entry;

typedef struct {
    int32_t word; /* -1 where free */
    uint32_t tag; /* upper half of the hash */
} Slot;

enum { NONE, LETTER, PAIRED, MARK }; /* classes of code points: of no word, of a word, of pairs, of what it follows */

typedef struct {
    const unsigned char *text;
    const uint8_t *is_word; /* class per code point */
    const int32_t *lower;   /* per code point */
    uint32_t known;         /* code points in both tables */
    unsigned char ascii[128]; /* lower case where a byte belongs to a word, else 0 */
    Buffer words, entries; /* the vocabulary, in order of appearance: text, and what is known of each word */
    Buffer term, count;    /* of the documents that are kept */
    Slot *slots;
    size_t size;
} Counter;

/* One code point from p (before end); malformed bytes count as one unknown code point each. */
static inline uint32_t decode(const unsigned char *p, const unsigned char *end, size_t *length)
{
    uint32_t c = *p;
    size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    *length = 1;
    if (n == 1)
        return c;
    if (n == 0 || (size_t)(end - p) < n)
        return UINT32_MAX;
    c &= 0x7fU >> n;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return UINT32_MAX;
        c = c << 6 | (p[i] & 0x3f);
    }
    *length = n;
    return c;
}

static inline size_t encode(uint32_t c, unsigned char *out)
{
    if (c < 0x80) {
        out[0] = (unsigned char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (unsigned char)(0xc0 | c >> 6);
        out[1] = (unsigned char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (unsigned char)(0xe0 | c >> 12);
        out[1] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (unsigned char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (unsigned char)(0xf0 | c >> 18);
    out[1] = (unsigned char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (unsigned char)(0x80 | (c & 0x3f));
    return 4;
}

static inline uint64_t hash_word(const unsigned char *word, size_t length)
{
    uint64_t h = 0x9e3779b97f4a7c15ULL ^ (uint64_t)length;
    for (; length >= 8; word += 8, length -= 8) {
        h = (h ^ little_endian(word, 8)) * 0xd6e8feb86659fd93ULL;
        h ^= h >> 32;
    }
    if (length) {
        h = (h ^ little_endian(word, length)) * 0xd6e8feb86659fd93ULL;
        h ^= h >> 32;
    }
    h *= 0xd6e8feb86659fd93ULL;
    return h ^ h >> 32;
}

static int grow(Counter *counter)
{
    size_t size = counter->size ? counter->size * 2 : 1 << 12, words = counter->entries.used / sizeof(Entry);
    Slot *slots = malloc(size * sizeof *slots);
    if (slots == NULL)
        return 0;
    memset(slots, 0xff, size * sizeof *slots);
    for (size_t word = 0; word < words; word++) {
        const Entry *entry = &AT(counter->entries, Entry, word);
        uint64_t hash = hash_word(counter->words.data + entry->end - entry->length, (size_t)entry->length);
        size_t at = hash & (size - 1);
        while (slots[at].word >= 0)
            at = (at + 1) & (size - 1);
        slots[at].word = (int32_t)word;
        slots[at].tag = (uint32_t)(hash >> 32);
    }
    free(counter->slots);
    counter->slots = slots;
    counter->size = size;
    return 1;
}

/* The number of the word that stands, lower-cased, at the end of `words`: kept if new, dropped if known; -1 for no
 * memory or more words than an int32 counts. */
static inline int32_t number_of(Counter *counter, size_t length)
{
    size_t vocabulary = counter->entries.used / sizeof(Entry);
    if (vocabulary * 2 >= counter->size && !grow(counter))
        return -1;
    const unsigned char *word = counter->words.data + counter->words.used;
    uint64_t hash = hash_word(word, length);
    uint32_t tag = (uint32_t)(hash >> 32);
    size_t at = hash & (counter->size - 1);
    for (; counter->slots[at].word >= 0; at = (at + 1) & (counter->size - 1)) {
        if (counter->slots[at].tag != tag)
            continue;
        const Entry *other = &AT(counter->entries, Entry, counter->slots[at].word);
        if ((size_t)other->length == length && memcmp(counter->words.data + other->end - length, word, length) == 0)
            return counter->slots[at].word;
    }
    if (vocabulary >= INT32_MAX - 1 || length > INT32_MAX)
        return -1;
    counter->words.used += length;
    Entry entry = {(int64_t)counter->words.used, 0, 0, -1, (int32_t)length};
    if (!PUSH(&counter->entries, Entry, entry))
        return -1;
    counter->slots[at].word = (int32_t)vocabulary;
    counter->slots[at].tag = tag;
    return (int32_t)vocabulary;
}

static inline int add(Counter *counter, size_t length, int32_t document, int keep)
{
    int32_t word = number_of(counter, length);
    if (word < 0)
        return 0;
    Entry *entry = &AT(counter->entries, Entry, word);
    entry->frequency++;
    if (!keep)
        return 1;
    if (entry->document == document) {
        AT(counter->count, int32_t, entry->place)++;
        return 1;
    }
    entry->document = document;
    entry->place = (int64_t)(counter->count.used / sizeof(int32_t));
    return PUSH(&counter->term, int32_t, word) && PUSH(&counter->count, int32_t, 1);
}

static inline int class_at(const Counter *counter, const unsigned char *p, const unsigned char *end, size_t *step)
{
    uint32_t c = decode(p, end, step);
    return c < counter->known ? counter->is_word[c] : NONE;
}

/* Where a character ends that begins at p: behind the marks that follow it. */
static const unsigned char *character_end(const Counter *counter, const unsigned char *p, const unsigned char *end)
{
    size_t step;
    (void)decode(p, end, &step);
    for (p += step; p < end && class_at(counter, p, end, &step) == MARK; p += step)
        ;
    return p;
}

/* Put the lower case of p to end behind the vocabulary; its length, 0 for no memory. */
static size_t put(Counter *counter, const unsigned char *p, const unsigned char *end)
{
    if (!reserve(&counter->words, 2 * (size_t)(end - p) + 16)) /* lower case may be longer, as may what hashing reads */
        return 0;
    unsigned char *out = counter->words.data + counter->words.used;
    size_t length = 0, step;
    for (; p < end; p += step) {
        uint32_t c = decode(p, end, &step);
        length += encode((uint32_t)counter->lower[c], out + length);
    }
    return length;
}

/* Count the pairs of neighbours in a stretch that begins at *at, and move behind it; their number, -1 for no memory. */
static int64_t count_pairs(Counter *counter, const unsigned char **at, const unsigned char *end, int32_t document,
                           int keep)
{
    int64_t words = 0;
    size_t step;
    const unsigned char *first = *at, *second = character_end(counter, first, end);
    for (;;) {
        int more = second < end && class_at(counter, second, end, &step) == PAIRED;
        const unsigned char *last = more ? character_end(counter, second, end) : second;
        if (more || !words) {
            size_t length = put(counter, first, last);
            if (!length || !add(counter, length, document, keep))
                return -1;
            words++;
        }
        *at = second;
        if (!more)
            return words;
        first = second;
        second = last;
    }
}

/* Count one document; its number of words, or -1 for no memory. */
static int64_t count_document(Counter *counter, const unsigned char *p, const unsigned char *end, int32_t document,
                              int keep)
{
    int64_t words = 0;
    while (p < end) {
        size_t length = 0, step = 1, room = 64;
        int paired = 0;
        if (!reserve(&counter->words, room))
            return -1;
        unsigned char *out = counter->words.data + counter->words.used;
        for (; p < end; p += step) {
            if (length + 16 > room) { /* 4 for a code point, and 8 because hashing reads in steps of 8 */
                room = 2 * length + 64;
                if (!reserve(&counter->words, room))
                    return -1;
                out = counter->words.data + counter->words.used;
            }
            if (*p < 0x80) {
                step = 1;
                if (!(out[length] = counter->ascii[*p]))
                    break;
                length++;
                continue;
            }
            uint32_t c = decode(p, end, &step);
            if (c >= counter->known || !counter->is_word[c])
                break;
            if ((paired = counter->is_word[c] == PAIRED))
                break;
            length += encode((uint32_t)counter->lower[c], out + length);
        }
        if (length) {
            words++;
            if (!add(counter, length, document, keep))
                return -1;
        } else if (paired) {
            int64_t pairs = count_pairs(counter, &p, end, document, keep);
            if (pairs < 0)
                return -1;
            words += pairs;
        } else {
            p += step;
        }
    }
    return words;
}

static PyObject *as_bytes(Buffer *buffer)
{
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)buffer->data, (Py_ssize_t)buffer->used);
    free(buffer->data);
    memset(buffer, 0, sizeof *buffer);
    return bytes;
}

PyDoc_STRVAR(count_doc,
"count(text, begin, end, keep, is_word, lower): words of documents, document i being text[begin[i]:end[i]].\n"
"Returns bytes: postings before each kept document (int64), term and count of each posting (int32), words of each\n"
"document (int64), the vocabulary, where its words start (int64), and how often each occurs (int64).");

static PyObject *count(PyObject *self, PyObject *args)
{
    PyObject *objects[6];
    Py_buffer views[6];
    static const Py_ssize_t sizes[6] = {1, 8, 8, 1, 1, 4};
    int held = 0, sound = 1;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4], &objects[5]))
        return NULL;
    for (; held < 6; held++) {
        if (PyObject_GetBuffer(objects[held], &views[held], PyBUF_C_CONTIGUOUS) < 0)
            break;
        sound = sound && views[held].itemsize == sizes[held];
    }
    Py_ssize_t documents = held == 6 ? views[1].len / 8 : 0;
    const int64_t *begin = held == 6 ? views[1].buf : NULL, *end = held == 6 ? views[2].buf : NULL;
    if (held == 6) {
        sound = sound && views[2].len / 8 == documents && views[3].len == documents && views[4].len == views[5].len / 4;
        for (Py_ssize_t i = 0; sound && i < documents; i++)
            sound = begin[i] >= 0 && begin[i] <= end[i] && end[i] <= views[0].len;
        for (Py_ssize_t i = 0; sound && i < views[4].len; i++) {
            int32_t lower = ((const int32_t *)views[5].buf)[i];
            sound = lower >= 0 && lower < 0x110000;
        }
    }
    if (held < 6 || !sound) {
        for (int i = 0; i < held; i++)
            PyBuffer_Release(&views[i]);
        if (held == 6)
            PyErr_SetString(PyExc_ValueError, "arrays do not fit together");
        return NULL;
    }
    Counter counter;
    memset(&counter, 0, sizeof counter);
    counter.text = views[0].buf;
    counter.is_word = views[4].buf;
    counter.lower = views[5].buf;
    counter.known = (uint32_t)views[4].len;
    for (uint32_t c = 0; c < 128; c++)
        counter.ascii[c] = c < counter.known && counter.is_word[c] && counter.lower[c] < 128 ? (unsigned char)counter.lower[c] : 0;
    const uint8_t *keep = views[3].buf;
    Buffer before = {NULL, 0, 0}, lengths = {NULL, 0, 0};
    PyThreadState *thread = PyEval_SaveThread();
    Buffer starts = {NULL, 0, 0}, frequencies = {NULL, 0, 0};
    int enough = documents < INT32_MAX && PUSH(&before, int64_t, 0) && PUSH(&starts, int64_t, 0);
    for (Py_ssize_t i = 0; enough && i < documents; i++) {
        int64_t words = count_document(&counter, counter.text + begin[i], counter.text + end[i], (int32_t)i, keep[i]);
        enough = words >= 0 && PUSH(&lengths, int64_t, words);
        if (enough && keep[i])
            enough = PUSH(&before, int64_t, (int64_t)(counter.term.used / sizeof(int32_t)));
    }
    for (size_t word = 0; enough && word < counter.entries.used / sizeof(Entry); word++)
        enough = PUSH(&starts, int64_t, AT(counter.entries, Entry, word).end) &&
                 PUSH(&frequencies, int64_t, AT(counter.entries, Entry, word).frequency);
    PyEval_RestoreThread(thread);
    for (int i = 0; i < 6; i++)
        PyBuffer_Release(&views[i]);
    free(counter.slots);
    free(counter.entries.data);
    Buffer *made[7] = {&before, &counter.term, &counter.count, &lengths, &counter.words, &starts,
                       &frequencies};
    PyObject *answer = enough ? PyTuple_New(7) : PyErr_NoMemory();
    for (int i = 0; i < 7; i++) {
        PyObject *bytes = answer != NULL ? as_bytes(made[i]) : NULL;
        if (bytes == NULL) {
            Py_XDECREF(answer);
            answer = NULL;
            free(made[i]->data);
        } else {
            PyTuple_SetItem(answer, i, bytes);
        }
    }
    return answer;
}

static PyMethodDef methods[] = {{"count", count, METH_VARARGS, count_doc}, {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot module_slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "truegain.text._words", "Cutting text into words and counting them.", 0, methods,
    module_slots,          NULL,                   NULL,                                         NULL};

PyMODINIT_FUNC PyInit__words(void) { return PyModuleDef_Init(&module); }
