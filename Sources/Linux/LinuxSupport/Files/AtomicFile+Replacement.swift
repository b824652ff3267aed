internal import Glibc
internal import SystemPackage

extension AtomicFile {
    /// New contents of a file, safely on the disk beside it. They take its place with ``commit()``; otherwise they go.
    package struct Replacement: ~Copyable {
        private let path: String
        private let newPath: String

        init(of file: AtomicFile, at newPath: String, _ contents: Span<UInt8>) throws(AtomicFileError) {
            do throws(AtomicFileError) {
                let permissions: FilePermissions =
                    file.access == .masked ? [.ownerReadWrite, .groupReadWrite, .otherReadWrite] : .ownerReadWrite
                let new = try OpenFile(newPath, .writeOnly, [.create, .exclusiveCreate], permissions)
                try new.writeAll(contents)
            } catch {
                unlink(newPath)
                throw error
            }
            path = file.path
            self.newPath = newPath
        }

        // Nothing is there any more once it has taken the file's place.
        deinit { unlink(newPath) }

        /// Puts the contents in the file's place.
        ///
        /// - Throws: ``AtomicFileError`` `input-output`; also for a directory at the path.
        package consuming func commit() throws(AtomicFileError) {
            guard rename(newPath, path) == 0 else { throw .failure("replace", path) }
            try OpenFile(AtomicFile.directory(of: path), .readOnly, .directory).synchronize()
        }
    }
}
