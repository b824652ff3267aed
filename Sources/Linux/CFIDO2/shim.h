/* libfido2, which speaks with security keys that are plugged in. Used only with the package's trait SecurityKeyLending.
   No code of ours. */
#include <fido.h>
