import CommandLine
import Conformance
import Encodings
import HybridProtocol
import LinuxSupport
import WebAuthnClient

/// Explanation of a subject: a title, lines of a name and a value each, and perhaps the whole of it in a notation.
struct Explanation {
    let kind: Subject.Kind
    let title: Sentence
    var lines: [(name: Sentence, value: Sentence)]
    var notation: String?

    init(_ kind: Subject.Kind, _ title: Sentence, _ lines: [(name: Sentence, value: Sentence)], notation: String? = nil)
    {
        self.kind = kind
        self.title = title
        self.lines = lines
        self.notation = notation
    }

    /// For people.
    var text: String {
        let width = lines.map(\.name.localized.columnCount).max() ?? 0
        let rows = lines.map { "  \($0.name.localized.padded(to: width + 2))\($0.value.localized)" }
        return ([title.localized] + rows + (notation.map { [$0] } ?? [])).joined(separator: "\n")
    }

    /// For programs.
    var line: Line {
        Line(
            "explanation",
            [
                "kind": kind.rawValue, "title": title,
                "fields": lines.map { ["name": $0.name, "value": $0.value] as Fields }, "notation": notation,
            ])
    }
}

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
                ("name", "\(domain.host())"),
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

extension Explanation {
    /// Explains a rule of the protocol reference, or of a protocol of this project's own.
    ///
    /// - Parameter id: the rule's name, in any case: `HT-ADV-3`.
    /// - Throws: ``Failure`` if there is no such rule.
    static func rule(_ id: String) throws -> Self {
        guard let rule = Rule.find(id.uppercased()) else {
            let family = id.uppercased().split(separator: "-").prefix(2).joined(separator: "-") + "-"
            let relatives = Rule.all.filter { $0.id.hasPrefix(family) }.map(\.id)
            throw Failure.usage(
                "there is no rule \(quoted(id))",
                hint: relatives.isEmpty
                    ? "the families are \(families.joined(separator: ", "))"
                    : "the rules of this family are \(relatives.first ?? "") to \(relatives.last ?? "")")
        }
        return Self(
            .rule, "\(rule.id): \(rule.sentence)",
            [
                ("strength", "\(rule.strength.rawValue)"),
                ("certainty", certainties[rule.certainty] ?? "\(rule.certainty.rawValue)"),
                (
                    "edition",
                    rule.editions.isEmpty
                        ? "none: this project's own protocol"
                        : "CTAP \(rule.editions.map(\.rawValue).joined(separator: ", "))"
                ),
                (
                    "sources",
                    rule.sources.isEmpty ? "none" : "\(rule.sources) (letters: see Sources.md of HybridProtocol)"
                ),
                ("article", "\(rule.article), in the documentation of \(rule.module)"),
            ])
    }

    private static var families: [String] {
        Rule.all.reduce(into: [String]()) { families, rule in
            let family = rule.id.split(separator: "-").prefix(2).joined(separator: "-")
            if !families.contains(family) { families.append(family) }
        }
    }

    private static let certainties: [Rule.Certainty: Sentence] = [
        .certain: "certain: implementations that agree, an RFC, or published numbers",
        .secondHand: "second-hand: an account of the specification, or a single implementation",
        .implied: "implied: it follows from other rules",
        .disputed: "disputed: implementations differ",
        .policy: "policy: this project's own choice",
    ]
}

extension Explanation {
    /// Explains the service data of an advert; with a QR code, opens it.
    ///
    /// - Throws: ``HybridProtocolError`` for a bad QR code, an advert that is too short, or one that is not of its
    ///   session.
    static func advert(_ serviceData: [UInt8], qr: String?) throws -> Self {
        guard serviceData.count >= AdvertKey.advertByteCount else {
            throw HybridProtocolError(.tooShort, reason: "an advert has at least \(AdvertKey.advertByteCount) bytes")
        }
        let tag = serviceData[AdvertPlaintext.byteCount..<AdvertKey.advertByteCount]
        var explanation = Self(
            .advert, "a hybrid advert: an authenticator says that it is near",
            [
                ("sealed", "\(Hexadecimal.encode(serviceData.prefix(AdvertPlaintext.byteCount))), 16 bytes"),
                ("tag", "\(Hexadecimal.encode(tag)), 4 bytes"),
                ("suffix", suffix(Array(serviceData.dropFirst(AdvertKey.advertByteCount)))),
            ])
        if let qr {
            var key = try Invitation(url: qr).advertKey()
            explanation.lines += try lines(of: key.open(serviceData.span).plaintext)
        } else {
            explanation.lines.append(("says", "contents that only the session's two devices can read; --qr opens them"))
        }
        return explanation
    }

    /// Explains the plaintext of an advert.
    static func plaintext(_ plaintext: AdvertPlaintext) -> Self {
        Self(.plaintext, "the plaintext of an advert: where the tunnel is", lines(of: plaintext))
    }

    private static func lines(of plaintext: AdvertPlaintext) -> [(name: Sentence, value: Sentence)] {
        [
            ("nonce", "\(Hexadecimal.encode(plaintext.nonce))"),
            ("routing ID", "\(plaintext.routingID.hex)"),
            ("tunnel domain", "\(plaintext.domain.number), \(plaintext.domain.host())"),
        ]
    }

    private static func suffix(_ bytes: [UInt8]) -> Sentence {
        guard !bytes.isEmpty else { return "none" }
        let offer: Sentence =
            AdvertSuffix(bytes.span).psm.map { "offers L2CAP at PSM \($0)" } ?? "offers nothing that is known"
        return "\(Hexadecimal.encode(bytes)), \(offer); not authenticated"
    }
}

extension Explanation {
    /// Explains a list of related origins.
    ///
    /// - Throws: ``Failure`` for a file that browsers refuse as a whole, and without the list of public suffixes.
    static func relatedOrigins(_ file: [UInt8]) throws -> Self {
        let list: RelatedOrigins
        let suffixes = try publicSuffixes()
        do throws(RelyingPartyError) {
            list = try RelatedOrigins(file: file, suffixes: suffixes)
        } catch {
            throw Failure(
                .protocolViolation, error,
                hint: "browsers refuse all of it: write a JSON object with an array \"origins\" of strings, https://…"
            )
        }
        var labels: [String] = []
        for entry in list.entries {
            if case .counts(let label) = entry.standing, !labels.contains(label) { labels.append(label) }
        }
        let names = labels.map(quoted).joined(separator: ", ")
        let length = "\(labels.count) of \(RelatedOrigins.maxLabelCount)" as Sentence
        return Self(
            .relatedOrigins, "a list of related origins: those of other domains that may use a domain's passkeys",
            [
                ("place", "https://<the domain>/.well-known/webauthn, as application/json"),
                ("length", "\(file.count) of \(RelatedOrigins.maxByteCount) bytes"),
                ("labels", labels.isEmpty ? length : "\(length): \(names)"),
            ]
                + list.entries.enumerated().map { index, entry in
                    let text: Sentence = entry.text.map { "\(quoted($0))" } ?? "no text"
                    return ("entry \(index + 1)", "\(text): \(words(for: entry.standing))")
                })
    }

    private static func publicSuffixes() throws(Failure) -> PublicSuffixList {
        do throws(RelyingPartyError) {
            return try PublicSuffixList.system()
        } catch {
            throw Failure(.file, error, hint: Hint.suffixList)
        }
    }

    private static func words(for standing: RelatedOrigins.Standing) -> Sentence {
        switch standing {
        case .counts(let label): "counts, with the label \(quoted(label))"
        case .overLimit(let label):
            "does not count: its label \(quoted(label)) is one too many"
        case .noURL: "is passed over: no URL; write https:// and a host"
        case .noRegistrableName: "is passed over: nothing is registered by this name"
        case .noText: "malformed: browsers refuse the file for every origin that is not above it"
        }
    }
}

extension Explanation {
    private static let indent = 2
    /// The length up to which a notation stays on one line.
    private static let lineLength = 80

    /// Explains bytes as a CBOR item: in diagnostic notation, and whether CTAP2 would take it.
    ///
    /// - Throws: ``Failure`` for bytes that are not an item, or one and something behind it.
    static func cbor(_ bytes: [UInt8]) throws -> Self {
        let value: CBORValue
        do throws(CBORError) {
            value = try .decodeLenient(bytes.span)
        } catch {
            throw Failure(
                .protocolViolation, error, cause: "no CBOR item: \(reason: error.reason)",
                hint: "check that nothing is missing and nothing follows; if it is not CBOR, give its kind with --as")
        }
        let shown = discreet(value)
        let line = shown.diagnostic()
        return Self(
            .cbor, title(value), [("length", "\(bytes.count) bytes"), ("canonical", canonical(bytes))],
            notation: line.count <= lineLength ? line : shown.diagnostic(indent: indent))
    }

    private static func canonical(_ bytes: [UInt8]) -> Sentence {
        do throws(CBORError) {
            _ = try CBORValue.decode(bytes.span)
            return "yes, as CTAP2 wants it"
        } catch {
            return "no: \(reason: error.reason) (\(error.code.rawValue))"
        }
    }

    private static func title(_ value: CBORValue) -> Sentence {
        switch value {
        case .map(let map): "a CBOR map with \(entries(map.count))"
        case .array(let elements): "a CBOR array with \(entries(elements.count))"
        case .bytes(let bytes): "a CBOR byte string of \(bytes.count) bytes"
        case .text(let text): "a CBOR text string of \(text.utf8.count) bytes"
        default: "a CBOR item"
        }
    }

    private static func entries(_ count: Int) -> Sentence {
        Sentence(count: count, one: "\(count) entry", other: "\(count) entries")
    }

    /// The item without the secret that it holds if it is the contents of a QR code.
    private static func discreet(_ value: CBORValue) -> CBORValue {
        guard var map = value.mapValue, Invitation.isLikelyContents(map) else { return value }
        map[1] = .text("the QR secret, not shown")
        return .map(map)
    }
}
