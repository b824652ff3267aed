/// The address at which a ``TunnelService`` tells its operator how it is, in plain HTTP: <doc:Operating>.
public enum AdminAddress: Sendable, Hashable {
    /// A host and a port; 0 lets the system choose. Loopback only, unless `isExposed`: then everybody who reaches the
    /// address reads the counts.
    case tcp(host: String, port: Int, isExposed: Bool = false)
    /// The path of a Unix socket. It is made anew at the start, and removed at the end.
    case unixSocket(path: String)
}
