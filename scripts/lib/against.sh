# Building the benchmark of another commit, to compare with.
# shellcheck shell=bash

# The file that came with the first benchmark which can be compared.
COMPARABLE=bench/compare.cpp

# Gives an older commit's tree the first benchmark that can be compared, so that both sides are measured alike.
_take_comparable_bench() {
    local tree=$1 first
    first=$(git log --diff-filter=A --format=%H -- "$COMPARABLE" | tail -n 1)
    [[ -n $first ]] || die "$COMPARABLE is not committed"
    say "$tree: takes bench/ of $first, its own cannot be compared"
    git -C "$tree" checkout --quiet "$first" -- bench
}

# A work tree of a commit; one that is there is used again.
_work_tree_of() {
    local tree=$1 commit=$2
    if [[ ! -e $tree/.git ]]; then
        git worktree prune
        git worktree add --quiet --detach "$tree" "$commit"
    fi
    [[ -e $tree/$COMPARABLE ]] || _take_comparable_bench "$tree"
}

# build_bench_of <commit>: builds the release benchmark of that commit; BENCH_OF_COMMIT is its path.
build_bench_of() {
    local commit tree
    commit=$(git rev-parse --verify --quiet "$1^{commit}") || die "there is no commit $1"
    tree=build/against/$commit
    mkdir -p build/against
    _with_lock_on against _work_tree_of "$tree" "$commit"
    (
        cd "$tree"
        build_preset release --target belay-bench
    )
    BENCH_OF_COMMIT=$ROOT/$tree/build/release/bin/belay-bench
    [[ -x $BENCH_OF_COMMIT ]] || die "$BENCH_OF_COMMIT was not built"
}
