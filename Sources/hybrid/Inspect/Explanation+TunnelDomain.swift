import HybridProtocol

extension Explanation {
    /// Explains a tunnel domain, given by its number or by its name.
    ///
    /// - Throws: ``HybridProtocolError`` for a number that is not assigned; ``Failure`` for a name that is no tunnel domain's.
    static func tunnelDomain(_ text: String) throws -> Self {
        let domain = try UInt16(text).map { number in try TunnelDomain(number) } ?? find(text.lowercased())
        let isAssigned = Int(domain.number) < TunnelDomain.assignedCount
        return Self(
            .domain, "a tunnel domain: where a tunnel service is",
            [
                ("number", "\(domain.number), in an advert \(hexadecimal(littleEndian(domain.number)))"),
                ("name", try domain.host()),
                ("kind", isAssigned ? "assigned" : "computed from the number by SHA-256"),
                ("a tunnel is at", "wss://\(try domain.host())/cable/connect/<routing ID>/<tunnel ID>"),
            ])
    }

    /// There are only 65,536 numbers: the way back from a name is to try them all.
    private static func find(_ name: String) throws -> TunnelDomain {
        for number in UInt16.min...UInt16.max {
            if let domain = try? TunnelDomain(number), try domain.host() == name { return domain }
        }
        throw Failure(.protocolViolation, code: "unassigned-domain", cause: "\(name) is no tunnel domain's name")
    }

    private static func littleEndian(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }
}
