import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { programIn } from './programs.ts';

/**
 * One run of `codex exec`. Hooks run without the trust that a person would give them, which is
 * what `doctor` warns of.
 * @param settings more of config.toml: its own keys first, then tables
 */
export function codex(
  bench: Bench,
  cache: string | undefined,
  settings: { keys?: string; tables?: string; sandbox?: string } = {},
): (args: readonly string[]) => Promise<string> {
  const program = programIn(cache, 'codex');
  const codexHome = join(bench.home, '.codex');
  mkdirSync(codexHome);
  writeFileSync(
    join(codexHome, 'config.toml'),
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
${settings.tables ?? ''}`,
  );
  const always = [
    '--skip-git-repo-check',
    '--dangerously-bypass-hook-trust',
    '-s',
    settings.sandbox ?? 'danger-full-access',
  ];
  return (args) =>
    bench.run(program, ['exec', ...always, ...args], { CODEX_HOME: codexHome, STUB_KEY: 'dummy' });
}
