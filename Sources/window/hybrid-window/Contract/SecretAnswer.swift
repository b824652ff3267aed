import Glibc

/// An answer with a secret, in memory of its own, which is wiped.
enum SecretAnswer {
    /// The most bytes of a secret.
    static let mostBytes = 1_024

    /// Writes the answer's line, the secret and a line feed, with one call.
    ///
    /// - Parameter secret: UTF-8, with a terminating zero; the caller wipes it.
    /// - Throws: ``ContractError``.
    static func write(_ secret: UnsafePointer<CChar>, to id: Int) throws(ContractError) {
        let count = strlen(secret)
        guard count <= mostBytes else { return }
        let head = Array("{\"id\":\(id),\"answer\":\"secret\",\"bytes\":\(count)}\n".utf8)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: head.count + count + 1, alignment: 1)
        defer {
            if let address = buffer.baseAddress { explicit_bzero(address, buffer.count) }
            buffer.deallocate()
        }
        buffer.copyBytes(from: head)
        UnsafeMutableRawBufferPointer(rebasing: buffer[head.count...])
            .copyMemory(from: UnsafeRawBufferPointer(start: secret, count: count))
        buffer[head.count + count] = UInt8(ascii: "\n")
        try StandardOutput.write(UnsafeRawBufferPointer(buffer))
    }
}
