#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - shows and checks in a minute what libmcphost does.
#
#   run.sh [BUILD-DIRECTORY]
#
# The script needs only a shell and the programs of the build.  It fails if a check fails.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd)
ctl=$build/bin/mcphostctl
server=$build/examples/demo/demo-server
workspace=$here/workspace
tmp=$(mktemp -d)
batch=
checks=0

clean_up() {
    status=$?
    [ -z "$batch" ] || kill "$batch" 2>/dev/null || :
    rm -rf "$tmp"
    [ $status -eq 0 ] || echo "demo: FAILED" >&2
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

fail() {
    echo "demo: this should be so and is not: $1" >&2
    [ ! -f "$tmp/out" ] || sed 's/^/    /' "$tmp/out" >&2
    exit 1
}

# check WHAT COMMAND...: fails the demo unless the command succeeds.
check() {
    what=$1
    shift
    "$@" || fail "$what"
    checks=$((checks + 1))
}

check_not() {
    what=$1
    shift
    if "$@"; then fail "$what"; fi
    checks=$((checks + 1))
}

bold='' plain=''
if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi
title() { printf '\n%s== %s%s\n' "$bold" "$1" "$plain"; }

# Each process carries a mark in its environment, so that the demo finds the processes
# that still run.
mark=DEMO_RUN=$tmp
run_any() { timeout 60 env "$mark" XDG_CACHE_HOME="$tmp/cache" "$ctl" "$@"; }
run_ctl() { run_any -C "$workspace" "$@"; }

processes() {
    for e in /proc/[0-9]*/environ; do
        if grep -qs "$mark" "$e"; then echo "${e%/environ}"; fi
    done
}

show() {
    printf '$ mcphostctl %s\n' "$*"
    run_ctl "$@" >"$tmp/out" || fail "mcphostctl $* succeeds"
    cut -c "1-${width:-200}" "$tmp/out"
}

# copy NAME: makes a writable copy of a workspace, with the server's real path.
copy() {
    cp -r "$here/$1" "$tmp/$1"
    find "$tmp/$1" -name '*.json' | while read -r file; do
        sed -i "s|\(\.\./\)*build/examples/demo/demo-server|$server|" "$file"
    done
}

# has ID PATTERN: checks that the answer with the id ID, in the output of a batch in
# $tmp/out, reports success and matches PATTERN.
has() { grep "^{\"id\":$1,\"ok\":true" "$tmp/out" | grep -q "$2"; }

# The committed workspace names the server in build/.  For another build directory, copy
# the workspace and change this name.
if [ "$build" != "$(cd "$here/../.." && pwd)/build" ]; then
    mkdir -p "$tmp/workspace/.minds"
    sed "s|command: .*/demo-server|command: '$server'|" \
        "$workspace/.minds/mcp.yaml" >"$tmp/workspace/.minds/mcp.yaml"
    workspace=$tmp/workspace
fi

echo "libmcphost: one small MCP server program, declared in three ways in"
echo "examples/demo/workspace/.minds/mcp.yaml"

title "The configuration is checked; nothing is started"
show check
check "three servers are declared" [ "$(grep -cE ' (valid|disabled) ' "$tmp/out")" -eq 3 ]

title "The servers come up side by side, in two eras of the protocol"
show servers
check "desk speaks the legacy protocol" grep -qE '^desk +stdio +legacy .* loaded' "$tmp/out"
check "board speaks the modern one" grep -qE '^board +stdio +modern .* loaded' "$tmp/out"
check "attic is off" grep -qE '^attic .* disabled' "$tmp/out"

title "The tools as a model sees them: filtered, renamed, unique"
width=100 show tools
check "names have the prefix" grep -q '^desk_echo ' "$tmp/out"
check "names have the suffix" grep -q '^echo_board ' "$tmp/out"
check_not "filtered tools are nowhere" grep -q 'erase_all\|look_up\|tally_board' "$tmp/out"

title "And why others are not there"
show problems
check "the blacklist is named" grep -q 'mcp_tool_blacklisted .*erase_all' "$tmp/out"
check "the whitelist is named" grep -q 'mcp_tool_not_whitelisted .*tally' "$tmp/out"
check "the bad name is named" grep -q "mcp_tool_invalid_name .*'look_up_" "$tmp/out"
check "one-shot commands leave no process" [ -z "$(processes)" ]

# ---- workspaces of other products -----------------------------------------------------

title "A goclaw workspace: an agent adds a server and a skill in the middle of a turn"
copy goclaw
run_any --admin --profile goclaw -C "$tmp/goclaw" batch >"$tmp/out" <<END || fail "batch ends"
{"id":1,"op":"wait","ms":30000}
{"id":2,"op":"turn_begin","turn":"1","dialog":"A","agent":"main"}
{"id":3,"op":"call","turn":"1","tool":"mcp_put_server","arguments":{"name":"board","type":"stdio","command":"$server","args":["--modern","board"],"enabled":true}}
{"id":4,"op":"call","turn":"1","tool":"skills_put","arguments":{"skill_name":"notes","skill_md":"---\\nname: notes\\ndescription: How to take notes.\\n---\\n"}}
{"id":5,"op":"wait","ms":30000}
{"id":6,"op":"servers"}
{"id":7,"op":"call","turn":"1","tool":"echo","arguments":{"text":"desk is here"}}
{"id":8,"op":"wait"}
{"id":9,"op":"turn_end","turn":"1"}
{"id":10,"op":"turn_begin","turn":"2","dialog":"A"}
{"id":11,"op":"call","turn":"2","tool":"mcp_list"}
{"id":12,"op":"call","turn":"2","tool":"skills_list"}
{"id":13,"op":"wait"}
{"id":14,"op":"quit"}
END
check "the server was written" has 3 'success.*true'
check "the skill was written" has 4 'success.*true'
check "the turn goes on with what it had" has 7 'desk is here'
check "the turn that ends is stale" has 9 '"stale":true'
check "the next turn has both servers" has 11 'board.*desk'
check "and both skills" has 12 'notes.*tides'
echo "  the agent has the servers board and desk, and the skills notes and tides"

title "A ChatOS plugin: an app brings a server and a prompt along, for one run"
copy chatos
run_any --profile chatos -C "$tmp/chatos" apps >"$tmp/out" || fail "apps"
cut -c 1-100 "$tmp/out"
check "the app has a server" grep -q 'board  com.example.desk.board' "$tmp/out"
run_any --profile chatos -C "$tmp/chatos" batch >"$tmp/out" <<'END' || fail "batch ends"
{"id":1,"op":"inject","dialog":"run","language":"en","record":{"uiApps":[{"pluginId":"com.example.desk","appId":"board"}]}}
{"id":2,"op":"inject","dialog":"other","record":{"uiApps":[]}}
{"id":3,"op":"wait","ms":30000}
{"id":4,"op":"tools","dialog":"run"}
{"id":5,"op":"tools","dialog":"other"}
{"id":6,"op":"call","dialog":"run","tool":"mcp_com_example_desk_board_echo","arguments":{"text":"noted"}}
{"id":7,"op":"wait"}
{"id":8,"op":"close_dialog","dialog":"run"}
{"id":9,"op":"quit"}
END
check "the run has the app's prompt" has 1 'Note what matters'
check "and its tools" has 4 mcp_com_example_desk_board_echo
check "another run has none of them" has 5 '"result":\[\]'
check "they answer" has 6 noted
check "no process is left of either" [ -z "$(processes)" ]
echo "  the run has called mcp_com_example_desk_board_echo; another run did not see it"

# ---- a conversation with one host, over its lines of JSON ---------------------------

rm "$tmp/out"
mkfifo "$tmp/in" "$tmp/lines"
mkdir -m 755 "$tmp/plugins"
# With --admin the demo can call mcp_release, as a model would.
run_ctl --admin --plugins "$tmp/plugins" batch <"$tmp/in" >"$tmp/lines" &
batch=$!
exec 3>"$tmp/in" 4<"$tmp/lines"
reminders=0 withdrawn=0 steps=0

# member NAME LINE: prints the value of a member, without the escapes of its quotes.
member() {
    printf '%s\n' "$2" |
        sed -n "s/.*\"$1\":\"\(\([^\"\\\\]\|\\\\.\)*\)\".*/\1/p; t
                s/.*\"$1\":\([^,}\"]*\).*/\1/p" | sed 's/\\"/"/g'
}

# until_line PATTERN: reads lines until a line matches, and sets $line to this line.
# Prints the reminders and the progress that the lines report.
until_line() {
    while IFS= read -r line <&4; do
        case $line in
        '{"event":"reminder"'*'"active":true'*)
            reminders=$((reminders + 1))
            echo "  reminder for dialog $(member dialog "$line"):"
            member text "$line" | fold -s -w 84 | sed 's/^/    | /' ;;
        '{"event":"reminder"'*) withdrawn=$((withdrawn + 1)) ;;
        '{"event":"progress"'*)
            steps=$((steps + 1))
            echo "  progress: $(member progress "$line") of $(member total "$line")" ;;
        esac
        case $line in *$1*) return ;; esac
    done
    fail "the host answers: $1"
}

# ask ID COMMAND-WITHOUT-ID: sends a command and sets $line to its answer.
ask() {
    printf '{"id":"%s",%s}\n' "$1" "$2" >&3
    until_line "{\"id\":\"$1\","
    case $line in *'"ok":true'*) ;; *) fail "$2 succeeds: $line" ;; esac
}

# call DIALOG TOOL [ARGUMENTS]: calls a tool.  Sets $said to the text of the result and
# $pid to the process that answered.
n=0
call() {
    n=$((n + 1))
    ask "$n" "\"op\":\"call\",\"dialog\":\"$1\",\"tool\":\"$2\",\"arguments\":${3-{\}}"
    said=$(member text "$line")
    pid=$(printf '%s\n' "$said" | sed -n 's/.*(process \([0-9]*\)).*/\1/p')
    printf '  %s calls %-12s -> %s\n' "$1" "$2" "$said"
}

# gone PID: checks that a process has ended and its guard has reaped it.  Waits for this
# at most 2 s.
gone() {
    tries=0
    while [ -e "/proc/$1" ] && [ $tries -lt 40 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    [ ! -e "/proc/$1" ]
}

title "Two dialogs, A and B: desk is not declared safe to share, so each has its own process"
ask ready '"op":"wait","ms":30000'
call A desk_tally; a=$pid
check "a fresh process counts from 1" [ "${said%% *}" = 1 ]
call A desk_tally
check "the same dialog, the same process" [ "$pid" = "$a" ]
check "which remembers" [ "${said%% *}" = 2 ]
call B desk_tally; b=$pid
check "the other dialog, another process" [ "$b" != "$a" ]
check "which knows nothing of the first" [ "${said%% *}" = 1 ]
check "each dialog was reminded once" [ "$reminders" -eq 2 ]

title "board is declared safe to share: one process for both"
call A echo_board '{"text":"hello"}'; shared=$pid
call B echo_board '{"text":"hello"}'
check "both reach the same process" [ "$pid" = "$shared" ]
check "sharing needs no reminder" [ "$reminders" -eq 2 ]

title "Who holds what"
ask leases '"op":"leases"'
printf '%s\n' "$line" | sed 's/},{/}\n{/g' | sed -n 's/.*"server":"\([^"]*\)","dialog":"*\([^",]*\)"*,"scope":.*"pid":\([0-9]*\).*/  \1  dialog \2  process \3/p' |
    sed 's/ dialog null / all dialogs /'
check "A's lease is listed" [ "${line#*\"scope_key\":\"A\",\"pid\":$a,}" != "$line" ]
check "B's lease is listed" [ "${line#*\"scope_key\":\"B\",\"pid\":$b,}" != "$line" ]

title "A slow call tells how far it is"
call B desk_count '{"to":5,"step_ms":100}'
check "progress came before the answer" [ "$steps" -eq 5 ]

title "A picture comes through as it is"
ask picture '"op":"call","dialog":"A","tool":"desk_picture"'
check "it is an image" [ "$(member mimeType "$line")" = image/png ]
check "a PNG" [ "$(member data "$line" | cut -c 1-11)" = iVBORw0KGgo ]
echo "  A calls desk_picture -> $(member mimeType "$line"), $(member data "$line" | cut -c 1-24)..."

title "A gives its process back, as the reminder asked"
call A mcp_release '{"serverId":"desk"}'
until_line "\"pid\":$a,\"state\":\"dead\""
echo "  process $a has ended"
check "it is gone" gone "$a"
check "the reminder was withdrawn" [ "$withdrawn" -eq 1 ]
call A desk_tally
check "the next call has a new process" [ "$pid" != "$a" ]
check "that begins again" [ "${said%% *}" = 1 ]
call B desk_tally
check "B kept its own" [ "$pid" = "$b" ]

title "A plugin is added, edited, broken, mended and deleted, and C calls it all the while"
umask 022 # others must not be able to write to a plugin
# put WORD: replaces the plugin by a plugin whose tool says WORD.
put() {
    LC_ALL=C sed "s/hello from a plugin/$1 from a plugin/" \
        "$build/examples/plugin-template/plugin.so" >"$tmp/new.so"
    chmod 644 "$tmp/new.so"
    mv "$tmp/new.so" "$tmp/plugins/greeter.so"
}
# until_said PATTERN: calls the plugin's tool, at most 100 times, until the answer
# matches.  Sets $said to the text of the last answer.
until_said() {
    tries=0
    while [ $tries -lt 100 ]; do
        n=$((n + 1)) tries=$((tries + 1))
        printf '{"id":"%s","op":"call","dialog":"C","tool":"hello"}\n' "$n" >&3
        until_line "{\"id\":\"$n\","
        case $line in *$1*) break ;; esac
        sleep 0.1
    done
    said=$(member text "$line")
    printf '  C calls hello        -> %s\n' "${said:-$(member message "$line")}"
    case $line in *$1*) return ;; esac
    return 1
}
put hello
check "a file that comes adds a tool" until_said '"hello from a plugin"'
put HULLO
check "a file that changes is loaded anew" until_said '"HULLO from a plugin"'
echo 'no code at all' >"$tmp/plugins/greeter.so"
until_line '"kind":"generic_problem"'
echo "  $(member message "$line" | sed 's/ (.*//')"
check "a broken file is a problem" [ "${line#*is not an ELF file}" != "$line" ]
ask rows '"op":"plugins"'
check "its row says why" [ "${line#*\"state\":\"loaded\",\"error\":{*not an ELF file}" != "$line" ]
check "and what works goes on" until_said '"HULLO from a plugin"'
put howdy
check "a file that is mended is loaded" until_said '"howdy from a plugin"'
rm "$tmp/plugins/greeter.so"
check "a file that goes takes its tool along" until_said '"ok":false'

title "The end"
running=$(processes | wc -l)
check "there is something to end" [ "$running" -gt 3 ]
ask end '"op":"quit"'
exec 3>&-
while IFS= read -r line <&4; do :; done
status=0
wait "$batch" || status=$?
batch=
check "mcphostctl ends with 0" [ "$status" -eq 0 ]
check "no process is left" [ -z "$(processes)" ]
echo "  $running processes ran: the host, its servers and their guards; 0 are left"
echo
echo "demo: $checks checks, all of it was so"
