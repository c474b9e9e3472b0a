import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FileStore } from '../../src/session/file-store.ts';
import { copyProgram, freshWorkspace, numbers, removeAll, report, start } from './rig.ts';

/**
 * Many processes append to the notes of one session at the same time, each line once: first through the command
 * line, with one process per append; then through the library, in long-lived processes. Every acknowledged line
 * must be there exactly once, and whole.
 *
 *     npx tsx scripts/chaos/appends.ts [processes] [appends]
 */
const [processes = 0, appends = 0] = numbers(8, 8);
const program = copyProgram();

async function verify(
  name: string,
  root: string,
  acknowledged: readonly string[],
  ms: number,
): Promise<void> {
  const store = new FileStore(root, 'main');
  const { spaces, revision } = await store.read();
  const times = new Map<string, number>();
  for (const line of spaces.notes.split('\n')) times.set(line, (times.get(line) ?? 0) + 1);
  const failures = acknowledged
    .filter((line) => times.get(line) !== 1)
    .map((line) => `${line}: ${times.get(line) ?? 0} times`);
  const { revisions, skipped } = await store.history();
  if (skipped > 0) failures.push(`${skipped} journal lines are torn`);
  const last = revisions.at(-1)?.rev ?? 0;
  if (last !== revision || revisions.some(({ rev }, k) => rev !== last - revisions.length + 1 + k)) {
    failures.push('revision numbers are not in order');
  }
  const left = readdirSync(store.paths.dir).filter((file) => /^lock|\.tmp$/.test(file));
  if (left.length > 0) failures.push(`left behind: ${left.join(' ')}`);
  report(
    name,
    {
      processes,
      tried: processes * appends,
      acknowledged: acknowledged.length,
      survived: acknowledged.length - failures.length,
      'ms an append': Math.round(ms / processes / appends),
    },
    failures,
  );
}

{
  const root = freshWorkspace('appends');
  const acknowledged: string[] = [];
  const from = Date.now();
  const worker = async (id: number): Promise<void> => {
    for (let k = 0; k < appends; k += 1) {
      const line = `process ${id} line ${k}`;
      const { code, stderr } = await start([program, 'notes', 'append', line], root).ended;
      if (code === 0) acknowledged.push(line);
      else console.log(`not acknowledged (${code}): ${stderr.trim()}`);
    }
  };
  await Promise.all(Array.from({ length: processes }, (_, id) => worker(id)));
  await verify('appends by the command line', root, acknowledged, Date.now() - from);
}

const library = join(program, '../../dist/index.js');
if (existsSync(library)) {
  const root = freshWorkspace('appends');
  const script = `
    const { openScratchpad } = await import(${JSON.stringify(pathToFileURL(library).href)});
    const pad = await openScratchpad({ workspace: ${JSON.stringify(root)} });
    for (let k = 0; k < ${appends}; k += 1) {
      const line = 'process ' + process.argv[1] + ' line ' + k;
      await pad.notes.append(line);
      process.stderr.write(line + '\\n');
    }`;
  const from = Date.now();
  const ends = await Promise.all(
    Array.from(
      { length: processes },
      (_, id) => start(['--input-type=module', '-e', script, String(id)], root).ended,
    ),
  );
  const lines = ends.flatMap(({ stderr }) => stderr.trim().split('\n'));
  const acknowledged = lines.filter((line) => line.startsWith('process '));
  for (const line of lines) if (!line.startsWith('process ')) console.log(line);
  await verify('appends by the library', root, acknowledged, Date.now() - from);
}
removeAll();
