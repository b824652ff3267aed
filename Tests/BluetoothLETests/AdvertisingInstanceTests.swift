import Encodings
import Foundation
import Glibc
import HybridProtocol
import HybridTransport
import Testing

@testable import BluetoothLE

/// Numbers of adverts, reserved among processes.
@Suite("A number of an advert")
struct AdvertisingInstanceTests {
    /// Two instances, of which none is in use.
    private static let features = AdvertisingFeatures(
        [0, 0, 0, 0, 31, 31, 2, 0])

    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory.path)
    }

    @Test("is reserved as long as it is used, and then free again")
    func reserved() throws {
        let features = try #require(Self.features)
        try inDirectory { directory in
            do {
                let first = try AdvertisingInstance.reserve(at: "hci7", features, in: directory)
                let second = try AdvertisingInstance.reserve(at: "hci7", features, in: directory)
                let elsewhere = try AdvertisingInstance.reserve(at: "hci8", features, in: directory)
                #expect([first.number, second.number, elsewhere.number] == [1, 2, 1])
                #expect(throws: RadioError(.noInstance, reason: "")) {
                    try AdvertisingInstance.reserve(at: "hci7", features, in: directory)
                }
                withExtendedLifetime((first, second, elsewhere)) {}
            }
            #expect(try AdvertisingInstance.reserve(at: "hci7", features, in: directory).number == 1)
        }
    }

    @Test("cannot be taken by a process that binds a socket of its name, which every user may")
    func squatted() throws {
        let features = try #require(Self.features)
        let descriptors = (1...2).map { Self.bindAbstractSocket("hybrid-advert-hci7-\($0)") }
        defer { for descriptor in descriptors { close(descriptor) } }
        try inDirectory { directory in
            let instance = try AdvertisingInstance.reserve(at: "hci7", features, in: directory)
            #expect(instance.number == 1)
        }
    }

    @Test("is taken unreserved where a file cannot be made or is a link to another's")
    func unavailable() throws {
        let features = try #require(Self.features)
        #expect(try AdvertisingInstance.reserve(at: "hci7", features, in: nil).number == 1)
        #expect(try AdvertisingInstance.reserve(at: "hci7", features, in: "/nowhere").number == 1)
        try inDirectory { directory in
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/hybrid-advert-hci7-1", withDestinationPath: directory + "/target")
            #expect(try AdvertisingInstance.reserve(at: "hci7", features, in: directory).number == 1)
            #expect(!FileManager.default.fileExists(atPath: directory + "/target"))
        }
    }

    @Test("is not held by a lock on what another user has made there, or on what is no file")
    func others() throws {
        let features = try #require(Self.features)
        try inDirectory { directory in
            let path = directory + "/hybrid-advert-hci7-1"
            func isFree(_ make: () -> Bool) throws -> Bool {
                try #require(make())
                let descriptor = open(path, O_RDWR | O_NONBLOCK)
                defer {
                    close(descriptor)
                    unlink(path)
                }
                try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
                return try AdvertisingInstance.reserve(at: "hci7", features, in: directory).number == 1
            }
            let isFreeBesidePipe = try isFree { mkfifo(path, S_IRUSR | S_IWUSR) == 0 }
            #expect(isFreeBesidePipe)
            let create = { FileManager.default.createFile(atPath: path, contents: nil) }
            let isFreeBesideOurs = try isFree(create)
            #expect(!isFreeBesideOurs)
            // Only root can make another user's.
            guard geteuid() == 0 else { return }
            let isFreeBesideOthers = try isFree { create() && chown(path, 65534, 65534) == 0 }
            #expect(isFreeBesideOthers)
        }
    }

    private static func bindAbstractSocket(_ name: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [0] + Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafeBytes(of: &address) {
            bind(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
        }
        #expect(result == 0)
        return descriptor
    }
}
