/**
 * The tokens that a model is told at moments of real sessions, by kind of line, the pad apart.
 *
 *   npx tsx scripts/evaluate/costs.ts STARTS MOMENTS [--seed N] [--prompts N] [--texts]
 *
 * STARTS is what `starts.ts` printed, MOMENTS what `moments.ts --print` did, of whose prompts N are drawn. `--texts` prints
 * what was told and the prompt, in an order of their own, to be judged by who does not know which program told it.
 */
import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createRandom } from '../random.ts';
import { drawOrder, readArguments } from '../script.ts';

interface Moment {
  id: string;
  prompt: string;
  text: string;
}

const usage = 'STARTS [MOMENTS] [--seed N] [--prompts N] [--texts]';
const [[startsFile = '', momentsFile], options] = readArguments(usage, 1, {
  seed: 1,
  prompts: 20,
  texts: false,
});
const random = createRandom(options.seed);

/** The first kind that a line fits is its own; an item has the kind of the heading above it. */
const KINDS: [string, RegExp][] = [
  [
    'pad',
    /^(?:\[Session Scratchpad - |\((?:The scratchpad is empty|SCRATCHPAD\.md|This session's)|## (?:Plan|Notes|Refs))/,
  ],
  ['frame', /^\[(?:Session|End) Scratchpad/],
  ['heading, person', /(?:person's messages|person said|summary lacks).*:$|^## The person/],
  ['heading, agent', /^The agent.*:$/],
  ['more messages', /^- \(?\d+ more/],
  ['state', /The (?:last )?session.*(?:ago|here)/],
  ['question', /^(?:It asked|Of its last list)/],
];

const moments = [...readStarts(startsFile), ...(momentsFile === undefined ? [] : drawPrompts(momentsFile))];
if (options.texts) {
  for (const { id, prompt, text } of drawOrder(
    moments.filter((moment) => countLines(moment).size > 0),
    random,
  ))
    console.log(`### ${id}\nprompt: ${prompt}\ntold:\n${text}\n`);
} else {
  report();
}

function readStarts(file: string): Moment[] {
  const parts = readFileSync(file, 'utf8')
    .split(/^# Start \d+: /m)
    .slice(1);
  return parts.map((part) => ({
    id: part.split('\n', 1)[0] ?? '',
    prompt: readQuoted(part, 'Its first prompt'),
    text: readQuoted(part, 'What we said').replace('(nothing)', ''),
  }));
}

function readQuoted(part: string, heading: string): string {
  const [, quoted = ''] = new RegExp(`^## ${heading}\\n((?:> ?.*\\n?)*)`, 'm').exec(part) ?? [];
  return quoted.replace(/^> ?/gm, '').trim();
}

function drawPrompts(file: string): Moment[] {
  const parts = readFileSync(file, 'utf8')
    .split(/^## (?=session \d+, )/m)
    .slice(1);
  const prompts = parts.flatMap((part) => {
    const [, id = '', prompt = '', text = ''] = /^(.*)\n([\s\S]*?)\ntold:\n([\s\S]*?)\s*$/.exec(part) ?? [];
    return /^(?:startup|compact)$/.test(prompt)
      ? []
      : { id, prompt, text: text.replace(/^-$|\n\n\|[\s\S]*/, '') };
  });
  return drawOrder(prompts, random).slice(0, options.prompts);
}

/** Tokens of a text by the kind of line; empty if nothing is told beside the pad. */
function countLines({ text }: Moment): Map<string, number> {
  const counts = new Map<string, number>();
  let section = '';
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const own = KINDS.find(([, pattern]) => pattern.test(line))?.[0];
    if (own?.startsWith('heading')) section = own.replace('heading, ', 'words, ');
    else if (own !== undefined || !line.startsWith('- ')) section = own ?? section;
    const isSectionLine = own === undefined && section !== '';
    const kind = isSectionLine ? section : (own ?? 'other');
    counts.set(kind, (counts.get(kind) ?? 0) + countTokens(`${line}\n`));
  }
  // The pad is told in a frame of its own at a start, with or without other lines.
  if (counts.delete('pad') && !text.includes('Scratchpad: news')) counts.delete('frame');
  if ([...counts.keys()].join() === 'frame') counts.clear();
  return counts;
}

function report(): void {
  const all = moments.map(countLines);
  const sums = new Map<string, { tokens: number; moments: number }>();
  for (const counts of all)
    for (const [kind, tokens] of counts) {
      const sum = sums.get(kind) ?? { tokens: 0, moments: 0 };
      sums.set(kind, { tokens: sum.tokens + tokens, moments: sum.moments + 1 });
    }
  const total = [...sums.values()].reduce((sum, { tokens }) => sum + tokens, 0);
  console.log(`| moments | with something told | tokens | a moment |\n|---|---|---|---|`);
  const told = all.filter(({ size }) => size > 0).length;
  console.log(`| ${all.length} | ${told} | ${total} | ${(total / all.length).toFixed(1)} |\n`);
  console.log('| kind of line | moments | tokens | share |\n|---|---|---|---|');
  for (const [kind, { tokens, moments: n }] of [...sums].sort((a, b) => b[1].tokens - a[1].tokens))
    console.log(`| ${kind} | ${n} | ${tokens} | ${((100 * tokens) / total).toFixed(0)} % |`);
}
