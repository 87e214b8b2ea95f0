// Evaluates the expressions of cel_cases with @bufbuild/cel, and compares.
//
// usage: cel_cases SEED COUNT | node evaluate.mjs
//
// Where both disagree, the functions of corrections.mjs take the place of those of the package, and whatever surrounds them is
// compared again. Each other difference that is meant has a name in differences.mjs. The last line counts.

import { createInterface } from "node:readline";
import { celEnv, celMap, celList, celUint, isCelError, isCelList, isCelMap, isCelUint, parse, plan } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { corrected } from "./corrections.mjs";
import { differences } from "./differences.mjs";

const env = celEnv({ funcs: [...strings] });
let reasons = new Set();
const correctedEnv = celEnv({ funcs: corrected(env.funcs, (reason) => reasons.add(reason)) });
const MOST_SHOWN = 20;

function bitsOf(number) {
    if (Number.isNaN(number)) return "nan";
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, number);
    return view.getBigUint64(0).toString(16).padStart(16, "0");
}

/// The nanoseconds are never negative here.
function secondsOf({ seconds, nanos }) {
    return nanos < 0 ? `${seconds - 1n}.${nanos + 1_000_000_000}` : `${seconds}.${nanos}`;
}

function shown(value) {
    if (value === null) return ["null"];
    if (typeof value === "boolean") return ["bool", String(value)];
    if (typeof value === "bigint") return ["int", String(value)];
    if (typeof value === "number") return ["double", bitsOf(value)];
    if (typeof value === "string") return ["string", value];
    if (isCelUint(value)) return ["uint", String(value.value)];
    if (value instanceof Uint8Array) return ["bytes", Buffer.from(value).toString("base64")];
    if (isCelList(value)) return ["list", [...value].map(shown)];
    if (isCelMap(value)) {
        const entries = [...value].map(([key, one]) => JSON.stringify([shown(key), shown(one)]));
        return ["map", entries.sort().map((entry) => JSON.parse(entry))];
    }
    const name = value.$typeName ?? value.message?.$typeName ?? "";
    const message = value.message ?? value;
    if (name === "google.protobuf.Timestamp") return ["timestamp", secondsOf(message)];
    if (name === "google.protobuf.Duration") return ["duration", secondsOf(message)];
    return ["other", name || String(value)];
}

/// The inverse of `shown`, for variables.
function given([kind, value]) {
    switch (kind) {
        case "bool": return value === "true";
        case "int": return BigInt(value);
        case "uint": return celUint(BigInt(value));
        case "double": {
            const view = new DataView(new ArrayBuffer(8));
            view.setBigUint64(0, BigInt("0x" + value));
            return view.getFloat64(0);
        }
        case "string": return value;
        case "list": return celList(value.map(given));
        case "map": return celMap(new Map(value.map(([key, one]) => [given(key), given(one)])));
        default: throw new Error(`no variable can be a ${kind}`);
    }
}

function evaluated(source, variables, env) {
    try {
        const result = plan(env, parse(source))(variables);
        return isCelError(result) ? ["error", result.message] : shown(result);
    } catch (problem) {
        return ["error", String(problem.message ?? problem)];
    }
}

function agree(ours, theirs) {
    if (ours[0] === "error" || theirs[0] === "error") return ours[0] === theirs[0];
    return JSON.stringify(sorted(ours)) === JSON.stringify(sorted(theirs));
}

/// Maps have no order.
function sorted(value) {
    if (value[0] === "list") return ["list", value[1].map(sorted)];
    if (value[0] !== "map") return value;
    return ["map", value[1].map(([key, one]) => JSON.stringify([sorted(key), sorted(one)])).sort()];
}

const seen = new Map();
const named = new Map();
const count = (name) => named.set(name, (named.get(name) ?? 0) + 1);
let passed = 0;
let failed = 0;
let errors = 0;
let variables = {};

for await (const line of createInterface({ input: process.stdin })) {
    const one = JSON.parse(line);
    if (one.variables) {
        variables = Object.fromEntries(Object.entries(one.variables).map(([name, value]) => [name, given(value)]));
        continue;
    }
    if (seen.has(one.expr)) continue;
    seen.set(one.expr, true);
    const plain = evaluated(one.expr, variables, env);
    if (one.result[0] === "error") ++errors;
    if (agree(one.result, plain)) {
        ++passed;
        continue;
    }
    reasons = new Set();
    const theirs = evaluated(one.expr, variables, correctedEnv);
    if (agree(one.result, theirs)) {
        if (reasons.size === 0) throw new Error(`${one.expr} differs without a reason`);
        for (const reason of reasons) count(reason);
        continue;
    }
    const difference = differences.find((known) => known.applies(one.expr, one.result, theirs));
    if (difference) {
        count(difference.name);
        continue;
    }
    if (++failed <= MOST_SHOWN) {
        console.log(`${one.expr}\n    here:  ${JSON.stringify(one.result)}\n    there: ${JSON.stringify(theirs)}`);
    }
}

for (const [name, times] of [...named].sort()) console.log(`${times} times: ${name}`);
console.log(`${errors} of ${seen.size} are errors here`);
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
