/**
 * A hook at a prompt, as ratios to `node -e 0`: with a fresh state, and when it assembles over
 * many memory files, where every prompt is a new one of a conversation that goes on. What is kept
 * between prompts is there then, as it is in use; the first of a session has none of it.
 *
 *   npx tsx scripts/bench/hooks.ts [rounds=25] [files=1000]
 *
 * Run it on the built package (`npm run build`) and an otherwise idle machine. Its folder stays for the next run:
 * where ext4 has lost thousands of files in the last minutes, a new one takes up to a millisecond longer, and a hook
 * makes two.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { word } from '../workload/notes.ts';
import { type Contender, sideBySide } from './side-by-side.ts';

const bin = join(import.meta.dirname, '../../bin/scratchpad.js');
const rounds = Number(process.argv[2] ?? 25);
const files = Number(process.argv[3] ?? 1000);
const dir = join(tmpdir(), 'scratchpad-bench-hooks', String(process.getuid?.() ?? 0), String(files));
const WORDS =
  'deploy cluster timezone token expiry login page upload test flaky pool connection leak image overlay tag rollback memory review branch cache index schema query'.split(
    ' ',
  );

const VOCABULARY = 50_000;

const PROMPTS = [
  'the upload test is flaky again, please look at the token expiry',
  'why is the timezone wrong in the cluster?',
  'still broken, the connection pool leaks',
  'ok now roll back the last deploy',
  'thanks! next one: review the branch',
  'please stop rewriting the query and answer shorter',
  'can you check why the login page is slow?',
];

interface Measure extends Contender {
  must?: number;
}

/** A conversation that goes on by one prompt at a time. */
class Talk {
  readonly #path: string;
  #said = 0;

  constructor(path: string) {
    this.#path = path;
    writeFileSync(path, '');
    while (this.#said < 30) this.goOn();
  }

  /** The next prompt; the one before it is answered by now. */
  goOn(): string {
    if (this.#said > 0) {
      this.#add('user', this.#prompt());
      const [cause, effect] = [topic(this.#said), topic(this.#said + 7)];
      this.#add(
        'assistant',
        `The ${cause} was the reason: it kept the ${effect} from being renewed. Mended and tested.`,
      );
    }
    this.#said += 1;
    return this.#prompt();
  }

  #prompt(): string {
    return `${PROMPTS[this.#said % PROMPTS.length]} (${this.#said})`;
  }

  #add(role: 'user' | 'assistant', content: string): void {
    const timestamp = new Date(Date.now() - 60_000).toISOString();
    const uuid = `${role}${this.#said}`;
    appendFileSync(
      this.#path,
      `${JSON.stringify({ type: role, uuid, sessionId: 'bench', timestamp, message: { role, content } })}\n`,
    );
  }
}

const fresh = join(dir, 'fresh');
const stale = join(dir, 'stale');
for (const workspace of [fresh, stale]) {
  mkdirSync(join(workspace, 'memory'), { recursive: true });
  for (let k = 0; k < files; k += 1) {
    const path = join(workspace, 'memory', `note-${k}.md`);
    if (!existsSync(path)) writeFileSync(path, note(k));
  }
  for (const old of ['.scratchpad', 'SCRATCHPAD.md']) {
    rmSync(join(workspace, old), { recursive: true, force: true });
  }
}
const transcript = join(dir, 's.jsonl');
const call = (workspace: string): Pick<Contender, 'args' | 'cwd' | 'input'> => ({
  args: [bin, 'hook', 'claude-code', 'UserPromptSubmit'],
  cwd: workspace,
  input: JSON.stringify({
    session_id: 'bench',
    transcript_path: transcript,
    cwd: workspace,
    hook_event_name: 'UserPromptSubmit',
    prompt: PROMPTS[0],
  }),
});
const talk = new Talk(transcript);
const goOn = (): string => {
  const prompt = talk.goOn();
  return JSON.stringify({ ...JSON.parse(call(stale).input as string), prompt });
};
// Without a state block there is something to assemble.
const forget = (): void => cpSync(join(dir, 'pad.md'), join(stale, 'SCRATCHPAD.md'));
sideBySide(
  [fresh, stale].flatMap((workspace) => [
    { name: 'plan', args: [bin, 'plan', 'set', '1. Find the leak\n2. Test it', '-w', workspace] },
    { name: 'hook', ...call(workspace) },
  ]),
  1,
);
const measures: Measure[] = [
  { name: 'hook, state fresh', ...call(fresh), must: 1.5 },
  {
    name: `hook, assembles, ${files} files`,
    ...call(stale),
    must: 2.5,
    input: goOn,
    prepare: forget,
  },
  {
    name: 'the same, first of a session',
    ...call(stale),
    input: goOn,
    prepare: () => {
      forget();
      rmSync(join(stale, '.scratchpad/cache/window.json'), { force: true });
    },
  },
];
writeFileSync(
  join(dir, 'pad.md'),
  '# Pad\n\n## Plan\n<!-- scratchpad:plan -->\n1. Find the leak\n2. Test it\n<!-- /scratchpad:plan -->\n',
);
const timings = sideBySide(measures, rounds);
console.log(
  `node ${process.version}, ${rounds} rounds, medians; ratio to node -e 0 of the same round (middle half)`,
);
for (const { name, median, ratio, quartiles } of timings) {
  const must = measures.find((measure) => measure.name === name)?.must;
  const aim = must === undefined ? '' : `   must ${must}: ${ratio <= must ? 'met' : 'MISSED'}`;
  console.log(
    `${name.padEnd(28)} ${median.toFixed(1).padStart(7)} ms  ${ratio.toFixed(2)} (${quartiles.map((q) => q.toFixed(2)).join(' to ')})${aim}`,
  );
}

/**
 * Twelve lines of words that are as common as words are, by Zipf's law; each sixth has one that the talk is about, as
 * notes on a project have.
 */
function note(k: number): string {
  const lines = Array.from({ length: 12 }, (_, n) => {
    const at = k * 12 + n;
    const words = Array.from({ length: 7 + (at % 9) }, (_, m) => word(rankOf(at * 31 + m)));
    if (at % 6 === 0) words.splice(2, 0, topic(at / 6));
    return `- ${words.join(' ')}`;
  });
  return `# Note ${k}\n\n${lines.join('\n')}\n`;
}

/** A number that looks drawn, always the same for the same place. */
function rankOf(place: number): number {
  const drawn = (Math.imul(place + 1, 2_654_435_761) >>> 0) / 2 ** 32;
  return Math.floor(Math.exp(drawn * Math.log(VOCABULARY)));
}

function topic(k: number): string {
  return WORDS[k % WORDS.length] ?? '';
}
