import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Facts, factsIn, merged, Oracle, TOKEN } from './git-oracle.ts';

const PAD = 'SCRATCHPAD.md';

/** A repository with a pad, and the operations in it: of an agent, of a person, of git. */
export class Repository extends Oracle {
  async begin(): Promise<void> {
    await this.run('git', ['init', '-q', '-b', 'main', this.main], this.home);
    await this.change('begin');
    // A branch without the pad.
    await this.must('branch', 'early');
    await this.cli(this.tracked ? ['init', '--tracked'] : ['init']);
    await this.writeNote('append');
    await this.addStep();
    await this.commit();
  }

  // Writes of an agent and of a person.

  writeNote(how: 'append' | 'prepend'): Promise<void> {
    return this.write(['notes', how], this.token());
  }

  addStep(): Promise<void> {
    const token = this.token();
    this.steps.add(token);
    return this.write(['plan', 'add'], token);
  }

  addRef(): Promise<void> {
    return this.write(['refs', 'add'], this.token());
  }

  async doStep(): Promise<void> {
    const before = this.facts();
    const { code, stderr } = await this.cli(['plan', 'done'], [0, 1]);
    // Refused when nothing is open.
    if (code === 1 && /conflict/.test(stderr)) throw new Error(`plan done: ${stderr}`);
    const tokens = (facts: Facts) => new Set([...facts].filter((fact) => !fact.endsWith(' done')));
    this.same('plan done', tokens(before), tokens(this.facts()));
  }

  /** A write that is undone at once leaves the file as it was. */
  async undoWrite(): Promise<void> {
    const before = this.facts();
    const token = this.token();
    await this.cli(['notes', 'append', token]);
    await this.cli(['undo']);
    this.same('undo', before, this.facts());
  }

  /** What is undone disappears, and nothing new appears, whatever branch the previous change was made on. */
  async undo(): Promise<void> {
    const before = this.facts();
    const { code } = await this.cli(['undo'], [0, 1]);
    const extra = [...this.facts()].filter((fact) => !before.has(fact) && !this.removed.has(fact));
    if (extra.length > 0) throw new Error(`undo, ${code}: brought ${extra.join(', ')}`);
  }

  editByHand(): void {
    const path = join(this.at, PAD);
    if (!existsSync(path)) return;
    const token = this.token();
    const text = readFileSync(path, 'utf8');
    const close = '<!-- /scratchpad:notes -->';
    const next = this.pick([
      () => text.replace(close, () => `${token}\n${close}`),
      () => text.replace(/(?<=<!-- scratchpad:notes -->\n)/, () => `${token}\n`),
      () => text.replace(/^tk\d+z.*$/m, (line) => `${line} and ${token}`),
      () => text.replace(/^tk\d+z.*$/m, (line) => `${token} in front of ${line}`),
      () => text.replace(/^(\d+\. .*)$/m, (line) => `${line} (${token})`),
      () => this.withoutLine(text, token),
      () => `${text}\n${token} outside\n`,
    ])();
    if (next === text) return;
    if (next.includes(` (${token})`)) this.steps.add(token);
    this.say(`hand edit ${token}`);
    writeFileSync(path, next);
    this.acknowledged.add(token);
    this.byHand.add(token);
  }

  /** A person removes a line on purpose: it may be gone, or come back with `undo`. */
  private withoutLine(text: string, token: string): string {
    return text.replace(/^tk\d+z.*$/m, (line) => {
      for (const gone of line.match(TOKEN) ?? []) this.forget(gone);
      return token;
    });
  }

  async hook(): Promise<void> {
    const before = this.facts();
    const event = this.pick(['SessionStart', 'UserPromptSubmit']);
    const input = JSON.stringify({ session_id: 's', cwd: this.at, source: 'startup', prompt: 'and now?' });
    this.say(`hook ${event}`);
    const { code } = await this.run(
      process.execPath,
      [this.program, 'hook', 'claude-code', event],
      this.at,
      input,
    );
    if (code !== 0) throw new Error(`the hook ended with ${code}`);
    this.same(`hook ${event}`, before, this.facts());
  }

  // Operations of git.

  async commit(): Promise<void> {
    await this.change(this.token());
  }

  async branch(): Promise<void> {
    this.branches += 1;
    await this.git('checkout', '-q', '-b', `b${this.branches}`);
  }

  async checkout(): Promise<void> {
    await this.commitFirst();
    const to = await this.otherBranch();
    if (to === undefined) return;
    const before = this.padText();
    const known = await this.padIn('HEAD');
    if (!(await this.git('checkout', '-q', to))) return;
    // Git carries over uncommitted changes, and only those.
    const expected = this.tracked && before === known ? await this.padIn('HEAD') : before;
    await this.shows(`checkout ${to}`, factsIn(expected));
  }

  async merge(): Promise<void> {
    await this.commitFirst();
    const other = await this.otherBranch(true);
    if (other === undefined) return;
    const bases = (await this.ask('merge-base', '--all', 'HEAD', other)).split('\n').filter(Boolean);
    const [ours, theirs] = [await this.padIn('HEAD'), await this.padIn(other)];
    const base = bases.length === 1 ? factsIn(await this.padIn(bases[0] ?? '')) : undefined;
    await this.merging(['merge', '-q', '--no-edit', other], ours, () =>
      base === undefined ? undefined : merged(base, factsIn(ours), factsIn(theirs)),
    );
  }

  async cherryPick(): Promise<void> {
    await this.commitFirst();
    const other = await this.otherBranch(true);
    if (other === undefined) return;
    const parents = (await this.ask('rev-list', '-1', '--parents', other)).split(' ');
    if (parents.length !== 2) return;
    const [base, theirs] = [await this.padIn(`${other}^`), await this.padIn(other)];
    const ours = await this.padIn('HEAD');
    await this.merging(['cherry-pick', other], ours, () =>
      merged(factsIn(base), factsIn(ours), factsIn(theirs)),
    );
  }

  async rebase(): Promise<void> {
    await this.commitFirst();
    const onto = await this.otherBranch(true);
    if (onto === undefined) return;
    const commits = (await this.ask('rev-list', '--reverse', `${onto}..HEAD`)).split('\n').filter(Boolean);
    const merges = await this.ask('rev-list', '--merges', `${onto}..HEAD`);
    let expected: Facts | undefined = factsIn(await this.padIn(onto));
    for (const commit of commits) {
      const [base, theirs] = [await this.padIn(`${commit}^`), await this.padIn(commit)];
      expected = merges === '' ? merged(factsIn(base), expected ?? new Set(), factsIn(theirs)) : undefined;
    }
    await this.merging(['rebase', '-q', onto], undefined, () => expected);
  }

  async stash(): Promise<void> {
    if (!(await this.git('stash', '-q', ...this.pick([[], ['-u']])))) return;
    // It may stay on a branch whose pad was never committed.
    const committed = await this.padIn('HEAD');
    if (this.tracked && committed !== '') await this.shows('stash', factsIn(committed));
  }

  async pop(): Promise<void> {
    if ((await this.ask('stash', 'list')) === '') return;
    const [base, theirs] = [await this.padIn('stash@{0}^1'), await this.padIn('stash@{0}')];
    const extra = (await this.run('git', ['show', `stash@{0}^3:${PAD}`], this.at)).stdout;
    if (extra !== '') return void (await this.git('stash', 'pop', '-q'));
    const ours = this.padText();
    await this.merging(['stash', 'pop', '-q'], ours, () =>
      merged(factsIn(base), factsIn(ours), factsIn(theirs)),
    );
  }

  async addWorktree(): Promise<void> {
    if (this.trees.length > 2) return;
    this.branches += 1;
    const tree = join(this.home, `tree${this.branches}`);
    const from = this.pick(['HEAD', 'early', 'main']);
    if (!(await this.git('worktree', 'add', '-q', '-b', `b${this.branches}`, tree, from))) return;
    this.trees.push(tree);
    this.at = tree;
  }

  async removeWorktree(): Promise<void> {
    const tree = this.trees[1];
    if (tree === undefined) return;
    if (this.at === tree) this.at = this.main;
    if (!(await this.git('worktree', 'remove', tree))) return;
    this.trees = this.trees.filter((each) => each !== tree);
    await this.nothingLost();
  }

  // The checks.

  private async write(words: readonly string[], token: string): Promise<void> {
    if (this.random() < 0.2) this.at = this.pick(this.trees);
    const before = this.facts();
    await this.cli([...words, token]);
    this.acknowledged.add(token);
    this.same(words.join(' '), new Set([...before, token]), this.facts());
  }

  /** An operation that merges: the result must be correct, or be shown as a conflict and then resolved. */
  private async merging(
    words: readonly string[],
    ours: string | undefined,
    expect: () => Facts | undefined,
  ): Promise<void> {
    const clean = !this.tracked || (await this.ask('status', '--porcelain', '--', PAD)) === '';
    const before = this.padText();
    if (await this.git(...words)) {
      this.count.merges += 1;
      const expected = clean && this.tracked ? expect() : undefined;
      await this.shows(words.join(' '), expected ?? factsIn(this.tracked ? this.padText() : before));
      return;
    }
    for (let k = 0; k < 20 && (await this.unmerged()); k += 1) {
      await this.conflict(
        words.join(' '),
        k === 0 && clean && words[0] !== 'rebase' ? ours : undefined,
        k === 0 && words[0] !== 'rebase' ? expect() : undefined,
      );
      if (!(await this.resolve(words[0] ?? ''))) return;
    }
    await this.shows(`${words.join(' ')}, resolved`, factsIn(this.padText()));
  }

  private async resolve(operation: string): Promise<boolean> {
    const way = this.pick(['both', 'ours', 'theirs', 'abort']);
    this.say(`resolve: ${way}`);
    if (way !== 'both') await this.thrownAway();
    if (way === 'abort' && operation !== 'stash') {
      await this.must(operation, '--abort');
      return false;
    }
    if (way === 'both' || !(await this.git('checkout', '-q', `--${way}`, '--', PAD))) {
      const path = join(this.at, PAD);
      if (existsSync(path))
        writeFileSync(
          path,
          readFileSync(path, 'utf8')
            .replace(/^\|{7}[\s\S]*?^={7}$/gm, '=======')
            .replace(/^(?:<{7}|={7}|>{7}).*\n/gm, ''),
        );
    }
    await this.must('add', '-A');
    // Somebody reads or writes before the operation continues.
    if (this.random() < 0.5) await this.writeNote('append');
    await this.must('add', '-A');
    if (operation === 'stash') return false;
    const going = await this.run(
      'git',
      operation === 'merge' ? ['commit', '-q', '--no-edit'] : [operation, '--continue'],
      this.at,
    );
    // Nothing is left of this commit; if files are unmerged, the next commit is the one in conflict.
    const empty = going.code !== 0 && operation !== 'merge' && !(await this.unmerged());
    if (empty) await this.git(operation, '--skip');
    return true;
  }

  /** A commit of everything, with a change in a file that no other branch has. */
  private async change(name: string): Promise<void> {
    appendFileSync(join(this.at, `${name}.txt`), 'x\n');
    await this.must('add', '-A');
    await this.must('commit', '-q', '-m', name);
    this.count.commits += 1;
    if (this.tracked && (await this.padIn('HEAD')) !== this.padText())
      throw new Error('the commit is not the work tree');
  }

  /** As most people do before they switch to another branch or merge one. */
  private async commitFirst(): Promise<void> {
    if (this.random() < 0.7) await this.commit();
  }

  private async otherBranch(checkedOut = false): Promise<string | undefined> {
    const lines = (
      await this.ask('branch', '--format=%(refname:short)%(if)%(worktreepath)%(then) *%(end)')
    ).split('\n');
    const here = await this.ask('branch', '--show-current');
    const names = lines
      .filter((line) => checkedOut || !line.endsWith(' *'))
      .map((line) => line.replace(' *', ''));
    const others = names.filter((name) => name !== here && name !== '' && !name.startsWith('('));
    return others.length === 0 ? undefined : this.pick(others);
  }
}
