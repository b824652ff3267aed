import Encodings
import HybridProtocol

extension Explanation {
    /// Explains a tunnel domain, given by its number or by its name.
    ///
    /// - Throws: ``HybridProtocolError`` for a number that is not assigned, or a name that is not a tunnel domain's.
    static func tunnelDomain(_ text: String) throws -> Self {
        let domain = try UInt16(text).map { number in try TunnelDomain(number) } ?? find(text.lowercased())
        let isAssigned = Int(domain.number) < TunnelDomain.assignedCount
        let bytes = [UInt8(truncatingIfNeeded: domain.number), UInt8(truncatingIfNeeded: domain.number >> 8)]
        return Self(
            .domain, "a tunnel domain: where a tunnel service is",
            [
                ("number", "\(domain.number), in an advert \(Hexadecimal.encode(bytes))"),
                ("name", domain.host()),
                ("kind", isAssigned ? "assigned" : "computed from the number by SHA-256"),
                ("a tunnel is at", "wss://\(domain.host())/cable/connect/<routing ID>/<tunnel ID>"),
            ])
    }

    /// There are only 65,536 numbers: the way back from a name is to try them all.
    private static func find(_ name: String) throws -> TunnelDomain {
        for number in UInt16.min...UInt16.max {
            if let domain = try? TunnelDomain(number), domain.host() == name { return domain }
        }
        throw HybridProtocolError(.unassignedDomain, reason: "none of the 65,536 tunnel domains has this name")
    }
}
