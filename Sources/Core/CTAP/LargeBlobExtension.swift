public import Encodings

/// The extension largeBlob, of authenticators whose getInfo lists `largeBlob` rather than `largeBlobKey`: the contents
/// travel inside the ceremony, compressed by the client (DEFLATE), and are not signed.
///
/// Source: CTAP 2.2 section 12.4; WebAuthn Level 3 section 10.1.5 for the meaning; Chromium's
/// `ctap_make_credential_request.cc`, `ctap_get_assertion_request.cc` and `device_response_converter.cc`.
public enum LargeBlobExtension {
    private enum Key {
        static let support: CBORValue = "support"
        static let supported: CBORValue = "supported"
        static let read: CBORValue = "read"
        static let write: CBORValue = "write"
        static let originalSize: CBORValue = "originalSize"
        static let blob: CBORValue = "blob"
        static let written: CBORValue = "written"
    }

    /// The demand that a new credential can have a blob.
    public enum Support: String, Sendable, Hashable, CaseIterable {
        /// It should be able to have one.
        case preferred
        /// It must be able to have one; otherwise there is no credential.
        case required

        /// Reads the input of makeCredential, strictly; nil if it is not there.
        ///
        /// - Throws: ``CTAPError`` `invalid-cbor` for anything but the one member `support` and one of its two words.
        public init?(_ extensions: CBORMap) throws(CTAPError) {
            guard let input = extensions[ExtensionIdentifier.largeBlob] else { return nil }
            guard let support = Self.allCases.first(where: { $0.value == input }) else {
                throw LargeBlobExtension.malformed
            }
            self = support
        }

        /// The input as it is sent.
        public var value: CBORValue { [Key.support: .text(rawValue)] }
    }

    /// The answer if a new credential can have a blob.
    public struct Supported: Sendable, Hashable {
        /// True if it can.
        public let isSupported: Bool

        /// Makes an output.
        public init(_ isSupported: Bool) { self.isSupported = isSupported }

        /// Reads the output among an answer's unsigned ones; nil if it is not there, or not one.
        public init?(_ outputs: CBORMap) {
            guard let supported = outputs[ExtensionIdentifier.largeBlob]?.mapValue?[Key.supported]?.boolValue else {
                return nil
            }
            isSupported = supported
        }

        /// The output as it is sent.
        public var value: CBORValue { [Key.supported: .bool(isSupported)] }
    }

    /// The contents of a blob, compressed.
    public struct Contents: Sendable, Hashable {
        /// The contents, compressed.
        public let compressed: [UInt8]
        /// Length of the contents when they are not compressed, in bytes.
        public let originalSize: UInt64

        /// Takes contents.
        public init(compressed: [UInt8], originalSize: UInt64) {
            self.compressed = compressed
            self.originalSize = originalSize
        }
    }

    /// A sign-in's access to the credential's blob.
    public enum Access: Sendable, Hashable {
        /// Give it back.
        case read
        /// Put other contents in its place.
        case write(Contents)

        /// Reads the input of getAssertion, strictly; nil if it is not there.
        ///
        /// - Throws: ``CTAPError`` `invalid-cbor` for anything but `read` true alone, or `write` and `originalSize`.
        public init?(_ extensions: CBORMap) throws(CTAPError) {
            guard let input = extensions[ExtensionIdentifier.largeBlob] else { return nil }
            guard input != Self.read.value else {
                self = .read
                return
            }
            guard let members = input.mapValue, members.count == 2, let compressed = members[Key.write]?.bytesValue,
                let size = members[Key.originalSize]?.unsignedValue
            else { throw LargeBlobExtension.malformed }
            self = .write(Contents(compressed: compressed, originalSize: size))
        }

        /// The input as it is sent.
        public var value: CBORValue {
            switch self {
            case .read: [Key.read: true]
            case .write(let contents):
                [Key.write: .bytes(contents.compressed), Key.originalSize: .unsigned(contents.originalSize)]
            }
        }
    }

    /// Outcome of a sign-in's access.
    public enum Outcome: Sendable, Hashable {
        /// The blob's contents.
        case contents(Contents)
        /// True if the blob was written.
        case written(Bool)

        /// Reads the output among an answer's unsigned ones; nil if it is not there, or not one.
        public init?(_ outputs: CBORMap) {
            guard let output = outputs[ExtensionIdentifier.largeBlob]?.mapValue else { return nil }
            if let written = output[Key.written]?.boolValue {
                self = .written(written)
            } else if let blob = output[Key.blob]?.bytesValue, let size = output[Key.originalSize]?.unsignedValue {
                self = .contents(Contents(compressed: blob, originalSize: size))
            } else {
                return nil
            }
        }

        /// The output as it is sent.
        public var value: CBORValue {
            switch self {
            case .written(let written): [Key.written: .bool(written)]
            case .contents(let contents):
                [Key.blob: .bytes(contents.compressed), Key.originalSize: .unsigned(contents.originalSize)]
            }
        }
    }

    /// The one fault that section 12.4 knows (HT-CTAP-63).
    private static var malformed: CTAPError {
        CTAPError(.invalidCBOR, reason: "extension largeBlob does not have the form of an input")
    }
}
