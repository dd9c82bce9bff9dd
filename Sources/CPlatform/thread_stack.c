#define _GNU_SOURCE
#include "CPlatform.h"

#include <pthread.h>

_Thread_local struct travertine_thread travertine_thread = {.checked_below = UINTPTR_MAX};

// The middle of the calling thread's stack; 0, which nothing is below, where the system does not
// say.
static uintptr_t middle_of_stack(void) {
#if defined(__APPLE__)
    pthread_t thread = pthread_self();
    return (uintptr_t)pthread_get_stackaddr_np(thread) - pthread_get_stacksize_np(thread) / 2;
#else
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t byte_count = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    int failure = pthread_attr_getstack(&attributes, &lowest, &byte_count);
    pthread_attr_destroy(&attributes);
    return failure ? 0 : (uintptr_t)lowest + byte_count / 2;
#endif
}

int travertine_is_half_used(uintptr_t address) {
    struct travertine_thread *thread = &travertine_thread;
    if (thread->middle == 0) {
        thread->middle = middle_of_stack();
        if (!thread->releases) thread->checked_below = thread->middle;
    }
    return address < thread->middle;
}
