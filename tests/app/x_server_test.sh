#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The window on a real X server: it opens, takes clicks and keys, shows something, and copies its picture.
# usage: x_server_test.sh SHARDSCOPE FAKE_ENGINE FOLDER
set -uo pipefail
program=$1 engine=$2 folder=$3

for tool in Xvfb openbox xdotool xclip import identify compare; do
    command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
export XDG_CONFIG_HOME="$folder/config" SHARDSCOPE_FAKE_MODE="" SHARDSCOPE_FAKE_LOG="$folder/commands"
unset QT_QPA_PLATFORM WAYLAND_DISPLAY
children=()
trap 'for child in "${children[@]}"; do kill "$child" 2> /dev/null; done' EXIT

fail() { echo "FAILED: $1"; exit 1; }
# wait_for SECONDS COMMAND...
wait_for() {
    local tries=$(($1 * 10))
    shift
    for ((i = 0; i < tries; i++)); do "$@" > /dev/null 2>&1 && return 0; sleep 0.1; done
    return 1
}
commands_with() { [ "$(grep -c "\"$1\"" commands 2> /dev/null)" -ge "$2" ]; }

# The server picks a free display itself and writes its number.
Xvfb -displayfd 3 -screen 0 1600x1000x24 3> display > xvfb.log 2>&1 &
children+=($!)
wait_for 20 test -s display || fail "Xvfb did not start: $(cat xvfb.log)"
export DISPLAY=":$(cat display)"
openbox > openbox.log 2>&1 &
children+=($!)
sleep 0.5

"$program" --engine "$engine" --ranks 4 --theme light > program.log 2>&1 &
shardscope=$!
children+=("$shardscope")
wait_for 30 xdotool search --onlyvisible --name '^Shardscope$' || fail "no window: $(cat program.log)"
window=$(xdotool search --onlyvisible --name '^Shardscope$' | head -n 1)
xdotool windowactivate --sync "$window"
wait_for 30 commands_with run 4 || fail "ranks did not run by themselves: $(cat commands program.log 2> /dev/null)"

shot() { import -window "$window" "$1"; identify -format '%k' "$1"; }
# More than a cursor's blinking. The tools write and read a decimal point, whatever the program under test speaks.
differs() { { LC_ALL=C compare -metric AE -fuzz 5% "$1" "$2" null: 2>&1 || true; } | LC_ALL=C awk '{ exit !($1 > 1000) }'; }
[ "$(shot first.png)" -gt 50 ] || fail "the window is empty"

# Keys: the theme changes the picture, F1 opens a second window.
xdotool key --window "$window" t
sleep 0.7
shot dark.png > /dev/null
differs first.png dark.png || fail "the key T did not change the theme"
xdotool key --window "$window" F1
wait_for 10 xdotool search --onlyvisible --name '^Keys$' || fail "F1 did not show the keys"
xdotool key --window "$(xdotool search --onlyvisible --name '^Keys$' | head -n 1)" Escape
sleep 0.3
xdotool windowactivate --sync "$window"

# A click: the slider of N, at the left below the title, goes to its right end; where exactly depends on the fonts.
clicked=false
for y in $(seq 134 3 170); do
    xdotool mousemove --window "$window" 255 "$y" click 1
    sleep 0.7
    shot clicked.png > /dev/null
    differs dark.png clicked.png && clicked=true && break
done
$clicked || fail "a click on the slider changed nothing"
sleep 1

# The picture goes to the clipboard: of the view that has the keyboard, as a click on the diagram gives it.
xdotool mousemove --window "$window" 800 300 click 1
sleep 0.3
xdotool key --window "$window" ctrl+c
wait_for 10 bash -c 'xclip -selection clipboard -t TARGETS -o | grep -q image/png' || fail "no picture in the clipboard"
timeout 20 xclip -selection clipboard -t image/png -o > copied.png
[ "$(identify -format '%wx%h' copied.png)" = 1920x1080 ] || fail "the copied picture has another size"
[ "$(identify -format '%k' copied.png)" -gt 50 ] || fail "the copied picture is empty"

# The window closes, and nothing is left.
xdotool key --window "$window" ctrl+q
gone() { ! kill -0 "$shardscope" 2> /dev/null; }
wait_for 5 gone || fail "the window did not close"
wait "$shardscope"
[ $? -eq 0 ] || fail "the window ended with an error: $(cat program.log)"
pgrep -f "$engine serve" > /dev/null && fail "the engine was left behind"
echo "passed"
