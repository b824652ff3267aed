import CTAP
import Encodings
import Testing

/// The extensions' inputs and outputs as they stand in messages.
@Suite struct ExtensionTests {
    static let salt = [UInt8](repeating: 0x5a, count: PRFValues.byteCount)

    @Test("prf's input and output go the way and come back")
    func prf() throws {
        let values = try PRFValues(first: Self.salt, second: Self.salt)
        let one = try PRFValues(first: Self.salt)
        for input in [
            PRFExtensionInput(), .init(eval: one), .init(eval: values),
            .init(evalByCredential: [[1]: one, [2, 3]: values]), .init(eval: one, evalByCredential: [[]: one]),
        ] {
            #expect(try PRFExtensionInput(["prf": input.value]) == input)
        }
        #expect(try PRFExtensionInput(["hmac-secret": true]) == nil)
        for output in [PRFExtensionOutput(), .init(enabled: true), .init(enabled: false, results: values)] {
            #expect(PRFExtensionOutput(["prf": output.value]) == output)
        }
        #expect(PRFExtensionOutput(["prf": true]) == nil && PRFExtensionOutput([:]) == nil)
        #expect(PRFExtensionOutput(["prf": ["enabled": 1, "results": ["first": .bytes([1])]]]) == .init())
    }

    @Test("prf has the field's own shape, canonical with evalByCredential")
    func shape() throws {
        let input = PRFExtensionInput(evalByCredential: [[0xaa]: try PRFValues(first: Self.salt)])
        #expect(
            input.value
                == ["evalByCredential": [.bytes([0xaa]): ["first": .bytes(Self.salt)]]])
        #expect(
            PRFExtensionOutput(enabled: true, results: try PRFValues(first: Self.salt)).value
                == ["enabled": true, "results": ["first": .bytes(Self.salt)]])
    }

    @Test("Salts by the credential's ID go before the others")
    func salts() throws {
        let one = try PRFValues(first: Self.salt)
        let two = try PRFValues(first: Self.salt, second: Self.salt)
        let input = PRFExtensionInput(eval: one, evalByCredential: [[1]: two])
        #expect(input.salts(for: [1]) == two && input.salts(for: [2]) == one)
        #expect(PRFExtensionInput(evalByCredential: [[1]: two]).salts(for: [2]) == nil)
    }

    @Test("Values of another length than 32 bytes are refused", arguments: [0, 31, 33])
    func lengths(_ count: Int) {
        let wrong = [UInt8](repeating: 0, count: count)
        let error = CTAPError(.invalidLength, reason: "")
        #expect(throws: error) { try PRFValues(first: wrong) }
        #expect(throws: error) { try PRFValues(first: Self.salt, second: wrong) }
        #expect(throws: error) { try PRFExtensionInput(["prf": ["eval": ["first": .bytes(wrong)]]]) }
    }

    @Test("largeBlob's inputs and outputs go the way and come back")
    func largeBlob() throws {
        let contents = LargeBlobExtension.Contents(compressed: [1, 2, 3], originalSize: 1 << 40)
        for support in LargeBlobExtension.Support.allCases {
            #expect(try LargeBlobExtension.Support(["largeBlob": support.value]) == support)
        }
        for access in [LargeBlobExtension.Access.read, .write(contents)] {
            #expect(try LargeBlobExtension.Access(["largeBlob": access.value]) == access)
        }
        for outcome in [LargeBlobExtension.Outcome.contents(contents), .written(true), .written(false)] {
            #expect(LargeBlobExtension.Outcome(["largeBlob": outcome.value]) == outcome)
        }
        for supported in [true, false] {
            let output = LargeBlobExtension.Supported(supported)
            #expect(LargeBlobExtension.Supported(["largeBlob": output.value]) == output)
        }
    }

    @Test("A largeBlob that is not there asks for nothing, and one without members reports nothing")
    func largeBlobAbsent() throws {
        #expect(try LargeBlobExtension.Support([:]) == nil)
        #expect(try LargeBlobExtension.Access([:]) == nil)
        for output: CBORMap in [[:], ["largeBlob": [:]]] {
            #expect(LargeBlobExtension.Outcome(output) == nil && LargeBlobExtension.Supported(output) == nil)
        }
        #expect(LargeBlobExtension.Outcome(["largeBlob": ["blob": .bytes([1])]]) == nil)
        #expect(LargeBlobExtension.Outcome(["largeBlob": true]) == nil)
    }

    @Test(
        "An input of largeBlob that CTAP's CDDL does not allow is not CBOR",
        arguments: [
            1, [:], ["read": false], ["read": 1], ["read": true, "originalSize": 1], ["read": true, "x": 1],
            ["write": .bytes([])], ["write": "text", "originalSize": 0], ["write": .bytes([]), "originalSize": -1],
            ["originalSize": 1], ["read": true, "write": .bytes([]), "originalSize": 0],
            ["write": .bytes([]), "originalSize": 0, "x": 1], ["support": "perhaps"], ["support": 1],
            ["support": "required", "x": 1],
        ] as [CBORValue])
    func largeBlobWrong(_ input: CBORValue) {
        let error = CTAPError(.invalidCBOR, reason: "")
        #expect(throws: error) { try LargeBlobExtension.Access(["largeBlob": input]) }
        #expect(throws: error) { try LargeBlobExtension.Support(["largeBlob": input]) }
    }

    @Test("credProtect is 1, 2 or 3")
    func credProtect() throws {
        for level in CredentialProtection.allCases {
            #expect(try CredentialProtection(["credProtect": level.value]) == level)
        }
        #expect(try CredentialProtection([:]) == nil)
        for wrong: CBORValue in [0, 4, 257, .unsigned(.max)] {
            #expect(throws: CTAPError(.invalidParameter, reason: "")) {
                try CredentialProtection(["credProtect": wrong])
            }
        }
        #expect(throws: CTAPError(.unexpectedType, reason: "")) { try CredentialProtection(["credProtect": -1]) }
        #expect(CTAPError(.invalidParameter, reason: "").status == .invalidParameter)
    }
    @Test("Which protection lets a passkey be used without verification depends on whether the request names it")
    func protectionWithoutVerification() {
        for named in [true, false] {
            #expect(CredentialProtection.verificationOptional.allowsUseWithoutVerification(named: named))
            #expect(
                CredentialProtection.verificationOptionalIfNamed.allowsUseWithoutVerification(named: named) == named)
            #expect(!CredentialProtection.verificationRequired.allowsUseWithoutVerification(named: named))
        }
    }
}
