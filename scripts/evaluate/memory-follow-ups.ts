/**
 * Recall of memory search where the last message only continues the one before, and where the question follows an
 * opening remark. `tsx scripts/evaluate/memory-follow-ups.ts DATA [dev|unseen] [--each]`, where DATA holds
 * `memory/locomo-dev`, `agent-chat` and `resume`. Prints a table in Markdown; `--each` adds a line for every wording.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { scan } from '../../src/memory/scan.ts';
import { percent, queriesOf, scoreOf } from './memory.ts';
import { bootstrap, mean, pick } from './stats.ts';
import { wordingsOf } from './wordings.ts';

/** Wordings tried on each question. */
const EACH = 6;

interface Row {
  wording: string;
  /** Recall at five of the bare question, and of the chat. */
  clean: number;
  chat: number;
}

async function rowsOf(data: string, half: 'dev' | 'unseen'): Promise<Record<'followUps' | 'leadIns', Row[]>> {
  const wordings = wordingsOf(data, half);
  const out: Record<'followUps' | 'leadIns', Row[]> = { followUps: [], leadIns: [] };
  const root = join(data, 'memory/locomo-dev');
  let turn = 0;
  for (const id of readdirSync(root)) {
    const workspace = join(root, id);
    const { segment } = await scan({ workspace });
    for (const { query, elliptical, drift, evidence } of queriesOf(workspace)) {
      const clean = scoreOf(segment, [query], evidence).r5;
      for (let i = 0; i < EACH; i++, turn++) {
        const followUp = wordings.followUps[turn % wordings.followUps.length] ?? '';
        const chat = [...elliptical.slice(0, -1), followUp];
        out.followUps.push({ wording: followUp, clean, chat: scoreOf(segment, chat, evidence).r5 });
        const leadIn = wordings.leadIns[turn % wordings.leadIns.length] ?? '';
        const asked = [...drift.slice(0, -1), `${leadIn} ${query}`];
        out.leadIns.push({ wording: leadIn, clean, chat: scoreOf(segment, asked, evidence).r5 });
      }
    }
  }
  return out;
}

async function main(data: string, half: 'dev' | 'unseen', each: boolean): Promise<void> {
  console.log('| wordings | n | R@5 alone | R@5 in the chat | lost |\n|---|---|---|---|---|');
  for (const [kind, rows] of Object.entries(await rowsOf(data, half))) {
    const lost = rows.map(({ clean, chat }) => clean - chat);
    const over = (values: number[]): string =>
      percent(bootstrap(values.length, (sample) => mean(pick(values, sample)), { rounds: 300 }));
    const count = new Set(rows.map(({ wording }) => wording)).size;
    const cells = [rows.map(({ clean }) => clean), rows.map(({ chat }) => chat), lost].map(over);
    console.log(`| ${kind}, ${half} (${count}) | ${rows.length} | ${cells.join(' | ')} |`);
    if (!each) continue;
    const losses = [...new Set(rows.map(({ wording }) => wording))].map((wording) => {
      const of = rows.filter((row) => row.wording === wording);
      return [100 * mean(of.map(({ clean, chat }) => clean - chat)), wording] as const;
    });
    for (const [loss, wording] of losses.sort((a, b) => b[0] - a[0]))
      console.log(`  ${loss.toFixed(1)} ${JSON.stringify(wording)}`);
  }
}

const [data, half = 'dev', ...flags] = process.argv.slice(2);
if (data === undefined || (half !== 'dev' && half !== 'unseen')) {
  console.error('usage: tsx scripts/evaluate/memory-follow-ups.ts DATA [dev|unseen] [--each]');
  process.exitCode = 2;
} else await main(data, half, flags.includes('--each'));
