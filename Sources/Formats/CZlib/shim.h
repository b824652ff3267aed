/* zlib, for the contents of KDBX files. No code of ours. */
#include <zlib.h>
