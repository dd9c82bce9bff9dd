#ifndef TRAVERTINE_THREAD_STACK_H
#define TRAVERTINE_THREAD_STACK_H

#include <stddef.h>
#include <stdint.h>

/// What a thread knows of its stack, and the queues of what it puts off until there is room again.
struct travertine_thread {
    /// Below this address the stack must be looked at. The greatest one until its bounds are known,
    /// and while releases wait.
    uintptr_t checked_below;
    /// The address in the middle of the stack; 0 until it is known.
    uintptr_t middle;
    /// The queue of values that are to be released; NULL while none is at work.
    void *releases;
    /// The queue of objects that are to be filled with values; NULL while none is at work.
    void *fillings;
};

extern _Thread_local struct travertine_thread travertine_thread;

/// Whether half of the thread's stack is used; finds out where the stack is, if that is not known.
int travertine_is_half_used(uintptr_t address);

/// Whether whatever calls itself for each level of something nested should go on elsewhere: half of
/// the thread's stack is used. A load and a comparison as long as there is room.
static inline int travertine_stack_is_short(void) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here < travertine_thread.checked_below && travertine_is_half_used(here);
}

/// Whether what is released should wait: the stack is short, or others wait already.
static inline int travertine_releases_wait(void) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here < travertine_thread.checked_below
        && (travertine_thread.releases != NULL || travertine_is_half_used(here));
}

/// The thread's queue of values that are to be released.
static inline void *travertine_releases(void) { return travertine_thread.releases; }

/// Sets the thread's queue of values that are to be released; NULL ends it.
static inline void travertine_set_releases(void *queue) {
    travertine_thread.releases = queue;
    travertine_thread.checked_below = queue ? UINTPTR_MAX : travertine_thread.middle;
}

/// The thread's queue of objects that are to be filled.
static inline void *travertine_fillings(void) { return travertine_thread.fillings; }

/// Sets the thread's queue of objects that are to be filled; NULL ends it.
static inline void travertine_set_fillings(void *queue) { travertine_thread.fillings = queue; }

#endif
