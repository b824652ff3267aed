/// A radio of this machine, for either role. Making its parts sends nothing.
package protocol Radio: Sendable {
    /// The receiver of a client.
    ///
    /// - Throws: ``RadioError`` for a radio on which no client can listen.
    func scanner() throws(RadioError) -> any AdvertScanner

    /// The sender of an authenticator.
    ///
    /// - Throws: ``RadioError``.
    func advertiser() throws(RadioError) -> any Advertiser

    /// The connector and listener for channels without a tunnel.
    ///
    /// - Throws: ``RadioError``.
    func channels() throws(RadioError) -> any NearbyConnector & NearbyListener
}
