internal import Glibc

/// libsystemd, loaded by the first who asks for it, and never unloaded. With the six libraries that it needs, loading
/// takes about as long as the start of a small program, and most commands never call it.
package enum SystemdLibrary {
    /// Safe in any thread: it does not change, and dlsym(3) is safe there.
    private nonisolated(unsafe) static let handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL)

    /// True if this machine has the library.
    package static var isAvailable: Bool { handle != nil }

    /// A function of the library.
    ///
    /// - Parameter name: the function's name; `Function` is its type in C, `NAME_function` of the module CSystemd.
    package static func function<Function>(_ name: String) -> Function {
        // The system's linker, too, ends a program whose library is too old.
        guard let handle, let symbol = dlsym(handle, name) else { fatalError("libsystemd.so.0 has no \(name)") }
        return unsafeBitCast(symbol, to: Function.self)
    }
}
