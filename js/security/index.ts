// The security analyzers: from what the host asks for, or from what a conversation has stored, to one function.
import { invalidOptions, optionsOf, reading as readingHost, words } from "../errors.js";
import type { ActionEvent, SecurityRisk } from "../events.js";
import type { CoreAnalyzer, SecurityAnalyzer, SecurityPattern } from "../security.js";
import { type PatternLists, scanner } from "./patterns.js";
import { foldDotted } from "./python-regex.js";
import { isRailed } from "./rails.js";
import { rules } from "./rules.js";
import { deeds, normalize, thoughts } from "./text.js";

type Judge = (action: ActionEvent) => SecurityRisk | Promise<SecurityRisk>;

interface Reading {
  /** What cannot be done here and counts as the highest risk instead. */
  readonly unavailable: string[];
  /** Whether the page has given this, and not a file. */
  readonly isHosts: boolean;
  /** What the page has given, where it is a part of what is read. */
  readonly given?: CoreAnalyzer | undefined;
}

/** What a host asks for. @throws ThreadkeepError `invalid_options` */
export function hostAnalyzer(analyzer: SecurityAnalyzer): CoreAnalyzer {
  const reading: Reading = { unavailable: [], isHosts: true };
  const { stored, judge } = readingHost("securityAnalyzer", () => ofHost(analyzer, reading, "securityAnalyzer"));
  if (reading.unavailable.length > 0) {
    throw invalidOptions(`a pattern of the security analyzer cannot be used: ${reading.unavailable.join("; ")}`);
  }
  return { json: JSON.stringify(stored), ...core(judge, reading) };
}

/**
 * What a conversation has stored; where the `given` one is a part of it, that is asked. Never fails: what is not understood
 * counts as the highest risk and is reported.
 */
export function storedAnalyzer(json: string, given?: CoreAnalyzer): CoreAnalyzer {
  const reading: Reading = { unavailable: [], isHosts: false, given };
  return { json, ...core(ofStored(JSON.parse(json), reading), reading) };
}

function core(judge: Judge, { unavailable }: Reading): Omit<CoreAnalyzer, "json"> {
  const securityRisk = async (actionJson: string) => sound(await judge(JSON.parse(actionJson)));
  return { securityRisk, unavailable };
}

interface HostReading {
  stored: object;
  judge: Judge;
}

function ofHost(analyzer: SecurityAnalyzer, reading: Reading, what: string): HostReading {
  if (typeof analyzer !== "object" || analyzer === null) throw invalidOptions(`${what} must be an object`);
  if ("securityRisk" in analyzer) {
    if (typeof analyzer.securityRisk !== "function") throw invalidOptions(`securityRisk of ${what} must be a function`);
    return { stored: nobodyKnows, judge: async (action) => analyzer.securityRisk(action) };
  }
  switch (analyzer.kind) {
    case "LLMSecurityAnalyzer":
    case "PolicyRailSecurityAnalyzer":
      return readBack(optionsOf(what, analyzer, "kind"), reading);
    case "PatternSecurityAnalyzer": {
      const { kind, ...lists } = optionsOf(what, analyzer, "kind highPatterns mediumPatterns injectionHighPatterns injectionMediumPatterns");
      return readBack({
        high_patterns: rows(lists.highPatterns, "highPatterns") ?? rules.high_patterns,
        medium_patterns: rows(lists.mediumPatterns, "mediumPatterns") ?? rules.medium_patterns,
        injection_high_patterns: rows(lists.injectionHighPatterns, "injectionHighPatterns") ?? rules.injection_high_patterns,
        injection_medium_patterns: rows(lists.injectionMediumPatterns, "injectionMediumPatterns") ?? rules.injection_medium_patterns,
        kind,
      }, reading);
    }
    case "EnsembleSecurityAnalyzer": {
      const { analyzers, propagateUnknown = false, kind } = optionsOf(what, analyzer, "kind analyzers propagateUnknown");
      if (!Array.isArray(analyzers) || analyzers.length === 0) throw invalidOptions("analyzers of an ensemble must be an array with at least one");
      if (typeof propagateUnknown !== "boolean") throw invalidOptions("propagateUnknown must be true or false");
      const children = analyzers.map((child, i) => ofHost(child, reading, `analyzers[${i}]`));
      const stored = { analyzers: children.map((child) => child.stored), propagate_unknown: propagateUnknown, kind };
      return { stored, judge: ensemble(children.map((child) => child.judge), propagateUnknown) };
    }
    default:
      throw invalidOptions(`there is no security analyzer ${words((analyzer as { kind?: unknown }).kind)}`);
  }
}

function readBack(stored: object, reading: Reading): HostReading {
  return { stored, judge: ofStored(stored, reading) };
}

/**
 * What is stored for a function of the host, which no later page and no Python can ask: a pattern that is found in
 * every action, so that there each one has the highest risk.
 */
const nobodyKnows: object = {
  high_patterns: [["", "The risk was judged by a function of the page, which is not here", "host.security_risk"]],
  medium_patterns: [],
  injection_high_patterns: [],
  injection_medium_patterns: [],
  kind: "PatternSecurityAnalyzer",
};

function rows(patterns: unknown, what: string): readonly SecurityPattern[] | undefined {
  if (patterns === undefined || isRows(patterns)) return patterns;
  throw invalidOptions(`${what} must be an array of [pattern, description, detector]`);
}

function isRows(value: unknown): value is SecurityPattern[] {
  return Array.isArray(value) && value.every((row) => Array.isArray(row) && row.length === 3 && row.every((cell) => typeof cell === "string"));
}

function ofStored(stored: unknown, reading: Reading): Judge {
  const { given } = reading;
  if (given && JSON.stringify(stored) === given.json) return (action) => given.securityRisk(JSON.stringify(action));
  const fields = (typeof stored === "object" && stored !== null ? stored : {}) as { [field: string]: unknown };
  switch (fields.kind) {
    case "LLMSecurityAnalyzer":
      return (action) => action.security_risk;
    case "PolicyRailSecurityAnalyzer":
      return (action) => (isRailed(deeds(action).map(ready)) ? "HIGH" : "LOW");
    case "PatternSecurityAnalyzer":
      if (JSON.stringify(fields) === JSON.stringify(nobodyKnows)) reading.unavailable.push("a function of the page that set it");
      return patternJudge(fields, reading);
    case "EnsembleSecurityAnalyzer":
      if (!Array.isArray(fields.analyzers)) break;
      return ensemble(fields.analyzers.map((child) => ofStored(child, reading)), fields.propagate_unknown === true);
  }
  reading.unavailable.push(words(fields.kind));
  return () => "HIGH";
}

/** Patterns that come with the library, and take no longer than they should. */
const ours = new Set(Object.values(rules).flat().map(([pattern]) => pattern));

function patternJudge(fields: { [field: string]: unknown }, reading: Reading): Judge {
  const lists = { ...rules };
  for (const name of Object.keys(rules) as Array<keyof PatternLists>) {
    const list = fields[name];
    if (isRows(list)) lists[name] = list;
    else if (list !== undefined) {
      reading.unavailable.push(`${name} of PatternSecurityAnalyzer`);
      return () => "HIGH";
    }
  }
  const isTrusted = reading.isHosts ? () => true : (pattern: string) => ours.has(pattern);
  const { scan, unreadable } = scanner(lists, isTrusted);
  for (const pattern of unreadable) reading.unavailable.push(`pattern ${pattern}`);
  return (action) => {
    const done = deeds(action);
    return scan(ready(done.join(" ")), ready([...done, ...thoughts(action)].join(" ")));
  };
}

function ready(text: string): string {
  return foldDotted(normalize(text));
}

const order: SecurityRisk[] = ["LOW", "MEDIUM", "HIGH"];

/** The worst of what several say (`security/ensemble.py`); one that fails says the worst. */
function ensemble(judges: Judge[], propagateUnknown: boolean): Judge {
  return async (action) => {
    const judge = async (judge: Judge) => sound(await judge(action));
    const said = await Promise.all(judges.map((each) => judge(each).catch((): SecurityRisk => "HIGH")));
    const known = said.filter((risk) => risk !== "UNKNOWN");
    if (known.length === 0 || (propagateUnknown && known.length < said.length)) return "UNKNOWN";
    return known.reduce((worst, risk) => (order.indexOf(risk) > order.indexOf(worst) ? risk : worst));
  };
}

/** An answer that is no risk is the highest one. */
function sound(risk: unknown): SecurityRisk {
  return risk === "UNKNOWN" || order.includes(risk as SecurityRisk) ? (risk as SecurityRisk) : "HIGH";
}
