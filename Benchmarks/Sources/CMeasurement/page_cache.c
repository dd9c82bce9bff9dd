#define _GNU_SOURCE
#include "CMeasurement.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

struct range {
    uint64_t offset;
    uint64_t byte_count;
};

struct figures {
    uint64_t cached;
    uint64_t dirty;
    uint64_t writeback;
    uint64_t evicted;
    uint64_t recently_evicted;
};

int64_t page_cache_resident_bytes(int descriptor) {
    struct range whole = {0, 0};
    struct figures figures = {0, 0, 0, 0, 0};
    if (syscall(SYS_cachestat, descriptor, &whole, &figures, 0) != 0) return -1;
    return (int64_t)(figures.cached * (uint64_t)sysconf(_SC_PAGESIZE));
}

int page_cache_page_out(uintptr_t address, uint64_t byte_count) {
    return madvise((void *)address, byte_count, MADV_PAGEOUT);
}

int page_cache_drop(int descriptor, uint64_t offset, uint64_t byte_count) {
    return posix_fadvise(descriptor, (off_t)offset, (off_t)byte_count, POSIX_FADV_DONTNEED);
}
#else
int64_t page_cache_resident_bytes(int descriptor) {
    (void)descriptor;
    return -1;
}

int page_cache_page_out(uintptr_t address, uint64_t byte_count) {
    (void)address;
    (void)byte_count;
    return -1;
}

int page_cache_drop(int descriptor, uint64_t offset, uint64_t byte_count) {
    (void)descriptor;
    (void)offset;
    (void)byte_count;
    return -1;
}
#endif
