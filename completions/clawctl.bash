_clawctl() {
    local line="${COMP_LINE:0:COMP_POINT}" words current prefix candidate
    read -r -a words <<< "$line"
    [[ -z "$line" || "$line" == *[[:space:]] ]] && words+=("")
    current="${words[${#words[@]} - 1]}"
    prefix=""
    if [[ "$current" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
        prefix="${current%"${current##*:}"}"
    fi
    COMPREPLY=()
    while IFS= read -r -d $'\013' candidate || [[ -n "$candidate" ]]; do
        [[ -n "$candidate" ]] && COMPREPLY+=("${candidate#"$prefix"}")
    done < <(
        _CLAP_IFS=$'\013' \
        _CLAP_COMPLETE_INDEX="$((${#words[@]} - 1))" \
        _CLAP_COMPLETE_COMP_TYPE="${COMP_TYPE:-9}" \
        _CLAP_COMPLETE_SPACE=true \
        COMPLETE=bash \
        clawctl -- "${words[@]}" 2>/dev/null
    )
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[=/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o bashdefault -o nosort -F _clawctl clawctl 2>/dev/null || complete -o bashdefault -F _clawctl clawctl
