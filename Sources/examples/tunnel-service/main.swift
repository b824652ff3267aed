// A tunnel service: lets clients and authenticators find each other, and passes their messages on.
//
//     example-tunnel-service 8443 [cert.pem key.pem]

import Glibc
import TunnelService
import UnixSignals

let arguments = CommandLine.arguments
guard [2, 4].contains(arguments.count), let port = Int(arguments[1]) else { exit(EXIT_FAILURE) }

// Clients and authenticators insist on TLS, but for a service on their own machine.
let security: TunnelService.Security =
    arguments.count == 4
    ? .tls(TLSIdentity(certificateChainFile: arguments[2], privateKeyFile: arguments[3])) : .plain

let service = TunnelService(configuration: .init(host: "127.0.0.1", port: port, security: security))
let running = try await service.start()
print("listening on port \(running.port)")
fflush(nil)

// In a server with a ServiceGroup, TunnelService is one of its services, and this is all done by the group.
for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { break }
await running.shutdown(drain: .seconds(1))
print("shut down")
