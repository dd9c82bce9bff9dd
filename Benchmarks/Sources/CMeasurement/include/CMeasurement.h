#ifndef CMEASUREMENT_H
#define CMEASUREMENT_H

/// Makes the compiler believe that all memory may have changed, at no cost: what a loop reads must
/// be read again.
static inline void measurement_forget_memory(void) { __asm__ volatile("" ::: "memory"); }

#endif
