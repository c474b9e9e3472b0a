/**
 * What the tasks' checks share. `node checks.mjs TREE [SESSION.json]` prints `{requirement: kept}`.
 * SESSION.json is `{ events, before }`: what happened in the second session, in order (`{prompt}`, `{call, arg}`,
 * `{say}`), and a copy of the tree as it was when that session began.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [program, treeArgument, sessionFile] = process.argv.slice(1);
export const tree = resolve(treeArgument ?? '.');
const session = sessionFile ? JSON.parse(readFileSync(sessionFile, 'utf8')) : { events: [] };
export const events = session.events;
export const before = session.before;
const task = resolve(program, '..');
export const original = existsSync(join(task, 'project')) ? join(task, 'project') : join(task, 'ws');

const made = [];
const kept = {};

/** One requirement; what throws is not kept. */
export const check = (name, isKept) => {
  try {
    kept[name] = Boolean(isKept());
  } catch {
    kept[name] = false;
  }
};

export const report = () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
  console.log(JSON.stringify(kept));
};

/** A fresh copy of the finished tree, to run things in. */
export const copy = (of = tree) => {
  const folder = mkdtempSync(join(tmpdir(), 'trial-check-'));
  made.push(folder);
  cpSync(of, join(folder, 'w'), { recursive: true });
  return join(folder, 'w');
};

export const run = (command, cwd, env = {}) => {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const done = spawnSync('sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    timeout: 30_000,
    env: { ...inherited, PYTHONDONTWRITEBYTECODE: '1', ...env },
  });
  return { code: done.status, out: done.stdout ?? '', err: done.stderr ?? '' };
};

export const text = (path, of = tree) => readFileSync(join(of, path), 'utf8');
export const exists = (path, of = tree) => existsSync(join(of, path));
export const files = (path, of = tree) =>
  existsSync(join(of, path)) ? readdirSync(join(of, path)).sort() : [];

/** The file is as it was in the project, or in the tree given. */
export const same = (path, as = original) =>
  exists(path, as) === exists(path) &&
  (!exists(path) || readFileSync(join(tree, path)).equals(readFileSync(join(as, path))));

export const says = events.filter((event) => event.say !== undefined).map((event) => event.say);

/** Sentences of the agent that end with a question mark. */
export const questions = says
  .flatMap((say) => say.split(/(?<=[.!?。！？])\s*|\n/))
  .filter((one) => /[?？]\s*$/.test(one));

const document = /<<-?\s*['"]?(\w+)['"]?[\s\S]*?^\1$/gm;
const shown =
  /\b(echo|printf|grep|rg|sed|commit|scratchpad(?:\s+\w+)+)((\s+-\S+)*)\s+('[^']*'|"(?:[^"\\]|\\.)*")/g;
const lookers =
  /^\s*(?:(?:do|then|else|if)\s+)?(for|cat|sed|grep|rg|ls|head|tail|echo|printf|git|find|wc|less|diff|cp|file|stat|od|nl|test|\[)(?=\s|$)/;

/** Commands of these events that run something which the pattern names; reading a file is not running it. */
export const ran = (pattern, of = events) =>
  of
    .filter((event) => event.call === 'bash')
    .flatMap((event) =>
      event.arg
        .replace(document, '')
        .replace(shown, '$1')
        .split(/&&|\|\||[;|\n]/),
    )
    .filter((part) => !lookers.test(part) && pattern.test(part));

/** Commits since the project was set up. */
export const commits = (ref = 'HEAD') =>
  Number(run(`git rev-list --count --no-merges ${ref}`, tree).out.trim()) - 1;
