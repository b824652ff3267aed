
# What other programs run, they complete: `hybrid conformance client` as `hybrid-conformance client`.
_hybrid_or_other() {
    local program='' folder="${BASH_SOURCE[0]%/*}"
    local -a words=()
    case "${COMP_WORDS[1]-}" in
    tunnel-service) program=hybrid-tunnel-service ;;
    conformance) program=hybrid-conformance ;;
    vectors | inspect) program=hybrid-conformance words=("${COMP_WORDS[1]}") ;;
    esac
    if [ -z "${program}" ] || [ "${COMP_CWORD}" -lt 2 ]; then
        _hybrid "$@"
        return
    fi
    # Not there, or not installed.
    declare -F "_${program}" >/dev/null || . "${folder}/${program}" 2>/dev/null || return 0
    words=("${program}" "${words[@]}" "${COMP_WORDS[@]:2}")
    local -i word=COMP_CWORD+${#words[@]}-${#COMP_WORDS[@]}
    local -a COMP_WORDS=("${words[@]}")
    local COMP_CWORD=${word} COMP_LINE="${words[*]}"
    local COMP_POINT=${#COMP_LINE}
    "_${program}" "${program}" "${@:2}"
}
complete -o filenames -F _hybrid_or_other hybrid
