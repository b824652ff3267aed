import CGTK

// Everything here runs in the main thread, from GLib's main loop: the closures need not be sendable, and no type of
// the window is.

/// A closure that an object of GLib keeps until it is destroyed.
private final class Handler {
    let run: (OpaquePointer?) -> Bool

    init(_ run: @escaping (OpaquePointer?) -> Bool) { self.run = run }

    /// The handler as the data of a C function; ``free(_:)`` ends it.
    var data: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func of(_ data: UnsafeMutableRawPointer?) -> Handler? {
        data.map { Unmanaged<Handler>.fromOpaque($0).takeUnretainedValue() }
    }

    static func free(_ data: UnsafeMutableRawPointer?) {
        if let data { Unmanaged<Handler>.fromOpaque(data).release() }
    }
}

/// Runs a closure at each signal of an object.
func connect(_ instance: OpaquePointer?, _ signal: String, _ run: @escaping () -> Void) {
    // GLib puts the data first, and passes the signal's own arguments behind it, of which nothing is read.
    let call: @convention(c) (UnsafeMutableRawPointer?) -> Void = { _ = Handler.of($0)?.run(nil) }
    connect(instance, signal, unsafeBitCast(call, to: GCallback.self)) { _ in
        run()
        return true
    }
}

/// Runs a closure with the first argument of each signal of an object. True means that it is dealt with.
func connectDeciding(_ instance: OpaquePointer?, _ signal: String, _ run: @escaping (OpaquePointer?) -> Bool) {
    let call: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> gboolean = {
        Handler.of($0)?.run($1) == true ? 1 : 0
    }
    connect(instance, signal, unsafeBitCast(call, to: GCallback.self), run)
}

private func connect(
    _ instance: OpaquePointer?, _ signal: String, _ callback: @escaping GCallback,
    _ run: @escaping (OpaquePointer?) -> Bool
) {
    g_signal_connect_data(
        UnsafeMutableRawPointer(instance), signal, callback, Handler(run).data, { data, _ in Handler.free(data) },
        G_CONNECT_SWAPPED)
}

/// Runs a closure after a time.
func after(milliseconds: UInt32, _ run: @escaping () -> Void) {
    let handler = Handler { _ in
        run()
        return false
    }
    g_timeout_add_full(
        G_PRIORITY_DEFAULT, milliseconds, { Handler.of($0)?.run(nil) == true ? 1 : 0 }, handler.data,
        { Handler.free($0) })
}

/// Runs a closure in each frame of a widget, as long as it returns true.
func eachFrame(of widget: Widget, _ run: @escaping () -> Bool) {
    let handler = Handler { _ in run() }
    gtk_widget_add_tick_callback(
        widget, { _, _, data in Handler.of(data)?.run(nil) == true ? 1 : 0 }, handler.data, { Handler.free($0) })
}

/// Runs a closure whenever a file can be read, or has ended, as long as it returns true.
func whenReadable(_ file: Int32, _ run: @escaping () -> Bool) {
    let handler = Handler { _ in run() }
    let conditions = GIOCondition(rawValue: G_IO_IN.rawValue | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
    g_unix_fd_add_full(
        G_PRIORITY_DEFAULT, file, conditions, { _, _, data in Handler.of(data)?.run(nil) == true ? 1 : 0 },
        handler.data, { Handler.free($0) })
}
