import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Ended, freshDir, start } from './harness.ts';

export const TOKEN = /tk\d+z/g;
const GIT = {
  GIT_AUTHOR_NAME: 'S',
  GIT_AUTHOR_EMAIL: 's@x',
  GIT_COMMITTER_NAME: 'S',
  GIT_COMMITTER_EMAIL: 's@x',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_EDITOR: 'true',
  SCRATCHPAD_INIT: '',
};
const PAD = 'SCRATCHPAD.md';
/** The marker with which git begins a conflict. */
const MARK = /^<{7} /m;

/** What must be true after a merge, as one set: the tokens of a pad, and which steps of the plan are done. */
export type Facts = ReadonlySet<string>;

export function factsIn(text: string): Set<string> {
  const facts = new Set(text.match(TOKEN) ?? []);
  for (const [, token] of text.matchAll(/~~(tk\d+z)~~ DONE/g)) facts.add(`${token} done`);
  return facts;
}

/** A three-way merge: what one side removed is gone, and what one side added is there. */
export function merged(base: Facts, ours: Facts, theirs: Facts): Set<string> {
  return new Set(
    [...ours, ...theirs].filter((fact) => !base.has(fact) || (ours.has(fact) && theirs.has(fact))),
  );
}

function difference(expected: Facts, found: Facts): string | undefined {
  const missing = [...expected].filter((fact) => !found.has(fact));
  const extra = [...found].filter((fact) => !expected.has(fact));
  if (missing.length + extra.length === 0) return undefined;
  return `missing ${missing.join(', ') || 'nothing'}; too much ${extra.join(', ') || 'nothing'}`;
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function textOf(files: readonly string[]): string {
  return files
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

/** A repository, its work trees, and what runs in them. */
class Hands {
  readonly acknowledged = new Set<string>();
  readonly trace: string[] = [];
  protected readonly removed = new Set<string>();
  protected readonly byHand = new Set<string>();
  /** The tokens in steps of plans: a plan is shown on its own branch and in its own work tree only. */
  protected readonly steps = new Set<string>();
  readonly count = { commits: 0, merges: 0, conflicts: 0, refused: 0, setAside: 0, onlyInHistory: 0 };
  protected readonly home = freshDir('git');
  protected readonly main = join(this.home, 'repo');
  protected readonly program: string;
  protected readonly random: () => number;
  protected readonly tracked: boolean;
  protected trees = [this.main];
  /** The current work tree. */
  protected at = this.main;
  protected tokens = 0;
  protected branches = 0;

  constructor(program: string, random: () => number, tracked: boolean) {
    this.program = program;
    this.random = random;
    this.tracked = tracked;
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  protected token(): string {
    this.tokens += 1;
    return `tk${this.tokens}z`;
  }

  protected pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.random() * choices.length)] as T;
  }

  protected say(line: string): void {
    this.trace.push(`${basename(this.at)}: ${line}`);
  }

  protected async cli(words: readonly string[], codes: readonly number[] = [0]): Promise<Ended> {
    this.say(`scratchpad ${words.join(' ')}`);
    const ended = await this.run(process.execPath, [this.program, ...words], this.at);
    if (!codes.includes(ended.code ?? -1))
      throw new Error(`scratchpad ${words.join(' ')} ended with ${ended.code}: ${ended.stderr}`);
    return ended;
  }

  /** Whether git did it; git may refuse. */
  protected async git(...words: string[]): Promise<boolean> {
    this.say(`git ${words.join(' ')}`);
    const { code } = await this.run('git', words, this.at);
    if (code === 0) return true;
    this.say(`  refused, ${code}`);
    this.count.refused += 1;
    return false;
  }

  protected async must(...words: string[]): Promise<void> {
    this.say(`git ${words.join(' ')}`);
    const { code, stdout, stderr } = await this.run('git', words, this.at);
    if (code !== 0) throw new Error(`git ${words.join(' ')}: ${stdout}${stderr}`);
  }

  protected async ask(...words: string[]): Promise<string> {
    return (await this.run('git', words, this.at)).stdout.trim();
  }

  /** With a home of its own, and without anybody's settings. */
  protected run(command: string, args: readonly string[], cwd: string, input = ''): Promise<Ended> {
    return start(args, { command, cwd, input, env: { HOME: this.home, ...GIT } }).ended;
  }
}

/** What must be true after each operation. */
export class Oracle extends Hands {
  async end(): Promise<void> {
    await this.nothingLost();
  }

  /** Every command notices conflict markers: those that write refuse, those that read show the earlier contents. */
  protected async conflict(
    what: string,
    ours: string | undefined,
    expected: Facts | undefined,
  ): Promise<void> {
    if (!(await this.ask('diff', '--name-only', '--diff-filter=U')).includes(PAD)) return;
    const text = this.padText();
    // Deleted on one side, changed on the other: git leaves the file as the other side has it.
    if (!MARK.test(text)) return;
    this.count.conflicts += 1;
    const lost = [...(expected ?? [])].filter((fact) => !fact.endsWith(' done') && !text.includes(fact));
    if (lost.length > 0) throw new Error(`${what}: a conflict that does not show ${lost.join(', ')}`);
    for (const words of [
      ['notes', 'append', 'no'],
      ['plan', 'done'],
    ]) {
      const { code } = await this.cli(words, [1]);
      if (code !== 1) throw new Error(`${what}: ${words.join(' ')} over conflict marks ended with ${code}`);
    }
    if ((await this.cli(['check'], [1])).code !== 1) throw new Error(`${what}: check does not see the marks`);
    if (this.padText() !== text) throw new Error(`${what}: a command changed a file with conflict marks`);
    const { stdout } = await this.cli(['show']);
    if (/^(?:<{7}|>{7}|={7}$)/m.test(stdout)) throw new Error(`${what}: the marks are shown as text`);
    // Text around the spaces is shown as git merged it.
    const spaces = (pad: string): Facts => factsIn(pad.replace(/^.* outside$/gm, ''));
    const shown = spaces(stdout);
    // If nothing was written since the checkout, our side of the markers, with everything merged that did not
    // conflict.
    const before = ours === undefined ? undefined : spaces(ours);
    const allowed = before && new Set([...before, ...[...shown].filter((fact) => expected?.has(fact))]);
    const wrong = allowed && difference(allowed, shown);
    if (wrong !== undefined) throw new Error(`${what}, marks: ${wrong}`);
  }

  /** Taking one side discards what a person wrote on the other side, if no command has seen it. */
  protected async thrownAway(): Promise<void> {
    const heads = ['HEAD', 'MERGE_HEAD', 'REBASE_HEAD', 'CHERRY_PICK_HEAD', 'stash@{0}'];
    const texts = await Promise.all(heads.map((head) => this.padIn(head)));
    for (const token of [...texts, this.padText()].join('\n').match(TOKEN) ?? []) {
      if (this.byHand.has(token)) this.forget(token);
    }
  }

  protected forget(token: string): void {
    this.acknowledged.delete(token);
    this.removed.add(token);
  }

  /** The program must show what is in the file, which must be the correct result of git's operation. */
  protected async shows(what: string, expected: Facts): Promise<void> {
    const text = this.tracked ? this.padText() : undefined;
    const wrong = text === undefined ? undefined : difference(expected, factsIn(text));
    if (wrong !== undefined) throw new Error(`${what}: the file: ${wrong}`);
    if (text === undefined || this.isOfRepository()) return;
    const { stdout } = await this.cli(['show']);
    const shown = difference(expected, factsIn(stdout));
    if (shown !== undefined) throw new Error(`${what}: shown: ${shown}`);
  }

  protected async nothingLost(): Promise<void> {
    const files = this.trees.flatMap((tree) => [
      join(tree, PAD),
      ...filesBelow(join(tree, '.scratchpad/sessions')).filter((path) => basename(path) === PAD),
    ]);
    const inFiles = textOf(files);
    const stashes = (await this.ask('stash', 'list', '--format=%H')).split('\n').filter(Boolean);
    const objects = (await this.ask('rev-list', '--objects', '--all', ...stashes)).split('\n');
    const ids = objects.filter((line) => line.endsWith(` ${PAD}`)).map((line) => line.slice(0, 40));
    const inGit =
      ids.length === 0
        ? ''
        : (await this.run('git', ['cat-file', '--batch'], this.main, `${ids.join('\n')}\n`)).stdout;
    if (!this.tracked && ids.length > 0) throw new Error('a pad that is not tracked was committed');
    if (objects.some((line) => line.includes('.scratchpad'))) throw new Error('.scratchpad was committed');
    const history = textOf(this.trees.flatMap((tree) => filesBelow(join(tree, '.scratchpad'))));
    for (const token of this.acknowledged) {
      if (inFiles.includes(token) || inGit.includes(token)) continue;
      if (!history.includes(token)) throw new Error(`lost: ${token}`);
      this.count.onlyInHistory += 1;
    }
  }

  /** The tokens in the pads that a write here may change. */
  protected facts(): Set<string> {
    const pads = [join(this.at, PAD), join(this.main, PAD)];
    const own = join(this.main, `.scratchpad/sessions/worktree-${basename(this.at)}`, PAD);
    return factsIn(this.isOfRepository() ? textOf([...pads, own]) : this.padText());
  }

  /** A linked work tree without a pad of its own uses the notes of the repository. */
  protected isOfRepository(): boolean {
    return (
      this.at !== this.main && !existsSync(join(this.at, PAD)) && !existsSync(join(this.at, '.scratchpad'))
    );
  }

  protected padText(): string {
    return textOf([join(this.at, PAD)]);
  }

  protected same(what: string, expected: Facts, found: Facts): void {
    const isStep = (fact: string): boolean => this.steps.has(fact.replace(' done', ''));
    const aside = [...expected].filter((fact) => !found.has(fact) && isStep(fact));
    // Back on its branch, or in its work tree, a plan is back with the next write.
    const back = [...found].filter((fact) => !expected.has(fact) && isStep(fact) && !this.removed.has(fact));
    const wrong = difference(new Set([...expected, ...back]), new Set([...found, ...aside]));
    if (wrong !== undefined) throw new Error(`${what}: ${wrong}`);
    if (aside.length > 0) this.heldAside(what, aside);
  }

  /** Steps that a command took out of the file belong to a plan of another branch or work tree, which is kept. */
  private heldAside(what: string, facts: readonly string[]): void {
    this.count.setAside += 1;
    const kept = textOf(filesBelow(join(this.main, '.scratchpad')));
    const lost = facts.filter((fact) => !kept.includes(fact.replace(' done', '')));
    if (lost.length > 0) throw new Error(`${what}: ${lost.join(', ')} is in no plan that is kept`);
  }

  protected async padIn(commit: string): Promise<string> {
    return this.tracked
      ? (await this.run('git', ['show', `${commit}:${PAD}`], this.at)).stdout
      : this.padText();
  }

  protected async unmerged(): Promise<boolean> {
    return (await this.ask('diff', '--name-only', '--diff-filter=U')) !== '';
  }
}
