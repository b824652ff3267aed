internal import JSON

/// A session with a real Chromium as the client, whose own private keys stay unknown: what this side was given.
struct RecordedSession: Sendable {
    /// The browser's version, as it stands in each case.
    static let browser = "156.0.8078.79 Debian 12"

    let slug: String
    /// The name of the file with the whole record, in `tools/vectors/sources`.
    let recordName: String
    /// The tunnel domain's number.
    let domainID: Int64
    /// The input of `session.authenticator`.
    let input: CaseFields

    /// Every session, in the order of the files.
    static let all = [createWithAttestation, createWithoutAttestation, signIn]
}

extension RecordedSession {
    /// A passkey is made, with attestation, over a hashed tunnel domain.
    static let createWithAttestation = RecordedSession(
        slug: "chromium-156-create-direct-hashed266",
        recordName: "chromium-156-create_direct_hashed266.json", domainID: 266,
        input: [
            "url": """
            FIDO:/5799814800290627805380560169470913609604148506146393987343926877793353529512960073\
            77714254538236190440351357777832244870064389567225832337562621831545602109321447142404
            """,
            "domain_id": 266,
            "routing_id": "0a0b0c",
            "advert_nonce": "9af477ddda41a4303c01",
            "ephemeral_private": "68d14807cf0a7073f07a35b5228e310cd0a3d31f8c1fe8cf777d8d87e47ec848",
            "message_1": """
            04f0ca98b4184f4b29095af9b71d3f5f84ef8639fec478a596426358a0e32c4ebf8fc02e35a3d073a40656bc\
            1ac34ce2a47ba1aba756ffb97493f2f8ee2ed0c2e5c655746c7dfdf0e6af6613c19e55becf
            """,
            "frames": [
                [
                    "sender": "authenticator",
                    "plaintext": """
                    a101585fa60182684649444f5f325f30684649444f5f325f310350cab1e000cab1e000cab1e000cab1e0\
                    0004a262726bf5627576f505190800098268696e7465726e616c666879627269640a81a263616c672664\
                    747970656a7075626c69632d6b6579
                    """,
                ],
                [
                    "sender": "client",
                    "frame": """
                    18923bd64ba20dc82464bcbf889607683654b14549af91098fe80ef861f7a243f718b427d47480410270\
                    4c0ed066d14423b2b2bf20a65da504d9612a4d0db0bd6c75eea98954d77113851496468729fcdfcfe030\
                    e769d0ecdf25be04de3103e83f50b4cd3d6f9fcc6259c6242358d81d9ce1c66eb5a500a5abf23f9978db\
                    4daa4d1a8c9c0bee465adbd38ef175b5b5023dedbd4f14adf32af577d8ed09dafb095ff7c9b7ec64c82c\
                    78e679e59d9a98a61e9f4ab59e798ed12af59a2a6a08c1d5eceb0d92806bcaa47475d841c25dd98c
                    """,
                ],
                [
                    "sender": "authenticator",
                    "plaintext": """
                    0100a301667061636b65640258a449960de5880e8c687434170f6476605b8fe4aeb9a28632c7995cf3ba\
                    831d97634500000000cab1e000cab1e000cab1e000cab1e00000205490a45f291a72a4a2e9e63f8f773b\
                    c42ac9fef66ff2c8dfb3c9dfe21e7d07c3a501020326200121582057ed05863127cf86c9d9d8c20477fd\
                    66a06f28fd7a87731d1cf17f18797d2f5d225820b544b603b6557c10cfd0f67045165da4766f1911ea17\
                    04e26e1f0344d71a255603a263616c67266373696758473045022054cd8cd4d17e353ffb6e89e272a7e6\
                    68493e2942f5b0d96aef5c10290738613b02210099650864fc9721a58af9b19ee7b7cd8576b8029b6e30\
                    f1754db2db19788da113
                    """,
                ],
                [
                    "sender": "client",
                    "frame": """
                    26aa7dab8f10894d1a502c1e3b2c287c02ef5fce1b728137a9cb6976f7f800d17b06e391a18d9012d4bb\
                    2fc1c2d551b2
                    """,
                ],
            ],
        ])
}

extension RecordedSession {
    /// A passkey is made, without attestation.
    static let createWithoutAttestation = RecordedSession(
        slug: "chromium-156-create-none", recordName: "chromium-156-create_none.json", domainID: 0,
        input: [
            "url": """
            FIDO:/3718439718407389430592378403343467689606520447748993133954305002568468918748875441\
            76266476079220592037611245653909100700071009246286871236999671878124290109321447142404
            """,
            "domain_id": 0,
            "routing_id": "0a0b0c",
            "advert_nonce": "6559538ed2d416786f57",
            "ephemeral_private": "bf335fc0438ba3b51e9614a52a657a48c9e14955c7c158914387ee39852e3c47",
            "message_1": """
            044f70c33905e08632c2a114c413eac7e1c7ad2a9a19e1a4265fe47dc95aea7177e553c467f2de745026aee0\
            6b9b07ede0df5c7ef0f66d5b956fef96b0a8801c839e4f9a20b4e0badb3b419ecb478a883a
            """,
            "frames": [
                [
                    "sender": "authenticator",
                    "plaintext": """
                    a101585fa60182684649444f5f325f30684649444f5f325f310350cab1e000cab1e000cab1e000cab1e0\
                    0004a262726bf5627576f505190800098268696e7465726e616c666879627269640a81a263616c672664\
                    747970656a7075626c69632d6b6579
                    """,
                ],
                [
                    "sender": "client",
                    "frame": """
                    51475c8699712b7451e76fd7913f66fdac6797194b1ed4e5605208fe8f436c733419b544b5f7ba27e57e\
                    e099e40a8bab9856713ea8d8a7051aa711310bebffd40984cfd012cc2febc1910951383bc37987dd5c19\
                    ea91c18f6c0b6e73aa34d22721bc415998b437c30bfc0495469bfa4cca86a9393579d53126895106a440\
                    e43cbe2e59d6bf4e8219c18049392717415742b2584704077aeb290432f1faece730d145eff12f8a8185\
                    509d6f3065e793ec74ae1ee2339fb47f0f7981782218e597506c31666130ef50d3cdabacf314d2f4
                    """,
                ],
                [
                    "sender": "authenticator",
                    "plaintext": """
                    0100a301667061636b65640258a449960de5880e8c687434170f6476605b8fe4aeb9a28632c7995cf3ba\
                    831d97634500000000cab1e000cab1e000cab1e000cab1e0000020e2fa0afc3599b62b8f99829e837aa9\
                    0fed3352742eb78faf6ed5fdd3edb855a3a501020326200121582056eed16e7f5e5a83ddaff688a1cfb6\
                    454a874e8d68c3f2cc560857951be69c1e22582037a10ba36f18f501963d12641534f34e348124815ff1\
                    aff1cf99de4fa0131b2a03a263616c67266373696758483046022100bac72c70f40834a1d0e9eccd9c35\
                    fe0f2d4203a2518ca614f6bac484322a5d02022100edb3a80a21afb10c1b9fa58ca336a993cfe2b31dde\
                    1645ba57f5c5a201b88a3a
                    """,
                ],
                [
                    "sender": "client",
                    "frame": """
                    c0c0eeb8fdcdb573dfe1f3d1711bca4bd41711ab2b0bde6c3577fe439724dfefc8e46cae5c97b1cc7b6b\
                    18a335f48587
                    """,
                ],
            ],
        ])
}

extension RecordedSession {
    /// A sign-in with a discoverable passkey.
    static let signIn = RecordedSession(
        slug: "chromium-156-get-discoverable", recordName: "chromium-156-get_discoverable.json", domainID: 1,
        input: [
            "url": """
            FIDO:/5506905332147831019906712249496538617924640409033411374259913390915837187082934641\
            28130700354559618055235360036853580070071033788743091338125571784966914107096654083076
            """,
            "domain_id": 1,
            "routing_id": "0a0b0c",
            "advert_nonce": "179b96afeffe5e23b9bd",
            "ephemeral_private": "cf7f29307f186ddd178dae66319fbf070dbdf66b40d8f66ad98983bc2fe25ba3",
            "message_1": """
            0424eebb392812df29d9271e199c0230e1ab100709e4a1f0000fd03c8c60232072bf9ca6fcaea517e823250e\
            490c40fff23af0ac436753d7406dc7a6e7ef4da309bb2efe9893a661e37b3b61002789b70f
            """,
            "frames": [
                [
                    "sender": "authenticator",
                    "plaintext": """
                    a101585fa60182684649444f5f325f30684649444f5f325f310350cab1e000cab1e000cab1e000cab1e0\
                    0004a262726bf5627576f505190800098268696e7465726e616c666879627269640a81a263616c672664\
                    747970656a7075626c69632d6b6579
                    """,
                ],
                [
                    "sender": "client",
                    "frame": """
                    f65ce7d2da5abc0ed5b255cad5c55b6445aaa9720aab7b9bae9cc96e0a4bbbf016052ed53c8e779846f2\
                    5e3bbb4fbd6f88f83567f1ebd029e6dabd4797170cde5b9a9f9b3727d77746ab2cfa281ff6f3
                    """,
                ],
                [
                    "sender": "authenticator",
                    "plaintext": """
                    0100a401a262696458205490a45f291a72a4a2e9e63f8f773bc42ac9fef66ff2c8dfb3c9dfe21e7d07c3\
                    64747970656a7075626c69632d6b657902582549960de5880e8c687434170f6476605b8fe4aeb9a28632\
                    c7995cf3ba831d97630500000000035846304402205d3e466671cf4ae67243936e33234b8093c9ae7189\
                    3d5e2b9400abe2b7fc76ad0220219bb924f200abf159437dcdd088ff3431a8c18c17f2eb644f8771b605\
                    a68bc504a1626964480102030405060708
                    """,
                ],
                [
                    "sender": "client",
                    "frame": """
                    5bb6febd416b9177eccb87a0ff2903a07db836884b44b28946219f38f5e4a2ec7679648f9f9811841d7e\
                    f3214ce4206f
                    """,
                ],
            ],
        ])
}
