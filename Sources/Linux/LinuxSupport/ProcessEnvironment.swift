internal import Glibc

/// The environment variables of this process.
package enum ProcessEnvironment {
    /// A variable's value; nil if it is missing or empty.
    package static func value(_ name: String) -> String? {
        guard let text = getenv(name) else { return nil }
        let value = String(cString: text)
        return value.isEmpty ? nil : value
    }
}
