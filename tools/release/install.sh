#!/bin/sh
# Installs hybrid for its user alone, without root, or removes it again.
#
#   ./install.sh              into ~/.local
#   ./install.sh --prefix DIR into another folder of yours
#   ./install.sh --remove     removes what an installation has put there, from ~/.local or --prefix DIR
#
# What is installed stands in PREFIX/share/hybrid/installed, with its checksum. Nothing else is written or removed: a file of
# another's is not replaced, and one that was changed since stays. An installation takes the place of an earlier one.
set -eu

say() { echo "install: $*" >&2; }
stop() { say "error: $1. hint: $2" && exit 1; }
prefix=${HOME:?}/.local remove=
while [ $# -gt 0 ]; do
    case $1 in
    --remove) remove=yes ;;
    --prefix) [ $# -gt 1 ] || stop '--prefix has no folder' './install.sh --prefix DIR' && prefix=$2 && shift ;;
    *) stop "$1 is not known" './install.sh, ./install.sh --prefix DIR, or ./install.sh --remove' ;;
    esac
    shift
done
case $prefix in
/*) ;;
*) prefix=$PWD/$prefix ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
list=share/hybrid/installed

remove_installed() { # removes the files of an earlier installation, and the folders that it made, where they are empty now
    [ -f "$prefix/$list" ] || return 0
    while read -r sum name; do
        case /$name/ in
        */../*) stop "$prefix/$list names $name, which is elsewhere" 'remove the files by hand' ;;
        esac
        if [ "$sum" = folder ]; then
            continue
        elif [ -f "$prefix/$name" ] && [ "$(sha256sum <"$prefix/$name")" = "$sum  -" ]; then
            rm -f "$prefix/$name"
        elif [ -e "$prefix/$name" ]; then
            say "$prefix/$name was changed, and stays"
        fi
    done <"$prefix/$list"
    # Each stands before those in it.
    folders=$(sed -n 's/^folder //p' "$prefix/$list" | sort -r)
    rm -f "$prefix/$list"
    echo "$folders" | while read -r name; do
        [ -z "$name" ] || rmdir "$prefix/$name" 2>/dev/null || true
    done
}

make_folder() { # makes a folder below PREFIX with those above it, and notes each that was not there
    [ ! -d "$prefix/$1" ] || return 0
    case $1 in
    */*) make_folder "${1%/*}" ;;
    esac
    mkdir "$prefix/$1"
    made="$made$1
"
}

if [ -n "$remove" ]; then
    [ -f "$prefix/$list" ] || stop "nothing of hybrid is installed in $prefix" 'give the folder of the installation: --prefix DIR'
    remove_installed
    say "removed from $prefix"
    exit
fi

# Before anything is written.
names=$(cd "$here/files" && find . -type f | sed 's|^\./||' | sort)
for name in $names; do
    if [ -e "$prefix/$name" ] || [ -L "$prefix/$name" ]; then
        cut -d ' ' -f 2- "$prefix/$list" 2>/dev/null | grep -qxF "$name" ||
            stop "$prefix/$name is not of an earlier installation" 'move it away, or give another folder: --prefix DIR'
    fi
done
remove_installed
mkdir -p "$prefix"
made=
make_folder "${list%/*}"
for name in $names; do
    make_folder "$(dirname "$name")"
    # Units and descriptions of services name the program with its folder.
    case $name in
    share/systemd/* | share/dbus-1/* | share/applications/*) sed "s|/usr/bin/|$prefix/bin/|g" "$here/files/$name" >"$prefix/$name.new" ;;
    *) cp "$here/files/$name" "$prefix/$name.new" ;;
    esac
    [ ! -x "$here/files/$name" ] || chmod 755 "$prefix/$name.new"
    # Noted first, so that whatever is there can be removed.
    echo "$(sha256sum <"$prefix/$name.new" | cut -d ' ' -f 1) $name" >>"$prefix/$list"
    mv "$prefix/$name.new" "$prefix/$name"
done
printf %s "$made" | sed 's/^/folder /' >>"$prefix/$list"
say "installed into $prefix; to remove it: $prefix/share/hybrid/install.sh --remove$([ "$prefix" = "$HOME/.local" ] || echo " --prefix $prefix")"
# Debian's smallest systems have no libcrypto.
problem=$("$prefix/bin/hybrid" --version 2>&1 >/dev/null) ||
    say "it does not start yet: ${problem#*: }. hint: install libcrypto of OpenSSL 3 and zlib (Debian's packages libssl3 and zlib1g)"
case :$PATH: in
*:"$prefix/bin":*) ;;
*) say "add $prefix/bin to PATH to type hybrid" ;;
esac
