# Sourced by the steps of the flows beside it. Leaves one line in the file `effects`, and takes a while.
#
# The lock is held by this process and by all that it starts: whoever finds it taken runs beside an earlier attempt. The line has
# the worker that runs the step, which is the parent of this shell.
name=${NAME:-$BELAY_STEP}${BELAY_ITEM:+[$BELAY_ITEM]}
exec 9> "locks/$name"
flock -n 9 || echo "overlap $name $BELAY_ATTEMPT $PPID" >> effects
# It outlives the step, unless somebody ends it.
sleep 300 &
helper=$!
echo "begun $name $BELAY_ATTEMPT $PPID" >> effects
sleep "${TAKES:-0.1}"
kill "$helper"
