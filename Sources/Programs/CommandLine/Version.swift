/// The version of the programs, their packages and their manuals.
package enum Version {
    /// Nothing else has the number but .github/CHANGELOG.md, which tools/package and tools/release compare.
    package static let version = "0.2.0"
}
