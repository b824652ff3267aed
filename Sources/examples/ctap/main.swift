// Says what CTAP requests ask for.
//
//     example-ctap 04 01A5…    each word is a request in hexadecimal

import CTAP
import Glibc

func describe(_ request: CTAPRequest) -> String {
    switch request {
    case .makeCredential(let request):
        "make a passkey for \(request.user.name ?? "somebody") at \(request.rp.id), "
            + "with \(request.parameters.map(\.algorithm.rawValue))"
    case .getAssertion(let request):
        "sign in to \(request.rpID) with "
            + (request.allowList.isEmpty
                ? "any passkey" : "one of \(request.allowList.count) passkeys")
    case .getNextAssertion: "the next signature of the last sign-in"
    case .getInfo: "the authenticator's capabilities"
    case .clientPIN: "the public key, to encrypt under"
    case .selection: "is this the device that you want to use?"
    }
}

for word in CommandLine.arguments.dropFirst() {
    let digits = Array(word)
    let message = stride(from: 0, to: digits.count, by: 2).compactMap { start in
        UInt8(String(digits[start...].prefix(2)), radix: 16)
    }
    do throws(CTAPError) {
        print(describe(try CTAPRequest(decoding: message.span)))
    } catch {
        // An error has the status that an authenticator answers.
        print("\(error.status): \(error.reason)")
    }
}
