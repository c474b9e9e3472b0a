/**
 * The whole trial with the real agents' programs and a scripted model on loopback: shows that the machinery works
 * with them. No figure that it prints is a result.
 *
 *   npx tsx scripts/trial/stub.ts FOLDER [AGENT …] [-- OPTIONS OF THE TRIAL]
 *
 * FOLDER has the agents from npm in it, as for scripts/e2e. The home that stands for the person's is a temporary one
 * with settings that lead to the model on loopback.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programIn } from '../e2e/hosts/programs.ts';
import { ModelStub } from '../e2e/model-stub.ts';
import { write } from './home.ts';
import { scripted } from './stub/agent.ts';

const AGENTS = ['claude-code', 'codex', 'gemini-cli', 'openclaw'] as const;
const ROOT = join(import.meta.dirname, '../..');

/** A home of a person who uses the model at this address, for all agents. */
export function personWith(url: string): string {
  const home = mkdtempSync(join(tmpdir(), 'trial-person-'));
  const env = {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const hooks = {
    SessionStart: [{ hooks: [{ type: 'command', command: 'echo rule-alpha rule-beta rule-gamma' }] }],
  };
  write(home, '.claude/settings.json', { env, hooks });
  const provider = `name = "stub"\nbase_url = "${url}/v1"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`;
  const own = '[mcp_servers.mine]\ncommand = "false"\n';
  write(
    home,
    '.codex/config.toml',
    `model = "stub"\nmodel_provider = "stub"\nnotify = ["false"]\n${own}[model_providers.stub]\n${provider}`,
  );
  write(home, '.codex/auth.json', { OPENAI_API_KEY: 'dummy' });
  write(home, '.gemini/settings.json', {
    security: { auth: { selectedType: 'gemini-api-key' } },
    model: { name: 'gemini-2.5-flash' },
  });
  write(home, '.gemini/.env', `GEMINI_API_KEY=dummy\nGOOGLE_GEMINI_BASE_URL=${url}\n`);
  const model = {
    id: 'stub',
    name: 'Stub',
    reasoning: false,
    input: ['text'],
    contextWindow: 200_000,
    maxTokens: 8192,
  };
  const stub = { baseUrl: `${url}/v1`, apiKey: 'dummy', api: 'openai-completions', models: [model] };
  write(home, '.openclaw/openclaw.json', {
    agents: { defaults: { model: { primary: 'stub/stub' }, compaction: { mode: 'default' } } },
    models: { mode: 'merge', providers: { stub } },
  });
  return home;
}

export interface Ran {
  code: number | null;
  said: string;
}

/** Runs the trial as a person does, in that home. @param program its words for Node */
export function runTrialIn(
  home: string,
  args: readonly string[],
  env: Record<string, string> = {},
  program = ['--import', 'tsx', join(ROOT, 'scripts/trial/index.ts')],
): Promise<Ran> {
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const hear = (data: unknown): void => {
    said += String(data);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })));
}

async function main([folder, ...more]: string[]): Promise<void> {
  const [agents = [], options = []] = more.includes('--')
    ? [more.slice(0, more.indexOf('--')), more.slice(more.indexOf('--') + 1)]
    : [more];
  if (folder === undefined) throw new Error('name the folder that has the agents from npm in it');
  const stub = new ModelStub();
  const home = personWith(await stub.start());
  for (const agent of agents.length > 0 ? agents : AGENTS) {
    const program = programIn(folder, agent as (typeof AGENTS)[number]);
    const node = agent === 'openclaw' ? programIn(folder, 'node', agent) : process.execPath;
    const words = /\.m?js$/.test(program) ? `${node} ${program}` : program;
    for (const keeps of [true, false]) {
      stub.reply = scripted(keeps);
      const out = mkdtempSync(join(tmpdir(), `trial-stub-${agent}-`));
      const given = ['--agent', agent, '--command', words, '--out', out, '--minutes', '5'];
      const tasks = ['--tasks-folder', join(ROOT, 'test/fixtures/trial')];
      const ran = await runTrialIn(home, [...given, ...tasks, '--stub', '--yes', '--no-sandbox', ...options]);
      const how = `an agent that ${keeps ? 'keeps' : 'does not keep'} what it is told`;
      console.log(`\n===== ${agent}, ${how} (${out})\n${ran.said}`);
      if (ran.code !== 0) process.exitCode = 1;
    }
  }
  stub.stop();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
