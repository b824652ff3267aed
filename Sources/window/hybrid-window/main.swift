// The window of `hybrid`: shows its questions, and writes the user's answers.
//
// `hybrid` starts it, and speaks with it by the window contract: see WritingAWindow in hybrid.docc.

import CGTK
import Glibc

/// The exit codes.
enum ExitCode {
    static let failure: Int32 = 1
    static let noDisplay: Int32 = 2
    /// `EX_USAGE` of `sysexits.h`.
    static let usage: Int32 = 64
}

func complain(_ line: String) {
    let bytes = Array("hybrid-window: error: \(line)\n".utf8)
    // Where the log is lost, this cannot be reported either.
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

let help = """
    Shows the questions, QR codes and outcomes of hybrid in a window, and writes the user's answers.
    hybrid starts it when it is needed; it is of no use by itself.

    usage: hybrid-window [--help | --version]

    """

switch CommandLine.arguments.dropFirst().first {
case nil: break
case "--help" where CommandLine.arguments.count == 2:
    print(help, terminator: "")
    exit(0)
case "--version" where CommandLine.arguments.count == 2:
    print("hybrid-window, of the window contract \(ContractMessage.version) of hybrid")
    exit(0)
default:
    complain("an argument that is not known. hint: hybrid-window --help")
    exit(ExitCode.usage)
}

// In the place of a file that is closed, the display's connection would come to stand.
for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(file, F_GETFD) < 0 {
    complain("the file \(file) is closed")
    exit(ExitCode.failure)
}

ProcessMemory.protect()
// A reader that is gone is an error of writing.
signal(SIGPIPE, SIG_IGN)
g_set_prgname("io.github.hybrid_transport.Window")
Sentences.load()
guard gtk_init_check() != 0 else {
    complain("no display can be opened. hint: start it in a graphical session")
    exit(ExitCode.noDisplay)
}
// Now that GTK has chosen the language.
g_set_application_name(Sentences.windowTitle)
Style.apply()
exit(Conversation().run())
