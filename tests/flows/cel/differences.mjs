// The differences between Belay's CEL and @bufbuild/cel that are meant and that no correction of a function can put right (see
// corrections.mjs), each with its reason. `applies` gets the expression, our result and the other one, as cel_cases prints them.
// Each names the error of one side, so no wrong value passes.

const isError = (result) => result[0] === "error";
const says = (result, text) => isError(result) && result[1].includes(text);

export const differences = [
    {
        name: "durations reach 10,000 years, as the specification says; there 292 years",
        applies: (expr, ours, theirs) => !isError(ours) && says(theirs, "duration out of range"),
    },
    {
        name: "the text of such a duration is a key of a map; there its error cannot be one",
        applies: (expr, ours, theirs) =>
            !isError(ours) && says(theirs, "unsupported key type") && /string\(.*timestamp\('9999/.test(expr),
    },
    {
        name: "a list has no element with a boolean index; there false is 0",
        applies: (expr, ours) => says(ours, "no element with a key of type"),
    },
    {
        name: "the largest uint can be divided by 1; there it cannot",
        applies: (expr, ours, theirs) => says(theirs, "int overflow during divide by 1"),
    },
    {
        name: "a uint has no opposite; there it has",
        applies: (expr, ours) => says(ours, "`-` does not take (uint)"),
    },
    {
        name: "a double is no key of a map; there it is",
        applies: (expr, ours) => says(ours, "double cannot be the key of a map"),
    },
    {
        name: "a value that cannot be a key is not in a map; there it is an error",
        applies: (expr, ours, theirs) => says(theirs, "no matching overload for '@in'"),
    },
    {
        name: "the opposite of the smallest int is an error; there it is the same int",
        applies: (expr, ours) => says(ours, "integer overflow") && expr.includes("-9223372036854775808"),
    },
];
