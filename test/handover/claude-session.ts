/** Writes the lines of a Claude Code session as the host does, for tests. */
export class ClaudeSession {
  readonly lines: string[] = [];
  readonly #cwd: string;
  readonly #branch: string;
  readonly #session: string;
  #count = 0;
  #last: string | null = null;

  /** When the session begins, epoch milliseconds. */
  readonly #begins: number;

  constructor(options: { cwd?: string; branch?: string; session?: string; day?: Date } = {}) {
    this.#begins = options.day?.getTime() ?? Date.UTC(2026, 1, 5, 13);
    this.#cwd = options.cwd ?? '/home/ana/shop';
    this.#branch = options.branch ?? 'feat/login';
    this.#session = options.session ?? '5a1f0c9e-0000-4000-8000-000000000015';
  }

  get text(): string {
    return `${this.lines.join('\n')}\n`;
  }

  /** The id of the last line. */
  get last(): string | null {
    return this.#last;
  }

  person(text: string, more: object = {}): this {
    return this.line({ type: 'user', message: { role: 'user', content: text }, ...more });
  }

  agent(text: string): this {
    return this.line({
      type: 'assistant',
      message: { id: `msg_${this.#count}`, role: 'assistant', model: 'm', content: [{ type: 'text', text }] },
    });
  }

  /** A call without its result. */
  call(name: string, input: object, id = `toolu_${this.#count}`): string {
    this.line({
      type: 'assistant',
      message: {
        id: `msg_${this.#count}`,
        role: 'assistant',
        model: 'm',
        content: [{ type: 'tool_use', id, name, input }],
      },
    });
    return id;
  }

  result(id: string, content: string, more: { error?: boolean; told?: unknown; record?: object } = {}): this {
    const block = { type: 'tool_result', tool_use_id: id, content, ...(more.error && { is_error: true }) };
    return this.line({
      type: 'user',
      message: { role: 'user', content: [block] },
      ...(more.told !== undefined && { toolUseResult: more.told }),
      ...more.record,
    });
  }

  /** A call that worked. */
  use(name: string, input: object, output = 'ok', told?: unknown): this {
    return this.result(this.call(name, input), output, told === undefined ? {} : { told });
  }

  /** A command with its exit status. */
  bash(command: string, output = '', exit = 0): this {
    const id = this.call('Bash', { command });
    if (exit === 0)
      return this.result(id, output, { told: { stdout: output, stderr: '', interrupted: false } });
    return this.result(id, `Exit code ${exit}\n${output}`, { error: true });
  }

  rejected(name: string, input: object, words?: string): this {
    const notice =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";
    const told = words === undefined ? '' : ` To tell you how to proceed, the user said:\n${words}`;
    return this.result(this.call(name, input), `${notice}${told}`, {
      error: true,
      told: 'User rejected tool use',
    });
  }

  /** A compaction with the host's summary. */
  compaction(summary: string): this {
    const before = this.#last;
    this.line({
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      parentUuid: null,
      logicalParentUuid: before,
      compactMetadata: { trigger: 'auto', preTokens: 150_000 },
    });
    const text = `This session is being continued from a previous conversation that ran out of context. ${summary}`;
    return this.person(text, { isCompactSummary: true, isVisibleInTranscriptOnly: true });
  }

  line(record: object): this {
    this.#count += 1;
    const uuid = `u${this.#count}`;
    const time = new Date(this.#begins + this.#count * 60_000).toISOString();
    this.lines.push(
      JSON.stringify({
        parentUuid: this.#last,
        isSidechain: false,
        cwd: this.#cwd,
        sessionId: this.#session,
        version: '2.1.330',
        gitBranch: this.#branch,
        uuid,
        timestamp: time,
        ...record,
      }),
    );
    this.#last = uuid;
    return this;
  }
}
