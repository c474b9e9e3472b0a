import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { numbers, removeAll, report, start } from './harness.ts';
import { program, Witness } from './witness.ts';

/**
 * Many processes at once in one session: appends to the notes, by a process each and by long-lived ones of the library,
 * and changes of shared and own entries. Every acknowledged line must be there exactly once, and whole.
 *
 *     npm run build && npx tsx scripts/chaos/crowd.ts [processes] [changes each]
 */
const [processes = 0, each = 0] = numbers(8, 12);
const crowd = <T>(work: (id: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: processes }, (_, id) => work(id)));

async function notes(name: string, work: (root: string) => Promise<string[][]>): Promise<void> {
  const failures: string[] = [];
  const { root, store } = new Witness(failures);
  const from = performance.now();
  const acknowledged = (await work(root)).flat();
  const ms = performance.now() - from;
  const { spaces, revision } = await store.read();
  const times = new Map<string, number>();
  for (const line of spaces.notes.split('\n')) times.set(line, (times.get(line) ?? 0) + 1);
  for (const line of acknowledged)
    if (times.get(line) !== 1) failures.push(`${line}: ${times.get(line) ?? 0} times`);
  const survived = acknowledged.length - failures.length;
  const { revisions, skipped } = await store.history();
  if (skipped > 0) failures.push(`${skipped} journal lines are torn`);
  const last = revisions.at(-1)?.rev ?? 0;
  if (last !== revision || revisions.some(({ rev }, k) => rev !== last - revisions.length + 1 + k))
    failures.push('revision numbers are not in order');
  const left = readdirSync(store.paths.dir).filter((file) => /^lock|\.tmp$/.test(file));
  if (left.length > 0) failures.push(`left behind: ${left.join(' ')}`);
  const tried = processes * each;
  const figures = {
    processes,
    tried,
    acknowledged: acknowledged.length,
    survived,
    'ms each': Math.round(ms / tried),
  };
  report(name, figures, failures);
}

await notes('appends by the command line', (root) =>
  crowd(async (id) => {
    const lines: string[] = [];
    for (let k = 0; k < each; k += 1) {
      const line = `process ${id} line ${k}`;
      const { code, stderr } = await start([program, 'notes', 'append', line], { cwd: root }).ended;
      if (code === 0) lines.push(line);
      else console.log(`not acknowledged (${code}): ${stderr.trim()}`);
    }
    return lines;
  }),
);

await notes('appends by the library', (root) => {
  const script = `
    const { openScratchpad } = await import(${JSON.stringify(pathToFileURL(join(program, '../../dist/index.js')).href)});
    const pad = await openScratchpad({ workspace: ${JSON.stringify(root)} });
    for (let k = 0; k < ${each}; k += 1) {
      const line = 'process ' + process.argv[1] + ' line ' + k;
      await pad.notes.append(line);
      console.log(line);
    }`;
  return crowd(async (id) => {
    const { stdout, stderr } = await start(['--input-type=module', '-e', script, String(id)], { cwd: root })
      .ended;
    if (stderr !== '') console.log(stderr);
    return stdout.split('\n').filter(Boolean);
  });
});

{
  const failures: string[] = [];
  const { root, entries } = new Witness(failures);
  const figures = { processes, tried: 0, acknowledged: 0, refused: 0 };
  const written = new Map<string, string>();
  const appended: string[] = [];
  let kept = 0;
  const call = async (args: string[]): Promise<boolean> => {
    figures.tried += 1;
    const { code, stderr } = await start([program, ...args], { cwd: root }).ended;
    figures[code === 0 ? 'acknowledged' : 'refused'] += 1;
    // Others were faster every time: the command says so and changes nothing.
    if (code !== 0 && !stderr.includes('changed by somebody else'))
      failures.push(`${args.slice(0, 2).join(' ')} failed with ${code}: ${stderr.trim()}`);
    return code === 0;
  };
  await crowd(async (id) => {
    for (let k = 0; k < each; k += 1) {
      const text = `process ${id} change ${k}`;
      if (k % 3 === 0) {
        if (await call(['entry', 'write', `of ${id}`, text])) written.set(`of ${id}`, text);
      } else if (k % 3 === 1) {
        if (await call(['entry', 'write', 'log', '--append', `${text}\n`])) appended.push(text);
      } else if (await call(['run', '--limit', '1', 'echo', text])) kept += 1;
    }
  });
  const found = new Map<string, string>();
  for (const { name } of await entries.list()) found.set(name, (await entries.read(name)).content);
  for (const [name, text] of written)
    if (found.get(name) !== text) failures.push(`${name} is ${found.get(name)}, not ${text}`);
  const log = (found.get('log') ?? '').split('\n').sort().slice(1).join('\n');
  if (log !== appended.sort().join('\n')) failures.push('the log is not what was appended');
  const outputs = [...found.keys()].filter((name) => name.startsWith('execute_command_')).length;
  if (outputs !== kept) failures.push(`${kept} outputs were kept, and ${outputs} are there`);
  report('entries, many processes at once', figures, failures);
}
removeAll();
