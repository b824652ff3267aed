internal import COptionalLibraries

/// The choice of one of several keys: all blink, and the one that is touched is meant.
package enum KeyTouch {
    /// Lets keys blink until one is touched, and then the others stop. Keys that cannot be used are passed over.
    ///
    /// - Parameters:
    ///   - paths: the keys' nodes or sockets.
    ///   - limit: the longest time for the touch.
    /// - Returns: the path of the key that was touched; nil if none was in time.
    /// - Throws: `cancelled`.
    package static func choose(
        among paths: [String], within limit: Duration
    ) async throws(KeyFailure) -> String? {
        let touched = await withTaskGroup(of: String?.self) { group in
            for path in paths {
                group.addTask {
                    do throws(KeyFailure) {
                        try await LibraryKey(at: path, within: limit).touch()
                        return path
                    } catch {
                        return nil
                    }
                }
            }
            defer { group.cancelAll() }
            return await group.first { $0 != nil } ?? nil
        }
        guard !Task.isCancelled else { throw .cancelled }
        return touched
    }
}

extension LibraryKey {
    /// Lets the key blink until it is touched.
    fileprivate func touch() async throws(KeyFailure) {
        try await perform { (device) throws(KeyFailure) in try device.touch() }
    }
}

extension OpenKey {
    /// Lets the key blink until it is touched.
    ///
    /// Source: libfido2's manual page fido_dev_get_touch_begin(3), 1.12.
    fileprivate func touch() throws(KeyFailure) {
        var isTouched: Int32 = 0
        try check(fido_dev_get_touch_begin(device))
        try check(fido_dev_get_touch_status(device, &isTouched, milliseconds))
        // The library does not report a read that failed: no answer, or a key that was taken out.
        guard isTouched != 0 else { throw .noAnswer }
    }
}
