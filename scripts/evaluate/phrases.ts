/**
 * Phrases that were written by hand: is a first prompt known to go on with the work before it, and is a message that
 * forbids what a prompt asks for found? `unseen` were written before the rules and never used for them.
 *
 *   npx tsx scripts/evaluate/phrases.ts [--misses]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messagesOf, stateOf } from '../../src/handover/index.ts';
import { forbidden, relationOf } from '../../src/handover/prompt.ts';
import { recordOf } from './replay.ts';

/** The session before, of somebody who has the totals of a shop mended. */
const SAID = [
  'The invoices print wrong totals if a customer has discounts. First mend the rounding in src/totals.ts, then the rendering of the PDF.',
  'use half-even rounding, and keep toCents as it is',
];
const ANSWER =
  'The rounding is mended and its tests pass. I propose to render the PDF with the new totals next.';

const rows = readFileSync(join(import.meta.dirname, 'phrases.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.split(' | '));
const state = await stateAfter([...SAID], ANSWER);
const counts = new Map<string, [right: number, all: number]>();
for (const [part = '', label = '', ...texts] of rows) {
  const isRight =
    label === 'goes on' || label === 'other'
      ? (relationOf(texts[0] ?? '', state.state, state.said, SAID[0]) === 'goes on') === (label === 'goes on')
      : forbidden(texts[1] ?? '', (await stateAfter([texts[0] ?? ''], 'ok')).said).length > 0 ===
        (label === 'forbids');
  const count = counts.get(`${part}, ${label}`) ?? [0, 0];
  counts.set(`${part}, ${label}`, [count[0] + Number(isRight), count[1] + 1]);
  if (!isRight && process.argv.includes('--misses') && part === 'seen') console.log(label, '|', ...texts);
}
for (const [name, [right, all]] of counts) console.log(`| ${name} | right ${right} of ${all} |`);

async function stateAfter(said: readonly string[], answer: string) {
  const at = (minute: number): string => new Date(Date.UTC(2026, 0, 5, 9, minute)).toISOString();
  const lines = [...said.map((text) => ({ role: 'user', text })), { role: 'assistant', text: answer }].map(
    ({ role, text }, index) => ({
      type: role,
      uuid: `${index}`,
      parentUuid: index === 0 ? null : `${index - 1}`,
      sessionId: 'before',
      cwd: '/shop',
      gitBranch: 'main',
      timestamp: at(index),
      message: { role, content: [{ type: 'text', text }] },
    }),
  );
  const record = await recordOf(lines.map((line) => JSON.stringify(line)).join('\n'), '/shop');
  const stored = { session: 'before', root: '/shop', worktree: '', branch: 'main', forgotten: [], record };
  const found = stateOf(stored, undefined, '/shop');
  return {
    said: messagesOf(stored),
    state: {
      ...found,
      open: ['edits' as const],
      edited: ['src/totals.ts'],
      uncommitted: ['src/totals.ts'],
      tasks: [{ text: 'Render the PDF', status: 'open' as const }],
    },
  };
}
