// The functions of @bufbuild/cel that are meant to differ from Belay's: each is put right here, so that
// whatever surrounds it is still compared. A correction that has an effect notes its reason.

import { isDeepStrictEqual } from "node:util";
import { celFunc, celMethod, celList, isCelError, isCelList } from "@bufbuild/cel";
import { create, toJson } from "@bufbuild/protobuf";
import { DurationSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";

const FIRST_SECOND = -62135596800n;
const LAST_SECOND = 253402300799n;

const SECONDS = "timestamp(int) counts seconds, as the specification says; there it counts milliseconds";
const REST = "a split with a limit keeps the rest; there it drops the rest";
const FRACTIONS = "fractions of seconds have as many digits as they need; there three, six or nine";
const NUMBERS = "a text that is no number is an error of int(), uint() and double(); there 0 or NaN";
const NO_TEXT = "an empty text is no duration; there it is 0";
const NO_NUMBER = "a duration is no number; there a number of seconds becomes one";
const AROUND = "replace of an empty text inserts around each character; there at the beginning only";
const CHARACTERS = "a character outside of the basic plane counts as one; there as two";
const TOWARDS_ZERO = "uint() rounds towards zero before it looks at the range: uint(-0.5) is 0; there an error";
const DOWN = "int() of a duration rounds down; there towards zero";
const FORMATS = "format writes times and doubles as string() does; there with other digits";
const DOUBLES = "doubles are written as C++ writes them: 1e+10, +Inf; there as JavaScript does";

const isAstral = (text) => /[\u{10000}-\u{10FFFF}]/u.test(text);

function position(index, length) {
    if (index < 0n || index > BigInt(length)) throw new Error(`the position ${index} is out of range`);
    return Number(index);
}

function part(text, from, to) {
    const characters = [...text];
    const end = to === undefined ? characters.length : position(to, characters.length);
    const start = position(from, characters.length);
    if (start > end) throw new Error("the end is before the start");
    return characters.slice(start, end).join("");
}

/// An empty text is found before each character and at the end.
function replaced(text, old, fresh, most) {
    const pieces = old === "" ? ["", ...text, ""] : text.split(old);
    let result = pieces[0];
    for (let i = 1; i < pieces.length; ++i) result += (i <= most ? fresh : old) + pieces[i];
    return result;
}

/// The place in characters that a place in units of 16 bits is.
const characters = (text, units) => (units < 0 ? -1n : BigInt([...text.slice(0, units)].length));

function pieces(text, separator, limit) {
    const all = separator === "" ? [...text] : text.split(separator);
    const most = Number(limit);
    if (most === 0) return celList([]);
    if (most < 0 || all.length <= most) return celList(all);
    return celList([...all.slice(0, most - 1), all.slice(most - 1).join(separator)]);
}

function asCpp(value) {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    if (Object.is(value, -0)) return "-0";
    const short = value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
    const whole = Number.isInteger(value) ? String(BigInt(value)) : "";
    const plain = whole || value.toFixed(Math.max(0, digitsBehind(value)));
    return plain.length <= short.length ? plain : short;
}

/// The digits behind the point that the shortest text of a number has.
function digitsBehind(value) {
    const [mantissa, exponent] = value.toExponential().split("e");
    return Math.min(100, (mantissa.split(".")[1] ?? "").length - Number(exponent));
}

/// The same, as `%s` writes it.
const asFormatted = (value) => asCpp(value).replace(/^\+?(-?)Inf$/, "$1Infinity");

const SCHEMAS = { "google.protobuf.Timestamp": TimestampSchema, "google.protobuf.Duration": DurationSchema };
const shortened = (text) => text.replace(/(\.\d*?)0+(?=[sZ])/, "$1").replace(/\.(?=[sZ])/, "");

/// By the id of a function: a text says why, and the function does what is right. `original` calls the one of the package.
const CORRECTIONS = {
    "timestamp(int)": [SECONDS, (_, seconds) => {
        if (seconds < FIRST_SECOND || seconds > LAST_SECOND) throw new Error("out of range");
        return create(TimestampSchema, { seconds, nanos: 0 });
    }],
    "string(google.protobuf.Timestamp)": [FRACTIONS, (_, time) => shortened(toJson(TimestampSchema, time.message))],
    "string(google.protobuf.Duration)": [FRACTIONS, (_, time) => shortened(toJson(DurationSchema, time.message))],
    "string(double)": [DOUBLES, (_, value) => asCpp(value)],
    "int(string)": [NUMBERS, (original, text) => {
        if (!/^[-+]?\d+$/.test(text)) throw new Error("is not an integer");
        return original();
    }],
    "uint(string)": [NUMBERS, (original, text) => {
        if (!/^\+?\d+$/.test(text)) throw new Error("is not an integer");
        return original();
    }],
    "double(string)": [NUMBERS, (original, text) => {
        if (text.trim() === "" || Number.isNaN(Number(text))) throw new Error("is not a number");
        return original();
    }],
    "uint(double)": [TOWARDS_ZERO, (original, value) => (value > -1 && value < 0 ? original(0) : original())],
    "int(google.protobuf.Duration)": [DOWN, (_, { message: { seconds, nanos } }) => (nanos < 0 ? seconds - 1n : seconds)],
    "duration(string)": [NO_TEXT, (original, text) => {
        if (text === "") throw new Error("is not a duration");
        return original();
    }],
    "duration(int)": [NO_NUMBER, () => {
        throw new Error("duration does not take (int)");
    }],
    "string.replace(string,string)": [AROUND, (original, text, old, fresh) =>
        old === "" ? replaced(text, old, fresh, Infinity) : original()],
    "string.split(string,int)": [REST, (_, text, separator, limit) => pieces(text, separator, limit)],
    "string.format(list)": [FORMATS, (original, text, values) => {
        const value = values.size === 1 && text === "%s" ? values.get(0) : undefined;
        if (typeof value === "number") return asFormatted(value);
        const schema = SCHEMAS[value?.message?.$typeName];
        return schema ? shortened(toJson(schema, value.message)) : original();
    }],
    "string.charAt(int)": [CHARACTERS, (original, text, at) =>
        isAstral(text) ? ([...text][position(at, [...text].length)] ?? "") : original()],
    "string.substring(int)": [CHARACTERS, (original, text, from) => (isAstral(text) ? part(text, from) : original())],
    "string.substring(int,int)": [CHARACTERS, (original, text, from, to) =>
        isAstral(text) ? part(text, from, to) : original()],
    "string.indexOf(string)": [CHARACTERS, (_, text, wanted) => characters(text, text.indexOf(wanted))],
    "string.lastIndexOf(string)": [CHARACTERS, (_, text, wanted) => characters(text, text.lastIndexOf(wanted))],
};

function outcome(made) {
    try {
        return { value: made() };
    } catch (problem) {
        return { problem };
    }
}

function isSame(one, other) {
    if (one.problem || other.problem) return Boolean(one.problem) === Boolean(other.problem);
    return isDeepStrictEqual(plain(one.value), plain(other.value));
}

function plain(value) {
    if (isCelList(value)) return [...value];
    return value?.message ?? value;
}

/// Returns the functions of an environment with these corrections. `noted` is called with the reason of each that has an effect.
export function corrected(functions, noted) {
    const missing = new Set(Object.keys(CORRECTIONS));
    const all = [...functions].map((one) => {
        const correction = CORRECTIONS[one.id];
        if (!correction) return one;
        missing.delete(one.id);
        const [reason, right] = correction;
        function replacement(...args) {
            const target = one.target ? String(this) : undefined;
            const original = (...others) => {
                const result = one.call(0, target, others.length > 0 ? others : args);
                if (isCelError(result)) throw new Error(result.message);
                return result;
            };
            const result = outcome(() => right(original, ...(one.target ? [target] : []), ...args));
            if (!isSame(result, outcome(original))) noted(reason);
            if (result.problem) throw result.problem;
            return result.value;
        }
        return one.target
            ? celMethod(one.name, one.target, one.arguments, one.result, replacement)
            : celFunc(one.name, one.arguments, one.result, replacement);
    });
    if (missing.size > 0) throw new Error(`the package has no functions ${[...missing].join(", ")}`);
    return all;
}
