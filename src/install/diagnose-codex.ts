import { dirname, join } from 'node:path';
import { exists, readText } from '../fs/index.ts';
import { type JsonObject, parsed } from '../text/json.ts';
import { codexTrust } from './codex-trust.ts';
import { type Finding, fail, ok } from './finding.ts';
import { callsUs } from './hook-command.ts';
import { settingsFiles } from './settings-file.ts';

const about = 'codex';
const TRUST = 'to trust them: open Codex here, type /hooks, and trust those of scratchpad';

/** What keeps Codex from running the hooks of a hooks.json, all of it silently. */
export async function codexFindings(
  path: string,
  text: string,
  hooks: JsonObject,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const config = join(dirname(settingsFiles('codex', '', env).user), 'config.toml');
  const toml = readText(config, 'host') ?? '';
  if (/^\s*(?:codex_)?hooks\s*=\s*false/m.test(toml)) {
    return [fail(about, `hooks are turned off in ${config}`, 'set hooks = true under [features]')];
  }
  if (parsed(text) === undefined) {
    const found = `${path} has comments, trailing commas or a byte order mark: Codex ignores the whole file`;
    return [fail(about, found, 'remove them')];
  }
  const ours = (await codexTrust(hooks, path, toml)).filter(({ hook }) => callsUs('codex')(hook));
  const skipped = (found: string, status: string, next: string): Finding[] => {
    const events = ours.filter((one) => one.status === status).map(({ event }) => event);
    return events.length === 0 ? [] : [fail(about, `${found}: ${events.join(', ')}`, next)];
  };
  const findings: Finding[] = [
    ...skipped('hooks are not trusted yet, and Codex skips such hooks silently', 'untrusted', TRUST),
    ...skipped('hooks have changed since they were trusted, and Codex skips them', 'changed', TRUST),
    ...skipped('hooks are disabled', 'disabled', 'to enable them: open Codex here and type /hooks'),
  ];
  if (findings.length === 0 && ours.length > 0) {
    findings.push(ok(about, `${ours.length} hooks trusted`));
  }
  return [...projectFindings(path, toml, config), ...findings];
}

/** Hooks of a project run only if the project, or the repository around it, is trusted. */
function projectFindings(path: string, toml: string, config: string): Finding[] {
  if (dirname(path) === dirname(config)) return [];
  const project = dirname(dirname(path));
  const trusted = new Set(trustedProjects(toml));
  if (trusted.has(project) || trusted.has(repositoryOf(project) ?? project)) return [];
  const found = `${project} is not a trusted project in ${config}, so Codex runs none of its hooks`;
  return [fail(about, found, 'start codex here once and trust the folder')];
}

/** `[projects."PATH"]` with `trust_level = "trusted"`. */
function trustedProjects(toml: string): string[] {
  return toml
    .split(/^(?=\s*\[)/m)
    .filter((table) => /^\s*trust_level\s*=\s*["']trusted["']/m.test(table))
    .map((table) => /^\s*\[\s*projects\s*\.\s*(?:"([^"]*)"|'([^']*)')\s*\]/.exec(table))
    .map((match) => match?.[1] ?? match?.[2])
    .filter((project) => project !== undefined);
}

function repositoryOf(dir: string): string | undefined {
  for (let at = dir; ; at = dirname(at)) {
    if (exists(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}
