internal import HybridProtocol

extension RadioError {
    /// Checks that service data has 1 byte at least, and no more than a radio can send.
    ///
    /// - Throws: ``RadioError`` with `advert-too-long`.
    static func check(_ serviceData: [UInt8], longest: Int) throws(RadioError) {
        guard (1...longest).contains(serviceData.count) else {
            throw RadioError(.advertTooLong, reason: "\(serviceData.count) bytes; 1 to \(longest) can be sent")
        }
    }
}
