# bash completion for scratchpad. Without suggestions it completes files. It may be sourced twice.
__scratchpad_complete() {
    local cur words cword word rest
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n "=:" cur words cword
    else
        cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
    fi
    cur=${cur#[\"\']}
    COMPREPLY=()
    while IFS=$'\t' read -r word rest; do
        if [[ $word != :[0-9]* && $word == "$cur"* ]]; then
            COMPREPLY+=("$(printf %q "$word")")
        fi
    done < <(scratchpad complete -- "${words[@]:1:cword-1}" "$cur" 2>/dev/null)
}
complete -o default -F __scratchpad_complete scratchpad
