internal import HybridTransport
internal import NIOCore

/// A UDP datagram of the simulated radio: a 16-bit service UUID, big-endian, then the service data with its suffix.
struct SimulatedRadioDatagram: Equatable {
    static let uuidByteCount = 2
    /// No radio sends more: the length of an advertising data structure is one byte.
    static let longestServiceData = 255
    static let byteCounts = (uuidByteCount + 1)...(uuidByteCount + longestServiceData)

    let service: ServiceUUID
    let serviceData: [UInt8]

    /// The reason for ignoring a datagram.
    enum Defect: Error, Equatable {
        case tooShort, tooLong, foreignService
    }

    init(service: ServiceUUID, serviceData: [UInt8]) {
        self.service = service
        self.serviceData = serviceData
    }

    /// Reads a datagram from any sender.
    init(decoding datagram: ByteBuffer) throws(Defect) {
        guard datagram.readableBytes >= Self.byteCounts.lowerBound else { throw .tooShort }
        guard datagram.readableBytes <= Self.byteCounts.upperBound else { throw .tooLong }
        var rest = datagram
        guard let number = rest.readInteger(endianness: .big, as: UInt16.self) else { throw .tooShort }
        let service = ServiceUUID(rawValue: number)
        guard service == .fido || service == .google else { throw .foreignService }
        self.init(service: service, serviceData: Array(rest.readableBytesView))
    }

    func encoded() -> ByteBuffer {
        var datagram = ByteBuffer()
        datagram.reserveCapacity(Self.uuidByteCount + serviceData.count)
        datagram.writeInteger(service.rawValue, endianness: .big)
        datagram.writeBytes(serviceData)
        return datagram
    }
}
