import { createLogUpdate } from 'log-update';
import { changeInShort, historyOf, rowsOf, spellAuthor } from '../core/history.ts';
import { isTerminal } from '../fs/index.ts';
import { remembered } from '../hosts/session-memory.ts';
import { toldIn } from '../injection/ledger.ts';
import { parseDuration } from '../pad/freshness.ts';
import { forTerminal } from '../safety/index.ts';
import { fitted } from './fit.ts';
import type { Invocation } from './invocation.ts';
import { needPad, needSession, type Opened, openSession } from './open.ts';
import { overviewLines, overviewPaint } from './overview.ts';
import { localTimes, painter } from './terminal.ts';

const CHANGES = 6;
const TOLD = 4;
const HINT = 'q quits';

/**
 * A summary of the pad, its last changes and the text last shown to the model, redrawn on every change until `q` or
 * a signal ends it. It is printed once if stdout is not a terminal.
 */
export async function top(invocation: Invocation, options: { interval?: string }): Promise<void> {
  const every = options.interval === undefined ? 1000 : parseDuration(options.interval, '--interval');
  const opened = await openSession(invocation);
  await needSession(opened);
  needPad((await opened.store.read()).exists, opened);
  const paint = painter(invocation.env);
  const colour = overviewPaint(paint);
  if (!isTerminal(1)) {
    const { overview, history } = await parts(invocation, opened);
    invocation.result({}, [...overview, ...history].join('\n'));
    return;
  }
  const frame = async (): Promise<string> => {
    const { columns = 80, rows = 24 } = process.stdout;
    const { overview, history } = await parts(invocation, opened);
    const safe = (texts: readonly string[]): string[] => forTerminal(texts.join('\n')).split('\n');
    // The cursor stands on a line of its own below the frame.
    const screen = { columns, rows: rows - 1 };
    return fitted(safe(overview), safe(history), screen, { line: colour, hint: paint('dim', HINT) });
  };
  const draw = createLogUpdate(process.stdout);
  let ended = false;
  const end = new Promise<void>((resolve) => {
    const stop = (): void => {
      ended = true;
      resolve();
    };
    process.once('SIGINT', stop).once('SIGTERM', stop);
    if (isTerminal(0)) {
      process.stdin.setRawMode(true).resume();
      // In raw mode Control-C is a key like any other.
      process.stdin.on('data', (key: Buffer) => /^[q\u0003\u0004]/i.test(key.toString()) && stop());
    }
  });
  while (!ended) {
    draw(await frame());
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, every).unref())]);
  }
  draw.done();
  if (isTerminal(0)) process.stdin.setRawMode(false).pause();
}

/** The lines of the overview, and those of the last changes and of what was told, each title after a blank line. */
async function parts(
  invocation: Invocation,
  opened: Opened,
): Promise<{ overview: string[]; history: string[] }> {
  const { pad, store, config, workspace } = opened;
  const local = localTimes(config, workspace.root);
  const rows = rowsOf(await historyOf(pad))
    .slice(-CHANGES)
    .reverse();
  const ledger = remembered(store.paths.data).find(({ memory }) => memory.ledger !== undefined)?.memory
    .ledger;
  const told = ledger === undefined ? [] : toldIn(ledger).slice(-TOLD).reverse();
  return {
    overview: overviewLines(invocation, opened, await store.read()),
    history: [
      ...(rows.length === 0 ? [] : ['', 'Changes:']),
      ...rows.map(
        (row) =>
          `  ${local(row.timestamp)}  ${row.space} ${row.op} (${spellAuthor(row)})  ${changeInShort(row)}`,
      ),
      ...(told.length === 0 ? [] : ['', 'Told to the model:']),
      ...told.map(({ at, text }) => `  ${local(at)}  ${text}`),
    ],
  };
}
