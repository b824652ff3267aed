import Foundation
import Testing

@testable import Cryptography

@Suite struct SecretBytesTests {
    @Test("A secret holds what was copied into it", arguments: [0, 1, 32, 5000])
    func copies(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let secret = SecretBytes(copying: bytes.span)
        #expect(contents(secret) == bytes)
        #expect(secret.count == count)
    }

    @Test("A clone has the same bytes elsewhere")
    func clones() {
        let bytes: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(copying: bytes.span)
        let clone = secret.clone()
        #expect(contents(clone) == bytes)
        #expect(address(of: clone) != address(of: secret))
    }

    @Test("A drawn secret has its length, and no two are the same")
    func random() throws {
        let drawn = (0..<64).map { _ in contents(SecretBytes.random(count: 32)) }
        #expect(drawn.allSatisfy { $0.count == 32 })
        #expect(Set(drawn).count == drawn.count)
        #expect(SecretBytes.random(count: 0).count == 0)
    }

    @Test("When a secret dies, its bytes are gone from the memory it had")
    func wiped() throws {
        var memory = try ProcessMemory(byteCount: Self.byteCount)
        for _ in 0..<Self.attempts {
            let pattern = randomBytes(count: Self.byteCount)
            var place: UInt = 0
            do {
                let secret = SecretBytes(copying: pattern.span)
                place = address(of: secret)
                #expect(memory.matches(at: place, pattern) == Self.byteCount)
            }
            #expect(memory.matches(at: place, pattern) < Self.chance)
        }
    }

    @Test("A secret whose filling fails is wiped too, and freed once")
    func failedFilling() throws {
        var memory = try ProcessMemory(byteCount: Self.byteCount)
        for _ in 0..<Self.attempts {
            let pattern = randomBytes(count: Self.byteCount)
            var place: UInt = 0
            #expect(throws: CancellationError.self) {
                _ = try SecretBytes(count: Self.byteCount) { buffer in
                    _ = buffer.update(fromContentsOf: pattern)
                    place = UInt(bitPattern: buffer.baseAddress)
                    throw CancellationError()
                }
            }
            #expect(place != 0 && memory.matches(at: place, pattern) < Self.chance)
        }
    }

    @Test("Memory that is freed unwiped does show its bytes, so the test above can fail")
    func control() throws {
        var memory = try ProcessMemory(byteCount: Self.byteCount)
        // Another thread may be given the memory at once, hence more than one attempt.
        let seen = (0..<Self.attempts).contains { _ in
            let pattern = randomBytes(count: Self.byteCount)
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.byteCount)
            _ = buffer.initialize(fromContentsOf: pattern)
            let place = UInt(bitPattern: buffer.baseAddress)
            buffer.deallocate()
            return memory.matches(at: place, pattern) > Self.byteCount / 2
        }
        #expect(seen)
    }

    private static let attempts = 20
    private static let byteCount = 2048
    /// Bytes of two unrelated patterns agree once in 256: 8 times here. 64 times is past all chance.
    private static let chance = 64

    private func address(of secret: borrowing SecretBytes) -> UInt {
        secret.span.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }
}

/// The memory of this process as the kernel shows it: freed memory can be read too, without touching it from Swift.
private struct ProcessMemory {
    private let file: FileHandle
    /// Made beforehand: an array made after a secret died would likely be given the very memory that it had.
    private var read: [UInt8]

    init(byteCount: Int) throws {
        file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/mem"))
        read = .init(repeating: 0, count: byteCount)
    }

    /// The number of bytes at an address that are those of a pattern; none if nothing is mapped there.
    mutating func matches(at address: UInt, _ pattern: [UInt8]) -> Int {
        guard let offset = off_t(exactly: address),
            pread(file.fileDescriptor, &read, read.count, offset) == pattern.count
        else { return 0 }
        return zip(read, pattern).count { $0 == $1 }
    }
}
