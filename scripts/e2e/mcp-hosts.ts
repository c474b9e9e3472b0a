/**
 * The MCP server in real hosts, against a model on loopback that calls every tool in turn.
 *
 *   npx tsx scripts/e2e/mcp-hosts.ts [--claude CLAUDE] [--codex CODEX]
 *
 * CLAUDE and CODEX are the programs, for example from `npm i @anthropic-ai/claude-code` and
 * `npm i @openai/codex` in a folder of their own. Build the package first. Nothing leaves the
 * machine; the homes are temporary.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TOOLS } from '../../src/tools/registry.ts';
import { type Asked, ModelStub } from './model-stub.ts';

const bin = join(import.meta.dirname, '../../bin/scratchpad.js');
const { values } = parseArgs({ options: { claude: { type: 'string' }, codex: { type: 'string' } } });

/** Arguments for one call of each tool, in an order in which each can succeed. */
const INPUTS: Record<string, unknown> = {
  'session.scratchpad': { action: 'append_notes', content: 'called by the model' },
  read_notepad: {},
  write_notepad: { content: 'written by the model' },
  update_notepad: { operation: 'append', content: 'and added' },
  scratchpad_write: { name: 'rows', content: 'a\nb' },
  scratchpad_read: { name: 'rows' },
  scratchpad_edit: { name: 'rows', old_string: 'a', new_string: 'c' },
  scratchpad_list: {},
  scratchpad_delete: { name: 'rows' },
  memory_search: { query: 'cluster config' },
  analyze_messages: { messages: [{ role: 'user', content: 'what if we tried a queue?' }] },
  get_state: {},
  get_strategy: {},
};

if (values.claude) await tryHost('Claude Code', values.claude, claudeCode);
if (values.codex) await tryHost('Codex', values.codex, codex);

interface Setting {
  home: string;
  workspace: string;
  url: string;
}

type Host = (setting: Setting) => { args: string[]; env: Record<string, string> };

async function tryHost(title: string, program: string, host: Host): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'scratchpad-mcp-'));
  const [home, workspace] = [join(dir, 'home'), join(dir, 'workspace')];
  mkdirSync(home);
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'MEMORY.md'), '- The cluster config lives in ~/.kube/lab\n');
  const stub = new ModelStub();
  const url = await stub.start();
  const todo = TOOLS.map(({ name }) => name);
  const missing: string[] = [];
  stub.reply = (asked) => {
    for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
      const known = offered(asked).find((tool) => tool.endsWith(`_${name?.replace('.', '_')}`));
      if (known !== undefined) return { tool: { name: known, input: INPUTS[name] } };
      missing.push(name);
    }
    return { text: 'All called.' };
  };
  try {
    const { args, env } = host({ home, workspace, url });
    const said = await run(program, args, workspace, { PATH: process.env.PATH ?? '', HOME: home, ...env });
    const last = stub.turns().at(-1)?.text ?? '';
    const names = offered(stub.turns()[0]).filter((name) => name.includes('scratchpad'));
    console.log(
      `${title}: ${stub.turns().length} requests; tools as the model sees them: ${names.join(', ')}`,
    );
    check(title, 'every tool was offered', missing.length === 0, missing.join(', '));
    const answers = ['notes: 19 of 4,000', 'called by the model', 'notes: 20 of 4,000', 'notes: 30 of 4,000'];
    for (const answer of answers)
      check(title, `the model was told: ${answer}`, last.includes(answer), said.slice(-600));
    for (const answer of ['replaced', 'deleted', 'MEMORY.md', 'confidence', 'verbosity']) {
      check(title, `the model was told: ${answer}`, last.includes(answer), said.slice(-600));
    }
  } finally {
    stub.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

function claudeCode({ home, workspace, url }: Setting): { args: string[]; env: Record<string, string> } {
  const config = join(home, 'mcp.json');
  const server = { command: process.execPath, args: [bin, 'mcp', '-w', workspace] };
  writeFileSync(config, JSON.stringify({ mcpServers: { scratchpad: server } }));
  return {
    args: [
      '-p',
      'call them all',
      '--output-format',
      'json',
      '--permission-mode',
      'bypassPermissions',
      '--mcp-config',
      config,
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'dummy',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ENABLE_TOOL_SEARCH: 'false',
      IS_SANDBOX: '1',
    },
  };
}

function codex({ home, workspace, url }: Setting): { args: string[]; env: Record<string, string> } {
  const codexHome = join(home, '.codex');
  mkdirSync(codexHome);
  writeFileSync(
    join(codexHome, 'config.toml'),
    `model = "stub"
model_provider = "stub"
approval_policy = "never"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.stub]
name = "stub"
base_url = "${url}/v1"
env_key = "STUB_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.scratchpad]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([bin, 'mcp', '-w', workspace])}
default_tools_approval_mode = "approve"
[projects."${workspace}"]
trust_level = "trusted"
`,
  );
  return {
    args: ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', 'call them all'],
    env: { CODEX_HOME: codexHome, STUB_KEY: 'dummy' },
  };
}

/** Names of the tools in a request, in the form of either interface; Codex groups a server's tools. */
function offered(asked: Asked | undefined): string[] {
  const tools = (asked?.body.tools ?? []) as { name?: string; tools?: { name: string }[] }[];
  return tools.flatMap(({ name = '', tools: inner }) =>
    inner ? inner.map((tool) => (tool.name.startsWith(name) ? tool.name : `${name}_${tool.name}`)) : [name],
  );
}

function run(program: string, args: string[], cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.on('close', () => resolve(said));
  });
}

function check(title: string, what: string, holds: boolean, otherwise: string): void {
  console.log(`${holds ? 'ok    ' : 'FAILED'}  ${title}: ${what}${holds ? '' : `\n        ${otherwise}`}`);
  if (!holds) process.exitCode = 1;
}
