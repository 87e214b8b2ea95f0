// The flows that are recorded. Each recording has its definition in it, so these may change.
#pragma once

namespace belay::histories {

/// Every kind of step, a map, conditions, retries, a secret and a sub-flow.
inline constexpr const char* kSteps = R"(
belay: 1
name: steps
params:
  hosts: {type: list, of: string, default: [db1, db2, db3]}
  usual: {type: integer, default: 2}
secrets:
  token: {env: TOKEN}
env: {LEVEL: "${{ params.usual }}"}
labels: {team: data}
timeout: 7d
defaults: {retry: {attempts: 3, delay: 10s}, queue: shell}
steps:
  - id: list
    script: ls
    output: lines
    env: {TOKEN: "${{ secrets.token }}"}
  - id: each
    needs: [list]
    map: params.hosts
    as: host
    window: 2
    items_may_fail: 1
    exec: [dump, "${{ host }}", "${{ index }}", "${{ step.key }}"]
    dir: /tmp
    timeout: 1m
    priority: 3
    session: "copies"
  - id: flaky
    after: [each]
    activity: Flaky
    with: {failed: "${{ steps.each.?failed.orValue([]).size() }}"}
    timeout: 1h
    on_cancel: {activity: Undo}
  - id: send
    needs: [each]
    http:
      method: POST
      url: "https://example.org/${{ run.id }}"
      headers: {Authorization: "Bearer ${{ secrets.token }}", Idempotency-Key: "${{ step.key }}"}
      json: {dumps: "${{ steps.each.output }}"}
  - id: pause
    needs: [send]
    sleep: 1h
  - id: ready
    needs: [list]
    wait: {event: ready, timeout: 3d}
  - id: late
    needs: [list]
    wait: {event: never, timeout: 2d, on_timeout: skip}
  - id: sum
    needs: [each]
    set: {count: "${{ steps.each.output.size() }}", usual: "${{ params.usual }}"}
  - id: ask
    needs: [sum, pause]
    if: steps.sum.output.count >= params.usual
    approval:
      prompt: "Go on with ${{ steps.sum.output.count }}?"
      from: [operator]
      input: {limit: {type: integer, min: 1}}
      timeout: 3d
  - id: rare
    needs: [sum]
    if: steps.sum.output.count > 100
    script: echo rare
  - id: after_rare
    needs: [rare]
    set: 1
  - id: part
    needs: [ask]
    after: [rare, late]
    flow: part
    with: {limit: "${{ steps.ask.output.values.limit }}"}
  - id: harmless
    may_fail: true
    needs: [part]
    activity: Broken
  - id: last
    after: [harmless, flaky]
    needs: [ready]
    set: "${{ steps.part.?output.orValue(0) }} ${{ steps.ready.output.by }}"
finally:
  - id: clean
    activity: Work
    with: {outcome: "${{ outcome.status }}"}
output: {last: "${{ steps.last.output }}", dumps: "${{ steps.each.output }}"}
)";

inline constexpr const char* kPart = R"(
belay: 1
name: part
params:
  limit: {type: integer}
steps:
  - id: twice
    set: "${{ params.limit * 2 }}"
  - id: work
    needs: [twice]
    activity: Work
    with: {twice: "${{ steps.twice.output }}"}
output: steps.work.output.twice
)";

/// Fails after its retries, while another step runs, and tells about it.
inline constexpr const char* kFails = R"(
belay: 1
name: fails
steps:
  - id: long
    activity: Long
    on_cancel: {activity: Undo, with: {text: long}}
  - id: broken
    activity: Broken
    retry: {attempts: 3, delay: 10s, factor: 3}
  - id: never
    needs: [broken]
    activity: Work
on_fail:
  - id: tell
    activity: Work
    with: {text: "${{ failure.step }}: ${{ failure.message }}, attempt ${{ failure.attempt }}"}
finally:
  - id: clean
    activity: Work
    with: {text: "${{ outcome.failure.message }}"}
)";

/// Is canceled while a step, the items of a map and a sub-flow are under way.
inline constexpr const char* kCanceled = R"(
belay: 1
name: canceled
steps:
  - id: first
    set: 1
  - id: long
    needs: [first]
    activity: Long
    on_cancel: {activity: Undo, with: {text: long}}
  - id: each
    needs: [first]
    map: [1, 2, 3]
    window: 2
    activity: Long
    with: {item: "${{ item }}"}
    on_cancel: {exec: [undo, "${{ item }}"]}
  - id: child
    needs: [first]
    flow: waits
  - id: never
    needs: [long]
    activity: Work
on_cancel:
  - id: undo
    activity: Work
    with: {reason: "${{ outcome.reason }}"}
finally:
  - id: pause
    sleep: 5s
  - id: clean
    needs: [pause]
    activity: Work
    with: {outcome: "${{ outcome.status }}"}
)";

inline constexpr const char* kWaits = R"(
belay: 1
name: waits
steps:
  - id: wait
    wait: {event: never}
)";

/// Ends before its time, by a step, while another one runs.
inline constexpr const char* kEarly = R"(
belay: 1
name: early
steps:
  - id: long
    activity: Long
    on_cancel: {activity: Undo}
  - id: check
    activity: Work
    with: {found: true}
    end_flow: steps.check.output.found
  - id: never
    needs: [check]
    activity: Work
)";

/// One of its items fails, and it is resumed.
inline constexpr const char* kResumed = R"(
belay: 1
name: resumed
steps:
  - id: list
    activity: Work
    with: {names: [db1, db2, db3]}
  - id: each
    needs: [list]
    map: steps.list.output.names
    as: name
    window: 1
    exec: [dump, "${{ name }}"]
  - id: last
    needs: [each]
    activity: Work
    with: {text: "${{ steps.each.output.join(', ') }}"}
output: steps.last.output.text
)";

/// Takes longer than it may.
inline constexpr const char* kLate = R"(
belay: 1
name: late
timeout: 1h
steps:
  - id: slow
    activity: Long
    timeout: 10m
    retry: {attempts: 100, delay: 1m}
)";

/// Has more items than a run does itself, so children run them.
inline constexpr const char* kLarge = R"(
belay: 1
name: large
steps:
  - id: each
    map: lists.range(1001)
    window: 500
    set: "${{ item * 2 }}"
output: steps.each.output[1000]
)";

}  // namespace belay::histories
