import type { Asked, Reply } from '../../e2e/model-stub.ts';
import { type Json, list, object, string, textOf, WAIT } from '../hosts/host.ts';

/**
 * A model that plays a script: it works on `answer.txt` and puts into it every rule ("rule-…") that it can see, or
 * only those of the last thing that the person said. It keeps NOTES.md if it is asked to. No figure that comes from
 * it is a result of anything but the machinery.
 */
export const scripted =
  (keeps: boolean) =>
  (asked: Asked): Reply => {
    const said = conversation(asked.body);
    // What is told of an earlier session may stand after the prompt.
    const last = (word: RegExp): number =>
      said.findLastIndex(({ role, text }) => role === 'person' && word.test(text));
    const finish = last(/PLEASE FINISH/);
    if (finish < 0 && said.some(({ role, text }) => role === 'person' && text.includes(WAIT)))
      return { text: 'I wait.' };
    const at = finish >= 0 ? finish : last(/PLEASE WORK/);
    const all = said.map(({ text }) => text).join('\n');
    const asks = said.at(-1)?.text ?? '';
    if (SUMMARY.test(asks) && !/PLEASE (WORK|FINISH)/.test(asks)) {
      return {
        text: `<state_snapshot>The work on answer.txt goes on. ${rules(all)[0] ?? ''}</state_snapshot>`,
      };
    }
    const prompt = said[at]?.text ?? '';
    // OpenClaw puts what is told before the words of the same message.
    const ownWords = prompt.slice(Math.max(0, prompt.lastIndexOf('PLEASE FINISH')));
    const calls = said.slice(at + 1).filter(({ role }) => role === 'call');
    const noted = /keep your progress in NOTES\.md/i.test(
      all + string(asked.body.system) + textOf(asked.body.system) + asked.text,
    );
    const name = toolOf(asked.path);
    const run = (command: string): Reply => ({
      tool: { name, input: name === 'exec_command' ? { cmd: command, yield_time_ms: 10_000 } : { command } },
    });
    const done = (word: string): boolean => calls.some(({ text }) => text.includes(word));
    if (prompt.includes('PLEASE FINISH')) {
      if (noted && !done('cat NOTES.md')) return run('cat NOTES.md 2>/dev/null || true');
      const known = keeps ? rules(`${all}\n${asked.text}`) : rules(ownWords);
      return done('answer.txt')
        ? { text: 'Done.' }
        : run(`printf '%s\\n' ${known.join(' ') || 'nothing'} > answer.txt`);
    }
    if (noted && !done('NOTES.md')) return run(`echo '${rules(prompt).join(' ')}' >> NOTES.md`);
    if (prompt.includes('begin') && !done('started')) return run('echo started >> answer.txt');
    return calls.length < 6 ? run('ls') : { text: 'So far, so good.' };
  };

/** How the hosts ask for a summary. */
const SUMMARY =
  /Respond with TEXT ONLY|<state_snapshot>|CONTEXT CHECKPOINT|checkpoint compaction|summar(y|ize) (of )?the conversation/i;

const rules = (text: string): string[] => [...new Set(text.match(/rule-[a-z]+/g) ?? [])];

const toolOf = (path: string): string => {
  if (path.endsWith('/messages')) return 'Bash';
  if (path.endsWith('/responses')) return 'exec_command';
  return path.endsWith('/completions') ? 'exec' : 'run_shell_command';
};

interface Said {
  role: 'person' | 'call' | 'result' | 'agent';
  text: string;
}

/** The conversation of a request of any of the four protocols. */
export function conversation(body: Json): Said[] {
  const items = [body.messages, body.input, body.contents].flatMap(list);
  return items.flatMap((item): Said[] => {
    if (item.type === 'function_call') return [{ role: 'call', text: string(item.arguments) }];
    if (item.type === 'function_call_output') return [{ role: 'result', text: JSON.stringify(item.output) }];
    if (item.role === 'tool') return [{ role: 'result', text: textOf(item.content) }];
    const theirs = item.role === 'assistant' || item.role === 'model';
    const parts =
      typeof item.content === 'string' ? [{ text: item.content }] : list(item.content ?? item.parts);
    const calls = list(item.tool_calls).map(
      (call): Said => ({ role: 'call', text: string(object(call.function).arguments) }),
    );
    const told = parts.map((part: Json): Said => {
      if (part.type === 'tool_use') return { role: 'call', text: JSON.stringify(part.input) };
      if (part.functionCall) return { role: 'call', text: JSON.stringify(part.functionCall) };
      if (part.type === 'tool_result') return { role: 'result', text: JSON.stringify(part.content) };
      if (part.functionResponse) return { role: 'result', text: JSON.stringify(part.functionResponse) };
      return { role: theirs ? 'agent' : 'person', text: string(part.text) };
    });
    return [...told, ...calls];
  });
}
