/* The constants and functions of libzbar that are used, by the rules of fido2-functions.h.
   Source: zbar's documentation of its API, 0.23. */
CONSTANT(zbar_symbol_type_t, ZBAR_NONE, 0)
CONSTANT(zbar_symbol_type_t, ZBAR_QRCODE, 64)
CONSTANT(zbar_config_t, ZBAR_CFG_ENABLE, 0)
CONSTANT(zbar_config_t, ZBAR_CFG_TEST_INVERTED, 0x81)

FUNCTION(zbar_image_t *, zbar_image_create, (void), ())
FUNCTION(void, zbar_image_destroy, (zbar_image_t *image), (image))
FUNCTION(const zbar_symbol_t *, zbar_image_first_symbol, (const zbar_image_t *image), (image))
FUNCTION(void, zbar_image_set_data,
         (zbar_image_t *image, const void *pixels, unsigned long count, zbar_image_cleanup_handler_t *cleanup),
         (image, pixels, count, cleanup))
FUNCTION(void, zbar_image_set_format, (zbar_image_t *image, unsigned long format), (image, format))
FUNCTION(void, zbar_image_set_size, (zbar_image_t *image, unsigned width, unsigned height), (image, width, height))
FUNCTION(zbar_image_scanner_t *, zbar_image_scanner_create, (void), ())
FUNCTION(void, zbar_image_scanner_destroy, (zbar_image_scanner_t *scanner), (scanner))
FUNCTION(int, zbar_image_scanner_request_dbus, (zbar_image_scanner_t *scanner, int enabled), (scanner, enabled))
FUNCTION(int, zbar_image_scanner_set_config,
         (zbar_image_scanner_t *scanner, zbar_symbol_type_t kind, zbar_config_t setting, int value),
         (scanner, kind, setting, value))
FUNCTION(int, zbar_scan_image, (zbar_image_scanner_t *scanner, zbar_image_t *image), (scanner, image))
FUNCTION(const char *, zbar_symbol_get_data, (const zbar_symbol_t *symbol), (symbol))
FUNCTION(unsigned int, zbar_symbol_get_data_length, (const zbar_symbol_t *symbol), (symbol))
FUNCTION(const zbar_symbol_t *, zbar_symbol_next, (const zbar_symbol_t *symbol), (symbol))
