import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copied, json, only, write } from '../home.ts';
import { callOf, type Host, list, number, object, string, textOf, WAIT } from './host.ts';

const SETTINGS = '.gemini/settings.json';

export const geminiCli: Host = {
  name: 'gemini-cli',
  command: 'gemini',
  install: 'npm install --global @google/gemini-cli, then log in: gemini',
  instructions: 'GEMINI.md',
  configuration: [
    SETTINGS,
    '.gemini/oauth_creds.json',
    '.gemini/.env',
    '.gemini/GEMINI.md',
    '.gemini/trustedFolders.json',
  ],
  variables: /^(GEMINI_API_KEY|GOOGLE_)/,
  prepare(place) {
    for (const name of ['oauth_creds.json', 'google_accounts.json', 'installation_id', '.env']) {
      copied(place, `.gemini/${name}`);
    }
    const settings = only(json(place.person, SETTINGS), ['security', 'model', 'selectedAuthType']);
    write(place.home, SETTINGS, {
      ...settings,
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
    });
  },
  env: () => ({ GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
  turn: ({ text, session, model, sandbox }) => [
    ...(model ? ['-m', model] : []),
    '--approval-mode',
    'yolo',
    ...(sandbox ? ['--sandbox'] : []),
    '-o',
    'stream-json',
    ...(session ? ['--resume', 'latest'] : []),
    '-p',
    text,
  ],
  // Without a terminal it compresses by itself only, from a part of the context on.
  compact: {
    args: (session, sandbox) => geminiCli.turn({ text: WAIT, session, sandbox }),
    during: ({ home }) => {
      const settings = json(home, SETTINGS);
      write(home, SETTINGS, {
        ...settings,
        model: { ...object(settings.model), compressionThreshold: 0.000001 },
      });
      return () => write(home, SETTINGS, settings);
    },
  },
  read(line) {
    if (line.type === 'init') return [{ session: string(line.session_id) }, { model: string(line.model) }];
    if (line.type === 'message' && line.role === 'assistant') return [{ say: string(line.content) }];
    if (line.type === 'tool_use')
      return [callOf(string(line.tool_name), line.parameters, string(line.tool_id))];
    if (line.type === 'tool_result')
      return [{ done: string(line.tool_id), failed: line.status !== 'success' }];
    if (line.type === 'error') return line.severity === 'warning' ? [] : [{ error: string(line.message) }];
    if (line.type !== 'result') return [];
    const stats = object(line.stats);
    const usage = {
      input: number(stats.input_tokens),
      cached: number(stats.cached),
      output: number(stats.output_tokens),
    };
    const failed = line.status === 'error' ? [{ error: string(object(line.error).message) }] : [];
    return [{ usage, of: 'turn' }, ...failed];
  },
  injected({ home }, session) {
    const folder = join(home, '.gemini/tmp');
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const chats = names.filter(
      (name) => /chats\/session-.*\.jsonl?$/.test(name) && name.includes(session.slice(0, 8)),
    );
    const context = /<hook_context>([\s\S]*?)<\/hook_context>/g;
    return chats.flatMap((name) => {
      const raw = readFileSync(join(folder, name), 'utf8');
      const records = name.endsWith('l')
        ? raw.split('\n').filter(Boolean).map(parsed)
        : list(parsed(raw).messages);
      const texts = records.filter(({ type }) => type === 'user').map(({ content }) => textOf(content));
      return texts.flatMap((text) => [...text.matchAll(context)].map(([, found = '']) => found));
    });
  },
};

const parsed = (text: string) => {
  try {
    return object(JSON.parse(text));
  } catch {
    return {};
  }
};
