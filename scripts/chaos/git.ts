import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createRandom, pickOne } from '../random.ts';
import { copyProgram, type Ended, makeDirectory, readNumbers, removeAll, report, start } from './harness.ts';

/**
 * Random sequences of git operations, with writes by the built program and by a person between them, in repositories
 * that track the pad and in others. No acknowledged text is lost, no write adds or takes a text, a merge combines both
 * sides or is a conflict that every command sees, and a commit has what was in its work tree.
 *
 *     npm run build && npx tsx scripts/chaos/git.ts [sequences] [seed] [steps] [side by side] [number of the first]
 */
const [sequences = 0, seed = 0, steps = 0, aside = 1, first = 0] = readNumbers(1000, 1, 16, 2, 0);
const PAD = 'SCRATCHPAD.md';
const ENV = {
  GIT_AUTHOR_NAME: 'S',
  GIT_AUTHOR_EMAIL: 's@x',
  GIT_COMMITTER_NAME: 'S',
  GIT_COMMITTER_EMAIL: 's@x',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_EDITOR: 'true',
  SCRATCHPAD_INIT: '',
};
const CLOSE = '<!-- /scratchpad:notes -->';

/** What must survive: every text that is written has a token of its own. */
type Tokens = ReadonlySet<string>;
const listTokens = (text: string): Set<string> => new Set(text.match(/tk\d+z/g) ?? []);
const removeLines = (from: Tokens, ...others: Tokens[]): string[] =>
  [...from].filter((token) => !others.some((other) => other.has(token)));
const readText = (files: readonly string[]): string =>
  files.map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')).join('\n');

function listFilesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const program = copyProgram();
const figures = {
  sequences: 0,
  steps: 0,
  acknowledged: 0,
  commits: 0,
  'merges and picks': 0,
  conflicts: 0,
  'refused by git': 0,
};

/** A repository, its work trees, and what an agent, a person and git do in them. */
class Repository {
  readonly trace: string[] = [];
  readonly acknowledged = new Set<string>();
  /** What a person took out on purpose: it may be gone, or come back with `undo`. */
  readonly #removed = new Set<string>();
  /** What was undone, with the work tree whose history can bring it back as long as the tree is there. */
  readonly #undone = new Map<string, string>();
  /** Texts in steps: a plan is shown on its own branch and in its own work tree only. */
  readonly #steps = new Set<string>();
  readonly #home = makeDirectory('git');
  readonly #main = join(this.#home, 'repo');
  readonly #random: () => number;
  readonly #tracked: boolean;
  #trees = [this.#main];
  #at = this.#main;
  #made = 0;

  constructor(random: () => number, tracked: boolean) {
    this.#random = random;
    this.#tracked = tracked;
  }

  async begin(): Promise<void> {
    await this.#run('git', ['init', '-q', '-b', 'main', this.#main], this.#home);
    await this.commit();
    // A branch without the pad.
    await this.#must('branch', 'early');
    await this.#cli(this.#tracked ? ['init', '--tracked'] : ['init']);
    await this.write('notes', 'append');
    await this.write('plan', 'add');
    await this.commit();
  }

  async write(...words: string[]): Promise<void> {
    if (this.#random() < 0.2) this.#at = this.#pick(this.#trees);
    const [token, before] = [this.#token(), this.#tokens()];
    if (words[0] === 'plan') this.#steps.add(token);
    // Agents note the marks of a conflict, too: they are text.
    const text = words[0] === 'notes' && this.#random() < 0.1 ? `${token}\n<<<<<<< HEAD\n>>>>>>> x` : token;
    await this.#cli([...words, text]);
    this.acknowledged.add(token);
    this.#same(words.join(' '), new Set([...before, token]));
  }

  async doStep(): Promise<void> {
    const before = this.#tokens();
    const { code, stderr } = await this.#cli(['plan', 'done'], [0, 1]);
    if (code === 1 && /conflict/.test(stderr)) throw new Error(`plan done: ${stderr}`);
    this.#same('plan done', before);
  }

  /** A write that is undone at once leaves the file as it was; another undo brings nothing new. */
  async undo(): Promise<void> {
    const before = this.#tokens();
    if (this.#random() < 0.5) {
      await this.#cli(['notes', 'append', this.#token()]);
      await this.#cli(['undo']);
      this.#same('undo', before);
    } else {
      await this.#cli(['undo'], [0, 1]);
      for (const token of removeLines(before, this.#tokens())) this.#undone.set(token, this.#at);
      const extra = removeLines(this.#tokens(), before, this.#removed);
      if (extra.length > 0) throw new Error(`undo brought ${extra.join(', ')}`);
    }
  }

  async hook(): Promise<void> {
    const before = this.#tokens();
    const event = this.#pick(['SessionStart', 'UserPromptSubmit']);
    const input = JSON.stringify({ session_id: 's', cwd: this.#at, source: 'startup', prompt: 'and now?' });
    const { code } = await this.#cli(['hook', 'claude-code', event], [0], input);
    if (code === 0) this.#same(`hook ${event}`, before);
  }

  editByHand(): void {
    const path = join(this.#at, PAD);
    if (!existsSync(path)) return;
    const token = this.#token();
    const text = readFileSync(path, 'utf8');
    const next = this.#pick([
      () => text.replace(CLOSE, () => `${token}\n${CLOSE}`),
      () => text.replace(/^tk\d+z.*$/m, (line) => `${token} in front of ${line}`),
      () => text.replace(/^(\d+\. .*)$/m, (line) => `${line} (${token})`),
      () => text.replace(/^tk\d+z$/m, (line) => this.#takeOut(line, token)),
      () => `${text}\n${token} outside\n`,
    ])();
    if (next === text) return;
    if (next.includes(` (${token})`)) this.#steps.add(token);
    this.#say(`hand edit ${token}`);
    writeFileSync(path, next);
    this.acknowledged.add(token);
  }

  #takeOut(line: string, token: string): string {
    this.acknowledged.delete(line);
    this.#removed.add(line);
    return token;
  }

  /** A commit of everything, with a change in a file that no other branch has. */
  async commit(): Promise<void> {
    const name = this.#token();
    appendFileSync(join(this.#at, `${name}.txt`), 'x\n');
    await this.#must('add', '-A');
    await this.#must('commit', '-q', '-m', name);
    figures.commits += 1;
    // A pad that is begun on a branch without one is kept out of git.
    const isIgnored = (await this.#ask('check-ignore', PAD)) !== '';
    if (this.#tracked && !isIgnored && (await this.#padIn('HEAD')) !== this.#pad())
      throw new Error('the commit is not the work tree');
  }

  async branch(): Promise<void> {
    await this.#git('checkout', '-q', '-b', this.#name());
  }

  async checkout(): Promise<void> {
    const to = await this.#otherBranch();
    if (to === undefined) return;
    const [before, known] = [this.#pad(), await this.#padIn('HEAD')];
    if (!(await this.#git('checkout', '-q', to))) return;
    // Git carries over uncommitted changes, and only those.
    const now = this.#tracked && before === known ? await this.#padIn('HEAD') : before;
    await this.#shows(`checkout ${to}`, listTokens(now));
  }

  async combine(operation: 'merge' | 'cherry-pick' | 'rebase'): Promise<void> {
    const other = await this.#otherBranch();
    if (other === undefined) return;
    const bases = (await this.#ask('merge-base', '--all', 'HEAD', other)).split('\n').filter(Boolean);
    const parts = [bases[0] ?? '', 'HEAD', other].map(async (commit) =>
      listTokens(await this.#padIn(commit)),
    );
    const [base, ours, theirs] = await Promise.all(parts);
    const before = await this.#ask('rev-parse', 'HEAD');
    await this.#merging(operation === 'merge' ? [operation, '-q', '--no-edit', other] : [operation, other]);
    if (operation !== 'merge' || bases.length !== 1 || !this.#tracked || !base || !ours || !theirs) return;
    // Git refuses a merge into a pad with changes that are not committed.
    if ((await this.#ask('rev-parse', 'HEAD')) === before) return;
    if ((await this.#ask('log', '-1', '--format=%P')).split(' ').length !== 2) return;
    // What one side added is there; what one side removed is gone.
    const wanted = [...ours, ...theirs].filter(
      (token) => !base.has(token) || (ours.has(token) && theirs.has(token)),
    );
    const missing = removeLines(new Set(wanted), listTokens(await this.#padIn('HEAD')));
    if (missing.length > 0) throw new Error(`the merge lost ${missing.join(', ')}`);
  }

  async stash(): Promise<void> {
    if ((await this.#ask('stash', 'list')) !== '') return this.#merging(['stash', 'pop', '-q']);
    await this.#git('stash', '-q', ...this.#pick([[], ['-u']]));
  }

  async worktree(): Promise<void> {
    const [, tree] = this.#trees;
    if (tree === undefined) {
      const made = join(this.#home, this.#name());
      const args = ['-q', '-b', basename(made), made, this.#pick(['HEAD', 'early', 'main'])];
      if (!(await this.#git('worktree', 'add', ...args))) return;
      this.#trees.push(made);
      this.#at = made;
    } else {
      this.#at = this.#main;
      if (await this.#git('worktree', 'remove', tree)) {
        this.#trees = [this.#main];
        for (const [token, at] of this.#undone) if (at === tree) this.acknowledged.delete(token);
      }
      await this.nothingLost();
    }
  }

  async nothingLost(): Promise<void> {
    const stashes = (await this.#ask('stash', 'list', '--format=%H')).split('\n').filter(Boolean);
    const objects = (await this.#ask('rev-list', '--objects', '--all', ...stashes)).split('\n');
    if (objects.some((line) => line.includes('.scratchpad'))) throw new Error('.scratchpad was committed');
    const ids = objects.filter((line) => line.endsWith(` ${PAD}`)).map((line) => line.slice(0, 40));
    if (!this.#tracked && ids.length > 0) throw new Error('a pad that is not tracked was committed');
    const inGit = await this.#run('git', ['cat-file', '--batch'], this.#main, `${ids.join('\n')}\n`);
    const inFiles = this.#trees.flatMap((tree) => [
      join(tree, PAD),
      ...listFilesBelow(join(tree, '.scratchpad')),
    ]);
    const lost = removeLines(this.acknowledged, listTokens(inGit.stdout + readText(inFiles)));
    if (lost.length > 0) throw new Error(`lost: ${lost.join(', ')}`);
  }

  remove(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** An operation that merges: done, or a conflict that is seen and then resolved. */
  async #merging(words: readonly string[]): Promise<void> {
    if (await this.#git(...words)) figures['merges and picks'] += 1;
    const [operation = ''] = words;
    for (let k = 0; k < 20 && (await this.#unmerged()) !== ''; k += 1) {
      await this.#conflict(words.join(' '));
      if (operation !== 'stash' && this.#random() < 0.3) return this.#must(operation, '--abort');
      const path = join(this.#at, PAD);
      const both = this.#pad().replace(/^(?:<{7}|={7}|>{7}|\|{7}).*\n/gm, '');
      if (existsSync(path)) writeFileSync(path, both);
      await this.#must('add', '-A');
      if (operation === 'stash') return;
      const on = operation === 'merge' ? ['commit', '-q', '--no-edit'] : [operation, '--continue'];
      const { code } = await this.#run('git', on, this.#at);
      // Nothing is left of this commit.
      if (code !== 0 && operation !== 'merge' && (await this.#unmerged()) === '')
        await this.#git(operation, '--skip');
    }
    await this.#shows(words.join(' '), listTokens(this.#pad()));
  }

  /** Commands notice the marks of a conflict: those that write refuse, a model sees none; `show` prints the file. */
  async #conflict(what: string): Promise<void> {
    const text = this.#pad();
    if (!(await this.#unmerged()).includes(PAD) || !/^<{7} /m.test(text)) return;
    figures.conflicts += 1;
    for (const words of [['notes', 'append', 'no'], ['plan', 'done'], ['check']]) await this.#cli(words, [1]);
    if (this.#pad() !== text) throw new Error(`${what}: a command changed a file with conflict marks`);
    const { stdout } = await this.#cli(['context']);
    if (/^={7}$/m.test(stdout)) throw new Error(`${what}: the marks are shown as text`);
  }

  /** The file has these texts, and so has what the program shows of it. */
  async #shows(what: string, expected: Tokens): Promise<void> {
    if (!this.#tracked || this.#isOfRepository()) return;
    // A branch without the pad, in a work tree where nothing was written yet.
    const codes = existsSync(join(this.#at, PAD)) ? [0] : [0, 1];
    for (const text of [this.#pad(), (await this.#cli(['show'], codes)).stdout]) {
      const wrong = [...removeLines(expected, listTokens(text)), ...removeLines(listTokens(text), expected)];
      if (wrong.length > 0) throw new Error(`${what}: the texts differ: ${wrong.join(', ')}`);
    }
  }

  /** Steps may be set aside, or come back, with the plan of another branch or work tree, which is kept. */
  #same(what: string, expected: Tokens): void {
    const found = this.#tokens();
    const extra = removeLines(found, expected, this.#steps);
    const gone = removeLines(expected, found);
    const kept = listTokens(
      gone.length === 0 ? '' : readText(listFilesBelow(join(this.#main, '.scratchpad'))),
    );
    const lost = gone.filter((token) => !this.#steps.has(token) || !kept.has(token));
    if (lost.length + extra.length > 0)
      throw new Error(`${what}: missing ${lost.join(', ') || 'nothing'}, too much ${extra.join(', ')}`);
  }

  /** The texts in the pads that a write here may change. */
  #tokens(): Set<string> {
    const own = join(this.#main, `.scratchpad/sessions/worktree-${basename(this.#at)}`, PAD);
    const pads = this.#isOfRepository() ? [join(this.#main, PAD), own] : [];
    return listTokens(readText([join(this.#at, PAD), ...pads]));
  }

  /** A linked work tree without a pad of its own uses the notes of the repository. */
  #isOfRepository(): boolean {
    return (
      this.#at !== this.#main && !['', '.scratchpad'].some((name) => existsSync(join(this.#at, name || PAD)))
    );
  }

  #pad(): string {
    return readText([join(this.#at, PAD)]);
  }

  async #padIn(commit: string): Promise<string> {
    if (!this.#tracked) return this.#pad();
    return (await this.#run('git', ['show', `${commit}:${PAD}`], this.#at)).stdout;
  }

  #unmerged(): Promise<string> {
    return this.#ask('diff', '--name-only', '--diff-filter=U');
  }

  async #otherBranch(): Promise<string | undefined> {
    // As most people do before they switch to another branch or merge one.
    if (this.#random() < 0.7) await this.commit();
    const here = await this.#ask('branch', '--show-current');
    const all = (await this.#ask('branch', '--format=%(refname:short)')).split('\n');
    const others = all.filter((name) => name !== here && name !== '' && !name.startsWith('('));
    return others.length === 0 ? undefined : this.#pick(others);
  }

  #token(): string {
    this.#made += 1;
    return `tk${this.#made}z`;
  }

  /** Of a branch, which a line about its plan may show: no text that must survive. */
  #name(): string {
    this.#made += 1;
    return `branch${this.#made}`;
  }

  #pick<T>(choices: readonly T[]): T {
    return pickOne(choices, this.#random);
  }

  #say(line: string): void {
    this.trace.push(`${basename(this.#at)}: ${line}`);
  }

  async #cli(words: readonly string[], codes: readonly number[] = [0], input = ''): Promise<Ended> {
    this.#say(`scratchpad ${words.join(' ')}`);
    const ended = await this.#run(process.execPath, [program, ...words], this.#at, input);
    if (!codes.includes(ended.code ?? -1))
      throw new Error(`scratchpad ${words.join(' ')} ended with ${ended.code}: ${ended.stderr}`);
    return ended;
  }

  /** Whether git did it; git may refuse. */
  async #git(...words: string[]): Promise<boolean> {
    this.#say(`git ${words.join(' ')}`);
    const { code } = await this.#run('git', words, this.#at);
    if (code !== 0) figures['refused by git'] += 1;
    return code === 0;
  }

  async #must(...words: string[]): Promise<void> {
    if (!(await this.#git(...words))) throw new Error(`git ${words.join(' ')} was refused`);
  }

  async #ask(...words: string[]): Promise<string> {
    return (await this.#run('git', words, this.#at)).stdout.trim();
  }

  #run(command: string, args: readonly string[], cwd: string, input = ''): Promise<Ended> {
    return start(args, { command, cwd, input, env: { HOME: this.#home, ...ENV } }).ended;
  }
}

/** Each kind of step with its relative frequency. */
const STEPS: readonly [number, (r: Repository) => Promise<void> | void][] = [
  [6, (r) => r.write('notes', 'append')],
  [3, (r) => r.write('plan', 'add')],
  [2, (r) => r.write('refs', 'add')],
  [2, (r) => r.doStep()],
  [4, (r) => r.editByHand()],
  [2, (r) => r.undo()],
  [1, (r) => r.hook()],
  [5, (r) => r.commit()],
  [3, (r) => r.branch()],
  [5, (r) => r.checkout()],
  [4, (r) => r.combine('merge')],
  [2, (r) => r.combine('rebase')],
  [2, (r) => r.combine('cherry-pick')],
  [4, (r) => r.stash()],
  [2, (r) => r.worktree()],
];
const CHANCES = STEPS.flatMap(([weight, step]) => Array<(typeof STEPS)[number][1]>(weight).fill(step));
const failures: string[] = [];

async function runSequence(number: number): Promise<void> {
  const random = createRandom(seed * 1_000_003 + number);
  const tracked = number % 2 === 0;
  const repository = new Repository(random, tracked);
  try {
    await repository.begin();
    for (let k = 0; k < steps; k += 1) {
      await pickOne(CHANCES, random)(repository);
      figures.steps += 1;
    }
    await repository.nothingLost();
  } catch (error) {
    const how = `sequence ${number} of seed ${seed}, ${tracked ? 'tracked' : 'not tracked'}`;
    failures.push(`${how}: ${(error as Error).message}\n    ${repository.trace.join('\n    ')}`);
  }
  figures.sequences += 1;
  figures.acknowledged += repository.acknowledged.size;
  repository.remove();
}

let next = first;
await Promise.all(
  Array.from({ length: aside }, async () => {
    while (next < first + sequences) {
      next += 1;
      await runSequence(next - 1);
    }
  }),
);
report('git operations with writes between them', figures, failures);
removeAll();
