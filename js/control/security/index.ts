// Builds a security analyzer from the host's options or from the stored JSON.
import { wellFormed } from "../../input/arguments.js";
import { invalidOptions, optionsOf, reading as readingHost, textOf } from "../../input/errors.js";
import type { ActionEvent, SecurityRisk } from "../../events/events.js";
import { scanner } from "./patterns.js";
import { foldDotted } from "../../python-regex/translate.js";
import type { CoreAnalyzer, PatternLists, SecurityAnalyzer, SecurityPattern } from "../types.js";
import { isRailed } from "./rails.js";
import { rules } from "./rules.js";
import { callTexts, normalize, thoughtTexts } from "./text.js";

type Rate = (action: ActionEvent) => SecurityRisk | Promise<SecurityRisk>;

interface Reading {
  /** Names of the parts that cannot be used here, and rate every call `HIGH`. */
  readonly unavailable: string[];
  /** Whether the analyzer comes from the page, not from a file. */
  readonly isHosts: boolean;
  /** An analyzer of the page that may be a part of the stored one. */
  readonly given?: CoreAnalyzer | undefined;
}

/** An analyzer of the host. @throws ThreadkeepError `invalid_options` */
export function hostAnalyzer(analyzer: SecurityAnalyzer): CoreAnalyzer {
  const reading: Reading = { unavailable: [], isHosts: true };
  const { stored, rate } = readingHost("securityAnalyzer", () => ofHost(analyzer, reading, "securityAnalyzer"));
  if (reading.unavailable.length > 0) {
    throw invalidOptions(`a pattern of the security analyzer cannot be used: ${reading.unavailable.join("; ")}`);
  }
  return { json: JSON.stringify(stored), ...core(rate, reading) };
}

/**
 * A stored analyzer; if the `given` one is a part of it, that is called. Never throws: parts that are not understood
 * rate every call `HIGH` and are reported.
 */
export function storedAnalyzer(json: string, given?: CoreAnalyzer): CoreAnalyzer {
  const reading: Reading = { unavailable: [], isHosts: false, given };
  return { json, ...core(ofStored(JSON.parse(json), reading), reading) };
}

function core(rate: Rate, { unavailable }: Reading): Omit<CoreAnalyzer, "json"> {
  const securityRisk = async (actionJson: string) => validRisk(await rate(JSON.parse(actionJson)));
  if (unavailable.length === 0) return { securityRisk };
  const parts = unavailable.join("; ");
  return {
    securityRisk,
    complaint: `parts of the security analyzer of this conversation cannot be used here, so it rates every call HIGH: ${parts}`,
  };
}

interface HostReading {
  stored: object;
  rate: Rate;
}

function ofHost(analyzer: SecurityAnalyzer, reading: Reading, what: string): HostReading {
  if (typeof analyzer !== "object" || analyzer === null) throw invalidOptions(`${what} must be an object`);
  if ("securityRisk" in analyzer) {
    if (typeof analyzer.securityRisk !== "function") throw invalidOptions(`securityRisk of ${what} must be a function`);
    return { stored: functionPlaceholder, rate: async (action) => analyzer.securityRisk(action) };
  }
  switch (analyzer.kind) {
    case "LLMSecurityAnalyzer":
    case "PolicyRailSecurityAnalyzer":
      return readBack(optionsOf(what, analyzer, "kind"), reading);
    case "PatternSecurityAnalyzer": {
      const { kind, ...lists } = optionsOf(
        what,
        analyzer,
        "kind highPatterns mediumPatterns injectionHighPatterns injectionMediumPatterns",
      );
      return readBack(
        {
          high_patterns: rows(lists.highPatterns, "highPatterns") ?? rules.high_patterns,
          medium_patterns: rows(lists.mediumPatterns, "mediumPatterns") ?? rules.medium_patterns,
          injection_high_patterns: rows(lists.injectionHighPatterns, "injectionHighPatterns") ?? rules.injection_high_patterns,
          injection_medium_patterns: rows(lists.injectionMediumPatterns, "injectionMediumPatterns") ?? rules.injection_medium_patterns,
          kind,
        },
        reading,
      );
    }
    case "EnsembleSecurityAnalyzer": {
      const { analyzers, propagateUnknown = false, kind } = optionsOf(what, analyzer, "kind analyzers propagateUnknown");
      if (!Array.isArray(analyzers) || analyzers.length === 0)
        throw invalidOptions("analyzers of an ensemble must be an array with at least one");
      if (typeof propagateUnknown !== "boolean") throw invalidOptions("propagateUnknown must be true or false");
      const children = analyzers.map((child, i) => ofHost(child, reading, `analyzers[${i}]`));
      const stored = { analyzers: children.map((child) => child.stored), propagate_unknown: propagateUnknown, kind };
      return {
        stored,
        rate: ensemble(
          children.map((child) => child.rate),
          propagateUnknown,
        ),
      };
    }
    default:
      throw invalidOptions(`there is no security analyzer ${textOf((analyzer as { kind?: unknown }).kind)}`);
  }
}

function readBack(stored: object, reading: Reading): HostReading {
  return { stored, rate: ofStored(stored, reading) };
}

/**
 * Stored in place of a function of the host, which no later page and no Python can call: a pattern that matches every
 * action, so that each one is rated `HIGH`.
 */
const functionPlaceholder: object = {
  high_patterns: [["", "The risk was judged by a function of the page, which is not here", "host.security_risk"]],
  medium_patterns: [],
  injection_high_patterns: [],
  injection_medium_patterns: [],
  kind: "PatternSecurityAnalyzer",
};

function rows(patterns: unknown, what: string): readonly SecurityPattern[] | undefined {
  if (patterns === undefined) return patterns;
  // The stored analyzer is recognized by its JSON.
  if (isRows(patterns)) return patterns.map((row) => row.map(wellFormed) as unknown as SecurityPattern);
  throw invalidOptions(`${what} must be an array of [pattern, description, detector]`);
}

function isRows(value: unknown): value is SecurityPattern[] {
  return (
    Array.isArray(value) && value.every((row) => Array.isArray(row) && row.length === 3 && row.every((cell) => typeof cell === "string"))
  );
}

function ofStored(stored: unknown, reading: Reading): Rate {
  const { given } = reading;
  if (given && JSON.stringify(stored) === given.json) return (action) => given.securityRisk(JSON.stringify(action));
  const fields = (typeof stored === "object" && stored !== null ? stored : {}) as { [field: string]: unknown };
  switch (fields.kind) {
    case "LLMSecurityAnalyzer":
      return (action) => action.security_risk;
    case "PolicyRailSecurityAnalyzer":
      return (action) => (isRailed(callTexts(action).map(ready)) ? "HIGH" : "LOW");
    case "PatternSecurityAnalyzer":
      if (JSON.stringify(fields) === JSON.stringify(functionPlaceholder)) reading.unavailable.push("a function of the page that set it");
      return ratePatterns(fields, reading);
    case "EnsembleSecurityAnalyzer":
      if (!Array.isArray(fields.analyzers)) break;
      return ensemble(
        fields.analyzers.map((child) => ofStored(child, reading)),
        fields.propagate_unknown === true,
      );
  }
  reading.unavailable.push(textOf(fields.kind));
  return () => "HIGH";
}

/** The built-in patterns, which are known to be fast. */
const builtIn = new Set(
  Object.values(rules)
    .flat()
    .map(([pattern]) => pattern),
);

function ratePatterns(fields: { [field: string]: unknown }, reading: Reading): Rate {
  const lists = { ...rules };
  for (const name of Object.keys(rules) as Array<keyof PatternLists>) {
    const list = fields[name];
    if (isRows(list)) lists[name] = list;
    else if (list !== undefined) {
      reading.unavailable.push(`${name} of PatternSecurityAnalyzer`);
      return () => "HIGH";
    }
  }
  const isTrusted = reading.isHosts ? () => true : (pattern: string) => builtIn.has(pattern);
  const { scan, unreadable } = scanner(lists, isTrusted);
  for (const pattern of unreadable) reading.unavailable.push(`pattern ${pattern}`);
  return (action) => {
    const calls = callTexts(action);
    return scan(ready(calls.join(" ")), ready([...calls, ...thoughtTexts(action)].join(" ")));
  };
}

function ready(text: string): string {
  return foldDotted(normalize(text));
}

const order: SecurityRisk[] = ["LOW", "MEDIUM", "HIGH"];

/** The highest risk that several analyzers return (`security/ensemble.py`); one that fails counts as `HIGH`. */
function ensemble(analyzers: Rate[], propagateUnknown: boolean): Rate {
  return async (action) => {
    const rated = async (rate: Rate) => validRisk(await rate(action));
    const risks = await Promise.all(analyzers.map((rate) => rated(rate).catch((): SecurityRisk => "HIGH")));
    const known = risks.filter((risk) => risk !== "UNKNOWN");
    if (known.length === 0 || (propagateUnknown && known.length < risks.length)) return "UNKNOWN";
    return known.reduce((worst, risk) => (order.indexOf(risk) > order.indexOf(worst) ? risk : worst));
  };
}

/** Anything that is not a risk counts as `HIGH`. */
function validRisk(risk: unknown): SecurityRisk {
  return risk === "UNKNOWN" || order.includes(risk as SecurityRisk) ? (risk as SecurityRisk) : "HIGH";
}
