/* A wake against 410: the tunnel service has lost its authenticator, or the authenticator has revoked the link (HT-STA-8 to
 * HT-STA-10, HT-CON-35). Holds: a client forgets a link only if it was revoked, and then it does at its next request that gets
 * through.
 *
 * SERVICE_GUESSES: 410 for an authenticator that is not connected. CLIENT_DELETES: the client forgets at any failure. */
mtype = { ok, gone, unavailable };
chan contact = [0] of { byte };
chan reply = [0] of { mtype };
bool connected = true, revoked = false, known = true, link_kept = true;

active proctype authenticator() {
    do
    :: connected -> connected = false /* the line is cut */
    :: !connected -> atomic { connected = true; known = !revoked } /* registers again, with the labels that it still has */
    :: connected && !revoked -> atomic { revoked = true; known = false }
    :: break
    od
}

active proctype service() {
    end: do
    :: contact?_ ->
        if
        :: connected && known -> reply!ok
        :: connected && !known -> reply!gone
#ifdef SERVICE_GUESSES
        :: !connected -> reply!gone
#else
        :: !connected -> reply!unavailable
#endif
        fi
    od
}

active proctype client() {
    mtype answer;
    byte tries = 0;
    do
    :: link_kept && tries < 3 ->
        tries++;
        contact!0;
        reply?answer;
        if
        :: answer == gone -> link_kept = false
#ifdef CLIENT_DELETES
        :: answer == unavailable -> link_kept = false
#endif
        :: else
        fi
    :: else -> break
    od;
    assert(link_kept || revoked)
}
