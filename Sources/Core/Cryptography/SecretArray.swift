internal import COpenSSL

/// Bytes that must not outlive their use, as an array: for secrets that are appended to, or changed in place. Other
/// secrets are ``SecretBytes``.
///
/// It cannot be copied by accident, has no description, and its memory is overwritten with zeros when its owner dies.
/// An array that grows leaves its old memory behind as it was: reserve the space before you append.
package struct SecretArray: ~Copyable, Sendable {
    private var storage: [UInt8]

    /// Takes an array over. If something else refers to its memory, that stays as it is, and is not wiped.
    ///
    /// - Parameter bytes: any number of bytes.
    package init(_ bytes: consuming [UInt8]) {
        bytes.withUnsafeMutableBytes { _ in }
        storage = bytes
    }

    /// Takes an array over, if there is one.
    package init?(_ bytes: consuming [UInt8]?) {
        guard let bytes = consume bytes else { return nil }
        self.init(consume bytes)
    }

    /// Makes an empty array.
    ///
    /// - Parameter capacity: the number of bytes that can be appended to it.
    package init(capacity: Int) {
        storage = []
        storage.reserveCapacity(capacity)
    }

    deinit { Self.wipe(storage) }

    /// The array, of a variable alone: a value without a name would be wiped before its array is looked at. So is each
    /// copy that is held when this dies; an array that must stay is taken by ``take()``.
    package var bytes: [UInt8] {
        mutating _read { yield storage }
        _modify { yield &storage }
    }

    /// The bytes, for reading while the array lives.
    package var span: Span<UInt8> {
        @_lifetime(borrow self)
        get { storage.span }
    }

    /// The number of bytes.
    package var count: Int { storage.count }

    /// Appends a secret, a byte at a time: the C library's copy of many leaves the last of them in vector registers
    /// that hardly anything else uses, where a core dump found them at the end of the process.
    package mutating func append(_ secret: Span<UInt8>) {
        for index in secret.indices { storage.append(secret[index]) }
    }

    /// Overwrites the bytes with zeros, of which there are as many as before.
    package mutating func clear() {
        storage.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }

    /// The array, which is not wiped: it is secret no more, or its owner wipes it.
    package consuming func take() -> [UInt8] {
        let bytes = storage
        storage = []
        return bytes
    }

    /// Wipes all that was allocated, in place: writing to a property in a `deinit` would write to a copy.
    private static func wipe(_ bytes: borrowing [UInt8]) {
        let capacity = bytes.capacity
        bytes.withUnsafeBytes { OPENSSL_cleanse(UnsafeMutableRawPointer(mutating: $0.baseAddress), capacity) }
    }
}
