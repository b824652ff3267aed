/// A web origin as the client data names it: scheme, host and, unless it is the scheme's own, port. Source: HTML,
/// "ASCII serialisation of an origin"; WebAuthn Level 3 section 5.1.3 for which origins a relying party may have.
struct Origin: Sendable {
    /// The origin as it was given.
    let text: String
    let scheme: String
    let host: DomainName
    /// The port; nil for the scheme's own.
    let port: UInt16?

    private static let secureScheme = "https"
    private static let plainScheme = "http"
    private static let mark = "://"
    private static let defaultPorts: [String: UInt16] = [secureScheme: 443, plainScheme: 80]

    /// The origin of a relying party that states none.
    static func standard(for host: DomainName) -> String { secureScheme + mark + host.text }

    /// Reads an origin whose pages may use passkeys: `https`, or `http` on the machine itself.
    ///
    /// - Throws: ``RelyingPartyError`` `invalid-origin`.
    init(_ text: String) throws(RelyingPartyError) {
        let isSecure = text.hasPrefix(Self.secureScheme + Self.mark)
        let scheme = isSecure ? Self.secureScheme : Self.plainScheme
        guard text.hasPrefix(scheme + Self.mark) else { throw Self.invalid("it must begin with https://") }
        let authority = text.dropFirst((scheme + Self.mark).count)
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        do throws(DomainName.Invalid) {
            host = try DomainName(String(parts.first ?? ""))
        } catch {
            throw Self.invalid("only a host and a port may follow the scheme; the host: \(error.reason)")
        }
        port = parts.count > 1 ? try Self.port(parts[1], of: scheme) : nil
        guard isSecure || host.isLocalhost else { throw Self.invalid("without TLS it must be on localhost") }
        (self.text, self.scheme) = (text, scheme)
    }

    /// True if the origin's host is the relying party's domain, or below it and below the same public suffix.
    ///
    /// - Parameter suffixes: the list of public suffixes; this machine's if nil. Not looked at if the names decide
    ///   alone.
    /// - Throws: ``RelyingPartyError`` `no-suffix-list`.
    func isWithin(_ relyingParty: DomainName, _ suffixes: PublicSuffixList?) throws(RelyingPartyError) -> Bool {
        if host.text == relyingParty.text { return true }
        // A name of one label is a public suffix, whichever: the last rule of the list.
        guard host.isWithin(relyingParty), relyingParty.text.contains(".") else { return false }
        return try !PublicSuffixList.given(suffixes).isPublicSuffix(relyingParty)
    }

    /// Demands that the origin may ask in the name of a relying party: it is of its domain, or listed as related.
    ///
    /// - Parameters:
    ///   - relyingParty: the relying party's domain.
    ///   - suffixes: the list of public suffixes; this machine's if nil.
    ///   - related: gets the list of related origins, if the names do not decide; nil if none is taken.
    /// - Returns: false if it is listed as related.
    /// - Throws: ``RelyingPartyError``.
    func check(
        _ relyingParty: DomainName, _ suffixes: PublicSuffixList?, _ related: (any RelatedOriginsFetcher)?
    ) async throws(RelyingPartyError) -> Bool {
        if try isWithin(relyingParty, suffixes) { return true }
        let foreign = isForeign(to: relyingParty)
        guard let related else { throw foreign }
        let suffixes = try PublicSuffixList.given(suffixes)
        do throws(RelyingPartyError) {
            let response = try await related.fetch(RelatedOrigins.url(of: relyingParty.text))
            try RelatedOrigins(response, suffixes: suffixes).check(self)
            return false
        } catch {
            throw RelyingPartyError(
                error.code, reason: "\(foreign.reason); its list of related origins: \(error.reason)",
                place: error.place)
        }
    }

    /// The error for an origin that is not of a relying party's domain.
    func isForeign(to relyingParty: DomainName) -> RelyingPartyError {
        RelyingPartyError(
            .invalidOrigin,
            reason: host.isWithin(relyingParty)
                ? "\(relyingParty.text) is a public suffix, and no identifier for \(host.text)"
                : "\(host.text) is neither \(relyingParty.text) nor below it")
    }

    private static func port(_ text: Substring, of scheme: String) throws(RelyingPartyError) -> UInt16 {
        // Digits first: an integer's initialiser takes a sign.
        guard text.utf8.allSatisfy(\.isDigit), text.utf8.first != UInt8(ascii: "0"), let port = UInt16(text) else {
            throw invalid("its port must be a number from 1 to \(UInt16.max)")
        }
        guard port != defaultPorts[scheme] else { throw invalid("the scheme's own port must be left out") }
        return port
    }

    private static func invalid(_ rule: String) -> RelyingPartyError {
        RelyingPartyError(.invalidOrigin, reason: "this is not an origin: \(rule)")
    }
}
