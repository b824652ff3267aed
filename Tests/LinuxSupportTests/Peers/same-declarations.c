/* Compiles only if the declarations of COptionalLibraries are those of the installed headers: HEADER is the library's own,
   FUNCTIONS our list. Nothing of it is run. */
#include <stddef.h>
#include <stdint.h>

#include HEADER

#define TYPE(name, type) _Static_assert(__builtin_types_compatible_p(name, type), #name);
#define CONSTANT(type, name, value)                                                                                   \
    _Static_assert((name) == (value), #name);                                                                         \
    _Static_assert(sizeof(type) == sizeof(int), #name);
#define FUNCTION(type, name, parameters, arguments)                                                                   \
    _Static_assert(__builtin_types_compatible_p(type(*) parameters, __typeof__(&name)), #name);
#include FUNCTIONS

#ifdef FIDO_OK
_Static_assert(offsetof(fido_dev_io_t, open) == 0 && offsetof(fido_dev_io_t, close) == sizeof(void *) &&
                   offsetof(fido_dev_io_t, read) == 2 * sizeof(void *) &&
                   offsetof(fido_dev_io_t, write) == 3 * sizeof(void *) && sizeof(fido_dev_io_t) == 4 * sizeof(void *),
               "fido_dev_io_t");
#endif
#ifdef PNG_IMAGE_VERSION
_Static_assert(offsetof(png_image, version) == sizeof(void *) && offsetof(png_image, width) == sizeof(void *) + 4 &&
                   offsetof(png_image, height) == sizeof(void *) + 8 && offsetof(png_image, format) == sizeof(void *) + 12 &&
                   offsetof(png_image, warning_or_error) == sizeof(void *) + 24 &&
                   offsetof(png_image, message) == sizeof(void *) + 28 && sizeof(png_image) == sizeof(void *) + 96,
               "png_image");
#endif
