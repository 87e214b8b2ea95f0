// The differences between Belay's CEL and @bufbuild/cel that are meant, each with its reason.
// `applies` gets the expression, our result and the other one, as cel_cases prints them.

const isError = (result) => result[0] === "error";
const says = (result, text) => isError(result) && result[1].includes(text);

export const differences = [
    {
        name: "timestamp(int) counts seconds, as the specification says; there it counts milliseconds",
        applies: (expr) => /timestamp\((?!')/.test(expr),
    },
    {
        name: "a split by an empty text with a limit keeps the rest, as any other split; there it drops the rest",
        applies: (expr) => expr.includes("split('', 2)"),
    },
    {
        name: "durations reach 10,000 years, as the specification says; there 292 years",
        applies: (expr, ours, theirs) =>
            says(theirs, "out of range") || (isError(theirs) && !isError(ours) && expr.includes("timestamp('9999")),
    },
    {
        name: "fractions of seconds have as many digits as they need; there three, six or nine",
        applies: (expr) => /(string\(|'%).*(timestamp|duration|-)/.test(expr) && /\.5|250ms/.test(expr),
    },
    {
        name: "a text that is no number is an error of int(), uint() and double(); there 0 or NaN",
        applies: (expr, ours) => says(ours, "is not a number") || says(ours, "is not an integer"),
    },
    {
        name: "an empty text is no duration; there it is 0",
        applies: (expr, ours) => says(ours, '"" is not a duration'),
    },
    {
        name: "a duration is no number; there a number of seconds becomes one",
        applies: (expr, ours) => says(ours, "duration does not take"),
    },
    {
        name: "replace of an empty text inserts around each character; there at the beginning only",
        applies: (expr) => expr.includes(".replace("),
    },
    {
        name: "a character outside of the basic plane counts as one; there as two",
        applies: (expr) => expr.includes("😀"),
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
        name: "uint() rounds towards zero before it looks at the range: uint(-0.5) is 0; there an error",
        applies: (expr, ours, theirs) => says(theirs, "uint overflow during type conversion"),
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
    {
        name: "int() of a duration rounds down; there towards zero",
        applies: (expr) => expr.includes("int((duration") || /int\(\(\(*\(?(timestamp|duration)/.test(expr),
    },
    {
        name: "doubles are written as C++ writes them: 1e+10, +Inf; there as JavaScript does",
        applies: (expr) => /string\(|'%/.test(expr) && /double\(|[0-9]\.[0-9]|[0-9]e-?[0-9]|\(r\)/.test(expr),
    },
];
