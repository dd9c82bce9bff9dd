#include "CPlatform.h"

#if defined(__linux__)

// The Swift runtime lists the metadata sections of every loaded image; the layout of this record
// is part of the runtime's interface with the linker scripts (`SwiftRT-ELF`), version 4 and later.
struct section_range {
    uintptr_t start;
    size_t length;
};

struct metadata_sections {
    uintptr_t version;
    const void *base_address;
    void *unused0;
    void *unused1;
    struct section_range protocols;
    struct section_range conformances;
    struct section_range type_metadata;
};

extern void swift_enumerateAllMetadataSections(
    _Bool (*body)(const struct metadata_sections *sections, void *context), void *context);

struct walk {
    travertine_type_section_body body;
    void *context;
};

static _Bool visit(const struct metadata_sections *sections, void *context) {
    const struct walk *walk = context;
    if (sections->type_metadata.length != 0) {
        walk->body((const void *)sections->type_metadata.start, sections->type_metadata.length,
                   walk->context);
    }
    return 1;
}

int travertine_for_each_type_section(travertine_type_section_body body, void *context) {
    struct walk walk = {body, context};
    swift_enumerateAllMetadataSections(visit, &walk);
    return 1;
}

#else

int travertine_for_each_type_section(travertine_type_section_body body, void *context) {
    (void)body;
    (void)context;
    return 0;
}

#endif
