#ifndef CMEASUREMENT_H
#define CMEASUREMENT_H

#include <stdint.h>

/// Bytes of a file that are in the page cache; -1 where the kernel can't tell (Linux before 6.5,
/// other systems).
int64_t page_cache_resident_bytes(int descriptor);

/// Takes a range of a mapping, whose start must be at a page, out of memory; 0 if done.
int page_cache_page_out(uintptr_t address, uint64_t byte_count);

/// Drops a range of a file from the page cache as far as no process has it mapped or dirty.
int page_cache_drop(int descriptor, uint64_t offset, uint64_t byte_count);

/// Makes the compiler believe that all memory may have changed, at no cost: what a loop reads must
/// be read again.
static inline void measurement_forget_memory(void) { __asm__ volatile("" ::: "memory"); }

#endif
