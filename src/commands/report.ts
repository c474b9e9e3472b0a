import { join } from 'node:path';
import { usageError } from '../base/errors.ts';
import { ensureFolder, tryStat, writeAtomically } from '../base/fs/index.ts';
import { formatCount } from '../base/text/strings.ts';
import { detectHost } from '../session/actor.ts';
import { defineCommand } from './command.ts';
import { type Invocation, resolveFile, write } from './invocation.ts';
import { openKnown } from './open.ts';
import { makeEventPrinter } from './print.ts';
import { readReport } from './report-data.ts';
import { renderPage } from './report-page.ts';

export const report = defineCommand({
  takes: {
    '-o, --output <file>': 'the file to write, - for stdout (default .scratchpad/report.html)',
    '-t, --transcript <file>': "a host's session file; the most recently active session unless given",
    '--open': 'open the page in the browser',
    '--live': 'serve the page on this machine only, and follow the session until Ctrl-C',
  },
  examples: [
    'scratchpad report --open',
    'scratchpad report --output session.html',
    'scratchpad report --live',
  ],
  run: async (call, { output, transcript, open: isOpening = false, live: isLive = false }) => {
    // An agent's commands run unasked, and start no program and no server.
    if ((isOpening || isLive) && detectHost(call.env) !== undefined)
      throw usageError('--open and --live are for a person at a shell', { next: 'scratchpad report' });
    if (isLive && output !== undefined)
      throw usageError('--live writes no file', { expected: '--live or --output, not both' });
    if (isOpening && output === '-')
      throw usageError('--open needs a file', { expected: '--open or --output -, not both' });

    const opened = await openKnown(call);
    const readPage = (): ReturnType<typeof readReport> => readReport(call, opened, transcript);

    if (isLive) {
      const { serveReport } = await import('./report-live.ts');
      return serveReport(readPage, (address) => {
        makeEventPrinter<{ event: string; address: string }>(call)({ event: 'serving', address });
        call.note('The page follows the session; only this machine can read it. End with Ctrl-C.');
        if (isOpening) openInBrowser(call, address);
      });
    }

    const page = await readPage();
    const html = renderPage(page);

    if (output === '-') return write(1, html);

    const { data } = opened.store.paths;
    const file = output === undefined ? join(data, 'report.html') : resolveFile(output, call);

    if (tryStat(file)?.isDirectory())
      throw usageError('the page needs the name of a file', {
        found: `the directory ${file}`,
        next: `give a file name: scratchpad report -o ${join(output ?? file, 'report.html')}`,
      });

    if (output === undefined) ensureFolder(data);
    writeAtomically(file, html);
    call.print({ file, bytes: Buffer.byteLength(html), events: page.events }, file);
    const summary =
      page.events === 0 ? 'no session of an agent was found' : formatCount(page.events, 'event');
    if (isOpening) openInBrowser(call, file);
    else call.note(`${summary}; open the page in a browser (--open); it needs no network`);
  },
});

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer.exe' };

function openInBrowser(call: Invocation, target: string): void {
  const opener = OPENERS[process.platform] ?? 'xdg-open';
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(opener, [target], { detached: true, stdio: 'ignore' });
  child.on('error', () => call.note(`${opener} could not be started; open it yourself: ${target}`));
  child.unref();
}
