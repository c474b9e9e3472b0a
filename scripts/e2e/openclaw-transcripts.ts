/**
 * Reads a database that OpenClaw itself created: `openclaw doctor --fix` imports a JSONL session; then our reading
 * of the database is compared with our reading of the file, and our discovery with `openclaw sessions --json`.
 *
 *   tsx scripts/e2e/openclaw-transcripts.ts [cache folder]
 *
 * Opt-in: installs `node@24` and `openclaw` (about 900 MB) from the npm registry into the cache folder the
 * first time. Nothing else leaves the machine; the home folder that OpenClaw sees is a temporary one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { build } from 'esbuild';

const OPENCLAW = '2026.9.6';
const root = join(import.meta.dirname, '../..');
const cache = process.argv[2] ?? join(tmpdir(), 'scratchpad-e2e');
const modules = join(cache, 'node_modules');
const node = join(modules, 'node/bin/node');
const program = join(modules, 'openclaw/openclaw.mjs');
const home = realpathSync(mkdtempSync(join(tmpdir(), 'openclaw-e2e-')));
const state = join(home, '.openclaw');
const failures: string[] = [];
const COLUMNS = `const { DatabaseSync } = require('node:sqlite');
  const row = new DatabaseSync(process.argv[1], { readOnly: true }).prepare(
    'SELECT count(event_json) AS plain, count(event_zstd) AS packed FROM transcript_events').get();
  console.log(row.plain + ' ' + row.packed);`;

try {
  install();
  main(await bundle());
} finally {
  rmSync(home, { recursive: true, force: true });
}
for (const failure of failures) console.error(`FAILED  ${failure}`);
if (failures.length > 0) process.exitCode = 1;

function install(): void {
  if (existsSync(program) && existsSync(node)) return;
  mkdirSync(cache, { recursive: true });
  console.log(`installing node@24 and openclaw@${OPENCLAW} into ${cache}`);
  const npm = (name: string, env = process.env): void => {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', cache, name], {
      cwd: cache,
      env,
      stdio: 'inherit',
    });
  };
  npm('node@24');
  // With an older Node, npm would silently install the last version of OpenClaw that supports it.
  npm(`openclaw@${OPENCLAW}`, {
    ...process.env,
    PATH: `${join(modules, 'node/bin')}${delimiter}${process.env.PATH ?? ''}`,
  });
}

/** Our reader in one file, so that any version of Node can run it. */
async function bundle(): Promise<string> {
  const outfile = join(home, 'reader.mjs');
  await build({
    stdin: {
      contents: `import { discoverSessions } from './src/transcript/discover.ts';
        import { appendScratchpadEntries } from './src/transcript/append-entries.ts';
        import { readTranscriptFile } from './src/transcript/read.ts';
        const [what, path, home] = process.argv.slice(2);
        const problems = [];
        const value = what === 'persist'
          ? await appendScratchpadEntries(path, { notes: 'remember this too', refs: ['src/a.ts'] })
          : what === 'read'
          ? await readTranscriptFile(path, { limit: Infinity }).catch((error) => ({ error: error.message, kind: error.kind }))
          : await discoverSessions({ workspace: path, home, env: {}, onProblem: (problem) => problems.push(problem.message) });
        process.stdout.write(JSON.stringify({ value, problems }));`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['fzstd'],
    logLevel: 'error',
  });
  return outfile;
}

interface Read {
  value: {
    messages: Array<Record<string, unknown>>;
    facts: { entries: unknown[] };
    kind?: string;
    error?: string;
  };
}
interface Found {
  value: Array<{ host: string; id: string; path: string; cwd?: string }>;
  problems: string[];
}

function main(reader: string): void {
  const sessions = join(state, 'agents/main/sessions');
  const workspace = join(state, 'workspace');
  mkdirSync(sessions, { recursive: true });
  mkdirSync(workspace);
  const id = '55555555-5555-4555-8555-555555555555';
  const file = join(sessions, `${id}.jsonl`);
  writeFileSync(file, session(id, workspace));
  const spoken = Date.parse('2026-01-18T00:05:00.000Z');
  writeFileSync(
    join(sessions, 'sessions.json'),
    JSON.stringify({ 'agent:main:main': { sessionId: id, updatedAt: spoken, lastInteractionAt: spoken } }),
  );
  const kept = join(home, 'before-the-import.jsonl');
  writeFileSync(kept, session(id, workspace));

  // What we append must be a child of the leaf, or OpenClaw leaves it out of its active path.
  for (const path of [file, kept]) run(process.execPath, [reader, 'persist', path]);

  openclaw(['doctor', '--fix', '--non-interactive', '--yes']);
  const database = join(state, 'agents/main/agent/openclaw-agent.sqlite');
  check('OpenClaw made a database and took the session file away', existsSync(database) && !existsSync(file));

  const ours = run<Read>(node, [reader, 'read', database]).value;
  const before = run<Read>(node, [reader, 'read', kept]).value;
  console.log(
    `messages in the file ${before.messages.length}, in the database ${ours.messages?.length} ${ours.error ?? ''}`,
  );
  check(
    'the database gives the messages of the file',
    JSON.stringify(ours.messages) === JSON.stringify(before.messages),
  );
  check('the branch left behind is left out', !JSON.stringify(ours.messages).includes('left behind'));
  const entries = JSON.stringify(ours.facts?.entries);
  check(
    'our entries come with it',
    ['remember me', 'remember this too', 'src/a.ts'].every((text) => entries?.includes(text)),
  );
  const columns = execFileSync(node, ['--no-warnings', '-e', COLUMNS, database], { encoding: 'utf8' }).trim();
  console.log(`events in event_json and event_zstd: ${columns}`);
  check(
    'both columns are in use',
    columns.split(' ').every((count) => Number(count) > 0),
  );

  const found = run<Found>(node, [reader, 'discover', workspace, home]).value;
  check(
    'discovery finds the session in the database',
    found.length === 1 && found[0]?.path === database && found[0].cwd === workspace,
  );
  const listed: unknown = JSON.parse(openclaw(['sessions', '--json']));
  check('OpenClaw lists the same session', JSON.stringify(listed).includes(`"${found[0]?.id ?? 'none'}"`));

  const old = run<Read>(process.execPath, [reader, 'read', database]).value;
  const here = `Node ${process.versions.node}`;
  if (Number(process.versions.node.split('.')[0]) < 22)
    check(`${here} says that it cannot read it`, old.kind === 'environment');
  else check(`${here} reads it too`, JSON.stringify(old.messages) === JSON.stringify(before.messages));
  writeFileSync(file, session(id, workspace));
  const fallback = run<Found>(process.execPath, [reader, 'discover', workspace, home]);
  console.log(
    `discovery on ${here}: ${fallback.value.map((ref) => ref.path.slice(home.length)).join(', ')} ${fallback.problems.join('; ')}`,
  );
  check('discovery finds the session on this Node', fallback.value.length === 1);
}

/** A session in the format before the database, with an abandoned branch and answers long enough to be compressed. */
function session(id: string, cwd: string): string {
  const time = (second: number): string =>
    new Date(Date.parse('2026-01-18T00:00:00.000Z') + second * 1000).toISOString();
  const entry = (
    type: string,
    own: string,
    parentId: string | null,
    second: number,
    more: object,
  ): object => ({
    type,
    id: own,
    parentId,
    timestamp: time(second),
    ...more,
  });
  const said = (own: string, parentId: string | null, second: number, text: string): object =>
    entry('message', own, parentId, second, {
      message: { role: 'user', content: text, timestamp: Date.parse(time(second)) },
    });
  const answered = (own: string, parentId: string, second: number, text: string): object =>
    entry('message', own, parentId, second, {
      message: {
        role: 'assistant',
        content: [{ type: 'text', text }],
        api: 'x',
        provider: 'p',
        model: 'm-1',
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
        stopReason: 'stop',
        timestamp: Date.parse(time(second)),
      },
    });
  const long = 'the container lacks libcublas, so the pod restarts. '.repeat(120);
  const records = [
    { type: 'session', version: 3, id, timestamp: time(0), cwd },
    said('a0000001', null, 1, 'deploy to the lab cluster'),
    answered('a0000002', 'a0000001', 2, `It failed: ${long}`),
    said('a0000003', 'a0000002', 3, 'left behind'),
    answered('a0000004', 'a0000003', 4, 'an answer left behind'),
    said('a0000005', 'a0000002', 5, 'use the other image'),
    answered('a0000006', 'a0000005', 6, `Done. ${long}`),
    entry('custom', 'c0000001', 'a0000006', 7, {
      customType: 'openclaw:scratchpad:notes',
      data: 'remember me',
    }),
    said('a0000007', 'c0000001', 8, 'thanks'),
  ];
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function openclaw(args: string[]): string {
  const env = {
    PATH: `${join(modules, 'node/bin')}${delimiter}${process.env.PATH ?? ''}`,
    HOME: home,
    OPENCLAW_STATE_DIR: state,
    NO_COLOR: '1',
  };
  const done = spawnSync(node, [program, ...args], { env, encoding: 'utf8', timeout: 300_000 });
  if (done.status !== 0)
    throw new Error(`openclaw ${args.join(' ')} ended with ${done.status}:\n${done.stdout}\n${done.stderr}`);
  return done.stdout;
}

function run<T>(command: string, args: string[]): T {
  return JSON.parse(execFileSync(command, ['--no-warnings', ...args], { encoding: 'utf8' })) as T;
}

function check(what: string, holds: boolean): void {
  console.log(`${holds ? 'ok     ' : 'FAILED '} ${what}`);
  if (!holds) failures.push(what);
}
