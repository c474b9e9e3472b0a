import { appendFileSync, closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { drawTopic } from './notes.ts';

const PROMPTS = [
  'the upload test is flaky again, please look at the token expiry',
  'why is the timezone wrong in the cluster?',
  'still broken, the connection pool leaks',
  'ok now roll back the last deploy',
  'thanks! next one: review the branch',
  'please stop rewriting the query and answer shorter',
  'can you check why the login page is slow?',
];

/** A conversation in Claude Code that grows by one prompt at a time. */
export class Talk {
  readonly path: string;
  #said = 0;

  constructor(path: string) {
    this.path = path;
    writeFileSync(path, '');
    while (this.#said < 30) this.goOn();
  }

  /** The next prompt; the one before it has been answered. */
  goOn(): string {
    if (this.#said > 0) {
      this.#add('user', this.#prompt());
      const [cause, effect] = [drawTopic(this.#said), drawTopic(this.#said + 7)];
      const answer = `The ${cause} was the reason: it kept the ${effect} from being renewed. Mended and tested.`;
      this.#add('assistant', answer);
    }
    this.#said += 1;
    return this.#prompt();
  }

  #prompt(): string {
    return `${PROMPTS[this.#said % PROMPTS.length]} (${this.#said})`;
  }

  #add(role: 'user' | 'assistant', content: string): void {
    const timestamp = new Date(Date.now() - 60_000).toISOString();
    const record = { type: role, uuid: `${role}${this.#said}`, sessionId: 'bench', timestamp };
    appendFileSync(this.path, `${JSON.stringify({ ...record, message: { role, content } })}\n`);
  }
}

/**
 * Writes a session of about so many bytes: `talk` is a dialogue, `tools` an agent that makes 150 tool calls of 20 kB
 * each between two messages of the person.
 */
export function writeSession(path: string, shape: 'talk' | 'tools', bytes: number): void {
  const file = openSync(path, 'w');
  let [written, count] = [0, 0];
  let chunk: string[] = [];
  const makeLine = (role: 'user' | 'assistant', content: unknown): void => {
    const timestamp = new Date(Date.UTC(2026, 0, 1) + count * 500).toISOString();
    const ids = { parentUuid: `u${count - 1}`, uuid: `u${count}`, sessionId: 's' };
    const more = role === 'assistant' ? { id: `m${count}`, model: 'm' } : {};
    const record = { ...ids, isSidechain: false, cwd: '/w', type: role, timestamp };
    const text = `${JSON.stringify({ ...record, message: { role, content, ...more } })}\n`;
    chunk.push(text);
    written += text.length;
    count++;
  };
  const words = 'The deployment failed again with the same error about libcublas in the container. ';
  while (written < bytes) {
    makeLine('user', `still broken, number ${count}`);
    for (let call = 0; shape === 'tools' && call < 150; call++) {
      const id = `t${count}`;
      makeLine('assistant', [{ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }]);
      makeLine('user', [{ type: 'tool_result', tool_use_id: id, content: words.repeat(250) }]);
    }
    makeLine('assistant', [{ type: 'text', text: words.repeat(4) }]);
    if (chunk.length > 2000 || written >= bytes) {
      writeSync(file, chunk.join(''));
      chunk = [];
    }
  }
  closeSync(file);
}
