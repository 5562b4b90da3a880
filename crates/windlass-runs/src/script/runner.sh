# Runs the steps of a run and writes what happens to standard output, one frame a line:
#   w1:NONCE:SEQUENCE:KIND:STEP:ARGUMENT:LENGTH:PAYLOAD:.
# Payloads are base64, so no output of a step can look like a frame. A line is shorter than 16 KiB,
# where log services begin to split lines. Only POSIX sh, base64, dd, tr and sleep are needed; grep,
# find, sort and wc where a step has expressions or artifacts, sed where the run has secrets, curl where
# large files are uploaded.
windlass_sequence=0
windlass_slot=0
windlass_group=
windlass_frame() {
    printf 'w1:%s:%s:%s:%s:%s:%s:%s:.\n' "$windlass_nonce" "$windlass_sequence" "$1" "$2" "$3" "${#4}" "$4"
    windlass_sequence=$((windlass_sequence + 1))
}
windlass_end() {
    trap - EXIT HUP INT TERM
    windlass_frame z '' "$1" ''
    # A process that was just killed may still write its last file.
    rm -rf "$windlass_folder" 2>/dev/null || { sleep 1 && rm -rf "$windlass_folder"; }
    exit "$1"
}
# Hundredths of a second since some moment.
windlass_now() {
    if read -r windlass_time windlass_rest 2>/dev/null </proc/uptime; then
        windlass_time=${windlass_time%.*}${windlass_time#*.}
        windlass_time=${windlass_time#0}
    else
        windlass_time=$(($(date +%s) * 100))
    fi
}
# A pause that gets longer while nothing happens.
windlass_pause() {
    case $windlass_nap in
    02) windlass_nap=05 ;;
    05) windlass_nap=10 ;;
    10) windlass_nap=25 ;;
    *) windlass_nap=50 ;;
    esac
    sleep "$windlass_whole.$windlass_nap" 2>/dev/null || sleep 1
}
windlass_is_group_alive() {
    [ -n "$windlass_group" ] && kill -0 "-$windlass_group" 2>/dev/null
}
# Ends every process of the step: TERM, and KILL when the grace is over.
windlass_stop_group() {
    windlass_is_group_alive || return 0
    kill -TERM "-$windlass_group" 2>/dev/null
    windlass_now
    windlass_until=$((windlass_time + windlass_grace))
    windlass_nap=02
    while windlass_is_group_alive; do
        windlass_now
        if [ "$windlass_time" -ge "$windlass_until" ]; then
            kill -KILL "-$windlass_group" 2>/dev/null
            break
        fi
        windlass_pump
        windlass_pause
    done
}
windlass_cancelled() {
    trap '' HUP INT TERM
    windlass_grace=200
    windlass_stop_group
    windlass_frame c "$windlass_step" '' ''
    windlass_end 143
}
# Sends what a stream has grown by, a chunk of it; 1 if there was nothing.
windlass_chunk() {
    windlass_text=$(dd bs=9000 count=1 2>/dev/null | base64 | tr -d '\n')
    [ -n "$windlass_text" ] || return 1
    windlass_frame o "$windlass_step" "$1" "$windlass_text"
}
windlass_pump() {
    windlass_rounds=0
    while [ "$windlass_rounds" -lt 50 ]; do
        windlass_rounds=$((windlass_rounds + 1))
        windlass_some=
        if [ "$windlass_sent1" -lt "$windlass_most_chunks" ] && windlass_chunk 1 <&4; then
            windlass_sent1=$((windlass_sent1 + 1))
            windlass_some=1
        fi
        if [ "$windlass_sent2" -lt "$windlass_most_chunks" ] && windlass_chunk 2 <&5; then
            windlass_sent2=$((windlass_sent2 + 1))
            windlass_some=1
        fi
        [ -n "$windlass_some" ] || return 1
        windlass_nap=02
    done
}
# Whether a path exists inside the workspace. Symbolic links are followed.
windlass_is_inside() {
    [ -e "$1" ] || return 1
    if [ -d "$1" ]; then windlass_at=$(cd "$1" && pwd -P); else windlass_at=$(cd "$(dirname "$1")" && pwd -P); fi
    case $windlass_at/ in "$windlass_root"/*) return 0 ;; esac
    return 2
}
# windlass_step_run STEP FOLDER LIMIT SHELL ARGUMENTS…: 0 if it ended by itself.
windlass_step_run() {
    windlass_step=$1 windlass_in=$2 windlass_limit=$3
    shift 3
    windlass_code= windlass_group= windlass_sent1=0 windlass_sent2=0
    windlass_frame b "$windlass_step" '' ''
    windlass_is_inside "$windlass_root/$windlass_in"
    case $? in
    1) windlass_unstarted missing ;;
    2) windlass_unstarted outside ;;
    esac
    [ -d "$windlass_root/$windlass_in" ] || windlass_unstarted file
    command -v "$1" >/dev/null 2>&1 || windlass_unstarted shell
    windlass_out=$windlass_folder/1 windlass_err=$windlass_folder/2
    rm -f "$windlass_folder/ended" "$windlass_folder/group"
    : >"$windlass_out"
    : >"$windlass_err"
    exec 4<"$windlass_out" 5<"$windlass_err"
    windlass_filters=
    if [ -s "$windlass_folder/mask" ]; then
        rm -f "$windlass_folder/3" "$windlass_folder/4"
        mkfifo "$windlass_folder/3" "$windlass_folder/4"
        LC_ALL=C sed $windlass_unbuffered -f "$windlass_folder/mask" <"$windlass_folder/3" >"$windlass_out" 4<&- 5<&- &
        windlass_filters=$!
        LC_ALL=C sed $windlass_unbuffered -f "$windlass_folder/mask" <"$windlass_folder/4" >"$windlass_err" 4<&- 5<&- &
        windlass_filters="$windlass_filters $!"
        windlass_out=$windlass_folder/3 windlass_err=$windlass_folder/4
    fi
    {
        (
            cd "$windlass_root/$windlass_in" || exit 126
            windlass_environment
            exec $windlass_setsid "$windlass_sh" -c 'echo $$ >"$0"; exec "$@"' "$windlass_folder/group" "$@"
        ) </dev/null >"$windlass_out" 2>"$windlass_err" 4<&- 5<&-
        echo $? >"$windlass_folder/ending"
        mv "$windlass_folder/ending" "$windlass_folder/ended"
    } 2>/dev/null &
    windlass_now
    windlass_deadline=$((windlass_time + windlass_limit))
    windlass_nap=02 windlass_late=
    while [ ! -f "$windlass_folder/ended" ]; do
        [ -n "$windlass_group" ] || read -r windlass_group 2>/dev/null <"$windlass_folder/group"
        windlass_pump
        windlass_now
        if [ "$windlass_time" -ge "$windlass_deadline" ]; then
            windlass_late=1
            windlass_stop_group
            windlass_deadline=$((windlass_time + 1000))
        fi
        windlass_pause
    done
    [ -n "$windlass_group" ] || read -r windlass_group 2>/dev/null <"$windlass_folder/group"
    windlass_stop_group
    windlass_group=
    wait $windlass_filters 2>/dev/null
    while windlass_pump; do :; done
    [ "$windlass_sent1" -lt "$windlass_most_chunks" ] || windlass_frame x "$windlass_step" 1 ''
    [ "$windlass_sent2" -lt "$windlass_most_chunks" ] || windlass_frame x "$windlass_step" 2 ''
    exec 4<&- 5<&-
    read -r windlass_code <"$windlass_folder/ended"
    windlass_verdict=met
    [ -z "$windlass_late" ] || windlass_verdict=timeout
}
windlass_unstarted() {
    windlass_frame e "$windlass_step" "$1" ''
    windlass_end 1
}
windlass_expect_code() {
    [ "$windlass_verdict" != met ] || [ "$windlass_code" -eq "$1" ] || windlass_verdict=exit
}
# windlass_expect_text INDEX STREAM EXPRESSION, without colours and line by line.
windlass_expect_text() {
    [ "$windlass_verdict" = met ] || return 0
    windlass_escape=$(printf '\033')
    LC_ALL=C sed "s/$windlass_escape\\[[0-9;:?]*[ -\\/]*[@-~]//g" "$windlass_folder/$2" |
        LC_ALL=C grep -E -q -e "$3" || windlass_verdict=text$2.$1
}
windlass_expect_file() {
    [ "$windlass_verdict" = met ] || return 0
    windlass_is_inside "$windlass_root/$windlass_in/$2"
    case $? in
    1) windlass_verdict=missing.$1 ;;
    2) windlass_verdict=outside.$1 ;;
    esac
}
# windlass_keep GLOB-INDEX START EXPRESSION: adds the files that the expression matches to the list.
windlass_keep() {
    windlass_is_inside "$windlass_root/$windlass_in/$2" || {
        windlass_frame g "$windlass_step" "$1" ''
        return 0
    }
    (
        cd "$windlass_root/$windlass_in" || exit
        find "./$2" \( -name .git -o -path ./.windlass/state \) -prune -o -type f -print |
            sed 's,^\(\./\)*,,; s,//*,/,g' | LC_ALL=C grep -E -e "$3"
    ) >"$windlass_folder/found" 2>/dev/null
    [ -s "$windlass_folder/found" ] || windlass_frame g "$windlass_step" "$1" ''
    cat "$windlass_folder/found" >>"$windlass_folder/kept"
}
# Sends the files of the list, or copies them to the folder that the other side reads.
windlass_send_files() {
    [ -s "$windlass_folder/kept" ] || return 0
    LC_ALL=C sort -u "$windlass_folder/kept" >"$windlass_folder/found"
    rm -f "$windlass_folder/kept"
    windlass_file=0
    while IFS= read -r windlass_name; do
        windlass_path=$windlass_root/$windlass_in/$windlass_name
        windlass_size=$(wc -c <"$windlass_path" 2>/dev/null | tr -d ' ') || continue
        windlass_secret=
        if [ -s "$windlass_folder/secrets" ]; then
            if LC_ALL=C grep -q -F -f "$windlass_folder/secrets" "$windlass_path"; then windlass_secret=secret; fi
            if printf '%s\n' "$windlass_name" | LC_ALL=C grep -q -F -f "$windlass_folder/secrets"; then
                windlass_secret=name
                windlass_name=$(printf '%s\n' "$windlass_name" | LC_ALL=C sed -f "$windlass_folder/mask")
            fi
        fi
        windlass_text=$(printf %s "$windlass_name" | base64 | tr -d '\n')
        windlass_frame f "$windlass_step" "${windlass_size:-0}" "$windlass_text"
        windlass_file=$((windlass_file + 1))
        if [ "$windlass_file" -gt "$windlass_most_files" ]; then break; fi
        if [ -n "$windlass_secret" ]; then
            windlass_frame k "$windlass_step" "$windlass_secret" ''
        elif [ -n "$windlass_copies" ]; then
            mkdir -p "$windlass_copies/$windlass_step" &&
                cp "$windlass_path" "$windlass_copies/$windlass_step/$windlass_file"
        elif [ "$windlass_size" -le "$windlass_most_bytes" ] && [ "$windlass_size" -le "$windlass_left" ]; then
            windlass_left=$((windlass_left - windlass_size))
            while windlass_text=$(dd bs=9000 count=1 2>/dev/null | base64 | tr -d '\n') && [ -n "$windlass_text" ]; do
                windlass_frame d "$windlass_step" '' "$windlass_text"
            done <"$windlass_path"
        elif [ "$windlass_size" -le "$windlass_most_upload" ]; then
            windlass_upload
        fi
    done <"$windlass_folder/found"
}
# Uploads a file that is too large for the log, if there is a place left. The address permits to write
# there, so it is no argument of a program, which others could see.
windlass_upload() {
    windlass_address $((windlass_slot + 1)) || return 0
    command -v curl >/dev/null 2>&1 || {
        windlass_frame k "$windlass_step" curl ''
        return 0
    }
    windlass_slot=$((windlass_slot + 1))
    # A name without characters that curl expands.
    ln -sf "$windlass_path" "$windlass_folder/upload"
    printf 'url = "%s"\n' "$windlass_url" |
        curl --silent --fail --retry 3 --upload-file "$windlass_folder/upload" --config - >/dev/null 2>&1
    windlass_code_of_curl=$?
    if [ "$windlass_code_of_curl" -ne 0 ]; then
        windlass_frame k "$windlass_step" "$windlass_code_of_curl" ''
        return 0
    fi
    windlass_text=$(sha256sum <"$windlass_path" 2>/dev/null | cut -c1-64 | base64 | tr -d '\n')
    windlass_frame u "$windlass_step" "$windlass_slot" "$windlass_text"
}
# Ends a step. The next one begins only if this one did what was expected.
windlass_step_done() {
    windlass_send_files
    windlass_frame e "$windlass_step" "$windlass_verdict,$windlass_code" ''
    [ "$windlass_verdict" = met ] || windlass_end 1
    # Expressions that only the other side can check: it answers with a file.
    if [ -n "$1" ]; then
        windlass_nap=02
        while [ ! -f "$windlass_copies/$windlass_step.go" ]; do
            [ ! -f "$windlass_copies/$windlass_step.stop" ] || windlass_end 1
            windlass_pause
        done
    fi
    windlass_step=
}
# windlass_take NAME SOURCE: remembers a variable of this machine under a new name, for all steps.
windlass_take() {
    eval "windlass_set=\${$2+set} windlass_value=\${$2-}"
    if [ -z "$windlass_set" ]; then
        windlass_text=$(printf %s "$1" | base64 | tr -d '\n')
        windlass_frame v '' '' "$windlass_text"
        windlass_end 1
    fi
    windlass_hide "$windlass_value"
    eval "windlass_taken_$1=\$windlass_value"
}
# Every line of a secret is masked where it appears, before anything leaves this machine.
windlass_hide() {
    printf '%s\n' "$1" | while IFS= read -r windlass_line; do
        [ "${#windlass_line}" -ge 4 ] || continue
        printf '%s\n' "$windlass_line" | LC_ALL=C sed 's/[]\/$*.^[]/\\&/g; s,^,s/,; s,$,/***/g,' >>"$windlass_folder/mask"
        printf '%s\n' "$windlass_line" >>"$windlass_folder/secrets"
    done
}
windlass_begin() {
    windlass_step=
    windlass_folder=$(mktemp -d "${TMPDIR:-/tmp}/windlass.XXXXXX") || exit 125
    trap 'rm -rf "$windlass_folder"' EXIT
    trap windlass_cancelled HUP INT TERM
    windlass_whole=0
    sleep 0.01 2>/dev/null || windlass_whole=1
    windlass_sh=$(command -v sh)
    windlass_setsid=$(command -v setsid) || windlass_setsid=
    windlass_unbuffered=
    if printf x | sed -u p >/dev/null 2>&1; then windlass_unbuffered=-u; fi
    if [ -z "$(printf x | base64 2>/dev/null)" ]; then
        windlass_frame n '' base64 ''
        windlass_end 1
    fi
    windlass_root=$(cd "${windlass_root:-.}" 2>/dev/null && pwd -P) || {
        windlass_frame n '' workspace ''
        windlass_end 1
    }
    windlass_frame h '' 1 ''
}
