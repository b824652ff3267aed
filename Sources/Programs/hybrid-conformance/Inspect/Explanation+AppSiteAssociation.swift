import CommandLine
import Encodings
import LinuxSupport

extension Explanation {
    private static let passkeyService = "webcredentials"
    /// The services of Apple's file that are not about passkeys.
    private static let otherServices: [String: Sentence] = [
        "applinks": "links that open an app", "appclips": "App Clips", "activitycontinuation": "Handoff",
    ]
    private static let maxAssociationByteCount = 128 << 10
    private static let teamByteCount = 10

    /// True if an object has a member that Apple's file of associations has.
    static func isAppSiteAssociation(_ document: JSONValue) -> Bool {
        document[passkeyService] != nil || otherServices.keys.contains { document[$0] != nil }
    }

    /// Explains Apple's file of the apps that belong to a domain: which may use its passkeys.
    ///
    /// Source: Apple, "Supporting associated domains": an app is named by its team's prefix of 10 characters, a dot and
    /// its bundle identifier.
    ///
    /// - Throws: ``Failure`` for a file that is not JSON, or not of that form.
    static func appSiteAssociation(_ file: [UInt8]) throws -> Self {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(parsing: file.span)
        } catch {
            throw malformed("no JSON: \(reason: error.reason)")
        }
        guard case .object = document else { throw malformed("no JSON object") }
        var explanation = Self(
            .appSiteAssociation, "Apple's file of associations: the apps that may use a domain's passkeys",
            [
                ("place", "https://<the domain>/.well-known/apple-app-site-association, without a redirect"),
                ("length", "\(file.count) of \(maxAssociationByteCount) bytes"),
            ])
        if file.count > maxAssociationByteCount {
            explanation.lines[1].value = "\(explanation.lines[1].value): too long"
        }
        explanation.lines += try apps(of: document[passkeyService])
        for (name, purpose) in otherServices.sorted(by: { $0.key < $1.key }) where document[name] != nil {
            explanation.lines.append(("\(name)", "\(purpose); not about passkeys"))
        }
        return explanation
    }

    private static func apps(of service: JSONValue?) throws -> [(name: Sentence, value: Sentence)] {
        guard let service else { return [("\(passkeyService)", "missing: no app may use the domain's passkeys")] }
        guard let apps = service["apps"]?.arrayValue else {
            throw malformed("\(passkeyService) is not an object with an array \"apps\"")
        }
        let good = apps.count { $0.stringValue.map { fault(of: $0) == nil } ?? false }
        let count = Sentence(count: good, one: "\(good) app", other: "\(good) apps")
        return [("\(passkeyService)", "\(count), each with the entitlement \(passkeyService):<the domain>")]
            + apps.enumerated().map { index, app in ("app \(index + 1)", line(for: app)) }
    }

    private static func line(for app: JSONValue) -> Sentence {
        guard let text = app.stringValue else { return "malformed: no text" }
        if let fault = fault(of: text) { return "\(quoted(text)): malformed: \(fault)" }
        return "team \(text.prefix(teamByteCount)), bundle \(text.dropFirst(teamByteCount + 1))"
    }

    /// The fault of an app's name; nil if there is none.
    private static func fault(of app: String) -> Sentence? {
        let parts = app.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return "it is a team's prefix, a dot and a bundle identifier" }
        guard parts[0].count == teamByteCount, parts[0].allSatisfy({ isUpperCase($0) || isDigit($0) }) else {
            return "the team's prefix has \(teamByteCount) capital letters and digits"
        }
        let isDot = { (byte: UInt8) in byte == UInt8(ascii: ".") }
        let labels = parts[1].split(omittingEmptySubsequences: false, whereSeparator: isDot)
        let isPlain = parts[1].allSatisfy { byte in
            isUpperCase(byte) || isUpperCase(byte & ~0x20) || isDigit(byte) || byte == UInt8(ascii: "-") || isDot(byte)
        }
        guard isPlain, !labels.contains(where: \.isEmpty) else {
            return "a bundle identifier has letters, digits and hyphens between its dots, and no wildcard"
        }
        return nil
    }

    private static func isUpperCase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func malformed(_ cause: Sentence) -> Failure {
        Failure(
            .protocolViolation, code: "malformed", cause: cause,
            hint: "write {\"\(passkeyService)\": {\"apps\": [\"ABCDE12345.com.example.app\"]}}")
    }
}
