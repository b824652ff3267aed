/* A link is revoked while a wake of it waits, or while a session of it goes on (HT-STA-16, HT-STA-27, and the article Linking).
 * Rule: the link is looked up when the wake is taken up, not when it came in, and each nonce serves once. Holds: no session begins
 * after the revocation; one that has begun may end; a wake that comes twice begins one session.
 *
 * STALE_LIST: the links are those of the registration. NONCE_AGAIN: a wake is answered each time that it comes. */
#ifdef STALE_LIST
#define LOOKED_UP true
#else
#define LOOKED_UP !revoked
#endif
#ifdef NONCE_AGAIN
#define NEW true
#else
#define NEW !served[nonce]
#endif
chan wake = [2] of { byte };
bool revoked = false, served[2];
byte begun[2];
bool begun_after = false;

active proctype service() { /* repeats a wake if it likes */
    if :: wake!0 :: wake!0; wake!0 :: wake!0; wake!1 fi
}

active proctype holder() {
    if :: revoked = true :: skip fi
}

active proctype authenticator() {
    byte nonce;
    end: do
    :: wake?nonce ->
        atomic {
            if
            :: LOOKED_UP && NEW ->
                served[nonce] = true;
                begun_after = begun_after || revoked;
                begun[nonce]++
            :: else
            fi
        }
        assert(!begun_after && begun[nonce] <= 1)
    od
}
