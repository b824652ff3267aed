/* The part of libsystemd that the module DBus calls: sd-bus, its D-Bus client. No code of ours. */
#include <systemd/sd-bus.h>
