import Encodings
import Glibc

/// Standard output, to which each answer is written at once.
enum StandardOutput {
    /// Writes bytes; with one call unless the reader takes fewer.
    ///
    /// - Throws: ``ContractError`` if nobody reads them.
    static func write(_ bytes: UnsafeRawBufferPointer) throws(ContractError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 || errno == EINTR else {
                throw ContractError(.closed, reason: "standard output: \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Writes bytes that are no secret.
    static func write(_ bytes: [UInt8]) throws(ContractError) {
        // The closure's own error type is not inferred.
        try bytes.span.bytes.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) throws(ContractError) in
            try write(buffer)
        }
    }
}
