/* The choice of the channel: the authenticator offers a BLE channel and a tunnel, and somebody near connects first and sends
 * rubbish, or nothing (HT-BLE-13 to HT-BLE-15, and the article KnownAttacks). Rule: no channel is chosen before message 1 opens
 * on it. Holds: an honest client gets its session, on either channel; never are there two.
 *
 * FIRST_CONNECTION: the authenticator takes the first connection. NO_FALLBACK: a client that a forged suffix has led elsewhere gives
 * up. BOTH: the authenticator goes on with every channel on which message 1 opens. */
#ifdef BOTH
#define ENOUGH false
#else
#define ENOUGH sessions > 0
#endif
mtype = { message_1, rubbish };
chan ble = [2] of { mtype };
chan tunnel = [2] of { mtype };
bool forged = false;
byte sessions = 0;

active proctype near() {
    if :: forged = true :: skip fi;
    if :: ble!rubbish :: skip fi
}

active proctype client() {
    if
    :: !forged -> ble!message_1
    :: forged -> /* the suffix leads to somebody else's channel, where the handshake fails */
#ifndef NO_FALLBACK
        tunnel!message_1
#endif
    :: ble!message_1; tunnel!message_1 /* the BLE channel seemed dead, and was not */
    :: tunnel!message_1
    fi;
    sessions > 0 /* else the client waits for ever */
}

active proctype authenticator() {
    mtype m;
    do
    :: ENOUGH -> break
    :: else ->
        if
        :: ble?m ->
            if
            :: m == message_1 -> sessions++
            :: else
#ifdef FIRST_CONNECTION
                -> break
#endif
            fi
        :: tunnel?m -> sessions++
        :: timeout -> break
        fi
    od;
    assert(sessions <= 1)
}
