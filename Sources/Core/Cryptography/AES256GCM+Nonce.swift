extension AES256GCM.Nonce {
    /// A nonce of as many bytes as it takes; what is missing stays zero.
    package init(_ bytes: [UInt8]) {
        self.init(repeating: 0)
        for (index, byte) in zip(indices, bytes) { self[index] = byte }
    }
}
