#!/bin/sh
# Keeps an agent's scratchpad fresh, and reports each due item once.
#
#   heartbeat.sh WORKSPACE [COMMAND...]
#
# COMMAND reads the new alerts from stdin, one per line; without it they are printed. From cron:
#
#   */10 7-22 * * * /path/to/heartbeat.sh ~/agent sh -c 'notify-send "Agent" "$(cat)"'
#   */10 7-22 * * * /path/to/heartbeat.sh ~/agent claude -p "These have just come up; read SCRATCHPAD.md and act on what cannot wait."
set -eu

if [ $# -lt 1 ]; then
  echo "usage: $0 WORKSPACE [COMMAND...]" >&2
  exit 2
fi
workspace=$1
shift

# cron's PATH is short. Where npm has installed this package, scratchpad and node are in PREFIX/bin.
PATH=$PATH:$(dirname "$0")/../../../../bin:/usr/local/bin
if ! command -v scratchpad >/dev/null; then
  echo "$0: scratchpad is not on the PATH; put the folder that 'which scratchpad' prints into the crontab: PATH=..." >&2
  exit 3
fi

# A running `watch` or `schedule` keeps the block, perhaps of a session that it was given: a fresh one stays.
fresh=
scratchpad status --workspace "$workspace" --json | grep -Eq '"(watch|schedule)": [0-9]' && fresh=--if-stale
scratchpad assemble --workspace "$workspace" --trigger heartbeat --quiet $fresh >/dev/null

# The lines of one section of the state block.
alerts=$(sed -n '/^## Proactive Alerts$/,/^\(## \|<!-- \)/s/^- //p' "$workspace/SCRATCHPAD.md")

# An alert is not repeated while it is in the block. Its key leaves out only what changes by itself: how soon an event
# is or how long ago it began, how full the disk is, and the number of a line.
keys() {
  sed -E \
    -e '/^Calendar: /s/” (now|in [^,]*), at /” soon, at /' \
    -e '/^Calendar: /s/(” began at [0-9:]+), [^,]* ago/\1/' \
    -e '/^Today: /s/ \(in (under a minute|[0-9]+ min|[0-9]+h( [0-9]+m)?)\)//g' \
    -e '/^Disk: /s/[0-9.]+//g' \
    -e 's/ \(([^()]*):[0-9]+\)$/ (\1)/'
}

# What an alert names, each on a line: those without room for a line of their own are listed in one, and get theirs later.
# A brief of the morning lists the day's.
names() {
  sed -E -e '/^(And [0-9]+ more|Also today|Today|Overdue|Due today): /!{s/^Task [^:]*: //;s/ \([^()]*\)$//;b' -e '}' \
    -e '/^Today: /{s/ \(in [^()]*\)//g;s/, ([0-9]{1,2}:[0-9]{2} )/; \1/g' -e '}' \
    -e 's/^(And [0-9]+ more|Also today|Today|Overdue|Due today): //' -e 's/\. (Overdue|Due today): /; /g' |
    sed -e 's/; …$//' -e 's/; /\
/g'
}
told=$workspace/.scratchpad/cache/heartbeat
mkdir -p "$(dirname "$told")"
touch "$told"
is_told() { grep -qxF -- "$1" "$told"; }
new=$(printf '%s\n' "$alerts" | while IFS= read -r line; do
  key=$(printf '%s\n' "$line" | keys)
  [ -n "$key" ] && ! is_told "$key" || continue
  printf '%s\n' "$line" | names | while IFS= read -r name; do
    is_told "listed: $name" && continue
    is_told "brief: $name" && continue
    case $line in And\ * | Also\ *) is_told "alone: $name" && continue ;; esac
    printf '%s\n' "$line"
    break
  done
done)
{
  printf '%s\n' "$alerts" | keys
  printf '%s\n' "$alerts" | sed -En '/^(And [0-9]+ more|Also today): /p' | names | sed 's/^/listed: /'
  printf '%s\n' "$alerts" | sed -En '/^(Today|Overdue|Due today): /p' | names | sed 's/^/brief: /'
  printf '%s\n' "$alerts" | sed -E '/^(And [0-9]+ more|Also today|Today|Overdue|Due today): /d' | names | sed 's/^/alone: /'
} >"$told.new"
mv "$told.new" "$told"

[ -n "$new" ] || exit 0
if [ $# -eq 0 ]; then
  printf '%s\n' "$new"
else
  printf '%s\n' "$new" | "$@"
fi
