import CommandLine
import HybridProtocol
import LinuxSupport
import TunnelService
import UnixSignals

extension TunnelServiceCommand {
    /// Reads the certificate, the key and the contact secrets again at each of these signals, until the task is
    /// cancelled. Where one of them cannot be used, all stay as they are.
    func reload(_ running: RunningTunnelService, at signals: UnixSignalsSequence, _ reporter: Reporter) async {
        for await _ in signals {
            ServiceManager.tell(.reloading)
            defer { ServiceManager.tell(.ready) }
            do {
                try running.reload(identity: service.identity, contactTokens: service.contactSecrets?.issuer())
                reporter.write(
                    Line("reloaded"), orSay: "reloaded the certificate, the key and the contact secrets")
            } catch {
                reporter.warn("not-reloaded", "nothing was reloaded: \(Failure(error).cause)")
            }
        }
    }
}

extension TunnelServiceCommand {
    /// Tells the service manager, if it wants to be told, that the connections' event loop turns: twice in the time
    /// after which it ends a service that does not.
    func watch(_ running: RunningTunnelService) async {
        guard let time = ServiceManager.watchdogTime else { return }
        while !Task.isCancelled {
            await running.turn()
            ServiceManager.tell(.alive)
            try? await Task.sleep(for: time / 2)
        }
    }
}
