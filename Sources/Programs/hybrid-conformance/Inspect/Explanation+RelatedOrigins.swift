import CommandLine
import WebAuthnClient

extension Explanation {
    /// Explains a list of related origins.
    ///
    /// - Throws: ``Failure`` for what browsers refuse as a whole, and without the list of public suffixes.
    static func relatedOrigins(_ file: [UInt8]) throws -> Self {
        let list: RelatedOrigins
        let suffixes = try publicSuffixes()
        do throws(RelyingPartyError) {
            list = try RelatedOrigins(file: file, suffixes: suffixes)
        } catch {
            throw Failure(
                .protocolViolation, code: error.code.rawValue, cause: error.reason,
                hint: "browsers refuse it as a whole: write a JSON object with an array \"origins\" of texts, https://…"
            )
        }
        var labels: [String] = []
        for entry in list.entries {
            if case .counts(let label) = entry.standing, !labels.contains(label) { labels.append(label) }
        }
        let names = labels.isEmpty ? "" : ": " + labels.map(quoted).joined(separator: ", ")
        return Self(
            .relatedOrigins, "a list of related origins: those of other domains that may use a domain's passkeys",
            [
                ("place", "https://<the domain>/.well-known/webauthn, as application/json"),
                ("length", "\(file.count) of \(RelatedOrigins.maxByteCount) bytes"),
                ("labels", "\(labels.count) of \(RelatedOrigins.maxLabelCount)\(names)"),
            ]
                + list.entries.enumerated().map { index, entry in
                    ("entry \(index + 1)", "\(entry.text.map(quoted) ?? "no text"): \(words(for: entry.standing))")
                })
    }

    private static func publicSuffixes() throws(Failure) -> PublicSuffixList {
        do throws(RelyingPartyError) {
            return try PublicSuffixList.system()
        } catch {
            throw Failure(.file, code: error.code.rawValue, cause: error.reason, hint: Hint.suffixList)
        }
    }

    private static func words(for standing: RelatedOrigins.Standing) -> String {
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
