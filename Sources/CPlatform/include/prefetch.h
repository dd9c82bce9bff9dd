#ifndef TRAVERTINE_PREFETCH_H
#define TRAVERTINE_PREFETCH_H

/// Asks for a cache line that will be read soon; never faults, whatever the address.
static inline void travertine_prefetch(const void *address) { __builtin_prefetch(address, 0, 1); }

#endif
