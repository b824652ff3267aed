/* libpng and libzbar, which read QR codes in pictures, in our own declarations: they are loaded when they are first used,
   and no headers of them are needed. A function may be called once load_png, or load_zbar, has returned NULL. */
#ifndef HYBRID_PICTURES_H
#define HYBRID_PICTURES_H

#include <stddef.h>
#include <stdint.h>

/* The reason why libpng or libzbar cannot be used, in one line, or NULL if it can. */
const char *load_png(void);
const char *load_zbar(void);

typedef struct png_color_struct png_color;
typedef unsigned int zbar_config_t;
typedef unsigned int zbar_symbol_type_t;
typedef struct zbar_image_s zbar_image_t;
typedef struct zbar_image_scanner_s zbar_image_scanner_t;
typedef struct zbar_symbol_s zbar_symbol_t;
typedef void zbar_image_cleanup_handler_t(zbar_image_t *image);

/* A picture that libpng reads. Before that all is 0 but the version. */
typedef struct {
    void *opaque;
    uint32_t version, width, height, format, flags, colormap_entries, warning_or_error;
    char message[64];
} png_image;

#include "declare-functions.h"
#include "png-functions.h"
#include "zbar-functions.h"
#undef TYPE
#undef CONSTANT
#undef FUNCTION

#endif
