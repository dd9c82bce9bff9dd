#ifndef TRAVERTINE_PREFETCH_H
#define TRAVERTINE_PREFETCH_H

/// Asks for a cache line that will be read some steps from now; never faults, whatever the address.
/// It goes to the outer caches, so that many at once don't fill the first one.
static inline void travertine_prefetch(const void *address) { __builtin_prefetch(address, 0, 1); }

/// Asks for a cache line that the very next steps read.
static inline void travertine_prefetch_now(const void *address) {
    __builtin_prefetch(address, 0, 3);
}

/// Asks for 8 cache lines from an address on: a node's header and heads.
static inline void travertine_prefetch_8_lines(const void *address) {
#pragma clang loop unroll(full)
    for (int line = 0; line < 8; line++) {
        __builtin_prefetch((const char *)address + 64 * line, 0, 3);
    }
}

/// Asks for 28 cache lines from an address on, that the very next steps choose from.
static inline void travertine_prefetch_28_lines(const void *address) {
#pragma clang loop unroll(full)
    for (int line = 0; line < 28; line++) {
        __builtin_prefetch((const char *)address + 64 * line, 0, 3);
    }
}

#endif
