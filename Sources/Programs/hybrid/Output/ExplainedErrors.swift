import CommandLine
import DesktopAuthenticator
import HybridTransport
import KeyPassthrough
import LinuxSupport
import PasskeyAuthenticator
import SecurityKey
import Vault
import WebAuthnClient

// The errors that this program meets beside those that all do.

extension AgentError: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension RequestRefused: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension AgentRefusal: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension AgentFailure: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension SecurityKeyError: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension KeyPassthroughError: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension DBusError: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension HandOverFailure: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension RelyingPartyError: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension CredentialStoreError: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension VaultError: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension DialogueError: ExplainedError {
    var failure: Failure { Failure(self) }
}

extension LinkFileError: ExplainedError {
    var failure: Failure { Failure(self) }
}
