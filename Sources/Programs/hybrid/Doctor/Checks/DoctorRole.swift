/// A role that this machine may play.
enum DoctorRole: String, Sendable, CaseIterable {
    case client, authenticator
    case tunnelService = "tunnel-service"
}
