import { join } from 'node:path';
import { misuse } from '../base/errors.ts';
import { ensureFolder, tryStat, writeAtomically } from '../base/fs/index.ts';
import { counted } from '../base/text/counts.ts';
import { fileArgument, type Invocation, type Takes, write } from './invocation.ts';
import { needPad, needSession, openSession } from './open.ts';
import { renderPage } from './report/page.ts';
import { localTimes } from './terminal.ts';

type PageOptions = Takes<'output' | 'transcript'>;

/** Writes one HTML page of the session. */
export async function report(invocation: Invocation, options: PageOptions): Promise<void> {
  const opened = await openSession(invocation);
  await needSession(opened);
  const { pad, store } = opened;
  needPad((await store.read()).exists, opened);
  const { collectReport } = await import('./report/collect.ts');
  const transcript =
    options.transcript === undefined ? undefined : fileArgument(options.transcript, invocation);
  const data = await collectReport(pad, store.paths, transcript);
  const local = localTimes(pad.config);
  const html = renderPage(data, {
    zone: pad.config.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    // Zones differ by whole minutes.
    spell: (at) => `${local(at)}:${at.slice(17, 19)}`,
  });
  if (options.output === '-') {
    write(1, html);
    return;
  }
  const file =
    options.output === undefined
      ? join(store.paths.data, 'report.html')
      : fileArgument(options.output, invocation);
  if (tryStat(file)?.isDirectory()) {
    throw misuse('the page needs the name of a file', {
      where: '--output',
      expected: 'a file, or - for stdout',
      found: `the directory ${file}`,
      next: `give a file name: scratchpad report -o ${join(options.output ?? file, 'report.html')}`,
    });
  }
  if (options.output === undefined) ensureFolder(store.paths.data);
  writeAtomically(file, html);
  const bytes = Buffer.byteLength(html);
  invocation.result({ file, bytes, events: data.events.length }, file);
  const { length } = data.events;
  const found = length === 0 ? 'no session of an agent was found' : counted(length, 'event');
  invocation.note(`${found}; open the page in a browser; it needs no network`);
}
