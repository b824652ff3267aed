import BluetoothLE
import Encodings
import HybridProtocol
import HybridTransport
import Testing

@Suite("A radio's parts")
struct RadioBackendTests {
    private let addresses = try? SimulatedRadioAddress.list(parsing: "127.0.0.1:9000,[::1]:9001")

    @Test("are those of the program that drives it")
    func kinds() throws {
        let bluez = RadioBackend.bluez(.firstReady)
        #expect(try bluez.scanner() is BlueZScanner && bluez.advertiser() is BlueZAdvertiser)
        #expect(try bluez.channels() is L2CAPChannels)
        let kernel = RadioBackend.kernel(.firstReady)
        #expect(try kernel.scanner() is ManagementScanner && kernel.advertiser() is ManagementAdvertiser)
        #expect(try kernel.channels() is L2CAPChannels)
    }

    @Test("of a simulated one reach several addresses, but a client listens at one")
    func addressCount() throws {
        let addresses = try #require(addresses)
        let radio = RadioBackend.simulated(addresses)
        #expect(try (radio.channels() as? SimulatedChannels)?.addresses == addresses)
        #expect(try radio.advertiser() is SimulatedAdvertiser)
        #expect(throws: RadioError(.invalidAddress, reason: "")) { try radio.scanner() }
        #expect(throws: RadioError(.invalidAddress, reason: "")) { try RadioBackend.simulated([]).scanner() }
        #expect(try RadioBackend.simulated([addresses[0]]).scanner() is SimulatedScanner)
    }
}
