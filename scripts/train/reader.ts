/**
 * Learns the weights of the reader of messages to agents (`src/sentiment/reader.ts`).
 *
 *   npx tsx scripts/train/reader.ts DATA [--models models]
 *
 * DATA holds `agent-chat/dev.jsonl.gz`. It uses the trained model, and writes `reader.json` beside it. The threshold is set on messages of repositories that were not in the
 * training data of the weights used for them. Takes half a minute on one core.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadModel } from '../../src/sentiment/model.ts';
import { findThreshold, fitReader, labelMessages, readOutside } from './reader-fit.ts';
import { readAgentChat } from './rows.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { models: { type: 'string' } },
});
const folder = positionals[0];
if (folder === undefined) throw new Error('usage: scripts/train/reader.ts DATA [--models models]');
const models = values.models ?? 'models';
const texts = labelMessages(readAgentChat(folder), loadModel(models));
const random = texts.map(({ row }) => row.drawn === 'random');
const outside = readOutside(texts).filter((_, i) => random[i]);
const truth = texts.filter((_, i) => random[i]).map(({ row }) => (row.labels.frustration > 0 ? 1 : 0));
const named = findThreshold(
  outside.map(({ displeased }) => displeased),
  truth,
);
writeFileSync(
  join(models, 'reader.json'),
  `${JSON.stringify({ ...fitReader(texts), named }, undefined, 2)}\n`,
);
process.stdout.write(`reader.json: ${texts.length} messages, named from ${named}\n`);
