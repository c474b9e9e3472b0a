import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { separateClaudeWords } from '../../src/transcript/formats/claude.ts';
import { runWarm } from '../../test/helpers/run-warm.ts';
import { withFolder } from '../script.ts';
import { readGzippedRows } from '../train/rows.ts';

/** A line of a transcript of Claude Code. */
export interface Line {
  raw: string;
  record: Record<string, unknown>;
}

export const makeLine = (record: Line['record']): Line => ({ raw: JSON.stringify(record), record });

/** The sessions in DATA, by name: `resume/sessions/*.jsonl.gz`. */
export function listSessions(data: string): { name: string; lines: Line[] }[] {
  const folder = join(data, 'resume/sessions');
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, lines: readGzippedRows<Line['record']>(join(folder, name)).map(makeLine) }));
}

/** One part of a message: a text, a call or its result. */
export interface Block {
  type?: string;
  text?: string;
  name?: string;
  id?: string;
  tool_use_id?: string;
  is_error?: boolean;
  input?: Record<string, unknown>;
  content?: unknown;
}

/** The parts of a message in the conversation itself; none of a subagent's. */
export function splitBlocks({ record }: Line): Block[] {
  const { content } = (record.isSidechain === true ? {} : (record.message ?? {})) as { content?: unknown };
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as Block[]) : [];
}

/** What a person typed, as the hook receives it. */
export function readPrompt(line: Line): string | undefined {
  const { record } = line;
  if (record.type !== 'user' || record.isSidechain === true || record.isMeta === true) return undefined;
  if (record.isCompactSummary === true || record.isVisibleInTranscriptOnly === true) return undefined;

  const texts = splitBlocks(line).map(({ text = '' }) => text);
  const found = separateClaudeWords(texts.filter((text) => text !== '').join('\n'));
  return typeof found === 'object' && 'words' in found ? found.words : undefined;
}

export const readTime = ({ record }: Line): string | undefined =>
  typeof record.timestamp === 'string' ? record.timestamp : undefined;

/**
 * A repository in which recorded sessions are told again: their lines are written to a transcript as the host wrote
 * them, and the built program answers its hooks.
 */
export class Replay {
  readonly root: string;
  readonly workspace: string;

  private constructor(root: string) {
    this.root = root;
    this.workspace = join(root, 'workspace');
  }

  /** Runs `story` in a repository of its own, which is gone afterwards. */
  static in<Result>(story: (replay: Replay) => Promise<Result>): Promise<Result> {
    return withFolder('replay', async (root) => {
      const replay = new Replay(root);
      mkdirSync(join(replay.workspace, 'memory'), { recursive: true });
      spawnSync('git', ['init', '-q', replay.workspace]);
      await replay.scratchpad(['init']);
      // Words are measured here, and not how long a busy machine takes for them.
      await replay.scratchpad(['config', 'set', 'hook.deadline', '30s']);
      return story(replay);
    });
  }

  async scratchpad(args: readonly string[], input = ''): Promise<string> {
    const env = { HOME: this.root, XDG_CONFIG_HOME: '', XDG_STATE_HOME: join(this.root, 'state') };
    const { stdout, stderr, exitCode } = await runWarm(args, { cwd: this.workspace, input, env });
    if (exitCode !== 0) throw new Error(`scratchpad ${args[0]}: ${stderr}`);
    return stdout;
  }

  /** Puts the work tree on the branch on which a session began, or ended. */
  checkout(lines: readonly Line[], at: 'start' | 'end'): void {
    const branches = lines.map(({ record }) => record.gitBranch).filter((name) => typeof name === 'string');
    const branch = branches.at(at === 'start' ? 0 : -1) || 'main';
    writeFileSync(join(this.workspace, '.git/HEAD'), `ref: refs/heads/${branch}\n`);
  }

  session(id: string, lines: readonly Line[]): ReplayWindow {
    const cwd = lines.find(({ record }) => typeof record.cwd === 'string')?.record.cwd;
    return new ReplayWindow(this, id, typeof cwd === 'string' ? cwd : undefined);
  }
}

/** One session that is told again. */
export class ReplayWindow {
  readonly #replay: Replay;
  readonly #id: string;
  readonly #cwd: string | undefined;
  readonly #transcript: string;

  constructor(replay: Replay, id: string, cwd: string | undefined) {
    this.#replay = replay;
    this.#id = id;
    this.#cwd = cwd;
    this.#transcript = join(replay.root, `${id}.jsonl`);
    writeFileSync(this.#transcript, '');
  }

  /** Writes lines as the host did, with the files that they name in our workspace. */
  write(lines: readonly Line[]): void {
    const { workspace } = this.#replay;
    const here = (raw: string): string =>
      this.#cwd === undefined ? raw : raw.replaceAll(this.#cwd, workspace);
    appendFileSync(this.#transcript, lines.map(({ raw }) => `${here(raw)}\n`).join(''));
  }

  /** What the model is told at an event. */
  async ask(
    event: 'SessionStart' | 'UserPromptSubmit' | 'PostToolUse',
    at: string,
    more: Record<string, unknown>,
  ): Promise<string> {
    const place = { cwd: this.#replay.workspace, transcript_path: this.#transcript };
    const input = { session_id: this.#id, hook_event_name: event, ...place, ...more };
    const out = await this.#replay.scratchpad(
      ['hook', 'claude-code', event, '--now', at],
      JSON.stringify(input),
    );
    const answer = JSON.parse(out || '{}') as { hookSpecificOutput?: { additionalContext?: string } };
    return answer.hookSpecificOutput?.additionalContext ?? '';
  }
}
