#ifndef TRAVERTINE_CPLATFORM_H
#define TRAVERTINE_CPLATFORM_H

#include <stddef.h>
#include <stdint.h>

#include "head_search.h"
#include "prefetch.h"
#include "thread_stack.h"

/// The CRC32C of `count` bytes, continued from `crc` (0 to start).
uint32_t travertine_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The same sum without hardware instructions: the reference for tests, and the fallback.
uint32_t travertine_crc32c_software(uint32_t crc, const void *bytes, size_t count);

/// The CRC32C of eight bytes (`word`, little-endian) and then `count` bytes, continued from `crc`.
uint32_t travertine_crc32c_after_word(
    uint32_t crc, uint64_t word, const void *bytes, size_t count);

/// The CRC32C of A followed by B, from the sums of both and the length of B.
uint32_t travertine_crc32c_combine(uint32_t crc_a, uint32_t crc_b, uint64_t count_b);

/// True when `travertine_crc32c` uses the processor's CRC instructions.
int travertine_crc32c_is_hardware(void);

/// The word at an address, read at this point of the code: what the compiler knows of the object
/// there is not used instead.
static inline uintptr_t travertine_load_word(const void *address) {
    return *(const volatile uintptr_t *)address;
}

/// Writes the name of the function at an address, local ones included, with a zero byte after it.
/// Returns 0, or -1 if there are no symbols, or the name does not fit.
int travertine_symbol_name(const void *address, char *name, size_t capacity);

/// How many blocks of a queue of Dispatch may run at once: 1 for a serial one, 0 where Dispatch does
/// not say.
int travertine_queue_width(const void *queue);

/// Reserves `[0, count)` of an open file and sets its size to at least `count`.
/// Returns 0 or an errno value. Bytes that were never written read as zero.
int travertine_allocate(int descriptor, uint64_t count);

/// Gives `[offset, offset + count)` back to the file system; the size stays and the range reads as
/// zero. Returns 0, or an errno value; EOPNOTSUPP where the file system can't.
int travertine_punch_hole(int descriptor, uint64_t offset, uint64_t count);

/// Drops clean cached pages of a range, so that the next read asks the device. Returns 0 or errno.
int travertine_drop_cache(int descriptor, uint64_t offset, uint64_t count);

/// Asks for written pages of a range to go to the device soon; waits for nothing, promises nothing.
void travertine_begin_writeback(int descriptor, uint64_t offset, uint64_t count);

/// One attempt to copy a range to the same place of another file without bringing it to the
/// process. Returns the bytes copied, 0 at the end of the file, or minus an errno value; -ENOSYS
/// where the system has no such call.
ptrdiff_t travertine_copy_range(int source, int target, uint64_t offset, ptrdiff_t count);

/// Makes written data, and the metadata needed to read it back, durable. Returns 0 or errno.
/// Linux: fdatasync. macOS: F_FULLFSYNC. A call that a signal interrupts is repeated here, since it
/// has not failed; after an error never repeat it (rule 7 of the log).
int travertine_sync_data(int descriptor);

/// Makes a directory's entries durable. Returns 0 or errno. For signals and errors see
/// `travertine_sync_data`.
int travertine_sync_directory(int descriptor);

/// The first offset >= `offset` that may hold something other than zeros, or `UINT64_MAX` when
/// there is none. Where the system does not say, `offset` itself.
uint64_t travertine_next_data(int descriptor, uint64_t offset);

/// The size of a block device. Returns 0 or an errno value.
int travertine_device_byte_count(int descriptor, uint64_t *count);

/// Opens a file with close-on-exec, without waiting for the other end of a named pipe. `mode`: 0
/// read only, 1 read and write, 2 create new (and write). Returns a descriptor, or minus an errno
/// value.
int travertine_open(const char *path, int mode);

/// Makes a new file `target` that shares the blocks of `source`. Returns 0 or an errno value;
/// EOPNOTSUPP, EXDEV or EINVAL where the file system can't.
int travertine_clone(const char *source, const char *target);

/// When a file or directory was made, in nanoseconds since 1970; 0 where the system does not say.
/// A copy gets its own time.
uint64_t travertine_birth_time(const char *path);

/// Locks (`lock` 1), without waiting, or unlocks (0) a range of an open file for its open file
/// description. Returns 0 or an errno value; EAGAIN or EACCES when another has it.
int travertine_lock_range(int descriptor, uint64_t offset, uint64_t count, int lock);

/// Whether another open file description has locked a part of a range. Returns 0 or an errno value.
int travertine_is_range_locked(int descriptor, uint64_t offset, uint64_t count, int *is_locked);

/// Finds the owner, the group and the permissions of a file or directory. Returns 0 or an errno value.
int travertine_access(const char *path, uint32_t *owner, uint32_t *group, uint32_t *mode);

/// Gives a file or directory, and no link, an owner, a group and permissions. Returns 0 or an errno value.
int travertine_set_access(const char *path, uint32_t owner, uint32_t group, uint32_t mode);

/// Exchanges two names in one step. Returns 0 or an errno value; EINVAL, ENOSYS or ENOTSUP where the
/// file system can't.
int travertine_exchange(const char *first, const char *second);

/// Gives the system what the allocator keeps of memory that was freed, where the allocator can.
void travertine_trim_heap(void);

/// Whether the processor has instructions for AES and for the multiplication that GCM is made of.
int travertine_has_aes_instructions(void);

/// Sleeps while `*word == expected`. May wake early. The caller checks the word again.
void travertine_wait_on_word(const uint32_t *word, uint32_t expected);

/// Wakes one thread, or all threads, that sleep on `word`.
void travertine_wake_word(const uint32_t *word, int all);

/// Called with the type records of one loaded image: relative pointers of four bytes each.
typedef void (*travertine_type_section_body)(const void *start, size_t byte_count, void *context);

/// Calls `body` for every loaded image that has Swift types. Returns 0 where the system has another
/// way to list classes (macOS), without calling it.
int travertine_for_each_type_section(travertine_type_section_body body, void *context);

/// Retains a Swift object unless its last reference was released; then returns NULL. The memory
/// must not have been freed: the caller keeps the object from the end of its `deinit`
/// until then.
static inline void *travertine_try_retain(void *object) {
    extern void *swift_tryRetain(void *);
    return swift_tryRetain(object);
}

#if defined(__APPLE__)
#include <pthread.h>
/// A number that no other living thread has; one load.
static inline uintptr_t travertine_current_thread(void) { return (uintptr_t)pthread_self(); }
#else
/// A number that no other living thread has; one load.
static inline uintptr_t travertine_current_thread(void) {
    return (uintptr_t)__builtin_thread_pointer();
}
#endif

#endif
