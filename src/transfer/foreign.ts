import { isObject, type JsonObject, parsed, textAt } from '../text/json.ts';

/** Another tool's memory, converted to ours. */
export interface Parcel {
  /** The kind of source, for people. */
  from: string;
  plan: string[];
  notes: string[];
  /** Whole files, unchanged. */
  entries: { name: string; content: string }[];
}

/** A file of another tool: its name without the folder, and its text. */
export interface ForeignFile {
  name: string;
  text: string;
}

export const PLANNING_FILES = ['task_plan.md', 'findings.md', 'progress.md'];

/** Reads files of known tools; `undefined` for any others. */
export function readForeign(files: readonly ForeignFile[]): Parcel | undefined {
  const planning = files.filter(({ name }) => PLANNING_FILES.includes(name));
  if (planning.length > 0) return fromPlanningFiles(planning);
  const [file] = files;
  if (file === undefined) return undefined;
  const whole = parsed(file.text);
  if (isObject(whole) && Array.isArray(whole.observations)) return fromClaudeMem(file, whole);
  const issues = (Array.isArray(whole) ? whole : file.text.split('\n').map(parsed)).filter(isIssue);
  return issues.length > 0 ? fromBeads(file, issues) : undefined;
}

/** `task_plan.md`: its checklist becomes the plan, its findings become notes. All files are kept whole. */
function fromPlanningFiles(files: readonly ForeignFile[]): Parcel {
  const textOf = (name: string): string => files.find((file) => file.name === name)?.text ?? '';
  return {
    from: files.map(({ name }) => name).join(', '),
    plan: stepsIn(textOf('task_plan.md')),
    notes: textOf('findings.md')
      .split('\n')
      .filter((line) => /^\s*[-*]\s+\S/.test(line))
      .map((line) => line.trim()),
    entries: files.map(({ name, text }) => ({ name, content: text })),
  };
}

/** Checkboxes are steps; if there are none, the headings of phases are, with the status below them. */
function stepsIn(text: string): string[] {
  const lines = text.split('\n');
  const boxes = lines.flatMap((line) => {
    const [, mark, step] = /^\s*[-*]\s+\[([ xX])\]\s+(.*\S)/.exec(line) ?? [];
    return step === undefined ? [] : [stepOf(step, mark !== ' ')];
  });
  if (boxes.length > 0) return boxes;
  return lines.flatMap((line, k) => {
    const phase = /^#{2,4}\s+((?:phase|step)\b.*\S)/i.exec(line)?.[1];
    if (phase === undefined) return [];
    const next = lines.findIndex((other, at) => at > k && other.startsWith('#'));
    const below = lines.slice(k + 1, next === -1 ? undefined : next).join('\n');
    return [stepOf(phase, /status:\W*(?:complete|done)/i.test(below))];
  });
}

/** Open issues become steps, those in progress first, then by priority. */
function fromBeads(file: ForeignFile, issues: readonly JsonObject[]): Parcel {
  const rank = (issue: JsonObject): number =>
    (issue.status === 'in_progress' ? 0 : 10) + (typeof issue.priority === 'number' ? issue.priority : 2);
  const open = issues
    .filter(({ status }) => status !== 'closed' && status !== 'tombstone')
    .sort((a, b) => rank(a) - rank(b));
  return {
    from: `${issues.length} issues of beads`,
    plan: open.map((issue) => {
      const blocked = issue.status === 'blocked' ? ' (blocked)' : '';
      return stepOf(`${textAt(issue, 'id')} ${textAt(issue, 'title')}${blocked}`, false);
    }),
    notes: [],
    entries: [{ name: 'beads.jsonl', content: file.text }],
  };
}

/**
 * Lessons and next steps of the newest summaries become notes; everything is stored in an entry that can be
 * searched.
 */
function fromClaudeMem(file: ForeignFile, whole: JsonObject): Parcel {
  const rows = (key: string): JsonObject[] => {
    const found = whole[key];
    return (Array.isArray(found) ? found.filter(isObject) : []).sort((a, b) => madeAt(b) - madeAt(a));
  };
  const observations = rows('observations');
  const learned = rows('summaries').flatMap((summary) => {
    const lesson = textAt(summary, 'learned')?.trim();
    return lesson ? [`- ${oneLine(lesson)}`] : [];
  });
  const [last] = rows('summaries');
  const next = textAt(last, 'next_steps')?.trim();
  return {
    from: `${observations.length} observations of claude-mem`,
    plan: [],
    notes: [...(next ? [`- Next: ${oneLine(next)}`] : []), ...learned],
    entries: [
      { name: 'claude-mem.md', content: observations.map(observationText).join('\n') },
      { name: 'claude-mem.json', content: file.text },
    ],
  };
}

function observationText(observation: JsonObject): string {
  const title = textAt(observation, 'title') ?? 'Observation';
  const facts = parsed(textAt(observation, 'facts') ?? '[]');
  const parts = [
    `## ${title}`,
    textAt(observation, 'subtitle') ?? '',
    textAt(observation, 'narrative') ?? textAt(observation, 'text') ?? '',
    ...(Array.isArray(facts) ? facts.map((fact) => `- ${String(fact)}`) : []),
  ];
  return `${parts.filter((part) => part !== '').join('\n')}\n`;
}

function isIssue(value: unknown): value is JsonObject {
  return (
    isObject(value) && typeof value.id === 'string' && typeof value.title === 'string' && 'status' in value
  );
}

function madeAt(row: JsonObject): number {
  const epoch = row.created_at_epoch;
  return typeof epoch === 'number' ? epoch : Date.parse(textAt(row, 'created_at') ?? '') || 0;
}

const stepOf = (text: string, done: boolean): string => (done ? `~~${oneLine(text)}~~ DONE` : oneLine(text));
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
