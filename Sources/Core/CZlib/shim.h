/* zlib, for pictures of QR codes and the contents of KDBX files. No code of ours. */
#include <zlib.h>
