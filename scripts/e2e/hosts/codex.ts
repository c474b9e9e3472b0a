import type { ChildProcess } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Bench } from '../bench.ts';
import { findProgram } from './programs.ts';

/**
 * Codex without a terminal. Hooks run without the trust that a person would give them, which is what `doctor` warns of.
 * @param settings more of config.toml
 */
export function makeCodex(bench: Bench, cache: string | undefined, settings: { keys?: string } = {}) {
  const program = findProgram(cache, 'codex');
  const codexHome = join(bench.home, '.codex');
  bench.writeInHome(
    '.codex/config.toml',
    `model = "stub"
model_provider = "stub"
approval_policy = "never"
check_for_update_on_startup = false
${settings.keys ?? ''}
[analytics]
enabled = false

[model_providers.stub]
name = "stub"
base_url = "${bench.url}/v1"
env_key = "STUB_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[projects."${bench.workspace}"]
trust_level = "trusted"
`,
  );
  const always = ['--skip-git-repo-check', '--dangerously-bypass-hook-trust', '-s', 'danger-full-access'];
  const env = { CODEX_HOME: codexHome, STUB_KEY: 'dummy' };
  return {
    /** One run of `codex exec`. */
    run: (args: readonly string[]) => bench.run(program, ['exec', ...always, ...args], env),
    /** Starts one process and one session that stays, whose hooks the person trusts. */
    async talk() {
      const server = await AppServer.start(bench.spawn(program, ['app-server'], env));
      await server.trustHooks(bench.workspace);
      const { thread } = await server.ask('thread/start', {
        cwd: bench.workspace,
        sandbox: 'danger-full-access',
      });
      return async (text: string) => {
        const completed = server.notified('turn/completed');
        await server.ask('turn/start', {
          threadId: thread?.id,
          input: [{ type: 'text', text, text_elements: [] }],
        });
        await completed;
      };
    },
    /** Rewinds the last turn of the newest session, as its user interfaces do. */
    async rewind() {
      const server = await AppServer.start(bench.spawn(program, ['app-server'], env));
      const [, threadId] =
        /-([0-9a-f]{8}-[0-9a-f-]{27})(?:_[^/]*)?\.jsonl$/.exec(findNewestRollout(codexHome)) ?? [];
      const { thread } = await server.ask('thread/resume', { threadId });
      await server.ask('thread/revert', { threadId, beforeTurnId: thread?.turns.at(-1)?.id });
      await server.end();
    },
  };
}

function findNewestRollout(codexHome: string): string {
  const sessions = join(codexHome, 'sessions');
  const files = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  const age = (name: string): number => statSync(join(sessions, name)).mtimeMs;
  return files.sort((a, b) => age(a) - age(b)).at(-1) ?? '';
}

interface Answer {
  thread?: { id: string; turns: { id: string }[] };
  data?: { hooks: { key: string; currentHash: string }[] }[];
}

/** Codex as editors run it: with JSON lines on its standard streams. */
class AppServer {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  readonly #awaited = new Map<string, () => void>();

  static async start(child: ChildProcess): Promise<AppServer> {
    const server = new AppServer(child);
    await server.ask('initialize', { clientInfo: { name: 'e2e', version: '1' }, capabilities: null });
    return server;
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stdout === null) throw new Error('no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, method, result, error } = JSON.parse(line) as {
        id?: number;
        method?: string;
        result?: Answer;
        error?: unknown;
      };
      if (method !== undefined) return this.#awaited.get(method)?.();
      const asked = id === undefined ? undefined : this.#asked.get(id);
      if (result !== undefined) asked?.resolve(result);
      else asked?.reject(new Error(JSON.stringify(error)));
    });
  }

  ask(method: string, params: object): Promise<Answer> {
    const id = this.#asked.size + 1;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#child.stdin?.write(`${JSON.stringify({ id, method, params })}\n`);
    });
  }

  /** Resolves when the server next sends a notification of this method. */
  notified(method: string): Promise<void> {
    return new Promise((resolve) => this.#awaited.set(method, resolve));
  }

  /** Trusts the hooks of a folder, as a person does who reviews them. */
  async trustHooks(cwd: string): Promise<void> {
    const { data = [] } = await this.ask('hooks/list', { cwds: [cwd] });
    const hooks = data.flatMap((entry) => entry.hooks);
    const value = Object.fromEntries(
      hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]),
    );
    const edits = [{ keyPath: 'hooks.state', value, mergeStrategy: 'upsert' }];
    if (hooks.length > 0) await this.ask('config/batchWrite', { edits, reloadUserConfig: true });
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.on('close', resolve));
    this.#child.stdin?.end();
    await ended;
  }
}
