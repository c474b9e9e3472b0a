import type { ModelRequest } from './model-stub.ts';

/** How the requests of a host are compared. */
export interface Ways {
  /** Whether its first message describes the current folder at each run. */
  startsAnew?: true;
  /** Whether it drops injected text after the turn. */
  ephemeral?: true;
  /** Whether ours counts too in what it drops: where nothing was said for a prompt alone. */
  withOurs?: true;
  /** Whether it does not keep reminders of its own. */
  dropsReminders?: true;
  /** Whether a resumed session repeats the results of its tools. */
  repeatsResults?: true;
}

const OURS =
  /\[Session Scratchpad[\s\S]*?\[End Scratchpad\](?:\\n)*|\[Scratchpad\] (?:(?!\\n)[^"])*(?:\\n)*/g;

const REMINDERS = /\{"type":"text","text":"<system-reminder>(?:[^"\\]|\\.)*"\},?/g;

/**
 * Describes where a request does not begin with the bytes of the one before it: system part, tools and messages, without the
 * text that a host drops after the turn. `undefined` if all requests do.
 *
 * @param from the first part that counts: 2 without system part and tools
 */
export function findDifference(
  turns: readonly (ModelRequest | undefined)[],
  { ephemeral, withOurs, startsAnew, repeatsResults, dropsReminders }: Ways,
  from = 0,
): string | undefined {
  const requests = turns.map((request) =>
    splitParts(request?.body ?? {}, withOurs ? undefined : ephemeral).map((part) =>
      dropsReminders ? part.replace(REMINDERS, '') : part,
    ),
  );
  for (const [turn, request] of requests.slice(1).entries()) {
    const before = requests[turn] ?? [];
    // A host that injects for one turn only does so with its own words, too, at the end.
    const stable = ephemeral ? before.slice(0, -1) : before;
    for (const [index, part] of stable.entries()) {
      if (index < from || request[index] === part || (index === 2 && startsAnew)) continue;
      if (repeatsResults && part.includes('"functionResponse"')) continue;
      const other = request[index] ?? '';
      let same = 0;
      while (part[same] !== undefined && part[same] === other[same]) same += 1;
      const showPart = (text: string): string => text.slice(Math.max(0, same - 40), same + 80);
      return `request ${turn + 2}, part ${index}: ${showPart(part)} | ${showPart(other)}`;
    }
  }
  return undefined;
}

/** System part and tools, then the messages. */
function splitParts(body: Record<string, unknown>, ephemeral: true | undefined): string[] {
  const messages = (body.messages ?? body.input ?? body.contents ?? []) as { role?: string }[];
  const conversation = messages.filter(({ role }) => role !== 'system');
  const systemMessages = messages.filter(({ role }) => role === 'system');
  const system = body.system ?? body.instructions ?? body.systemInstruction ?? systemMessages;
  // Markers of the host's own cache move with each request, and a single text is a string or a block. Gemini CLI
  // drops the signatures of thoughts when it resumes; OpenClaw has a new session file after a rewind.
  return [system, body.tools, ...conversation].map((part) =>
    JSON.stringify(part ?? '')
      .replace(/,?"cache_control":\{[^}]*\}/g, '')
      .replace(/,?"thoughtSignature":"[^"]*"/g, '')
      // Copilot drops empty fields of the model's answer when it resumes.
      .replaceAll('"refusal":null,', '')
      .replace(/,?"__copilotMessageSource":\{[^}]*\}/g, '')
      .replace(/sessionId=[0-9a-f-]+/, '')
      // Gemini CLI lists its own skills in the order in which it has found them.
      .replace(/<available_skills>.*?<\/available_skills>/, '')
      .replace(/\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\]/g, '$1')
      .replace(ephemeral ? OURS : '', ''),
  );
}
