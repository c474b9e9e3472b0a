import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ResidentHooks } from '../../src/hosts/resident.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

type Event = Record<string, unknown>;
type Answer = Record<string, unknown> & { context?: string[]; instructions?: string };
type Next = (e: Event) => Promise<Answer>;
type Hook = ($: object, e: Event, next: Next) => unknown;
type On = (name: string, ...rest: [object, Hook] | [Hook]) => void;
export type Tree = { type: unknown; props: Record<string, unknown>; children: (Tree | string)[] };

/** Draws elements of a pane as data. */
Object.assign(globalThis, {
  h: (type: unknown, props: object | null, ...children: unknown[]): object => ({
    type,
    props: props ?? {},
    children,
  }),
});

type Register = (on: On) => void;

/** Our mod, without what another test has left in it. */
export async function loadMod(): Promise<Register> {
  const folder = testDir();
  cpSync(join(import.meta.dirname, '../../templates/claude-code-plugin/hooks'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return ((await import(pathToFileURL(join(folder, 'register.js')).href)) as { register: Register }).register;
}

interface ModHostOptions {
  cwd: string;
  session: string;
  server: ResidentHooks;
  env: Record<string, string | undefined>;
}

/** Claude Code 2.1.332 as its mods see it, as far as ours uses it; a handler that throws is left out. */
export class ModHost {
  readonly #hooks: { name: string; matcher: Event; run: Hook }[] = [];
  readonly #cwd: string;
  readonly env: Record<string, string | undefined>;
  session: string;
  transcript = '';
  server: ResidentHooks | undefined;
  hasProgram = true;
  refusesRows = false;
  readonly appended: string[] = [];
  /** Where the mod asked the server. */
  readonly sockets: string[] = [];
  readonly store = new Map<string, unknown>();
  readonly timers = new Set<() => void>();
  opened: object | undefined;
  isWide = true;
  redraws = 0;

  constructor({ cwd, session, server, env }: ModHostOptions) {
    this.#cwd = cwd;
    this.session = session;
    this.server = server;
    this.env = env;
  }

  load(register: Register): void {
    register((name, ...rest) => {
      const [matcher, run] = rest.length === 1 ? [{}, rest[0]] : rest;
      this.#hooks.push({ name, matcher: matcher as Event, run: run as Hook });
    });
  }

  /** Raises an event; beneath our mod, the host's own answer is what it was asked. */
  async raise(name: string, e: Event, core: Next = async (asked) => toAnswer(name, asked)): Promise<Answer> {
    const fits = ({ matcher }: { matcher: Event }): boolean =>
      Object.entries(matcher).every(([key, value]) => e[key] === value);
    const chain = this.#hooks.filter((one) => one.name === name && fits(one));
    const call = async (k: number, asked: Event): Promise<Answer> => {
      const hook = chain[k];
      if (hook === undefined) return core(asked);
      let reached: Answer | undefined;
      const next: Next = async (now) => {
        reached = await call(k + 1, now);
        return reached;
      };
      try {
        return (await hook.run(this.#engine, asked, next)) as Answer;
      } catch {
        return reached ?? call(k + 1, asked);
      }
    };

    return call(0, e);
  }

  async begin(source = 'startup', isInteractive = false): Promise<void> {
    const about = { session_id: this.session, transcript_path: this.transcript, cwd: this.#cwd };
    await this.raise('classic.SessionStart', { ...about, source });
    await this.raise('session.start', { cwd: this.#cwd, isInteractive });
  }

  /** @param meanwhile the hooks that the host runs after our mod */
  submit(text: string, meanwhile = async (): Promise<void> => undefined): Promise<Answer> {
    const e = { text, wait: false, origin: { kind: 'composer' } };
    return this.raise('prompt.submit', e, async (asked) => {
      await meanwhile();
      return toAnswer('prompt.submit', asked);
    });
  }

  compact(
    trigger: string,
    messages: object[],
    meanwhile = async (): Promise<void> => undefined,
  ): Promise<Answer> {
    return this.raise('session.compact', { trigger, messages: [] }, async ({ instructions }) => {
      await meanwhile();
      return { instructions: instructions as string, messages };
    });
  }

  /** A hook of the plugin's settings, as a command; at a prompt as the shell line that looks at the mod's mark first. */
  async hook(event: string, more: object): Promise<string> {
    const about = { session_id: this.session, transcript_path: this.transcript, cwd: this.#cwd };
    const { stdout } = await runWarm(['hook', 'claude-code', event, '--tools'], {
      ...{ cwd: this.#cwd, env: { ...definedIn(this.env), CLAUDE_PID: '1' } },
      input: JSON.stringify({ ...about, hook_event_name: event, ...more }),
    });
    return stdout.trim() || '{}';
  }

  readonly #engine = {
    session: {
      id: async () => this.session,
      cwd: async () => this.#cwd,
      info: async () => ({ transcriptPath: this.transcript }),
      append: async ({ message }: { message: { content: { text: string }[] } }) => {
        if (this.refusesRows) return { deny: 'no' };
        this.appended.push(...message.content.map(({ text }) => text));
        return {};
      },
    },
    env: {
      get: async (name: string) => this.env[name],
      set: async (name: string, value: string | undefined) => {
        this.env[name] = value;
      },
    },
    process: {
      hookEnv: async () => ({ CLAUDE_PID: '1' }),
      run: async (call: string[], { stdin }: { stdin: string }) => {
        if (!this.hasProgram) throw new Error('ENOENT');
        return runWarm(call.slice(1), { cwd: this.#cwd, env: definedIn(this.env), input: stdin });
      },
    },
    http: {
      fetch: async (url: string, { body, socketPath }: { body: string; socketPath: string }) => {
        this.sockets.push(socketPath);
        if (this.server === undefined) throw new Error('ECONNREFUSED');
        const json = JSON.parse(body) as Record<string, never>;
        if (url.endsWith('/pane')) return { text: JSON.stringify(await this.server.answerPane(json)) };
        return { text: await this.server.answer(json) };
      },
    },
    clock: {
      sleep: (ms: number, { signal }: { signal?: AbortSignal } = {}) =>
        new Promise((resolve, reject) => {
          // Only a wait that nothing ends would pass here; ours are limits.
          if (signal === undefined) setTimeout(resolve, Math.min(ms, 10));
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }),
      every: (_: number, run: () => void) => {
        this.timers.add(run);
        return { cancel: () => this.timers.delete(run) };
      },
    },
    store: {
      get: async (key: string) => this.store.get(key),
      set: async (key: string, value: unknown) => void this.store.set(key, value),
    },
    fs: {
      read: async (path: string) => readFileSync(path, 'utf8'),
      stat: async (path: string) => {
        const { mtimeMs, size } = statSync(path);
        return { mtimeMs, size };
      },
    },
    ui: {
      open: async (pane: object) => {
        this.opened = pane;
        return { isPlaced: this.isWide };
      },
      close: async ({ id }: { id: string }) => {
        await this.raise('ui.close', { id, origin: { kind: 'plugin' } });
        this.opened = undefined;
      },
      invalidate: () => {
        this.redraws += 1;
      },
      resolve: () => ({ Box: 'Box', Text: 'Text', Button: 'Button', Input: 'Input' }),
    },
  };
}

const definedIn = (env: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;

function toAnswer(name: string, asked: Event): Answer {
  if (name === 'session.compact')
    return { instructions: asked.instructions as string, messages: [] } as Answer;
  return name === 'prompt.submit' ? ({ text: asked.text, context: asked.context } as Answer) : asked;
}
