/* Two nodes of a tunnel service: the routing ID in the advert names the node at which the authenticator waits, and clients may come to
 * either (HT-TUN-42, HT-CON-31, and the article Operating). Holds: one client at most is joined to a tunnel; the others are refused;
 * nobody waits for ever.
 *
 * NO_ROUTING: a node serves whoever comes to it. CHECK_THEN_ACT: the node looks whether the tunnel is free, and takes it later. */
#define CLIENTS 2
chan node[2] = [CLIENTS] of { byte };
chan told[CLIENTS] = [1] of { bool };
byte joined = 0;
bool taken[2];

proctype client(byte number) {
    bool accepted;
    if :: node[0]!number :: node[1]!number fi;
    told[number]?accepted;
    if :: accepted -> joined++ :: else fi;
    assert(joined <= 1)
}

proctype service(byte here) { /* the authenticator waits at node 0 */
    byte number, place;
    bool is_free;
    end: do
    :: node[here]?number ->
#ifdef NO_ROUTING
        place = here;
#else
        place = 0;
#endif
#ifdef CHECK_THEN_ACT
        is_free = !taken[place];
        taken[place] = true;
#else
        atomic { is_free = !taken[place]; taken[place] = true }
#endif
        told[number]!is_free
    od
}

init { atomic { run service(0); run service(1); run client(0); run client(1) } }
