/* libnats, the client of NATS servers. Used only with the package's trait TunnelServiceCluster. No code of ours. */
#include <nats/nats.h>
