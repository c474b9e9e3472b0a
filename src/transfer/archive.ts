import { createHash } from 'node:crypto';
import type { Pad } from '../core/context.ts';
import { sessionIds } from '../core/session-folders.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { ScratchpadError } from '../errors.ts';
import { argumentStream, readText } from '../fs/index.ts';
import { redactSecrets } from '../safety/index.ts';
import { FileStore } from '../session/file-store.ts';
import type { Spaces } from '../session/journal.ts';
import { parsedObject } from '../text/json.ts';
import { keptTrails, trailJson } from '../trail/store.ts';

/**
 * A whole workspace as one file with one JSON value per line. First `head`, then for each session `session`,
 * its entries (`entry`, followed by its content in pieces), the trails, and `end` with the digest of all
 * lines before it.
 */
export type Row =
  | { type: 'head'; scratchpad: 1; made: string; primary: string; redacted: boolean }
  | { type: 'session'; session: string; spaces: Spaces; journal?: string }
  | { type: 'entry'; session: string; name: string; origin: string; updated: string; bytes: number }
  | { type: 'piece'; base64: string }
  | { type: 'trail'; trail: string }
  | { type: 'end'; sha256: string };

export interface Packed {
  sessions: number;
  entries: number;
  trails: number;
}

/**
 * The lines of a workspace's archive.
 * @param counts updated while the lines are produced
 */
export async function* pack(pad: Pad, redact: boolean, counts: Packed): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  for await (const row of rowsOf(pad, redact, counts)) {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    digest.update(line);
    yield line;
  }
  yield Buffer.from(`${JSON.stringify({ type: 'end', sha256: digest.digest('hex') } satisfies Row)}\n`);
}

async function* rowsOf(pad: Pad, redact: boolean, counts: Packed): AsyncGenerator<Row> {
  const { root, config, env, now } = pad;
  const clean = (text: string): string => (redact ? redactSecrets(text) : text);
  const primary = config.primarySession;
  yield { type: 'head', scratchpad: 1, made: new Date(now()).toISOString(), primary, redacted: redact };
  for (const session of new Set([primary, ...sessionIds(root)])) {
    const store = new FileStore(root, session, { primary, now, env });
    const { exists, spaces } = await store.read();
    if (!exists) continue;
    // Text redacted from the spaces would still be in their history.
    const journal = redact ? undefined : readText(store.paths.journal, 'journal');
    const { plan, notes, refs } = spaces;
    const texts = { plan: clean(plan), notes: clean(notes), refs: clean(refs) };
    yield { type: 'session', session, spaces: texts, ...(journal === undefined ? {} : { journal }) };
    counts.sessions += 1;
    const entries = new FileEntries(store.paths, now);
    for (const { name, origin, updated, bytes, readOnly } of await entries.list()) {
      if (readOnly) continue;
      yield { type: 'entry', session, name, origin: clean(origin), updated, bytes };
      counts.entries += 1;
      yield* piecesOf(entries.bytes(name), redact);
    }
  }
  for (const record of keptTrails(root)) {
    yield { type: 'trail', trail: clean(trailJson(record)) };
    counts.trails += 1;
  }
}

async function* piecesOf(content: AsyncIterable<Buffer>, redact: boolean): AsyncGenerator<Row> {
  if (!redact) {
    for await (const piece of content) yield { type: 'piece', base64: piece.toString('base64') };
    return;
  }
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  const text = Buffer.from(redactSecrets(Buffer.concat(pieces).toString()));
  yield { type: 'piece', base64: text.toString('base64') };
}

/**
 * The rows of an archive, in order.
 * @throws ScratchpadError `refused` for a file that is not an archive, or is incomplete
 */
export async function* unpack(path: string): AsyncGenerator<Row> {
  const digest = createHash('sha256');
  let ended = false;
  for await (const line of linesOf(path)) {
    if (ended) throw notWhole(path, 'lines after its end');
    const row = rowFrom(line);
    if (row === undefined) throw notWhole(path, 'an unreadable line');
    ended = row.type === 'end';
    if (row.type === 'end' && row.sha256 !== digest.digest('hex')) throw notWhole(path, 'another content');
    if (!ended) digest.update(`${line}\n`);
    yield row;
  }
  if (!ended) throw notWhole(path, 'no end');
}

/** Whether a file's first line is that of an archive. */
export function isArchive(firstLine: string): boolean {
  const row = rowFrom(firstLine);
  return row?.type === 'head' && row.scratchpad === 1;
}

async function* linesOf(path: string): AsyncGenerator<string> {
  let held = '';
  const decoder = new TextDecoder();
  for await (const piece of argumentStream(path)) {
    const lines = (held + decoder.decode(piece, { stream: true })).split('\n');
    held = lines.pop() ?? '';
    yield* lines;
  }
  if (held !== '') yield held;
}

function rowFrom(line: string): Row | undefined {
  const row = parsedObject(line);
  return row && 'type' in row ? (row as unknown as Row) : undefined;
}

function notWhole(path: string, found: string): ScratchpadError {
  return new ScratchpadError('refused', 'the archive is incomplete: nothing was imported', {
    where: path,
    expected: 'a file written by scratchpad export',
    found,
  });
}
