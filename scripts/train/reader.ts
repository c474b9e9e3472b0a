/**
 * Learns the weights of the reader of messages to agents (`src/sentiment/reader.ts`).
 *
 *   npx tsx scripts/train/reader.ts DATA
 *
 * DATA holds `agent-chat/dev.jsonl.gz`. It uses the trained model, so run it after `scripts/train/index.ts`; it writes
 * `reader.json` beside the model. The threshold is set on messages of repositories that were not in the training data
 * of the weights used for them. Takes half a minute.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModel } from '../../src/sentiment/model.ts';
import { readArguments } from '../script.ts';
import { findThreshold, fitReader, labelMessages, readOutside } from './reader-fit.ts';
import { readAgentChat } from './rows.ts';

const [[folder = '']] = readArguments('DATA', 1, {});
const texts = labelMessages(readAgentChat(folder), loadModel());
const random = texts.map(({ row }) => row.drawn === 'random');
const outside = readOutside(texts).filter((_, i) => random[i]);
const truth = texts.filter((_, i) => random[i]).map(({ row }) => (row.labels.frustration > 0 ? 1 : 0));
const named = findThreshold(
  outside.map(({ displeased }) => displeased),
  truth,
);
writeFileSync(
  join(import.meta.dirname, '../../models/reader.json'),
  `${JSON.stringify({ ...fitReader(texts), named }, undefined, 2)}\n`,
);
process.stdout.write(`reader.json: ${texts.length} messages, named from ${named}\n`);
