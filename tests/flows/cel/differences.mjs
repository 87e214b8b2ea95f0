// The differences between Belay's CEL and @bufbuild/cel that are meant, each with its reason.
// `applies` gets the expression, our result and the other one, as cel_cases prints them.

export const differences = [];
