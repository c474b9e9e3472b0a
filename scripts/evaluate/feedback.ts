import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { understand } from '../../src/feedback/sayings.ts';
import type { Meaning } from '../../src/feedback/types.ts';
import { readTranscriptText } from '../../src/transcript/read.ts';
import { OTHERS, REMARKS } from './feedback-remarks.ts';

/**
 * How well remarks on the answers are noticed, measured on remarks written for this purpose, and how often ordinary
 * talk is mistaken for one. DATA is a folder with `sentiment/*.jsonl.gz` (texts of public collections) and
 * `transcripts/*.jsonl.gz` (sessions with agents); without it only the first part runs.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { show: { type: 'boolean', default: false } },
});
const [data] = positionals;
const say = (line: string): void => console.log(line);
const noticed = (text: string): Meaning[] => understand(text).map(({ meaning }) => meaning);

function remarks(): void {
  const found = REMARKS.filter(([meaning, text]) => noticed(text).includes(meaning));
  const wrong = REMARKS.filter(([meaning, text]) => noticed(text).some((each) => each !== meaning));
  const alarms = OTHERS.filter((text) => noticed(text).length > 0);
  say(
    `remarks noticed in a transcript: ${found.length} of ${REMARKS.length}; taken for something else: ${wrong.length}`,
  );
  say(`other messages taken for a remark: ${alarms.length} of ${OTHERS.length}`);
  if (!values.show) return;
  for (const [meaning, text] of REMARKS)
    if (!found.some((each) => each[1] === text)) say(`  missed, ${meaning}: ${text}`);
  for (const text of alarms) say(`  false alarm, ${noticed(text)}: ${text}`);
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (value !== null && typeof value === 'object')
    for (const each of Object.values(value)) yield* textsOf(each);
}

function collections(folder: string): void {
  let texts = 0;
  let found = 0;
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.jsonl.gz'))) {
    for (const line of gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .split('\n')) {
      if (line === '') continue;
      for (const text of textsOf(JSON.parse(line))) {
        // Labels and ids are not text that a person wrote.
        if (!text.includes(' ')) continue;
        texts += 1;
        const meanings = noticed(text);
        if (meanings.length === 0) continue;
        found += 1;
        if (values.show) say(`  ${name}, ${meanings}: ${text.slice(0, 100).replaceAll('\n', ' ')}`);
      }
    }
  }
  say(`texts of public collections: ${texts}, taken for a remark: ${found}`);
}

async function sessions(folder: string): Promise<void> {
  const counts = { people: 0, others: 0, found: 0 };
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.jsonl.gz'))) {
    const text = gunzipSync(readFileSync(join(folder, name))).toString();
    const { messages } = await readTranscriptText(text, { limit: Number.POSITIVE_INFINITY }, name);
    for (const { role, content } of messages) {
      counts[role === 'user' ? 'people' : 'others'] += 1;
      if (noticed(content).length > 0) counts.found += 1;
    }
  }
  say(
    `messages of sessions with agents: ${counts.people} of people, ${counts.others} others, taken for a remark: ${counts.found}`,
  );
}

remarks();
if (data !== undefined) {
  collections(join(data, 'sentiment'));
  await sessions(join(data, 'transcripts'));
}
