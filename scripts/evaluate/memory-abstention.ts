/**
 * How often memory search returns lines although there is no answer, against the recall that avoiding this costs.
 * `tsx scripts/evaluate/memory-abstention.ts DATA [CHATS]`: DATA as for `memory.ts`; CHATS are gzipped files of JSON
 * lines with `text`, messages that have nothing to do with the memories.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { scan } from '../../src/memory/scan.ts';
import { candidates, placeOf, queriesOf } from './memory.ts';
import { mean } from './stats.ts';

const THRESHOLDS = [0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5];
/** Messages of each file that are used as queries on each memory. */
const CHAT_SAMPLE = 400;

/** Everyday requests to an agent, to which no memory of a private life has an answer. */
const ORDERS = [
  'run the tests again',
  'fix the typo in the README',
  'why does the build fail on CI?',
  'commit this with a short message',
  'rename the function and update its callers',
  'can you explain what this regex does?',
  'the page is blank after the last change',
  'add a flag for verbose output',
  'revert that, it broke the login',
  'how do I list the files that changed since yesterday?',
  'write a test for the empty input',
  'bump the version and publish',
  'thanks, that works',
  'make it faster',
  'what does this error mean: ECONNREFUSED 127.0.0.1:5432',
  'use a map instead of the switch',
  'please format the code',
  'go on',
  'is there a simpler way?',
  'show me the diff',
];

async function main(data: string, chats: readonly string[]): Promise<void> {
  const root = join(data, 'locomo-dev');
  const ids = readdirSync(root);
  const cranfield = readFileSync(join(data, 'cranfield/cran.qry'), 'utf8')
    .replaceAll('\r', '')
    .split(/^\.I /m)
    .slice(1)
    .map((part) => (/\.W\n([\s\S]*)$/.exec(part)?.[1] ?? '').replaceAll('\n', ' ').trim());
  /**
   * Share of the query that is covered, by kind of query: for queries answered within five lines, and for the
   * others.
   */
  const kinds = new Map<string, number[]>();
  const add = (kind: string, covered: number | undefined): void => {
    // A chat without information never gets an answer.
    kinds.set(kind, [...(kinds.get(kind) ?? []), covered ?? -1]);
  };
  for (const [k, id] of ids.entries()) {
    const { segment } = await scan({ workspace: join(root, id) });
    for (const { query, evidence } of queriesOf(join(root, id))) {
      const { ranked, covered } = candidates(segment, [query], 5);
      add(ranked.some((each) => evidence.includes(placeOf(each))) ? 'own, found' : 'own, missed', covered);
    }
    const asMessage = (text: string): number | undefined => candidates(segment, ['', text], 5).covered;
    for (const { query } of queriesOf(join(root, ids[(k + 1) % ids.length] ?? id)))
      add('other people', asMessage(query));
    for (const text of cranfield) add('another field', asMessage(text));
    for (const text of ORDERS) add('orders to an agent', asMessage(text));
    for (const file of chats) {
      const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
      const step = Math.max(1, Math.floor(lines.length / CHAT_SAMPLE));
      for (let at = 0; at < lines.length; at += step) {
        const { text } = JSON.parse(lines[at] ?? '{}') as { text?: string };
        if (text !== undefined) add(basename(file, '.jsonl.gz'), asMessage(text.slice(0, 2000)));
      }
    }
  }
  const [found = [], missed = []] = [kinds.get('own, found'), kinds.get('own, missed')];
  const strangers = [...kinds].filter(([kind]) => !kind.startsWith('own'));
  console.log(
    `| threshold | found, lost | asked of its own memory, no answer | ${strangers.map(([kind, all]) => `${kind} (${all.length}), no answer`).join(' | ')} |`,
  );
  console.log(`|---|---|---|${strangers.map(() => '---|').join('')}`);
  for (const threshold of THRESHOLDS) {
    const below = (all: readonly number[]): string =>
      `${(100 * mean(all.map((covered) => (covered < threshold ? 1 : 0)))).toFixed(1)} %`;
    const cells = [below(found), below([...found, ...missed]), ...strangers.map(([, all]) => below(all))];
    console.log(`| ${threshold.toFixed(2)} | ${cells.join(' | ')} |`);
  }
}

const [data, ...chats] = process.argv.slice(2);
if (data === undefined) {
  console.error('usage: tsx scripts/evaluate/memory-abstention.ts DATA [CHATS.jsonl.gz …]');
  process.exitCode = 2;
} else await main(data, chats);
