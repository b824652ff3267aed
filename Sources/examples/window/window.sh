#!/bin/sh
# A window of the window contract on a terminal of its own, WINDOW_TTY; needs jq.
#   WINDOW_TTY=$(tty) hybrid authenticator answer --screen --ask desktop --window "$PWD/window.sh"
read -r hello && [ "$(printf %s "$hello" | jq .contract)" = 1 ] && echo '{"contract":1}' || exit 1
field() { printf %s "$line" | jq -r "$1"; }
answer() { printf '{"id":%d,"answer":"%s"%s}\n' "$id" "$1" "$2"; }
ask() { # What was typed before the question, and in its first half second, does not count.
    timeout 0.5 cat <"$WINDOW_TTY" >/dev/null
    printf '%s ' "$1" >"$WINDOW_TTY"
    read -r typed <"$WINDOW_TTY"
}
while read -r line; do
    id=$(field '.id // empty')
    [ -n "$id" ] || { field .tell >"$WINDOW_TTY" && continue; }
    field '.title, .site // empty, .lines[], .objection // empty, ((.accounts // [])[] | "- " + .)' >"$WINDOW_TTY"
    case $(field .show) in
    code) field '.modules[]' | sed 's/1/██/g; s/0/  /g' >"$WINDOW_TTY" ;;
    approval) ask "$(field .yes)? yes or no:" && [ "$typed" = yes ] && answer yes || answer no ;;
    choice) ask 'Which, counted from 1? Or no:' && [ "$typed" -ge 1 ] && answer account ",\"account\":$((typed - 1))" || answer no ;;
    digits) ask 'Its digits:' && answer digits ",\"digits\":\"$(printf %s "$typed" | tr -cd 0-9)\"" ;;
    secret)
        stty -echo <"$WINDOW_TTY"
        ask "$(field .prompt)" && answer secret ",\"bytes\":$(printf %s "$typed" | wc -c)" && printf '%s\n' "$typed"
        stty echo <"$WINDOW_TTY"
        ;;
    esac
done
