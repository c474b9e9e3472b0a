import { join } from 'node:path';
import { misuse } from '../base/errors.ts';
import { ensureFolder, tryStat, writeAtomically } from '../base/fs/index.ts';
import { counted } from '../base/text/strings.ts';
import { command } from './command.ts';
import { fileArgument, write } from './invocation.ts';
import { needPad, openKnown } from './open.ts';
import { renderPage } from './report/page.ts';
import { localTimes } from './terminal.ts';

export const report = command({
  about: 'write an HTML page about the session: timeline, plan, messages, mood, what the model was told',
  takes: {
    '-o, --output <file>': 'the file to write, - for stdout (default .scratchpad/report.html)',
    '-t, --transcript <file>': "a host's session file; the most recently active session unless given",
  },
  examples: ['scratchpad report', 'scratchpad report --output session.html'],
  run: async (call, { output, transcript }) => {
    const opened = await openKnown(call);
    const { pad, store } = opened;
    needPad((await store.read()).exists, opened);
    const { collectReport } = await import('./report/collect.ts');
    const path = transcript === undefined ? undefined : fileArgument(transcript, call);
    const data = await collectReport(pad, store.paths, path);
    const local = localTimes(pad.config);
    const html = renderPage(data, {
      zone: pad.config.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      // Zones differ by whole minutes.
      spell: (at) => `${local(at)}:${at.slice(17, 19)}`,
    });
    if (output === '-') return write(1, html);
    const file = output === undefined ? join(store.paths.data, 'report.html') : fileArgument(output, call);
    if (tryStat(file)?.isDirectory())
      throw misuse('the page needs the name of a file', {
        where: '--output',
        expected: 'a file, or - for stdout',
        found: `the directory ${file}`,
        next: `give a file name: scratchpad report -o ${join(output ?? file, 'report.html')}`,
      });
    if (output === undefined) ensureFolder(store.paths.data);
    writeAtomically(file, html);
    call.result({ file, bytes: Buffer.byteLength(html), events: data.events.length }, file);
    const { length } = data.events;
    const found = length === 0 ? 'no session of an agent was found' : counted(length, 'event');
    call.note(`${found}; open the page in a browser; it needs no network`);
  },
});
