// CRC32C (Castagnoli, reflected polynomial 0x82f63b78).
//
// Three implementations: SSE4.2 + PCLMULQDQ, ARMv8 CRC, and slicing-by-8 in plain C. The choice is
// made once, by a constructor, before any other code of the program runs.
//
// The hardware ones run three dependency chains side by side, because the CRC instruction takes
// three cycles but a new one can start every cycle. Chains over n words each are joined by
//     crc(A|B|C) = A * x^(128 n) + B * x^(64 n) + C      (mod P)

#include "CPlatform.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#endif

#define POLYNOMIAL 0x82f63b78u

static uint32_t slices[8][256];

// x^(2^k) mod P for k = 0 ..< 64, bit-reflected: bit 31 is x^0.
static uint32_t powers_of_two[64];

// a * b mod P, all bit-reflected.
static uint32_t multiply(uint32_t a, uint32_t b) {
    uint32_t product = 0;
    for (int bit = 31; bit >= 0; bit--) {
        product ^= b & (0u - ((a >> bit) & 1));
        b = (b >> 1) ^ (POLYNOMIAL & (0u - (b & 1)));
    }
    return product;
}

static uint32_t power_of_x(uint64_t exponent) {
    uint32_t power = 1u << 31;
    for (int k = 0; exponent; k++, exponent >>= 1) {
        if (exponent & 1) power = multiply(powers_of_two[k], power);
    }
    return power;
}

uint32_t travertine_crc32c_software(uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *p = bytes;
    crc = ~crc;
    while (count >= 8) {
        uint32_t low = (p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        low ^= crc;
        crc = slices[7][low & 255] ^ slices[6][(low >> 8) & 255] ^ slices[5][(low >> 16) & 255]
            ^ slices[4][low >> 24] ^ slices[3][p[4]] ^ slices[2][p[5]] ^ slices[1][p[6]]
            ^ slices[0][p[7]];
        p += 8;
        count -= 8;
    }
    while (count--) crc = (crc >> 8) ^ slices[0][(crc ^ *p++) & 255];
    return ~crc;
}

#if defined(__x86_64__)

#define HARDWARE __attribute__((target("sse4.2,pclmul")))
#define CHAIN_WORDS_MAX 128

// folds[m] = x^(64 m - 33) mod P: multiplying a sum by it with PCLMULQDQ and feeding the product to
// the CRC instruction moves the sum m words ahead.
static uint32_t folds[2 * CHAIN_WORDS_MAX + 1];

HARDWARE static void prepare_hardware(void) {
    folds[1] = 1;
    for (int m = 2; m <= 2 * CHAIN_WORDS_MAX; m++) {
        folds[m] = (uint32_t)_mm_crc32_u64(folds[m - 1], 0);
    }
}

HARDWARE static inline uint64_t load64(const unsigned char *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

HARDWARE static inline uint64_t fold(uint64_t crc, uint32_t factor) {
    __m128i product = _mm_clmulepi64_si128(
        _mm_cvtsi64_si128((long long)crc), _mm_cvtsi32_si128((int)factor), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

// From so many words on, three chains are faster than one.
#define CHAINED_WORDS_MIN 12

// Takes and gives the raw register, without the inversion at both ends. One chain.
HARDWARE static inline uint64_t short_raw(uint64_t crc, const unsigned char *p, size_t count) {
    for (; count >= 32; count -= 32, p += 32) {
        crc = _mm_crc32_u64(crc, load64(p));
        crc = _mm_crc32_u64(crc, load64(p + 8));
        crc = _mm_crc32_u64(crc, load64(p + 16));
        crc = _mm_crc32_u64(crc, load64(p + 24));
    }
    if (count & 16) {
        crc = _mm_crc32_u64(crc, load64(p));
        crc = _mm_crc32_u64(crc, load64(p + 8));
        p += 16;
    }
    if (count & 8) {
        crc = _mm_crc32_u64(crc, load64(p));
        p += 8;
    }
    if (count & 4) {
        uint32_t word;
        memcpy(&word, p, 4);
        crc = _mm_crc32_u32((uint32_t)crc, word);
        p += 4;
    }
    if (count & 2) {
        uint16_t word;
        memcpy(&word, p, 2);
        crc = _mm_crc32_u16((uint32_t)crc, word);
        p += 2;
    }
    if (count & 1) crc = _mm_crc32_u8((uint32_t)crc, *p);
    return crc;
}

// The same with three chains as long as there are enough words. Not inlined, so that short sums
// save no registers.
HARDWARE __attribute__((noinline)) static uint64_t long_raw(
    uint64_t crc, const unsigned char *p, size_t count
) {
    size_t words = count / 8;
    while (words >= CHAINED_WORDS_MIN) {
        size_t n = words / 3;
        if (n > CHAIN_WORDS_MAX) n = CHAIN_WORDS_MAX;
        const unsigned char *a = p, *b = p + 8 * n, *c = p + 16 * n;
        uint64_t second = 0, third = 0;
        for (size_t i = 0; i + 1 < n; i++, a += 8, b += 8, c += 8) {
            crc = _mm_crc32_u64(crc, load64(a));
            second = _mm_crc32_u64(second, load64(b));
            third = _mm_crc32_u64(third, load64(c));
        }
        crc = _mm_crc32_u64(crc, load64(a));
        second = _mm_crc32_u64(second, load64(b));
        uint64_t last = load64(c) ^ fold(crc, folds[2 * n]) ^ fold(second, folds[n]);
        crc = _mm_crc32_u64(third, last);
        p += 24 * n;
        words -= 3 * n;
    }
    return short_raw(crc, p, words * 8 + (count & 7));
}

HARDWARE static inline uint64_t hardware_raw(uint64_t crc, const unsigned char *p, size_t count) {
    return count < 8 * CHAINED_WORDS_MIN ? short_raw(crc, p, count) : long_raw(crc, p, count);
}

HARDWARE static uint32_t hardware(uint32_t crc, const void *bytes, size_t count) {
    return ~(uint32_t)hardware_raw((uint32_t)~crc, bytes, count);
}

HARDWARE static uint32_t hardware_after_word(
    uint32_t crc, uint64_t word, const void *bytes, size_t count
) {
    return ~(uint32_t)hardware_raw(_mm_crc32_u64((uint32_t)~crc, word), bytes, count);
}

static int hardware_is_present(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

#elif defined(__aarch64__)

#if defined(__APPLE__)
#define HARDWARE
#elif defined(__clang__)
#define HARDWARE __attribute__((target("crc")))
#else
#define HARDWARE __attribute__((target("+crc")))
#endif
#define BLOCK_WORDS 512

static uint32_t block_shift, two_block_shift;

static void prepare_hardware(void) {
    block_shift = power_of_x(64ull * BLOCK_WORDS);
    two_block_shift = power_of_x(128ull * BLOCK_WORDS);
}

HARDWARE static inline uint64_t load64(const unsigned char *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

HARDWARE static inline uint32_t hardware_raw(uint32_t crc, const unsigned char *p, size_t count) {
    while (count >= 24 * BLOCK_WORDS) {
        uint32_t second = 0, third = 0;
        for (size_t i = 0; i < BLOCK_WORDS; i++, p += 8) {
            crc = __crc32cd(crc, load64(p));
            second = __crc32cd(second, load64(p + 8 * BLOCK_WORDS));
            third = __crc32cd(third, load64(p + 16 * BLOCK_WORDS));
        }
        crc = multiply(two_block_shift, crc) ^ multiply(block_shift, second) ^ third;
        p += 16 * BLOCK_WORDS;
        count -= 24 * BLOCK_WORDS;
    }
    for (; count >= 8; count -= 8, p += 8) crc = __crc32cd(crc, load64(p));
    for (; count; count--) crc = __crc32cb(crc, *p++);
    return crc;
}

HARDWARE static uint32_t hardware(uint32_t crc, const void *bytes, size_t count) {
    return ~hardware_raw(~crc, bytes, count);
}

HARDWARE static uint32_t hardware_after_word(
    uint32_t crc, uint64_t word, const void *bytes, size_t count
) {
    return ~hardware_raw(__crc32cd(~crc, word), bytes, count);
}

static int hardware_is_present(void) {
#if defined(__APPLE__)
    return 1;
#else
    return (getauxval(AT_HWCAP) & (1 << 7)) != 0;  // HWCAP_CRC32
#endif
}

#else

static void prepare_hardware(void) {}
static uint32_t hardware(uint32_t crc, const void *bytes, size_t count) {
    return travertine_crc32c_software(crc, bytes, count);
}
static uint32_t hardware_after_word(
    uint32_t crc, uint64_t word, const void *bytes, size_t count
) {
    (void)word;
    return travertine_crc32c_software(crc, bytes, count);
}
static int hardware_is_present(void) { return 0; }

#endif

static int is_hardware;

__attribute__((constructor)) static void prepare(void) {
    for (int i = 0; i < 256; i++) {
        uint32_t crc = (uint32_t)i;
        for (int k = 0; k < 8; k++) crc = (crc >> 1) ^ (POLYNOMIAL & (0u - (crc & 1)));
        slices[0][i] = crc;
    }
    for (int i = 0; i < 256; i++) {
        for (int k = 1; k < 8; k++) {
            slices[k][i] = (slices[k - 1][i] >> 8) ^ slices[0][slices[k - 1][i] & 255];
        }
    }
    powers_of_two[0] = 1u << 30;
    for (int k = 1; k < 64; k++) {
        powers_of_two[k] = multiply(powers_of_two[k - 1], powers_of_two[k - 1]);
    }
    is_hardware = hardware_is_present();
    if (is_hardware) prepare_hardware();
}

uint32_t travertine_crc32c(uint32_t crc, const void *bytes, size_t count) {
    if (__builtin_expect(is_hardware, 1)) return hardware(crc, bytes, count);
    return travertine_crc32c_software(crc, bytes, count);
}

uint32_t travertine_crc32c_after_word(
    uint32_t crc, uint64_t word, const void *bytes, size_t count
) {
    if (__builtin_expect(is_hardware, 1)) return hardware_after_word(crc, word, bytes, count);
    unsigned char prefix[8];
    for (int i = 0; i < 8; i++) prefix[i] = (unsigned char)(word >> (8 * i));
    crc = travertine_crc32c_software(crc, prefix, 8);
    return travertine_crc32c_software(crc, bytes, count);
}

uint32_t travertine_crc32c_combine(uint32_t crc_a, uint32_t crc_b, uint64_t count_b) {
    return multiply(power_of_x(8 * count_b), crc_a) ^ crc_b;
}

int travertine_crc32c_is_hardware(void) { return is_hardware; }
