internal import Encodings

extension DigitalCredentialRequest {
    /// The most Unicode scalars of a ``summary``: more is not read before a yes. All the claims of a few identity
    /// documents, in several protocols, have less.
    static let longestSummary = 8_192

    /// The request with only the options that a wallet may answer: those that can be read in one way only, are not
    /// signed for another origin than the request's, and can be shown whole, beside the options before them (HT-DC-41,
    /// HT-DC-43, HT-DC-44).
    ///
    /// Code that asks the user, and hands a request on, should do both with this.
    ///
    /// - Returns: the request, and for each option that was left out the reason.
    /// - Throws: `badOrigin`; if no option is left, the reason why the first was left out: `otherOrigin`, `ambiguous`,
    ///   `tooLarge`, `badQuery`, `badSignedRequest` or `badDeviceRequest`.
    public func admitted() throws(DigitalCredentialError) -> (
        request: DigitalCredentialRequest, leftOut: [DigitalCredentialError]
    ) {
        guard Self.isWebOrigin(origin) else {
            throw DigitalCredentialError(
                .badOrigin, reason: "the origin is not https:// and a host, nor http://localhost")
        }
        var kept: [JSONValue] = []
        var leftOut: [DigitalCredentialError] = []
        var shownScalarCount = 0
        for (option, entry) in zip(options, digital["requests"]?.arrayValue ?? []) {
            do throws(DigitalCredentialError) {
                let contents = try option.contents()
                try contents.check(from: origin)
                let count = option.lines(of: contents).reduce(0) { $0 + $1.unicodeScalars.count }
                guard count <= Self.longestSummary - shownScalarCount else {
                    throw DigitalCredentialError(.tooLarge, reason: "a request is too long to be shown")
                }
                shownScalarCount += count
                kept.append(entry)
            } catch {
                leftOut.append(error)
            }
        }
        guard let first = leftOut.first else { return (self, []) }
        guard !kept.isEmpty else { throw first }
        let members = (digital.objectValue ?? []).map { member in
            member.name.utf8.elementsEqual("requests".utf8) ? JSONValue.Member(member.name, .array(kept)) : member
        }
        return (try DigitalCredentialRequest(origin: origin, kind: kind, digital: .object(members)), leftOut)
    }

    /// True for an origin as browsers write it: `https://`, a host in lower-case ASCII or an IPv6 address, and a port
    /// unless it is 443; or `http://` and a name of the client's own machine, which browsers take for as good. Sources:
    /// WHATWG HTML, "serialization of an origin"; W3C Secure Contexts, section 3.1.
    static func isWebOrigin(_ origin: String) -> Bool {
        let secure = "https://"
        let plain = "http://"
        guard origin.hasPrefix(plain) else {
            return origin.hasPrefix(secure) && isAuthority(origin.dropFirst(secure.count), defaultPort: 443)
        }
        let authority = origin.dropFirst(plain.count)
        let host = authority.prefix { $0 != ":" }
        return (host == "localhost" || host.hasSuffix(".localhost")) && isAuthority(authority, defaultPort: 80)
    }

    /// True for a host, and a port other than the default one.
    private static func isAuthority(_ authority: Substring, defaultPort: UInt16) -> Bool {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return false }
            let address = authority[..<end].dropFirst().utf8
            return address.contains(UInt8(ascii: ":"))
                && address.allSatisfy { isHexadecimal($0) || $0 == UInt8(ascii: ":") }
                && isPort(authority[end...].dropFirst(), defaultPort)
        }
        let host = authority.prefix { $0 != ":" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isHostCharacter) }
            && isPort(authority.dropFirst(host.count), defaultPort)
    }

    /// True for nothing, or a colon and a port other than the default one.
    private static func isPort(_ text: Substring, _ defaultPort: UInt16) -> Bool {
        guard let colon = text.first else { return true }
        let digits = text.dropFirst()
        guard colon == ":", digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let port = UInt16(digits)
        else { return false }
        return String(port) == digits && port != defaultPort
    }

    private static func isHostCharacter(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isHexadecimal(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}

extension DigitalCredentialRequest.Option.Contents {
    fileprivate func check(from origin: String) throws(DigitalCredentialError) {
        guard case .signed(let request, _) = self else { return }
        guard request.isExpected(from: origin) else {
            throw DigitalCredentialError(
                .otherOrigin, reason: "a request was signed for another origin than the one that asks")
        }
    }
}
