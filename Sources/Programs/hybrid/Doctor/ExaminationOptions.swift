import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport

/// Options for the subjects of an examination and for its output.
struct ExaminationOptions: ParsableArguments {
    @Argument(
        help: .saying(
            "The role: client, authenticator or tunnel-service. (default: all of them)", valueName: "role"))
    var role: DoctorRole?

    @Flag(help: .saying("Contact no tunnel service."))
    var offline = false

    @Option(
        help: .saying(
            "Write a report to a new file, with nothing private: no name, path or address of yours.",
            valueName: "file"), completion: .file())
    var report: String?

    @Flag(
        help: .saying(
            """
            Then guide you at the terminal through a ceremony in each direction, with a phone or with a browser \
            elsewhere. The report includes the results.
            """))
    var withDevice = false

    @Option(
        help: .saying("The vault to examine. (default: the usual one)", valueName: "file"),
        completion: .file())
    var vault: String?

    /// The roles that are examined.
    var roles: [DoctorRole] { role.map { [$0] } ?? DoctorRole.allCases }

    func validate() throws {
        guard !withDevice || role != .tunnelService else {
            throw ValidationError.saying("a tunnel service has no ceremony: leave out --with-device")
        }
    }
}
