/// A role that this machine may play.
package enum DoctorRole: String, Sendable, CaseIterable {
    case client, authenticator
    case tunnelService = "tunnel-service"
}
