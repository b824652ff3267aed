internal import COpenSSL

// Arguments of libcrypto's algorithms: arrays of OSSL_PARAM, which keep pointers to names and values. The
// names are static, so their addresses last; the values have to outlive the call, which is why they come as pointers.

extension OSSL_PARAM {
    /// Bytes that libcrypto reads, or writes where it is asked for them. To it no address means no value, so that no
    /// bytes need an address too: any.
    static func octets(_ name: StaticString, _ bytes: UnsafeBufferPointer<UInt8>) -> Self {
        OSSL_PARAM_construct_octet_string(
            name.cString, UnsafeMutableRawPointer(mutating: bytes.baseAddress ?? name.utf8Start), bytes.count)
    }

    /// The name of an algorithm or a group.
    static func text(_ name: StaticString, _ value: StaticString) -> Self {
        OSSL_PARAM_construct_utf8_string(name.cString, UnsafeMutablePointer(mutating: value.cString), 0)
    }

    /// An unsigned integer in the machine's byte order.
    static func integer(_ name: StaticString, _ bytes: UnsafeMutableBufferPointer<UInt8>) -> Self {
        OSSL_PARAM_construct_BN(name.cString, bytes.baseAddress, bytes.count)
    }

    /// The end of an array of parameters.
    static var end: Self { OSSL_PARAM_construct_end() }
}

extension StaticString {
    /// The address of a literal, which lasts as long as the process.
    var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

/// The names of OpenSSL's parameters (`openssl/core_names.h`).
enum ParameterName {
    static let digest: StaticString = "digest"
    static let key: StaticString = "key"
    static let salt: StaticString = "salt"
    static let passphrase: StaticString = "pass"
    static let scryptN: StaticString = "n"
    static let scryptR: StaticString = "r"
    static let scryptP: StaticString = "p"
    static let scryptMemory: StaticString = "maxmem_bytes"
    static let info: StaticString = "info"
    static let group: StaticString = "group"
    static let publicKey: StaticString = "pub"
    static let privateKey: StaticString = "priv"
    static let tag: StaticString = "tag"
    static let modulus: StaticString = "n"
    static let exponent: StaticString = "e"
}

/// The names of OpenSSL's algorithms and groups where they are passed as values.
enum AlgorithmName {
    static let sha256: StaticString = "SHA256"
    static let p256: StaticString = "prime256v1"
}

/// The parts of a key that an import brings (`openssl/evp.h`, whose macros for them are too composite for Swift to
/// see).
struct KeySelection: OptionSet {
    let rawValue: Int32

    static let parameters = Self(rawValue: OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS)
    static let publicKey: Self = [parameters, Self(rawValue: OSSL_KEYMGMT_SELECT_PUBLIC_KEY)]
    static let keyPair: Self = [publicKey, Self(rawValue: OSSL_KEYMGMT_SELECT_PRIVATE_KEY)]
}
