import { compiled } from '../text/compile-patterns.ts';
import type { Candidate } from './finding.ts';
import { PROVIDERS } from './providers.ts';
import { type Check, SHAPES } from './shapes.ts';
import {
  decodesToPair,
  isExample,
  isIdentifier,
  isMixed,
  isOptionValue,
  looksRandom,
  readsAsWords,
} from './value.ts';

interface Provider {
  kind: string;
  /** What follows the prefix. */
  rest: RegExp;
}

interface Tables {
  /** Finds a prefix that is not inside a word. */
  prefix: RegExp;
  providers: ReadonlyMap<string, readonly Provider[]>;
  shapes: readonly { kind: string; pattern: RegExp; check: Check }[];
}

let built: Tables | undefined;

/** Built on first use: most commands have nothing to redact. */
function tables(): Tables {
  if (built !== undefined) return built;
  const providers = new Map<string, Provider[]>();
  for (const [kind, prefixes, rest] of PROVIDERS) {
    for (const prefix of prefixes.split(' ')) {
      providers.set(prefix, [...(providers.get(prefix) ?? []), { kind, rest: new RegExp(rest, 'y') }]);
    }
  }
  // In reverse order a longer prefix precedes its own beginnings, so the longest is found.
  const alternatives = [...providers.keys()].sort().reverse();
  built = {
    prefix: compiled(
      new RegExp(`(?<![A-Za-z0-9])(?:${alternatives.join('|').replace(/[.$]/g, '\\$&')})`, 'g'),
    ),
    providers,
    shapes: SHAPES.map(([kind, source, check]) => ({
      kind,
      pattern: compiled(new RegExp(source, 'g')),
      check,
    })),
  };
  return built;
}

function findProviders(text: string): Candidate[] {
  const { prefix, providers } = tables();
  const found: Candidate[] = [];
  let done = 0;
  for (const { 0: opening, index: start } of text.matchAll(prefix)) {
    // Three characters occur by chance in a run of base64.
    if (start < done || (opening.length <= 3 && /[_-]/.test(text.charAt(start - 1)))) continue;
    // If a longer prefix does not fit, a shorter one that it begins with may: `sk-proj-` and `sk-`.
    for (let length = opening.length; length > 1; length--) {
      const provider = providers.get(opening.slice(0, length))?.find(({ rest }) => {
        rest.lastIndex = start + length;
        return rest.test(text);
      });
      if (provider === undefined) continue;
      const end = provider.rest.lastIndex;
      const token = text.slice(start, end);
      if (readsAsWords(token) || isExample(token)) continue;
      found.push({ kind: provider.kind, start, end, rank: 3 });
      done = end;
      break;
    }
  }
  return found;
}

/** A run without blanks that may contain a token of an unknown provider: `acme_live_8fJ…`. */
const RUN = /(?<![\w.~+/%@#-])[A-Za-z0-9][\w.~-]{19,400}={0,2}(?![\w.~+/=%-])/g;
/**
 * A short name, perhaps `live`, `v1` or a region, then the random part: long, or shorter after a word for a
 * key.
 */
const PREFIXED =
  /^([A-Za-z][A-Za-z0-9]{1,15})[-_.](?:(?:[A-Za-z0-9]{1,12}[-_.]){0,3}?(?=[\w.~-]*?([A-Za-z0-9]{24,}))|(?:[a-z0-9]{1,8}_)?(?:[a-z]?[aprs]?at|live|prod|secret|sk|key|token|tok|api|auth|bot)[-_](?=([A-Za-z0-9]{16,})))/;
/** Prefixes of ids, not of secrets: requests, messages, calls, runs, customers, digests. */
const NAMED =
  /^(?:req|msg|toolu|srvtoolu|call|run|chatcmpl|cmpl|resp|rs|fc|ws|mcp|file|thread|asst|step|vs|vsfc|batch|env|evt|cus|sub|price|prod|pi|pm|ch|in|ii|txn|acct|si|seti|cs|session|sess|conv|conversation|task|trace|span|ctx|sha1|sha256|sha384|sha512|md5|blake3|img|image|id|uuid|ref|hash|user|usr|org|team|project|proj|prj|ent|rec|inv|card|plan|ses|exec|rel|art|obj|acc|deployment|app|job|build|dpl|commit|branch|test|tmp|temp|cache|chunk|bundle|index|main|vendor|node|pod|container|layer|snapshot|checkpoint|chk|item|doc|page|block|event|message|agent|workflow|wf|pkg|lib|gen|mem|note|fp|pk|pub|public)$/i;

/**
 * A token in the form that providers use, with an unknown prefix. Its random part has digits, and is mixed
 * case or long.
 */
function findUnlisted(text: string): Candidate[] {
  const found: Candidate[] = [];
  for (const { 0: run, index: start } of text.matchAll(RUN)) {
    const [, name = '', long, short] = PREFIXED.exec(run) ?? [];
    const body = long ?? short ?? '';
    if (name === '' || NAMED.test(name) || isIdentifier(body) || !looksRandom(body)) continue;
    found.push({ kind: 'token', start, end: start + run.length, rank: 0 });
  }
  return found;
}

function passes(secret: string, check: Check, whole: boolean): boolean {
  if (isExample(secret)) return false;
  if (!whole && /^(?:[$#]\{|\$[A-Za-z_(]|<|\*{3}|\{\{|\[redacted)/.test(secret)) return false;
  if (check === 'mixed') return isMixed(secret);
  if (check === 'option') return isOptionValue(secret);
  return check !== 'basic' || decodesToPair(secret);
}

/** Secrets recognized by their shape or by the text around them. */
function findShaped(lower: string, text: string): Candidate[] {
  const found: Candidate[] = [];
  for (const { kind, pattern, check } of tables().shapes) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(lower); match !== null; match = pattern.exec(lower)) {
      const end = match.index + match[0].length;
      const start = end - (match[1] ?? match[0]).length;
      if (passes(text.slice(start, end), check, match[1] === undefined))
        found.push({ kind, start, end, rank: 2 });
      else pattern.lastIndex = Math.max(match.index + 1, start);
    }
  }
  return found;
}

const BEGIN = /-{2,5} ?BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|SECRET KEY)[A-Z0-9 ]{0,20}-{2,5}/g;

/** PEM and PGP blocks, up to their END line, or if that is missing to the end of the text. */
function findBlocks(text: string): Candidate[] {
  const found: Candidate[] = [];
  let done = 0;
  for (const { 0: line, index: start } of text.matchAll(BEGIN)) {
    if (start < done) continue;
    const close = /-{2,5} ?END [A-Z0-9 ]{0,60}-{2,5}/g;
    close.lastIndex = start + line.length;
    done = close.test(text) ? close.lastIndex : text.length;
    found.push({ kind: 'private key', start, end: done, rank: 3 });
  }
  return found;
}

/**
 * Secrets that are recognizable without a word beside them.
 * @param lower the text in lower case, of the same length
 */
export function findKnown(text: string, lower: string): Candidate[] {
  return [...findBlocks(text), ...findProviders(text), ...findUnlisted(text), ...findShaped(lower, text)];
}
