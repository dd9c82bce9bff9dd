#include "CPlatform.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
// Bits of AT_HWCAP, which are part of the system's interface.
#define CAPABILITY_AES (1ul << 3)
#define CAPABILITY_PMULL (1ul << 4)
#endif

int travertine_has_aes_instructions(void) {
#if defined(__x86_64__)
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return 0;
    return (ecx & bit_AES) != 0 && (ecx & bit_PCLMUL) != 0;
#elif defined(__aarch64__) && defined(__APPLE__)
    return 1;
#elif defined(__aarch64__) && defined(__linux__)
    unsigned long needed = CAPABILITY_AES | CAPABILITY_PMULL;
    return (getauxval(AT_HWCAP) & needed) == needed;
#else
    return 0;
#endif
}
