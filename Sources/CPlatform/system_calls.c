// System calls that the Swift overlays of the C library lack, or that differ between systems.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#include <sys/clonefile.h>
#include <stdio.h>
#include <sys/disk.h>
#include <sys/ioctl.h>
#endif

int travertine_open(const char *path, int mode) {
    int flags = mode == 0 ? O_RDONLY : mode == 1 ? O_RDWR : O_RDWR | O_CREAT | O_EXCL;
    int descriptor;
    // Not to wait for the other end of a named pipe; means nothing for files.
    do descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0644);
    while (descriptor < 0 && errno == EINTR);
    return descriptor < 0 ? -errno : descriptor;
}

void travertine_trim_heap(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#elif defined(__APPLE__)
    malloc_zone_pressure_relief(NULL, 0);
#endif
}

int travertine_device_byte_count(int descriptor, uint64_t *count) {
#if defined(__APPLE__)
    uint32_t block = 0;
    uint64_t blocks = 0;
    if (ioctl(descriptor, DKIOCGETBLOCKSIZE, &block) != 0) return errno;
    if (ioctl(descriptor, DKIOCGETBLOCKCOUNT, &blocks) != 0) return errno;
    *count = blocks * block;
#else
    off_t end = lseek(descriptor, 0, SEEK_END);
    if (end < 0) return errno;
    *count = (uint64_t)end;
#endif
    return 0;
}

uint64_t travertine_birth_time(const char *path) {
#if defined(__linux__)
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_BTIME, &status) != 0) return 0;
    if ((status.stx_mask & STATX_BTIME) == 0 || status.stx_btime.tv_sec < 0) return 0;
    return (uint64_t)status.stx_btime.tv_sec * 1000000000u + status.stx_btime.tv_nsec;
#elif defined(__APPLE__)
    struct stat status;
    if (stat(path, &status) != 0 || status.st_birthtimespec.tv_sec < 0) return 0;
    return (uint64_t)status.st_birthtimespec.tv_sec * 1000000000u
        + (uint64_t)status.st_birthtimespec.tv_nsec;
#else
    (void)path;
    return 0;
#endif
}

int travertine_allocate(int descriptor, uint64_t count) {
#if defined(__linux__)
    // Not posix_fallocate: where the file system can't reserve, that one writes a byte to every
    // block, which would race with nothing here but costs as much as the data.
    int result;
    do result = fallocate(descriptor, 0, 0, (off_t)count);
    while (result != 0 && errno == EINTR);
    if (result == 0) return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
#elif defined(__APPLE__)
    struct stat before;
    if (fstat(descriptor, &before) != 0) return errno;
    if ((uint64_t)before.st_size < count) {
        fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, (off_t)count - before.st_size, 0};
        if (fcntl(descriptor, F_PREALLOCATE, &store) != 0 && errno != ENOTSUP) return errno;
    }
#endif
    struct stat status;
    if (fstat(descriptor, &status) != 0) return errno;
    if ((uint64_t)status.st_size >= count) return 0;
    return ftruncate(descriptor, (off_t)count) == 0 ? 0 : errno;
}

int travertine_access(const char *path, uint32_t *owner, uint32_t *group, uint32_t *mode) {
    struct stat status;
    if (stat(path, &status) != 0) return errno;
    *owner = status.st_uid;
    *group = status.st_gid;
    *mode = status.st_mode & 03777;
    return 0;
}

int travertine_set_access(const char *path, uint32_t owner, uint32_t group, uint32_t mode) {
    // By a descriptor, so that no link put in the place of the file leads elsewhere.
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return errno;
    struct stat found;
    int result = fstat(descriptor, &found) == 0 ? 0 : errno;
    // A change of the owner takes bits of the mode away, so that this comes after it.
    if (result == 0 && (owner != found.st_uid || group != found.st_gid)
        && fchown(descriptor, owner, group) != 0) {
        result = errno;
    }
    if (result == 0 && mode != (found.st_mode & 07777) && fchmod(descriptor, mode) != 0) {
        result = errno;
    }
    close(descriptor);
    return result;
}

int travertine_exchange(const char *first, const char *second) {
#if defined(__linux__)
    // RENAME_EXCHANGE, which not every C library names.
    long result = syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, 2u);
    return result == 0 ? 0 : errno;
#elif defined(__APPLE__)
    return renamex_np(first, second, RENAME_SWAP) == 0 ? 0 : errno;
#else
    return ENOSYS;
#endif
}

int travertine_punch_hole(int descriptor, uint64_t offset, uint64_t count) {
#if defined(__linux__)
    int result;
    do {
        result = fallocate(
            descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)count);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
#elif defined(__APPLE__)
    // F_PUNCHHOLE takes whole blocks only; the ends that fall into a block stay allocated.
    uint64_t first = (offset + 4095) / 4096 * 4096, end = (offset + count) / 4096 * 4096;
    if (first >= end) return 0;
    fpunchhole_t hole = {0, 0, (off_t)first, (off_t)(end - first)};
    return fcntl(descriptor, F_PUNCHHOLE, &hole) == 0 ? 0 : errno;
#else
    return EOPNOTSUPP;
#endif
}

void travertine_begin_writeback(int descriptor, uint64_t offset, uint64_t count) {
#if defined(__linux__)
    (void)sync_file_range(
        descriptor, (off_t)offset, (off_t)count, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor, (void)offset, (void)count;
#endif
}

ptrdiff_t travertine_copy_range(int source, int target, uint64_t offset, ptrdiff_t count) {
#if defined(__linux__)
    off_t from = (off_t)offset, to = (off_t)offset;
    ssize_t copied = copy_file_range(source, &from, target, &to, (size_t)count, 0);
    return copied < 0 ? -(ptrdiff_t)errno : (ptrdiff_t)copied;
#else
    (void)source, (void)target, (void)offset, (void)count;
    return -ENOSYS;
#endif
}

int travertine_drop_cache(int descriptor, uint64_t offset, uint64_t count) {
#if defined(__linux__)
    return posix_fadvise(descriptor, (off_t)offset, (off_t)count, POSIX_FADV_DONTNEED);
#else
    (void)descriptor, (void)offset, (void)count;
    return 0;
#endif
}

// Why a sync is repeated after EINTR, and after no other error: EINTR says that a signal ended the
// wait, not that something could not be written. Local file systems of Linux wait for syncs without
// being interrupted, and none of macOS is known to return it. FUSE and 9p do, for the request to
// their server. Linux sends that request only once it has returned what error writeback recorded of
// the file, so that a call with EINTR uses up none; and where the signal's handler restarts calls,
// the kernel repeats such a sync itself.
int travertine_sync_data(int descriptor) {
    int result;
    do {
#if defined(__APPLE__)
        result = fcntl(descriptor, F_FULLFSYNC);
#else
        result = fdatasync(descriptor);
#endif
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

int travertine_sync_directory(int descriptor) {
    int result;
    do {
#if defined(__APPLE__)
        result = fcntl(descriptor, F_FULLFSYNC);
        if (result != 0 && errno == ENOTSUP) result = fsync(descriptor);
#else
        result = fsync(descriptor);
#endif
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

uint64_t travertine_next_data(int descriptor, uint64_t offset) {
#if defined(SEEK_DATA)
    off_t found = lseek(descriptor, (off_t)offset, SEEK_DATA);
    if (found >= 0) return (uint64_t)found;
    if (errno == ENXIO) return UINT64_MAX;
#endif
    return offset;
}

int travertine_clone(const char *source, const char *target) {
#if defined(__linux__)
    int from = travertine_open(source, 0);
    if (from < 0) return -from;
    int to = travertine_open(target, 2);
    if (to < 0) {
        close(from);
        return -to;
    }
    int result = ioctl(to, FICLONE, from) == 0 ? 0 : errno;
    close(from);
    close(to);
    if (result != 0) unlink(target);
    return result;
#elif defined(__APPLE__)
    return clonefile(source, target, 0) == 0 ? 0 : errno;
#else
    (void)source, (void)target;
    return EOPNOTSUPP;
#endif
}

int travertine_is_range_locked(int descriptor, uint64_t offset, uint64_t count, int *is_locked) {
    struct flock range = {0};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = (off_t)offset;
    range.l_len = (off_t)count;
    if (fcntl(descriptor, F_OFD_GETLK, &range) != 0) return errno;
    *is_locked = range.l_type != F_UNLCK;
    return 0;
}

int travertine_lock_range(int descriptor, uint64_t offset, uint64_t count, int lock) {
    // Zeroed: the kernel wants l_pid to be 0 for locks of an open file description.
    struct flock range = {0};
    range.l_type = lock ? F_WRLCK : F_UNLCK;
    range.l_whence = SEEK_SET;
    range.l_start = (off_t)offset;
    range.l_len = (off_t)count;
    int result;
    do result = fcntl(descriptor, F_OFD_SETLK, &range);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

#if defined(__linux__)

void travertine_wait_on_word(const uint32_t *word, uint32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, (void *)0, (void *)0, 0);
}

void travertine_wake_word(const uint32_t *word, int all) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, all ? 0x7fffffff : 1, (void *)0, (void *)0, 0);
}

#elif defined(__APPLE__)

#include <os/os_sync_wait_on_address.h>

void travertine_wait_on_word(const uint32_t *word, uint32_t expected) {
    os_sync_wait_on_address((void *)word, expected, 4, OS_SYNC_WAIT_ON_ADDRESS_NONE);
}

void travertine_wake_word(const uint32_t *word, int all) {
    if (all) os_sync_wake_by_address_all((void *)word, 4, OS_SYNC_WAKE_BY_ADDRESS_NONE);
    else os_sync_wake_by_address_any((void *)word, 4, OS_SYNC_WAKE_BY_ADDRESS_NONE);
}

#endif
