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
import { HARMLESS, PASSWORDS } from '../../test/safety/lines.ts';
import { randomFrom } from '../random.ts';
import { bootstrap, mean, pick, show } from './stats.ts';

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

/** How the key of a provider is written down, with `§` for it: first those without a word that announces it. */
const ALONE = [
  'use § for the staging deploy',
  'it answered with § and then failed',
  '| staging | `§` | ok |',
];
const TOLD = [
  'export NAME_TOKEN=§',
  'NAME_API_KEY="§"',
  '  "nameApiKey": "§",',
  'name_secret: §',
  "const nameKey = '§';",
  'the name api key is §',
  'System.setProperty("NAME_TOKEN", "§")',
  '<nameToken>§</nameToken>',
  '  --set name.token=§',
  'curl -H "X-Name-Token: §" https://api.name.io/v1/me',
  'curl -H "Authorization: Bearer §" https://api.name.io/v1/me',
  'Name access token: §',
];
/** Halves of a pair that are not secret by themselves, and rules that describe a whole file or any secret at all. */
const NO_KIND =
  /client-id|public-key|pub-api|access-id|key-id|generic|^jwt|private-key|kubernetes|curl|nuget|pkcs12/;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: 'string', default: 'all' },
    texts: { type: 'string' },
    seed: { type: 'string', default: '1' },
    misses: { type: 'boolean', default: false },
  },
});
const [rules] = positionals;
if (rules === undefined) throw new Error('which rules? see the head of this script');
const seed = Number(values.seed);
const random = randomFrom(seed);
const drawn = (length: number, from = LETTERS): string =>
  Array.from({ length }, () => from.charAt(Math.floor(random() * from.length))).join('');
const hex = (length: number): string => drawn(length, '0123456789abcdef');
const inHalf = (id: string): boolean => {
  const half = (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0 ? 'a' : 'b';
  return values.half === 'all' || values.half === half;
};

console.log(`half ${values.half}, seed ${seed}`);
const kinds = kindsOf(readFileSync(rules, 'utf8'));
const tokens = judge('recall, keys of providers', kinds.flatMap(planted));
const passwords = judge(
  'recall, passwords in commands, files and sentences',
  PASSWORDS.filter(inHalf).flatMap((line) => Array.from({ length: 4 }, () => withPassword(line))),
);
const alarms = judge(
  'false alarms, look-alikes',
  HARMLESS.filter(inHalf).flatMap((line) => Array.from({ length: 8 }, () => lookAlike(line))),
);
console.log(`recall in all: ${share([...tokens, ...passwords])}`);
const found = [...tokens, ...passwords].filter(({ hit }) => hit).length;
const wrong = alarms.filter(({ hit }) => hit).length;
console.log(`precision: ${(found / (found + wrong)).toFixed(4)} (${found} right, ${wrong} wrong)`);
if (values.texts !== undefined) realTexts(values.texts);

/** The kinds of a configuration whose secret can be made from their pattern. */
function kindsOf(toml: string): Kind[] {
  return toml
    .split('[[rules]]')
    .slice(1)
    .flatMap((block) => {
      const id = /^id = "([^"]+)"/m.exec(block)?.[1] ?? '';
      const regex = /^regex = '''(.+)'''/m.exec(block)?.[1];
      if (regex === undefined || NO_KIND.test(id) || !inHalf(id)) return [];
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
  if (inner.includes('\\S') || all.length === 0) return whole;
  return `[${all.map((char) => (/\w/.test(char) ? char : `\\${char}`)).join('')}]`;
}

/** The first capturing group of a pattern, or all of it. */
function firstGroup(regex: string): string {
  let [depth, start, inClass] = [0, -1, false];
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

/** Two secrets of a kind in every spelling. */
function planted({ id, name, secret: pattern, alone }: Kind): Case[] {
  let secrets: string[] = [];
  try {
    secrets = fc.sample(fc.stringMatching(pattern), { numRuns: 40, seed, unbiased: true });
  } catch {
    return [];
  }
  // Nobody would take these for secrets: too short, or almost only one character.
  const telling = secrets.filter((one) => one.length >= 10 && !/\s/.test(one) && new Set(one).size >= 8);
  return telling.slice(0, 2).flatMap((secret) =>
    [...(alone ? ALONE : []), ...TOLD].map((spelling) => {
      const text = spelling
        .replaceAll('NAME', name.toUpperCase())
        .replaceAll('Name', name.charAt(0).toUpperCase() + name.slice(1))
        .replaceAll('name', name)
        .replace('§', () => secret);
      return { kind: id, text, secret };
    }),
  );
}

function withPassword(line: string): Case {
  const word = ['Winter', 'lantern', 'Orbit', 'correct', 'Zebra', 'gravel'][Math.floor(random() * 6)] ?? '';
  const secret = random() < 0.5 ? `${word}${Math.floor(random() * 9000) + 1000}!` : `${drawn(12)}7q`;
  return { kind: line, text: line.replace('§', () => secret), secret };
}

function lookAlike(line: string): Case {
  const text = line
    .replaceAll('UUID', () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`)
    .replace(/HEX(\d+)/g, (_, length: string) => hex(Number(length)))
    .replace(/BASE(\d+)/g, (_, length: string) => drawn(Number(length)));
  return { kind: line, text, secret: null };
}

/** Whether nothing useful of the secret is left: no six characters of it in a row. */
function isFound(text: string, secret: string): boolean {
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
  const small = left.every((piece, place) => piece.length < (place === 0 ? 17 : 6));
  return small && left.join('').length < secret.length / 2;
}

interface Judged {
  kind: string;
  hit: boolean;
}

function judge(title: string, cases: readonly Case[]): Judged[] {
  const judged = cases.map(({ kind, text, secret }) => {
    const hit = secret === null ? findSecrets(text).length > 0 : isFound(text, secret);
    if (values.misses && hit === (secret === null)) console.log(`  ${kind}: ${text.slice(0, 200)}`);
    return { kind, hit };
  });
  console.log(`${title}: ${share(judged)}`);
  return judged;
}

/** A share and its interval, resampled by kind: the cases of one kind are not independent. */
function share(cases: readonly Judged[]): string {
  const hits = cases.map(({ hit }) => Number(hit));
  const groupOf = (i: number): string => cases[i]?.kind ?? '';
  const interval = bootstrap(hits.length, (sample) => mean(pick(hits, sample)), { groupOf });
  return `${show(interval)} (${hits.filter(Boolean).length} of ${hits.length}, ${interval.n} kinds)`;
}

function realTexts(file: string): void {
  const counts = new Map<string, number>();
  let [characters, findings] = [0, 0];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const text: unknown = line === '' ? undefined : JSON.parse(line);
    if (typeof text !== 'string') continue;
    characters += text.length;
    for (const { kind, start, end } of findSecrets(text)) {
      findings++;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      const around = [text.slice(Math.max(0, start - 60), start), text.slice(start, end).slice(0, 120)];
      if (values.misses) console.log(`${kind}\t${JSON.stringify(around)}`);
    }
  }
  const list = [...counts].sort(([, a], [, b]) => b - a).map(([kind, count]) => `${count} ${kind}`);
  const million = (characters / 1e6).toFixed(1);
  console.log(`real texts: ${findings} findings in ${million} million characters: ${list.join(', ')}`);
}
