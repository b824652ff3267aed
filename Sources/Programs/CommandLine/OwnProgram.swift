import Glibc

/// The program that this process runs.
package enum OwnProgram {
    /// Its file, though it may have been replaced meanwhile.
    package static let file = "/proc/self/exe"

    /// The folder of the languages that are installed with it: `share/locale` beside the `bin` that it is in.
    package static var languages: String { "\(folder ?? "/usr/bin")/../share/locale" }

    /// The folder that its file is in; nil if the kernel does not say.
    package static var folder: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(file, &path, path.count)
        let slash = CChar(bitPattern: UInt8(ascii: "/"))
        guard count > 0, count < path.count, let end = path[..<count].lastIndex(of: slash) else { return nil }
        return String(decoding: path[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
