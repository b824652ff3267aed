internal import Glibc

/// libsystemd, loaded by the first who asks for it, and never unloaded. With the six libraries that it needs, loading
/// takes about as long as the start of a small program, and most commands never call it.
package enum SystemdLibrary {
    /// Safe in any thread: it does not change, and dlsym(3) is safe there.
    private nonisolated(unsafe) static let handle: UnsafeMutableRawPointer? = {
        guard let library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
        // An older one is none. It stays loaded, and nobody calls it.
        return dlsym(library, youngestFunction) == nil ? nil : library
    }()

    /// Of the functions that are called, the one that came last: with systemd 241.
    private static let youngestFunction = "sd_bus_close_unref"

    /// True if this machine has the library, of systemd 241 or newer.
    package static var isAvailable: Bool { handle != nil }

    /// The reason why there is none, in words. A program without a dynamic linker has no handle of itself either.
    package static var absence: String {
        dlopen(nil, RTLD_NOW) == nil
            ? "this program is static: it loads no libsystemd.so.0, and reaches no bus"
            : "there is no libsystemd.so.0 of systemd 241 or newer"
    }

    /// A function of the library. To be called where ``isAvailable``.
    ///
    /// - Parameter name: the function's name; `Function` is its type in C, `NAME_function` of the module CLinux.
    package static func function<Function>(_ name: String) -> Function {
        guard let handle, let symbol = dlsym(handle, name) else {
            // No foreign byte leads here: the names are written in our sources, and a library that has the youngest of
            // the functions has them all.
            fatalError("libsystemd.so.0 has no \(name)")
        }
        return unsafeBitCast(symbol, to: Function.self)
    }
}
