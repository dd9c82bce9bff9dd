#define _GNU_SOURCE

#include <dlfcn.h>
#include <string.h>

#include "CPlatform.h"

/// Copies a name that ends within `limit` bytes; returns 0, or -1 if it does not, or does not fit.
static int copy_name(const char *source, size_t limit, char *name, size_t capacity)
{
    size_t count = strnlen(source, limit);
    if (count == 0 || count == limit || count >= capacity) return -1;
    memcpy(name, source, count);
    name[count] = 0;
    return 0;
}

#ifdef __linux__

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// Whether an image has `count` bytes from `offset` on.
static int has(uint64_t size, uint64_t offset, uint64_t count)
{
    return offset <= size && count <= size - offset;
}

/// Reads the header of a section; returns 0, or -1 if the image has none.
static int read_section(
    const unsigned char *image, uint64_t size, const Elf64_Ehdr *header, uint64_t index,
    Elf64_Shdr *section)
{
    if (index >= header->e_shnum || !has(size, header->e_shoff, 0)) return -1;
    uint64_t offset = header->e_shoff + index * sizeof *section;
    if (offset < header->e_shoff || !has(size, offset, sizeof *section)) return -1;
    memcpy(section, image + offset, sizeof *section);
    return 0;
}

/// Looks for the function that begins at, or covers, an address of an image, in one symbol table.
static int search_table(
    const unsigned char *image, uint64_t size, const Elf64_Shdr *table, const Elf64_Shdr *strings,
    uint64_t address, char *name, size_t capacity)
{
    if (!has(size, table->sh_offset, table->sh_size)) return -1;
    if (!has(size, strings->sh_offset, strings->sh_size)) return -1;
    for (uint64_t index = 0; index < table->sh_size / sizeof(Elf64_Sym); index++) {
        Elf64_Sym symbol;
        memcpy(&symbol, image + table->sh_offset + index * sizeof symbol, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
        uint64_t length = symbol.st_size == 0 ? 1 : symbol.st_size;
        if (address < symbol.st_value || address - symbol.st_value >= length) continue;
        if (symbol.st_name >= strings->sh_size) continue;
        const char *text = (const char *)image + strings->sh_offset + symbol.st_name;
        if (copy_name(text, strings->sh_size - symbol.st_name, name, capacity) == 0) return 0;
    }
    return -1;
}

/// Looks through all symbol tables of an executable or a library.
static int search_image(
    const unsigned char *image, uint64_t size, uint64_t base, uint64_t address, char *name,
    size_t capacity)
{
    Elf64_Ehdr header;
    if (size < sizeof header) return -1;
    memcpy(&header, image, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return -1;
    if (header.e_ident[EI_CLASS] != ELFCLASS64) return -1;
    if (header.e_shentsize != sizeof(Elf64_Shdr)) return -1;
    if (header.e_type == ET_DYN) address -= base;
    for (uint64_t index = 0; index < header.e_shnum; index++) {
        Elf64_Shdr table, strings;
        if (read_section(image, size, &header, index, &table) != 0) return -1;
        if (table.sh_type != SHT_SYMTAB || table.sh_entsize != sizeof(Elf64_Sym)) continue;
        if (read_section(image, size, &header, table.sh_link, &strings) != 0) return -1;
        if (search_table(image, size, &table, &strings, address, name, capacity) == 0) return 0;
    }
    return -1;
}

int travertine_symbol_name(const void *address, char *name, size_t capacity)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fbase == NULL) return -1;
    // The executable is named as it was started, which means little in another directory.
    int is_path = info.dli_fname != NULL && info.dli_fname[0] == '/';
    int descriptor = open(is_path ? info.dli_fname : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    struct stat status;
    int result = -1;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        uint64_t size = (uint64_t)status.st_size;
        void *image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (image != MAP_FAILED) {
            result = search_image(
                image, size, (uint64_t)info.dli_fbase, (uint64_t)address, name, capacity);
            munmap(image, size);
        }
    }
    close(descriptor);
    return result;
}

#else

int travertine_symbol_name(const void *address, char *name, size_t capacity)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_sname == NULL) return -1;
    return copy_name(info.dli_sname, capacity, name, capacity);
}

#endif
