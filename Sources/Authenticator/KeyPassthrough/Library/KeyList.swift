internal import COptionalLibraries
internal import Encodings
internal import Glibc

/// The security keys that are plugged in.
package enum KeyList {
    /// A key.
    package struct Entry: Sendable, Hashable {
        /// The node, such as `/dev/hidraw3`.
        package let path: String
        /// The maker's name and the product's, as the key says them, or their numbers: to be quoted.
        package let name: String
    }

    /// More than anybody plugs in.
    private static let maxCount = 64

    /// The keys, in no order.
    ///
    /// - Throws: ``KeyPassthroughError`` `noLibrary`.
    package static func entries() throws(KeyPassthroughError) -> [Entry] {
        try KeyFailure.rethrown(FIDO2Library.load(), as: KeyPassthroughError.init)
        var list = fido_dev_info_new(maxCount)
        defer { fido_dev_info_free(&list, maxCount) }
        var count = 0
        guard let list, fido_dev_info_manifest(list, maxCount, &count) == FIDO_OK else { return [] }
        return (0..<count).compactMap { index in
            guard let info = fido_dev_info_ptr(list, index), let path = fido_dev_info_path(info) else { return nil }
            let names = [fido_dev_info_manufacturer_string(info), fido_dev_info_product_string(info)]
            let texts = names.compactMap { $0.map { String(cString: $0) } }.filter { !$0.isEmpty }
            let kind = "\(hexadecimal(fido_dev_info_vendor(info))):\(hexadecimal(fido_dev_info_product(info)))"
            return Entry(path: String(cString: path), name: texts.isEmpty ? kind : texts.joined(separator: " "))
        }
    }

    /// A number of the USB's in 4 digits.
    private static func hexadecimal(_ number: Int16) -> String {
        let digits = String(UInt16(bitPattern: number), radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// The key to pass through.
    ///
    /// - Parameter path: the node or socket; nil for the only key that is plugged in.
    /// - Returns: its path, without symbolic links.
    /// - Throws: ``KeyPassthroughError`` `noLibrary`, `noKey`, `severalKeys`, `notPermitted` or `notAKey`.
    package static func choose(_ path: String?) throws(KeyPassthroughError) -> String {
        guard let path else { return try only(of: entries()) }
        guard let real = realpath(path, nil) else {
            throw KeyPassthroughError(.noKey, reason: "there is nothing at \(path)")
        }
        defer { free(real) }
        let place = String(cString: real)
        // The library passes over nodes that it cannot open.
        guard access(place, R_OK | W_OK) == 0 else { throw KeyPassthroughError(KeyFailure.notPermitted) }
        if !isSocket(place), try !entries().contains(where: { $0.path == place }) {
            throw KeyPassthroughError(.notAKey, reason: "\(path) is not a security key")
        }
        return place
    }

    static func only(of entries: [Entry]) throws(KeyPassthroughError) -> String {
        guard let first = entries.first else {
            throw KeyPassthroughError(.noKey, reason: "no security key is plugged in")
        }
        guard entries.count == 1 else {
            let keys = entries.sorted { $0.path < $1.path }.map { entry in
                "\(entry.path) (\(CBORValue.text(entry.name).diagnostic()))"
            }
            throw KeyPassthroughError(
                .severalKeys,
                reason: "\(entries.count) security keys are plugged in: \(keys.joined(separator: ", "))")
        }
        return first.path
    }

    static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
