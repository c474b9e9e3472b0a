/**
 * Recall and precision of redaction on kinds of secrets that others have collected.
 *
 *   npx tsx scripts/evaluate/secrets.ts RULES.toml [--half a|b|all] [--texts FILE.jsonl] [--seed 1] [--misses]
 *
 * `RULES.toml` is a configuration of gitleaks (MIT; packages of the npm registry carry it): each of its rules is a
 * kind, and its pattern describes such a secret. Secrets are generated from the pattern, put into lines as people
 * and programs write them, and searched for; the rules have no other use here. The hash of its name puts each kind
 * into half `a` or `b`, so that rules can be written with half `a` in view and evaluated on half `b`. The same
 * kinds of lines are also filled with look-alikes: hashes, ids, paths, placeholders, counts.
 *
 * `--texts`: real texts, one JSON string per line, to count false positives; `--misses` prints the errors.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { findSecrets } from '../../src/safety/index.ts';
import { PROVIDERS } from '../../src/safety/providers.ts';
import { SHAPES } from '../../src/safety/shapes.ts';
import { randomFrom } from '../random.ts';
import { HARMLESS, PASSWORDS, SPELLINGS } from './secret-lines.ts';

interface Kind {
  id: string;
  /** The provider, as it is spelled in names. */
  name: string;
  secret: RegExp;
  /** Recognisable by its form; the others only by the name they are assigned to. */
  alone: boolean;
}

interface Case {
  kind: string;
  text: string;
  /** `null` when nothing in the text is one. */
  secret: string | null;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: 'string', default: 'all' },
    texts: { type: 'string' },
    seed: { type: 'string', default: '1' },
    misses: { type: 'boolean', default: false },
  },
});
const SEED = Number(values.seed);
const SAMPLES = 2;
const ROUNDS = 2000;
/** Halves of a pair that are not secret by themselves, and rules that describe a whole file or any secret at all. */
const NO_KIND =
  /client-id|public-key|pub-api|access-id|key-id|generic|^jwt|private-key|kubernetes|curl|nuget|pkcs12/;

const halfOf = (id: string): string =>
  (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0 ? 'a' : 'b';
const inHalf = (id: string): boolean => values.half === 'all' || halfOf(id) === values.half;

/** The kinds of a configuration whose secret can be made from their pattern. */
function kindsOf(toml: string): Kind[] {
  return toml
    .split('[[rules]]')
    .slice(1)
    .flatMap((block) => {
      const id = /^id = "([^"]+)"/m.exec(block)?.[1] ?? '';
      const regex = /^regex = '''(.+)'''/m.exec(block)?.[1];
      if (regex === undefined || NO_KIND.test(id)) return [];
      const source = firstGroup(regex)
        .replace(/\(\?-?[is]+\)/g, '')
        .replace(/\(\?-?[is]+:/g, '(?:')
        .replaceAll('\\b', '');
      try {
        const secret = new RegExp(`^(?:${source.replace(/\[(?!\^)((?:\\.|[^\]\\])+)\]/g, spelledOut)})$`);
        return [{ id, name: id.split('-')[0] ?? id, secret, alone: !regex.includes(`[\\s'"]{0,3}`) }];
      } catch {
        return [];
      }
    });
}

/** `[a-f0-9]` as `[abcdef0123456789]`: every character is then as likely as any other. */
function spelledOut(whole: string, inner: string): string {
  const one = new RegExp(whole);
  const all = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).filter((char) =>
    one.test(char),
  );
  return inner.includes('\\S') || all.length === 0
    ? whole
    : `[${all.map((char) => (/[\w]/.test(char) ? char : `\\${char}`)).join('')}]`;
}

/** The first capturing group of a pattern, or all of it. */
function firstGroup(regex: string): string {
  let depth = 0;
  let start = -1;
  let inClass = false;
  for (let at = 0; at < regex.length; at++) {
    const char = regex.charAt(at);
    if (char === '\\') at++;
    else if (inClass) inClass = char !== ']';
    else if (char === '[') inClass = true;
    else if (char === '(') {
      if (start < 0 && regex.charAt(at + 1) !== '?') [start, depth] = [at + 1, 0];
      else depth++;
    } else if (char === ')' && start >= 0 && depth-- === 0) return regex.slice(start, at);
  }
  return regex;
}

function secretsOf(kind: Kind): string[] {
  try {
    return (
      fc
        .sample(fc.stringMatching(kind.secret), { numRuns: 40, seed: SEED, unbiased: true })
        // Nobody would take these for secrets: too short, or almost only one character.
        .filter((secret) => secret.length >= 10 && !/\s/.test(secret) && new Set(secret).size >= 8)
        .slice(0, SAMPLES)
    );
  } catch {
    return [];
  }
}

function* planted(kinds: readonly Kind[]): Generator<Case> {
  for (const kind of kinds) {
    for (const secret of secretsOf(kind)) {
      for (const [spelling, where] of SPELLINGS) {
        if (where === 'alone' && !kind.alone) continue;
        const text = spelling
          .replaceAll('NAME', kind.name.toUpperCase())
          .replaceAll('Name', kind.name.charAt(0).toUpperCase() + kind.name.slice(1))
          .replaceAll('name', kind.name)
          .replace('§', () => secret);
        yield { kind: kind.id, text, secret };
      }
    }
  }
}

function* lines(random: () => number): Generator<Case> {
  const password = (): string => {
    const word = ['Winter', 'lantern', 'Orbit', 'correct', 'Zebra', 'gravel'][Math.floor(random() * 6)] ?? '';
    const made = Array.from({ length: 12 }, () =>
      'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'.charAt(Math.floor(random() * 55)),
    );
    return random() < 0.5 ? `${word}${Math.floor(random() * 9000) + 1000}!` : `${made.join('')}7q`;
  };
  for (const line of PASSWORDS) {
    if (!inHalf(line)) continue;
    for (let sample = 0; sample < 4; sample++) {
      const secret = password();
      yield { kind: line, text: line.replace('§', () => secret), secret };
    }
  }
}

function* harmless(random: () => number): Generator<Case> {
  const hex = (length: number): string =>
    Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  const base = (length: number): string =>
    Array.from({ length }, () =>
      'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'.charAt(Math.floor(random() * 62)),
    ).join('');
  for (const line of HARMLESS) {
    if (!inHalf(line)) continue;
    for (let sample = 0; sample < 8; sample++) {
      const text = line
        .replaceAll('UUID', () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`)
        .replace(/HEX(\d+)/g, (_, length: string) => hex(Number(length)))
        .replace(/BASE(\d+)/g, (_, length: string) => base(Number(length)));
      yield { kind: line, text, secret: null };
    }
  }
}

/** Whether nothing useful of the secret is left: no six characters of it in a row. */
function isFound({ text, secret }: Case): boolean {
  if (secret === null) return false;
  const start = text.indexOf(secret);
  const left: string[] = [];
  let from = start;
  for (const finding of findSecrets(text)) {
    if (finding.end <= start || finding.start >= start + secret.length) continue;
    left.push(text.slice(from, Math.max(from, finding.start)));
    from = Math.max(from, finding.end);
  }
  left.push(text.slice(from, start + secret.length));
  // The prefix of a provider is not secret.
  return (
    left.every((piece, place) => piece.length < (place === 0 ? 17 : 6)) &&
    left.join('').length < secret.length / 2
  );
}

/** Whether one of our rules covers such secrets: it finds one without context. */
function isListed(kind: Kind | undefined): boolean {
  const secret = kind && secretsOf(kind)[0];
  if (secret === undefined) return false;
  const rows = PROVIDERS.flatMap(([, prefixes, rest]) =>
    prefixes.split(' ').map((prefix) => new RegExp(`^${prefix.replace(/[.$]/g, '\\$&')}${rest}`)),
  );
  return (
    rows.some((row) => row.test(secret)) ||
    SHAPES.some(([, shape]) => new RegExp(shape).test(secret.toLowerCase()))
  );
}

/** A share and its interval, resampled by kind: the cases of one kind are not independent. */
function share(cases: readonly { kind: string; hit: boolean }[]): string {
  const byKind = new Map<string, { hits: number; all: number }>();
  for (const { kind, hit } of cases) {
    const sum = byKind.get(kind) ?? { hits: 0, all: 0 };
    byKind.set(kind, { hits: sum.hits + Number(hit), all: sum.all + 1 });
  }
  const kinds = [...byKind.values()];
  const random = randomFrom(SEED);
  const drawn = Array.from({ length: ROUNDS }, () => {
    let hits = 0;
    let all = 0;
    for (let at = 0; at < kinds.length; at++) {
      const kind = kinds[Math.floor(random() * kinds.length)];
      hits += kind?.hits ?? 0;
      all += kind?.all ?? 0;
    }
    return hits / all;
  }).sort((a, b) => a - b);
  const figure = (value: number | undefined): string => (value ?? Number.NaN).toFixed(3);
  const hits = cases.filter(({ hit }) => hit).length;
  return `${figure(hits / cases.length)} [${figure(drawn[50])}, ${figure(drawn[1949])}] (${hits} of ${cases.length}, ${kinds.length} kinds)`;
}

function judge(title: string, cases: readonly Case[]): { kind: string; hit: boolean }[] {
  const judged = cases.map((one) => {
    const hit = one.secret === null ? findSecrets(one.text).length > 0 : isFound(one);
    if (values.misses && hit === (one.secret === null))
      process.stdout.write(`  ${one.kind}: ${one.text.slice(0, 200)}\n`);
    return { kind: one.kind, hit };
  });
  process.stdout.write(`${title}: ${share(judged)}\n`);
  return judged;
}

const [rules] = positionals;
if (rules === undefined) throw new Error('which rules? see the head of this script');
const random = randomFrom(SEED);
const kinds = kindsOf(readFileSync(rules, 'utf8')).filter(({ id }) => inHalf(id));
process.stdout.write(`half ${values.half}, seed ${SEED}\n`);
const tokens = judge('recall, keys of providers', [...planted(kinds)]);
const unlisted = tokens.filter(({ kind }) => !isListed(kinds.find(({ id }) => id === kind)));
process.stdout.write(`  of these, kinds that no row of our tables knows: ${share(unlisted)}\n`);
const passwords = judge('recall, passwords in commands, files and sentences', [...lines(random)]);
const alarms = judge('false alarms, look-alikes', [...harmless(random)]);
const found = [...tokens, ...passwords].filter(({ hit }) => hit).length;
const wrong = alarms.filter(({ hit }) => hit).length;
process.stdout.write(`recall in all: ${share([...tokens, ...passwords])}\n`);
process.stdout.write(`precision: ${(found / (found + wrong)).toFixed(4)} (${found} right, ${wrong} wrong)\n`);

if (values.texts !== undefined) {
  const counts = new Map<string, number>();
  let characters = 0;
  let findings = 0;
  for (const line of readFileSync(values.texts, 'utf8').split('\n')) {
    if (line === '') continue;
    const text: unknown = JSON.parse(line);
    if (typeof text !== 'string') continue;
    characters += text.length;
    for (const { kind, start, end } of findSecrets(text)) {
      findings++;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (values.misses)
        process.stdout.write(
          `${kind}\t${JSON.stringify(text.slice(Math.max(0, start - 60), start))}\t${JSON.stringify(text.slice(start, end).slice(0, 120))}\t${JSON.stringify(text.slice(end, end + 30))}\n`,
        );
    }
  }
  const list = [...counts].sort(([, a], [, b]) => b - a).map(([kind, count]) => `${count} ${kind}`);
  process.stdout.write(
    `real texts: ${findings} findings in ${(characters / 1e6).toFixed(1)} million characters: ${list.join(', ')}\n`,
  );
}
