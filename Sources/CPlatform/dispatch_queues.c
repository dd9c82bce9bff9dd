#include <string.h>

#include "CPlatform.h"

#ifdef __linux__

/// What Dispatch has for debuggers: where the parts of a queue are, and how many bytes they have.
struct queue_offsets {
    uint16_t version;
    uint16_t label, label_size;
    uint16_t flags, flags_size;
    uint16_t serial_number, serial_number_size;
    uint16_t width, width_size;
};

// Weak: without Dispatch in the program there is none.
extern const struct queue_offsets dispatch_queue_offsets __attribute__((weak));

int travertine_queue_width(const void *queue)
{
    if (&dispatch_queue_offsets == NULL || dispatch_queue_offsets.version < 4) return 0;
    uint16_t width;
    if (dispatch_queue_offsets.width_size != sizeof width) return 0;
    if (dispatch_queue_offsets.width == 0 || dispatch_queue_offsets.width > 256) return 0;
    memcpy(&width, (const char *)queue + dispatch_queue_offsets.width, sizeof width);
    return width;
}

#else

int travertine_queue_width(const void *queue) { return 0; }

#endif
