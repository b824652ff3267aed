internal import Cryptography
internal import Encodings
internal import PasskeyAuthenticator

extension KeePassXML {
    /// Reads the passkeys of an unencrypted file. Those in entries' histories, and in the recycle bin, are passed over.
    ///
    /// - Parameters:
    ///   - bytes: the file, at most ``maxByteCount`` bytes, with ``PasskeyFileCounts/maxItems`` entries.
    ///   - take: as in ``CXF/read(_:_:)``.
    /// - Throws: ``PasskeyFormatError`` `malformed`, `too-large` or `library-failure`.
    package static func read(
        _ bytes: Span<UInt8>, _ take: (PasskeyRecord) -> Void
    ) throws(PasskeyFormatError) -> PasskeyFileCounts {
        try read(bytes.withUnsafeBufferPointer { Array($0) }[...], nil, take)
    }

    /// Reads the XML.
    ///
    /// - Parameter stream: the key stream of protected values; nil if they are not encrypted.
    static func read(
        _ bytes: ArraySlice<UInt8>, _ stream: ProtectedStream?, _ take: (PasskeyRecord) -> Void
    ) throws(PasskeyFormatError) -> PasskeyFileCounts {
        var reader = XMLReader(bytes)
        var database = Database(stream: stream)
        while let event = try reader.next() {
            switch event {
            case .start(let name, let attributes): try database.begin(name, attributes)
            case .text(let text): database.text += text
            case .end: if let record = try database.end() { take(record) }
            }
        }
        return database.counts
    }

    /// The state of reading a database up to a place in it.
    private struct Database {
        let stream: ProtectedStream?
        var text = ""
        var counts = PasskeyFileCounts()

        private var path: [String] = []
        private var isProtected = false
        private var recycleBin: String?
        /// The number of open elements at which the recycle bin began; nil outside of it.
        private var recycledDepth: Int?
        private var historyDepth: Int?
        private var key = ""
        private var value = ""
        private var strings: [String: String] = [:]
        private var created: Int64?

        init(stream: ProtectedStream?) { self.stream = stream }

        mutating func begin(_ name: String, _ attributes: [String: String]) throws(PasskeyFormatError) {
            guard !path.isEmpty || name == Element.root else { throw KDBX.malformed("its XML is not KeePass's") }
            path.append(name)
            text = ""
            isProtected = name == Element.value && attributes[Element.protected] == Element.isTrue
            if name == Element.history, historyDepth == nil { historyDepth = path.count }
            if name == Element.entry, historyDepth == nil { (strings, created) = ([:], nil) }
        }

        /// Ends an element.
        ///
        /// - Returns: a passkey, if it is the entry of one.
        mutating func end() throws(PasskeyFormatError) -> PasskeyRecord? {
            defer {
                path.removeLast()
                text = ""
                if let depth = historyDepth, path.count < depth { historyDepth = nil }
                if let depth = recycledDepth, path.count < depth { recycledDepth = nil }
            }
            switch (path.dropLast().last, path.last) {
            case (Element.meta, Element.recycleBin): recycleBin = text
            case (Element.group, Element.uuid):
                if text == recycleBin, recycledDepth == nil { recycledDepth = path.count - 1 }
            case (Element.times, Element.creationTime):
                if path.dropLast(2).last == Element.entry { created = time(text) }
            case (Element.string, Element.key): key = text
            case (Element.string, Element.value): value = try decrypted()
            case (Element.entry, Element.string):
                if historyDepth == nil, Attribute.all.contains(key) { strings[key] = value }
            case (_, Element.entry): if historyDepth == nil, recycledDepth == nil { return try entry() }
            default: break
            }
            return nil
        }

        /// The text of a value. Each protected one has its part of the stream, wherever it stands.
        private func decrypted() throws(PasskeyFormatError) -> String {
            guard isProtected, let stream else { return text }
            guard var bytes = SecretArray(Base64.decode(text)) else {
                throw KDBX.malformed("a protected value is not in base64")
            }
            try stream.apply(to: &bytes.bytes)
            guard let text = String(validating: bytes.bytes, as: UTF8.self) else {
                throw KDBX.malformed("a protected value is not UTF-8")
            }
            return text
        }

        private func time(_ text: String) -> Int64? {
            if let bytes = Base64.decode(text), bytes.count == MemoryLayout<Int64>.size {
                let seconds = Int64(bitPattern: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
                return seconds >= 0 ? seconds - epoch : nil
            }
            return UTCTime.seconds(text)
        }

        private mutating func entry() throws(PasskeyFormatError) -> PasskeyRecord? {
            try counts.count()
            guard let pem = strings[Attribute.privateKey] else {
                counts.withoutPasskey += 1
                return nil
            }
            var parts = PasskeyParts()
            let id = strings[Attribute.generatedUserID] ?? strings[Attribute.credentialID]
            parts.id = id.flatMap { Base64URL.decode($0) }
            parts.rpID = strings[Attribute.relyingParty]
            parts.rpName = strings[Attribute.title]?.nonEmpty
            parts.userHandle = strings[Attribute.userHandle].flatMap { Base64URL.decode($0) }
            parts.userName = (strings[Attribute.strongboxUserName] ?? strings[Attribute.passkeyUserName])?.nonEmpty
            parts.pkcs8 = SecretArray(PEM.privateKey(pem) ?? [])
            parts.isBackupEligible = !["0", "false"].contains(strings[Attribute.backupEligible]?.lowercased())
            parts.created = created
            if let text = strings[Attribute.prf] {
                let secret = SecretArray(Base64.decode(text) ?? [])
                parts.prf = try? PRFSecret(copying: secret.span)
                if parts.prf == nil { parts.losses.append(.prf) }
            }
            return try parts.record()
        }
    }
}
