public import Encodings

/// The extension largeBlob, in the shape that Chromium's client uses with authenticators whose getInfo lists
/// `largeBlob` rather than `largeBlobKey`: the contents travel inside the ceremony, compressed by the client (DEFLATE),
/// and are not signed.
///
/// Source: WebAuthn Level 3 section 10.1.5 for the meaning; Chromium's `ctap_make_credential_request.cc`,
/// `ctap_get_assertion_request.cc` and `device_response_converter.cc` for the shape. No published standard has it.
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

        /// Reads the input of makeCredential, strictly; nil if it is not there or does not say.
        ///
        /// - Throws: ``CTAPError`` `unexpected-type`, or `invalid-parameter` for another word.
        public init?(_ extensions: CBORMap) throws(CTAPError) {
            guard let members = try LargeBlobExtension.members(extensions),
                let word = try members.optional(Key.support, "largeBlob's support", \.textValue)
            else { return nil }
            guard let support = Self(rawValue: word) else {
                throw CTAPError(.invalidParameter, reason: "largeBlob's support is neither required nor preferred")
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

        /// Reads the input of getAssertion, strictly; nil if it is not there or asks for nothing.
        ///
        /// - Throws: ``CTAPError`` `unexpected-type`; `missing-parameter` for contents without their size;
        ///   `invalid-parameter` for both at once.
        public init?(_ extensions: CBORMap) throws(CTAPError) {
            guard let members = try LargeBlobExtension.members(extensions) else { return nil }
            let reads = try members.optional(Key.read, "largeBlob's read", \.boolValue)
            guard let compressed = try members.optional(Key.write, "largeBlob's write", \.bytesValue) else {
                guard reads == true else { return nil }
                self = .read
                return
            }
            guard reads == nil else {
                throw CTAPError(.invalidParameter, reason: "largeBlob cannot be read and written at once")
            }
            let size = try members.required(Key.originalSize, "largeBlob's originalSize", \.unsignedValue)
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

    private static func members(_ extensions: CBORMap) throws(CTAPError) -> Parameters? {
        guard let input = extensions[ExtensionIdentifier.largeBlob] else { return nil }
        return try Parameters(input, "extension largeBlob", .strict)
    }
}
