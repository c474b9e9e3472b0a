import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { findProgram } from './programs.ts';

const MODEL = { providerID: 'stub', modelID: 'stub' };

/** OpenCode, or Kilo, which is made of it, as a server that answers over HTTP; each turn is one request. */
export async function openCode(bench: Bench, cache: string | undefined, name: 'opencode' | 'kilo') {
  const program = findProgram(cache, name);
  const config = {
    model: 'stub/stub',
    small_model: 'stub/stub',
    autoupdate: false,
    share: 'disabled',
    // Kilo asks a person otherwise.
    permission: { bash: 'allow', edit: 'allow' },
    provider: {
      stub: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Stub',
        options: { baseURL: `${bench.url}/v1`, apiKey: 'x' },
        models: { stub: { name: 'Stub', limit: { context: 200_000, output: 8192 } } },
      },
    },
  };
  writeFileSync(join(bench.workspace, `${name}.json`), JSON.stringify(config));
  const prefix = name.toUpperCase();
  const env = Object.fromEntries(
    ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS'].map((what) => [
      `${prefix}_DISABLE_${what}`,
      '1',
    ]),
  );
  let base = '';
  const server = await bench.start(program, ['serve', '--port', '0'], env, /listening on (\S+)/, (line) => {
    base = /listening on (http:\S+)/.exec(line)?.[1] ?? base;
  });
  const ask = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-opencode-directory': bench.workspace },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    begin: async () => ((await ask('/session', {})) as { id: string }).id,
    say: async (session: string, text: string) => {
      await ask(`/session/${session}/message`, { model: MODEL, parts: [{ type: 'text', text }] });
    },
    compact: async (session: string) => void (await ask(`/session/${session}/summarize`, MODEL)),
    /** Takes the last turn back. */
    async revert(session: string) {
      const list = await (
        await fetch(`${base}/session/${session}/message`, {
          headers: { 'x-opencode-directory': bench.workspace },
        })
      ).json();
      const last = (list as { info: { id: string; role: string } }[]).findLast(
        ({ info }) => info.role === 'user',
      );
      await ask(`/session/${session}/revert`, { messageID: last?.info.id });
    },
    async stop() {
      const ended = new Promise((resolve) => server.on('exit', resolve));
      server.kill('SIGTERM');
      await ended;
    },
  };
}
