import { readFileSync } from 'node:fs';
import { readAgentChat } from '../train/rows.ts';
import { listSessions, readPrompt } from './replay.ts';

/**
 * Real wordings of messages that go on from the one before ("yes, do it") and of openings before a question ("ok cool."),
 * known by their place in the data (`follow-ups.txt`). Half of them are held out whenever anything is tuned.
 */
export interface Wordings {
  followUps: string[];
  leadIns: string[];
}

/** Ids under `[followUps dev]` and the like, a lead-in with the number of its characters. */
const LISTED = new Map(
  readFileSync(new URL('follow-ups.txt', import.meta.url), 'utf8')
    .split(/^\[(?=\w+ \w+\]$)/m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf(']')), part.trim().split(/\s+/).slice(2)]),
);

/** The ids of all these messages, to keep what is measured with them out of the statistics. */
export const MEASURED: ReadonlySet<string> = new Set(
  [...LISTED.values()].flat().map((entry) => entry.replace(/:.*/, '')),
);

/** What a person typed to a coding agent, by the id of the message. */
function listTypedMessages(data: string): Map<string, string> {
  const labelled = readAgentChat(data).map(({ id, text }) => [id, text] as const);
  const lines = listSessions(data).flatMap((session) => session.lines);
  const recorded = lines.map((line) => [String(line.record.uuid), readPrompt(line) ?? ''] as const);
  return new Map([...labelled, ...recorded]);
}

/** The wordings of one half, `dev` or `unseen`. */
export function readWordings(data: string, half: string): Wordings {
  if (!LISTED.has(`followUps ${half}`)) throw new Error(`expected dev or unseen, found ${half}`);

  const typed = listTypedMessages(data);
  const listWordings = (kind: string): string[] =>
    (LISTED.get(`${kind} ${half}`) ?? []).map((entry) => {
      const [id = '', characters] = entry.split(':');
      const text = typed.get(id);
      if (text === undefined) throw new Error(`no message ${id} in ${data}`);
      return text
        .trim()
        .replace(/\s+/g, ' ')
        .slice(0, characters === undefined ? undefined : Number(characters));
    });
  return { followUps: listWordings('followUps'), leadIns: listWordings('leadIns') };
}
