/// A web origin as the client data names it: scheme, host and, unless it is the scheme's own, port. Source: HTML,
/// "ASCII serialisation of an origin"; WebAuthn Level 3 section 5.1.3 for which origins a relying party may have.
enum Origin {
    private static let secureScheme = "https://"
    private static let plainScheme = "http://"
    private static let secureDefaultPort = 443
    private static let plainDefaultPort = 80

    /// The origin of a relying party that states none.
    static func standard(for host: DomainName) -> String { secureScheme + host.text }

    /// Checks that the text is an origin whose pages may use the relying party's credentials: its host is the
    /// identifier or below it, and the scheme is `https`, or `http` on the machine itself.
    static func check(_ text: String, for relyingParty: DomainName) throws(RelyingPartyError) {
        let isSecure = text.hasPrefix(secureScheme)
        guard isSecure || text.hasPrefix(plainScheme) else { throw invalid("it begins with https://") }
        let authority = text.dropFirst(isSecure ? secureScheme.count : plainScheme.count)
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let host: DomainName
        do throws(DomainName.Invalid) {
            host = try DomainName(String(parts.first ?? ""))
        } catch {
            throw invalid("nothing but a host and a port follows the scheme, and of the host: \(error.reason)")
        }
        if parts.count > 1 { try checkPort(parts[1], isSecure: isSecure) }
        guard isSecure || host.isLocalhost else { throw invalid("without TLS it is on localhost only") }
        guard host.isWithin(relyingParty) else { throw invalid("its host is \(relyingParty.text) or below it") }
        // A name of one label is a public suffix, whichever: the last rule of the public suffix list. Those of several
        // labels, such as co.uk, stand in the list itself, which is not looked at here. Each may name itself.
        guard relyingParty.text.contains(".") || host.isLocalhost || host.text == relyingParty.text else {
            throw invalid("\(relyingParty.text) is a public suffix, and no identifier for \(host.text)")
        }
    }

    private static func checkPort(_ text: Substring, isSecure: Bool) throws(RelyingPartyError) {
        // Digits first: an integer's initialiser takes a sign.
        guard text.utf8.allSatisfy(\.isDigit), text.utf8.first != UInt8(ascii: "0"), let port = UInt16(text) else {
            throw invalid("its port is a number of 1 to \(UInt16.max)")
        }
        guard Int(port) != (isSecure ? secureDefaultPort : plainDefaultPort) else {
            throw invalid("the scheme's own port is left out")
        }
    }

    private static func invalid(_ rule: String) -> RelyingPartyError {
        RelyingPartyError(.invalidOrigin, reason: "this is not the form of an origin: \(rule)")
    }
}
