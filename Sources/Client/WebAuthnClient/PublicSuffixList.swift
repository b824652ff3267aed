internal import LinuxSupport

/// The list of the names below which people register names that have nothing to do with each other: `com`, `co.uk`,
/// `github.io`.
///
/// Source: the Public Suffix List, format and algorithm of publicsuffix.org; browsers take both of its sections. Names
/// are compared in lower case and decoded from their `xn--` form.
public struct PublicSuffixList: Sendable {
    /// The place of the list on this machine: Debian's package `publicsuffix` has it.
    public static let systemPath = "/usr/share/publicsuffix/public_suffix_list.dat"

    private static let maxByteCount = 1 << 22
    private static let systemList = Result { () throws(RelyingPartyError) in try PublicSuffixList(path: systemPath) }

    private let rules: Set<String>
    private let wildcards: Set<String>
    private let exceptions: Set<String>
    /// The most labels that a rule has.
    private let depth: Int

    /// The list of this machine, which is read once.
    ///
    /// - Throws: ``RelyingPartyError`` `no-suffix-list`.
    public static func system() throws(RelyingPartyError) -> Self { try systemList.get() }

    /// The list that is given, or this machine's.
    static func given(_ list: Self?) throws(RelyingPartyError) -> Self {
        if let list { return list }
        return try system()
    }

    /// Reads a list from a file.
    ///
    /// - Throws: ``RelyingPartyError`` `no-suffix-list` if it cannot be read, or has no rule.
    public init(path: String) throws(RelyingPartyError) {
        guard let bytes = SystemFile.contents(of: path, limit: Self.maxByteCount) else {
            throw RelyingPartyError(.noSuffixList, reason: "the list of public suffixes cannot be read: \(path)")
        }
        try self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// Reads the text of a list.
    ///
    /// - Throws: ``RelyingPartyError`` `no-suffix-list` if it has no rule.
    public init(_ text: String) throws(RelyingPartyError) {
        var rules: Set<String> = []
        var wildcards: Set<String> = []
        var exceptions: Set<String> = []
        var depth = 1
        for line in text.utf8.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            // A rule ends at white space; a comment begins with two slashes.
            let word = line.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            guard !word.isEmpty, !word.starts(with: "//".utf8) else { continue }
            depth = max(depth, word.count { $0 == UInt8(ascii: ".") } + 1)
            switch word.first {
            case UInt8(ascii: "!"): exceptions.insert(String(Substring(word.dropFirst())))
            case UInt8(ascii: "*"): wildcards.insert(String(Substring(word.dropFirst("*.".utf8.count))))
            default: rules.insert(String(Substring(word)))
            }
        }
        guard !rules.isEmpty else {
            throw RelyingPartyError(.noSuffixList, reason: "the list of public suffixes has no rule")
        }
        (self.rules, self.wildcards, self.exceptions, self.depth) = (rules, wildcards, exceptions, depth)
    }

    /// The number of labels that are the public suffix of a name: at least 1, for a name below no rule is below `*`.
    ///
    /// - Parameter labels: a name's labels, in lower case and decoded; at least one.
    func suffixLabelCount(of labels: some BidirectionalCollection<String>) -> Int {
        let labels = Array(labels.suffix(depth))
        for start in labels.indices {
            let name = labels[start...].joined(separator: ".")
            let count = labels.count - start
            if exceptions.contains(name) { return count - 1 }
            if rules.contains(name) { return count }
            if count > 1, wildcards.contains(labels[(start + 1)...].joined(separator: ".")) { return count }
        }
        return 1
    }

    /// True if a name is a public suffix, or above one.
    func isPublicSuffix(_ name: DomainName) -> Bool {
        let labels = HostName.labels(of: name.text)
        return suffixLabelCount(of: labels) >= labels.count
    }
}

extension RelyingParty {
    /// Refuses an identifier below which people register names that have nothing to do with each other, as browsers do,
    /// where this machine has the list of them. Names of one label, as `localhost`, are taken.
    ///
    /// - Throws: ``RelyingPartyError`` `invalid-rp-id`.
    package static func refusePublicSuffix(_ id: String) throws(RelyingPartyError) {
        let name = try domain(id)
        guard HostName.labels(of: name.text).count > 1, let list = try? PublicSuffixList.system(),
            list.isPublicSuffix(name)
        else { return }
        throw RelyingPartyError(
            .invalidRelyingPartyID, reason: "\(id) is a public suffix: the names below it belong to different people")
    }
}
