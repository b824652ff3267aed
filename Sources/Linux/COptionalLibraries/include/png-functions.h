/* The types, constants and functions of libpng that are used, by the rules of fido2-functions.h.
   Source: libpng's manual, 1.6: its simplified API, which comes back with its errors. */
CONSTANT(int, PNG_IMAGE_VERSION, 1)
CONSTANT(int, PNG_IMAGE_ERROR, 2)
CONSTANT(int, PNG_FORMAT_GRAY, 0)

FUNCTION(int, png_image_begin_read_from_memory, (png_image *image, const void *bytes, size_t count),
         (image, bytes, count))
FUNCTION(int, png_image_finish_read,
         (png_image *image, const png_color *background, void *pixels, int32_t stride, void *colors),
         (image, background, pixels, stride, colors))
FUNCTION(void, png_image_free, (png_image *image), (image))
