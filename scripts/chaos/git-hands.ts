import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Ended, runIn } from './git-facts.ts';
import { freshDir } from './rig.ts';

/** A repository, its work trees, and what runs in them. */
export class Hands {
  readonly acknowledged = new Set<string>();
  readonly trace: string[] = [];
  protected readonly removed = new Set<string>();
  protected readonly byHand = new Set<string>();
  readonly count = { commits: 0, merges: 0, conflicts: 0, refused: 0, onlyInHistory: 0 };
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

  protected run(command: string, args: readonly string[], cwd: string, input = ''): Promise<Ended> {
    return runIn(this.home, command, args, cwd, input);
  }
}
