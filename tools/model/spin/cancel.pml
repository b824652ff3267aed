/* A client cancels while the user is being asked (the article Messages; HT-CTAP-48). What an end takes in which state is in
 * transitions.h, which is made of transitions.json: a test writes that from the Swift types. Holds: no answer without a yes of its
 * own; one answer at most; none that begins after the authenticator has read the shutdown; the client takes an answer that has crossed
 * its shutdown.
 *
 * YES_IS_KEPT: a yes serves a second request. NO_LOOK: the authenticator does not look for a shutdown after the yes. */
#include "transitions.h"
mtype = { request, shutdown, answer };
chan to_authenticator = [3] of { mtype };
chan to_client = [2] of { mtype };
byte asked = 0, yeses = 0, answers = 0;
bool heard_shutdown = false, client_failed = false;

active proctype client() {
    mtype m;
    to_authenticator!request;
    if
    :: to_client?m -> if :: to_authenticator!request :: skip fi; to_authenticator!shutdown
    :: to_authenticator!shutdown;
        end: to_client?m;
        if :: CLIENT_TAKES_ANSWER_AFTER_SHUTDOWN :: else -> client_failed = true fi
    fi;
    assert(!client_failed)
}

active proctype authenticator() {
    mtype m;
    bool has_yes = false;
    end: do
    :: to_authenticator?m ->
        if
        :: m == shutdown -> heard_shutdown = true; break
        :: m == request ->
            if
            :: answers > 0 && !AUTHENTICATOR_TAKES_SECOND_REQUEST -> break
            :: else
            fi;
            asked++;
#ifdef YES_IS_KEPT
            if :: has_yes :: else -> if :: has_yes = true; yeses++ :: skip fi fi;
#else
            has_yes = false;
            /* the user says yes or no, or a shutdown comes first and takes the question away */
            if
            :: has_yes = true; yeses++
            :: skip
            :: to_authenticator?[shutdown] -> to_authenticator?m; heard_shutdown = true; break
            fi;
#endif
            if
            :: has_yes ->
#ifdef NO_LOOK
                if :: to_authenticator?[shutdown] -> to_authenticator?m; heard_shutdown = true :: skip fi;
#endif
                assert(!heard_shutdown);
                answers++;
                to_client!answer
            :: else -> to_client!answer; /* a refusal */
            fi;
            assert(answers <= yeses)
        fi
    od
}
