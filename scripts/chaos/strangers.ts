import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { HOOK_HOSTS } from '../../src/hosts/host-rows.ts';
import { createRandom, pickOne } from '../random.ts';
import { copyProgram, makeDirectory, readNumbers, removeAll, report, start } from './harness.ts';

/**
 * A workspace as a stranger could prepare it: any of its files and folders may be a link, a pipe, a device, a file
 * of hundreds of megabytes, or belong to another user. Each try puts one of these in one place, and runs one
 * command or hook on it and one that feeds a model; nothing outside the workspace may be written, removed or
 * printed on stdout.
 *
 *     npm run build && npx tsx scripts/chaos/strangers.ts [tries] [seed]
 *
 * A command that takes more than ten seconds counts as hung. When run as root, files of another user are tried as well.
 */
const program = copyProgram();
const PATIENCE_MS = 10_000;
const NOBODY = 65_534;
/** Is in every file outside, and must never be printed. */
const CANARY = 'canary';
const MESSAGES = JSON.stringify([
  {
    role: 'user',
    content: 'is the harbour upload fixed? no, that is wrong again',
    timestamp: '2026-02-06T01:00:00Z',
  },
]);

const COMMANDS = `context | status | check | doctor | show | assemble --messages @messages.json
  assemble --dry-run --explain --messages @messages.json | notes append line | notes set new | plan set Go
  plan show | refs add https://example.com | memory search harbour | memory index | search harbour | history | diff
  undo | session list | session show | session fork child | session delete other --yes | session archive other
  entry list | entry write new text | entry write log --append more | entry read log
  entry delete log | run --scratchpad out -- echo hello | feedback add long | feedback list
  mood --messages @messages.json | audit | trail | transcript list | transcript show | config list
  config set ttl 40m | trust --show | install agents-md | install claude-code | install gemini-cli | install codex
  uninstall agents-md | tool session.notepad {"action":"read"} | tool memory.search {"query":"harbour"} | init`
  .split(/ \| |\n/)
  .map((line) => line.trim().split(' '));
const OPS: readonly string[][] = [
  ...COMMANDS,
  ...[...new Set(HOOK_HOSTS.values())].flatMap(({ name, events }) =>
    Object.keys(events).map((event) => ['hook', name, event]),
  ),
];

/** Commands whose output goes to a model: one of these follows each command. */
const TELLING = OPS.filter((argv) =>
  /^(?:context|show|memory search|assemble --dry|search|trail|transcript show|hook claude-code (?:SessionStart|UserPromptSubmit)|hook gemini-cli BeforeAgent)/.test(
    argv.join(' '),
  ),
);

type Reply = { text: string; error: string } | undefined;

/**
 * Commands that show the workspace to a model by themselves; the others print what a person asks for, as `cat` and a
 * dry run do.
 */
const BY_ITSELF = /^(?:hook|context|assemble --messages|tool)/;

const READ =
  /^(?:SCRATCHPAD\.md|MEMORY\.md|memory.*|HEARTBEAT\.md|USER\.md|calendar\.ics|sessions.*|\.scratchpad(?:\/sessions(?:\/main(?:\/(?:SCRATCHPAD|journal|entries).*)?)?)?)$/;

/** Harmless: shows that what a model is told can be detected. */
const CONTROL = 'a copy of the one outside';

/**
 * What can take the place of a file, each with a function that creates it; `there` is a whole workspace outside,
 * with the same names.
 */
const KINDS: Readonly<Record<string, (at: string, there: string, outside: string) => void>> = {
  'link to a file like it outside': (at, there) => symlinkSync(there, at),
  'link with .. to a file like it outside': (at, there) => symlinkSync(relative(dirname(at), there), at),
  'link to a secret outside': (at, _, outside) => symlinkSync(join(outside, 'secret.txt'), at),
  'link to a folder outside': (at, _, outside) => symlinkSync(join(outside, 'folder'), at),
  'link to nothing outside': (at, _, outside) => symlinkSync(join(outside, 'folder/new'), at),
  'link to a link outside': (at, there) => {
    symlinkSync(there, `${at}.second`);
    symlinkSync(`${at}.second`, at);
  },
  'link to itself': (at) => symlinkSync(at, at),
  'link to /dev/zero': (at) => symlinkSync('/dev/zero', at),
  'link to /dev/full': (at) => symlinkSync('/dev/full', at),
  'link to a pipe outside': (at, _, outside) => symlinkSync(join(outside, 'pipe'), at),
  'link to /proc/self/environ': (at) => symlinkSync('/proc/self/environ', at),
  pipe: (at) => void spawnSync('mkfifo', [at]),
  'a folder': (at) => mkdirSync(join(at, 'inside'), { recursive: true }),
  'an empty file': (at) => writeFileSync(at, ''),
  '300 MB of nothing': (at) => {
    writeFileSync(at, '');
    truncateSync(at, 300 * 1024 * 1024);
  },
  [CONTROL]: (at, there) => cpSync(there, at, { recursive: true }),
  "another user's": (at, there) => {
    cpSync(there, at, { recursive: true });
    own(at, NOBODY);
  },
};
/** What a model must not be told either: the words of another user, even though they are in the workspace. */
const WHOLE = ['SCRATCHPAD.md', '.scratchpad', '.'];

function own(path: string, uid: number): void {
  if (process.getuid?.() !== 0) return;
  chownSync(path, uid, uid);
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) own(join(path, name), uid);
}

/** What a command prints, and what broke; a hook is given what its host sends. */
async function run(argv: readonly string[], cwd: string, env: Record<string, string>): Promise<Reply> {
  const [command, , event] = argv;
  const input = {
    session_id: 's1',
    cwd,
    hook_event_name: event,
    prompt: 'is the harbour upload fixed?',
    tool_name: 'Bash',
    tool_response: { stdout: 'x\n'.repeat(20_000), stderr: '' },
    transcript_path: join(cwd, 'sessions/s1.jsonl'),
  };
  const words = argv.map((word) => word.replace(/^@/, `${env.HOME}/`));
  const { child, ended } = start([program, ...words], {
    cwd,
    env,
    input: command === 'hook' ? JSON.stringify(input) : '',
  });
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const { code, stdout, stderr, ms } = await ended;
  clearTimeout(late);
  if (ms >= PATIENCE_MS) return undefined;
  const isOrderly = code !== null && code <= 4 && !/^\s+at .+:\d+/m.test(stderr);
  return { text: stdout, error: isOrderly ? '' : `exit ${code}: ${stderr.slice(0, 300)}` };
}

/** Everything in a folder, for comparison: kinds, links, modes, bytes. */
function digestFolder(folder: string): string {
  const hash = createHash('sha256');
  const tell = (path: string): void => {
    const stats = lstatSync(path);
    const content = stats.isFile() ? readFileSync(path) : '';
    const what = stats.isSymbolicLink() ? readlinkSync(path) : content;
    hash.update(`${relative(folder, path)}\0${stats.mode}\0${stats.uid}\0`).update(what);
    if (stats.isDirectory()) for (const name of readdirSync(path).sort()) tell(join(path, name));
  };
  tell(folder);
  return hash.digest('hex');
}

const listFolder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

/** A workspace with files of every kind. */
async function makeModel(root: string, env: Record<string, string>): Promise<void> {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const said = { sessionId: 's1', cwd: root, timestamp: '2026-02-06T01:00:00Z', parentUuid: null };
  const makeMessage = (type: string, content: string): string =>
    `${JSON.stringify({ ...said, type, uuid: content, message: { role: type, content } })}\n`;
  const event = 'BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260206T120000Z\r\nSUMMARY:Harbour talk\r\nEND:VEVENT\r\n';
  const files = {
    'MEMORY.md': '# Harbour\nThe harbour upload fails on Fridays.\n',
    'memory/2026-02-06.md': '# Today\nHarbour upload was looked at.\n',
    'memory/harbour.md': 'The harbour upload needs a token of the port office.\n',
    'HEARTBEAT.md': '- [ ] call the harbour (due 2026-02-06)\n',
    'USER.md': '# Ada\nHarbour master.\n',
    'AGENTS.md': '# Rules\nHarbour rules.\n',
    'CLAUDE.md': '# Rules\nHarbour rules.\n',
    '.claude/settings.json': '{"env": {"A": "harbour"}}\n',
    '.gemini/settings.json': '{"ui": {"theme": "harbour"}}\n',
    '.codex/config.toml': 'model = "harbour"\n',
    'calendar.ics': `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${event}END:VCALENDAR\r\n`,
    'sessions/s1.jsonl':
      makeMessage('user', 'is the harbour upload fixed?') +
      makeMessage('assistant', 'The harbour upload is not fixed.'),
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  await run(['init'], root, env);
  put('.scratchpad/config.yaml', 'mood:\n  history: on\nttl: 20m\n');
  for (const argv of [
    ['notes', 'append', 'The harbour upload is slow'],
    ['plan', 'set', '1. Look at the harbour'],
    ['refs', 'add', 'https://harbour.example.com'],
    ['entry', 'write', 'log', 'harbour log\n'.repeat(100)],
    ['notes', 'append', 'harbour other', '--session', 'other'],
    ['entry', 'write', 'log', 'harbour', '--session', 'other'],
    ['feedback', 'add', 'too long, harbour'],
    ['assemble', '--messages', '@messages.json'],
    ['memory', 'index'],
  ])
    await run(argv, root, env);
  for (const op of OPS) if (op[1] === 'claude-code' && op[0] === 'hook') await run(op, root, env);
  for (const path of ['recovered/x.md', 'conflicts/x.md', 'snapshots/x.md'])
    if (!existsSync(join(root, '.scratchpad', path))) put(`.scratchpad/${path}`, 'harbour\n');
}

const [tries = 0, seed = 0] = readNumbers(5000, 1);
const top = makeDirectory('strangers');
const home = join(top, 'home');
const env = {
  PATH: process.env.PATH ?? '',
  HOME: home,
  TZ: 'UTC',
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_CACHE_HOME: join(home, 'cache'),
};
mkdirSync(home);
writeFileSync(join(home, 'messages.json'), MESSAGES);
const [whole, outside, there] = [join(top, 'whole'), join(top, 'outside'), join(top, 'outside/like')];
const cwd = join(top, 'clone');
mkdirSync(whole);
await makeModel(whole, env);
// A session works in the folder that its transcript names: hooks would leave the clone alone.
const transcript = join(whole, 'sessions/s1.jsonl');
writeFileSync(transcript, readFileSync(transcript, 'utf8').replaceAll(whole, cwd));
const wholeBefore = digestFolder(whole);
const paths = ['.', ...listFolder(whole)];
// Half of the tries go to files that a model is told about.
const read = paths.filter((path) => READ.test(path));

const prepare = (): void => {
  rmSync(outside, { recursive: true, force: true });
  cpSync(whole, there, { recursive: true });
  for (const path of listFolder(there)) {
    const at = join(there, path);
    if (statSync(at).isFile() && !path.includes('index'))
      writeFileSync(at, readFileSync(at, 'latin1').replaceAll(/harbour/gi, `harbour ${CANARY}`), 'latin1');
  }
  mkdirSync(join(outside, 'folder/inner'), { recursive: true });
  for (const path of ['secret.txt', 'folder/notes.md', 'folder/inner/main.md'])
    writeFileSync(join(outside, path), `harbour upload ${CANARY}\n`);
  spawnSync('mkfifo', [join(outside, 'pipe')]);
};
prepare();
let before = digestFolder(outside);

const random = createRandom(seed);
const failures: string[] = [];
const kinds = Object.keys(KINDS).filter((kind) => process.getuid?.() === 0 || !kind.startsWith('another'));
const sizes = { places: paths.length, kinds: kinds.length, commands: OPS.length };
const figures = { tries: 0, ...sizes, written: 0, told: 0, 'told by copies': 0, hung: 0, broke: 0 };
while (figures.tries < tries) {
  const path = pickOne(random() < 0.5 ? paths : read, random);
  const [kind, op] = [pickOne(kinds, random), pickOne(OPS, random)];
  if (path === '.' && kind !== "another user's") continue;
  figures.tries += 1;
  rmSync(cwd, { recursive: true, force: true });
  cpSync(whole, cwd, { recursive: true });
  // Its record names the folder where it began.
  rmSync(join(home, 'state/scratchpad/sessions'), { recursive: true, force: true });
  const at = path === '.' ? cwd : join(cwd, path);
  rmSync(at, { recursive: true, force: true });
  KINDS[kind]?.(at, join(there, path), outside);
  if (path === '.') chmodSync(cwd, 0o755);
  const isTheirs = kind === "another user's";
  let [text, hung, error] = ['', false, ''];
  for (const one of [op, pickOne(TELLING, random)]) {
    const reply = await run(one, cwd, env);
    hung ||= reply === undefined;
    error ||= reply?.error ?? '';
    if (!isTheirs || (WHOLE.includes(path) && BY_ITSELF.test(one.join(' ')))) text += reply?.text ?? '';
  }
  const what = `${path}: ${kind}: ${op.join(' ')}`;
  if (hung) {
    figures.hung += 1;
    failures.push(`${what}: took over ${PATIENCE_MS} ms`);
  } else if (error !== '') {
    figures.broke += 1;
    failures.push(`${what}: ${error}`);
  }
  if (kind === CONTROL) {
    figures['told by copies'] += text.includes(CANARY) ? 1 : 0;
  } else if (text.includes(CANARY)) {
    figures.told += 1;
    const from = text.indexOf(CANARY);
    failures.push(`${what}: told ${JSON.stringify(text.slice(Math.max(0, from - 60), from + 20))}`);
  }
  if (digestFolder(outside) !== before) {
    figures.written += 1;
    failures.push(`${what}: something outside has changed`);
    prepare();
    before = digestFolder(outside);
  }
}
if (digestFolder(whole) !== wholeBefore)
  failures.push('the workspace that the clones are made from has changed');
removeAll();
report('strangers', figures, failures);
