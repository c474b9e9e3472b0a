import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { Terminal } from '../terminal.ts';
import { findProgram } from './programs.ts';

export function makeGeminiCli(bench: Bench, cache: string | undefined, settings: object = {}) {
  const program = findProgram(cache, 'gemini-cli');
  bench.writeInHome('.gemini/settings.json', {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      // A resume in a later minute begins with a second file without a message. The next run of another session takes
      // that file for a broken one, and deletes all files of the session.
      sessionRetention: { enabled: false },
    },
    telemetry: { enabled: false },
    ...settings,
  });
  const call = [program, '-m', 'gemini-2.5-flash', '--yolo'];
  const env = {
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: bench.url,
    // With --skip-trust the settings of the project are read before it counts as trusted, so none of its hooks runs.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  };
  return {
    /** One run without a terminal. */
    run: (args: readonly string[]) => bench.run(process.execPath, [...call, ...args], env),
    /** A session in a terminal. */
    open: (args: readonly string[] = []) =>
      new GeminiTerminal(bench.terminal(process.execPath, [...call, ...args], env), bench),
  };
}

/** One session in a terminal, as a person would use it. */
export class GeminiTerminal {
  readonly #terminal: Terminal;
  readonly #bench: Bench;

  constructor(terminal: Terminal, bench: Bench) {
    this.#terminal = terminal;
    this.#bench = bench;
  }

  /** @param shows the end of a resumed conversation */
  async ready(shows = 'Type your message'): Promise<void> {
    await this.#terminal.until('a prompt', (screen) => screen.includes('Type your message'));
    await this.#terminal.until('the conversation', (screen) => screen.includes(shows));
    // Anything typed earlier would be lost.
    const server = existsSync(join(this.#bench.workspace, '.gemini')) ? /1 MCP server/ : /./;
    await this.#terminal.until('our server', (screen) => server.test(screen) && !/Executing/.test(screen));
    await this.#terminal.settled();
  }

  async say(words: string): Promise<void> {
    const { stub } = this.#bench;
    const before = stub.turns().length;
    await this.#terminal.type(words);
    await this.#terminal.until('a request for an answer', () => stub.turns().length > before);
    await this.#terminal.until('the end of the answer', (screen) => !/esc to cancel|Executing/.test(screen));
    await this.#terminal.settled();
  }

  async clear(): Promise<void> {
    await this.#terminal.type('/clear');
    await this.#terminal.until('an empty screen', (screen) => !screen.includes('Understood.'));
    await this.#terminal.settled();
  }

  /** Rewinds the last turn. */
  async rewind(): Promise<void> {
    await this.#terminal.type('/rewind');
    await this.#terminal.until('the list of turns', (screen) => screen.includes('● Stay at current'));
    await this.#terminal.keys('Up');
    await this.#terminal.until('the last turn', (screen) => !screen.includes('● Stay at current'));
    await this.#terminal.keys('Enter');
    await this.#terminal.until('the question', (screen) => screen.includes('● 1. Rewind conversation'));
    await this.#terminal.keys('Enter');
    await this.#terminal.until('the words to change', (screen) => !screen.includes('Rewind conversation'));
    // The words of that turn come into the input line again.
    await this.#terminal.settled();
    await this.#terminal.keys('C-u');
    await this.#terminal.settled();
  }
}
