import Cryptography
import Testing

@Suite struct CryptographySelfTestTests {
    @Test("This machine permits what a session needs, as often as it is asked")
    func run() throws {
        try CryptographySelfTest.run()
        try CryptographySelfTest.run()
    }
}
