/* The parts of libsystemd that are called: sd-bus, its D-Bus client, by the module DBus, and sd-daemon by LinuxSupport.
   No code of ours. */
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
