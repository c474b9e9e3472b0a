import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 250;

interface TerminalOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  command: readonly string[];
  columns?: number;
}

/** A program in an invisible terminal, using tmux. */
export class Terminal {
  readonly #socket: string;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /** @param socket path of a file that does not exist yet */
  static open(socket: string, { cwd, env, command, columns = 200 }: TerminalOptions): Terminal {
    const terminal = new Terminal(socket);
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const session = ['new-session', '-d', '-x', String(columns), '-y', '50', '-c', cwd];
    terminal.#tmux('-f', '/dev/null', ...session, '--', 'env', '-i', ...settings, ...command);
    return terminal;
  }

  screen(): string {
    return this.#tmux('capture-pane', '-p');
  }

  /** The same with its colours, as escape sequences. */
  colours(): string {
    return this.#tmux('capture-pane', '-p', '-e', '-N');
  }

  resize(columns: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', '50');
  }

  /** Types a line and submits it. */
  async type(line: string): Promise<void> {
    this.#tmux('send-keys', '-l', line);
    // A line that arrives in one piece with its Enter counts as pasted.
    await sleep(LOOK_MS);
    this.#tmux('send-keys', 'Enter');
  }

  /** Presses keys, with tmux's names for them: `Escape`, `Up`. */
  async keys(...names: string[]): Promise<void> {
    for (const name of names) {
      this.#tmux('send-keys', name);
      await sleep(LOOK_MS);
    }
  }

  /** @throws Error with the screen if this does not become true */
  async until(what: string, holds: (screen: string) => boolean, ms = 60_000): Promise<void> {
    for (let waited = 0; !holds(this.screen()); waited += LOOK_MS) {
      if (waited > ms) throw new Error(`waited in vain for ${what}:\n${this.screen()}`);
      await sleep(LOOK_MS);
    }
  }

  /** Waits until the screen no longer changes. */
  async settled(): Promise<void> {
    for (let before = ''; before !== this.screen(); await sleep(4 * LOOK_MS)) before = this.screen();
  }

  close(): void {
    // Gemini CLI outlives its terminal, and with it the servers that it has started.
    try {
      const [pid] = this.#tmux('list-panes', '-a', '-F', '#{pane_pid}').split('\n');
      process.kill(-Number(pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
    spawnSync('tmux', ['-S', this.#socket, 'kill-server']);
  }

  #tmux(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  }
}
