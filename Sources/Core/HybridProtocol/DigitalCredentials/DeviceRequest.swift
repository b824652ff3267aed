internal import Encodings

/// A request for documents by the protocol `org-iso-mdoc`. **Its signatures are not checked.**
///
/// Source: ISO/IEC 18013-5 section 8.3.2.1.2.1 (DeviceRequest), with the names that its deployed readers use.
struct DeviceRequest {
    /// A kind of document, and the data elements asked of it.
    struct Document {
        /// `org.iso.18013.5.1.mDL`, for instance.
        let type: String
        /// The data elements, each behind its name space, in the canonical order of CBOR.
        let elements: [[String]]
    }

    /// The documents, at least one.
    let documents: [Document]
    /// True if somebody has signed a part of it.
    let isSigned: Bool

    /// Tag of a byte string that holds CBOR (RFC 8949 section 3.4.5.1).
    private static let encodedItem: UInt64 = 24

    /// Reads the member `deviceRequest`.
    ///
    /// - Throws: `ambiguous`, `badDeviceRequest`.
    init(_ data: JSONValue) throws(DigitalCredentialError) {
        guard let bytes = data["deviceRequest"]?.stringValue.flatMap({ Base64URL.decode($0) }) else {
            throw .unreadable("there is none in base64url")
        }
        let request = try Self.map(bytes)
        // Use cases, which select among the documents.
        guard request["deviceRequestInfo"] == nil else { throw .ambiguous("sets select among its documents") }
        guard let requests = request["docRequests"]?.arrayValue, !requests.isEmpty else {
            throw .unreadable("it asks for no document")
        }
        var documents: [Document] = []
        for request in requests { documents.append(try Self.document(request)) }
        self.documents = documents
        isSigned = request["readerAuthAll"] != nil || requests.contains { $0.mapValue?["readerAuth"] != nil }
    }

    private static func document(_ request: CBORValue) throws(DigitalCredentialError) -> Document {
        guard case .tagged(encodedItem, .bytes(let bytes)) = request.mapValue?["itemsRequest"] else {
            throw .unreadable("a document has no items")
        }
        let items = try map(bytes)
        guard let type = items["docType"]?.textValue, let spaces = items["nameSpaces"]?.mapValue else {
            throw .unreadable("a document has no type, or no name spaces")
        }
        guard items["requestInfo"]?.mapValue?["alternativeDataElements"] == nil else {
            throw .ambiguous("it names other elements in the place of some")
        }
        var elements: [[String]] = []
        for space in spaces.entries {
            guard let name = space.key.textValue, let inside = space.value.mapValue else {
                throw .unreadable("a name space is not a map")
            }
            for element in inside.entries {
                guard let element = element.key.textValue else { throw .unreadable("an element has no name") }
                elements.append([name, element])
            }
        }
        return Document(type: type, elements: elements)
    }

    /// A map, with nothing in it that two readers could take for two different things.
    private static func map(_ bytes: [UInt8]) throws(DigitalCredentialError) -> CBORMap {
        guard let value = try? CBORValue.decodeLenient(bytes.span), let map = value.mapValue else {
            throw .unreadable("it is not a CBOR map")
        }
        // A repair, or the loss of one of two equal keys, changes the length.
        guard value.encodedByteCount == bytes.count else { throw .unreadable("it has a key twice, or a long form") }
        return map
    }
}

extension DigitalCredentialError {
    fileprivate static func unreadable(_ reason: String) -> Self {
        Self(.badDeviceRequest, reason: "a request for documents cannot be read: \(reason)")
    }
}
