import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { claudeWords } from '../../src/transcript/formats/claude.ts';
import { readSession as readTheSession } from '../../src/transcript/read.ts';
import type { SessionRecord } from '../../src/transcript/record.ts';

const BIN = join(import.meta.dirname, '../../bin/scratchpad.js');

/** A line of a transcript of Claude Code. */
export interface Line {
  raw: string;
  record: Record<string, unknown>;
}

export function readSession(path: string): Line[] {
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .flatMap((raw) => {
      try {
        return [{ raw, record: JSON.parse(raw) as Record<string, unknown> }];
      } catch {
        return [];
      }
    });
}

/** What a person typed, as the hook receives it. */
export function promptOf(record: Record<string, unknown>): string | undefined {
  if (record.type !== 'user' || record.isSidechain === true || record.isMeta === true) return undefined;
  if (record.isCompactSummary === true || record.isVisibleInTranscriptOnly === true) return undefined;
  const content = (record.message as { content?: unknown } | undefined)?.content;
  const texts = (Array.isArray(content) ? content : [content]).map((block: unknown) =>
    typeof block === 'string' ? block : ((block as { text?: string } | null)?.text ?? ''),
  );
  const found = claudeWords(texts.filter((text) => text !== '').join('\n'));
  return typeof found === 'object' && 'words' in found ? found.words : undefined;
}

export const timeOf = ({ record }: Line): string | undefined =>
  typeof record.timestamp === 'string' ? record.timestamp : undefined;

/**
 * A repository in which recorded sessions are told again: their lines are written to a transcript as the host wrote
 * them, and the built program answers its hooks in a process each.
 */
export class Replay {
  readonly root = mkdtempSync(join(tmpdir(), 'scratchpad-replay-'));
  readonly workspace = join(this.root, 'workspace');
  /** How long each hook took. */
  readonly ms: number[] = [];

  constructor() {
    mkdirSync(join(this.workspace, 'memory'), { recursive: true });
    spawnSync('git', ['init', '-q', this.workspace]);
    this.scratchpad(['init']);
    // Words are measured here, and not how long a busy machine takes for them.
    this.scratchpad(['config', 'set', 'hook.deadline', '30s']);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  scratchpad(args: readonly string[], input = ''): string {
    const { PATH } = process.env;
    const place = { HOME: this.root, XDG_CONFIG_HOME: join(this.root, 'config') };
    const done = spawnSync(process.execPath, [BIN, ...args], {
      cwd: this.workspace,
      input,
      encoding: 'utf8',
      env: { PATH, TZ: 'UTC', XDG_STATE_HOME: join(this.root, 'state'), ...place },
    });
    if (done.status !== 0) throw new Error(`scratchpad ${args[0]}: ${done.stderr}`);
    return done.stdout;
  }

  /** Puts the work tree on the branch of a session. */
  checkout(lines: readonly Line[]): void {
    const { gitBranch } = lines.find(({ record }) => typeof record.gitBranch === 'string')?.record ?? {};
    const branch = typeof gitBranch === 'string' && gitBranch !== '' ? gitBranch : 'main';
    writeFileSync(join(this.workspace, '.git/HEAD'), `ref: refs/heads/${branch}\n`);
  }

  session(id: string, lines: readonly Line[]): Told {
    const cwd = lines.find(({ record }) => typeof record.cwd === 'string')?.record.cwd;
    return new Told(this, id, typeof cwd === 'string' ? cwd : undefined);
  }
}

/** One session that is told again. */
export class Told {
  readonly #replay: Replay;
  readonly #id: string;
  readonly #cwd: string | undefined;
  readonly transcript: string;

  constructor(replay: Replay, id: string, cwd: string | undefined) {
    this.#replay = replay;
    this.#id = id;
    this.#cwd = cwd;
    this.transcript = join(replay.root, `${id}.jsonl`);
    writeFileSync(this.transcript, '');
  }

  /** Writes lines as the host did, with the files that they name in our workspace. */
  write(lines: readonly Line[]): void {
    const { workspace } = this.#replay;
    const here = (raw: string): string =>
      this.#cwd === undefined ? raw : raw.replaceAll(this.#cwd, workspace);
    appendFileSync(this.transcript, lines.map(({ raw }) => `${here(raw)}\n`).join(''));
  }

  /** What the model is told at an event. */
  ask(event: 'SessionStart' | 'UserPromptSubmit', at: string, more: Record<string, unknown>): string {
    const input = { session_id: this.#id, transcript_path: this.transcript, hook_event_name: event, ...more };
    const json = JSON.stringify({ cwd: this.#replay.workspace, ...input });
    const from = performance.now();
    const out = this.#replay.scratchpad(['hook', 'claude-code', event, '--now', at], json);
    this.#replay.ms.push(performance.now() - from);
    if (out.trim() === '') return '';
    const answer = JSON.parse(out) as { hookSpecificOutput?: { additionalContext?: string } };
    return answer.hookSpecificOutput?.additionalContext ?? '';
  }
}

/** An event, the person's words and what the model was told, to be read by a person. */
export function print(title: string, prompt: string, text: string): void {
  const indented = (words: string): string => words.replace(/^/gm, '    ');
  const short = prompt.length > 600 ? `${prompt.slice(0, 600)}…` : prompt;
  console.log(
    `## ${title}\n${short === '' ? '' : `person:\n${indented(short)}\n`}told:\n${indented(text || '-')}\n`,
  );
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** The record of a session file with this text. */
export async function recordOf(text: string, root = '/'): Promise<SessionRecord> {
  const folder = mkdtempSync(join(tmpdir(), 'scratchpad-record-'));
  try {
    const file = join(folder, 'session.jsonl');
    writeFileSync(file, `${text}\n`);
    return (await readTheSession(file, { root })).record;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
