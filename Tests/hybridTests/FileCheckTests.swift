import CommandLine
import FoundationEssentials
import Glibc
import LinuxSupport
import Testing

@testable import hybrid

/// Files that are looked at before anything else happens.
@Suite struct FileCheckTests {
    @Test func whatCanBeWritten() throws {
        try ConfigurationFolder.with { folder in
            for path in ["new", "folder/new", "a/b/c", ".config"] {
                #expect(throws: Never.self) { try FileCheck.writable("\(folder.home)/\(path)", hint: "") }
            }
            try folder.writeUser("")
            let failure = #expect(throws: Failure.self) {
                try FileCheck.writable("\(folder.userPath)/x/y", hint: "another")
            }
            #expect(failure?.cause == "\(folder.userPath)/x/y cannot be written: Not a directory")
            #expect(failure?.hint == "another")
        }
    }

    /// Root may write anywhere.
    @Test(.enabled(if: geteuid() != 0)) func whatOthersOwn() {
        #expect(throws: Failure.self) { try FileCheck.writable("/hybrid/credentials", hint: "") }
    }

    @Test func whatCannotBeRead() {
        let failure = #expect(throws: Failure.self) { try FileCheck.readable("/nowhere/x", option: "--ca") }
        #expect(failure?.cause == "/nowhere/x cannot be read: No such file or directory")
    }
}
