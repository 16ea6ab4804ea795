/* Bytes as a number, the first of them the lowest, on every machine: hashes are written to files and decide what is
 * drawn, so that they must have the same bits everywhere. */
#ifndef TRUEGAIN_LITTLE_ENDIAN_H
#define TRUEGAIN_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

/* 1 to 8 bytes; those beyond are 0.  Compilers make one load of it where `bytes` is 8 and the machine little-endian. */
static inline uint64_t little_endian(const unsigned char *text, size_t bytes)
{
    uint64_t word = 0;
    memcpy(&word, text, bytes);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

#endif
