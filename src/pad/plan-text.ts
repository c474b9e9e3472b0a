import { attempt, usageError } from '../base/errors.ts';
import { isObject, type JsonObject, parseJson } from '../base/text/json.ts';
import { isHeadOfSteps } from './plan-table.ts';
import { readStatus } from './step-parts.ts';
import { parseLine } from './steps.ts';

/** Members that hold a step's words, the best first, and members that explain it. */
const WORDS = ['content', 'step', 'task', 'title', 'subject', 'summary', 'name', 'text', 'item', 'todo'];
const DETAILS = ['description', 'details', 'notes'];
const STATES = ['status', 'state', 'done', 'completed', 'complete', 'checked'];

/**
 * A plan as lines of Markdown. Hosts, trackers and spreadsheets write lists of steps as JSON, YAML, CSV or tags, and
 * models put the whole text into a code fence.
 * @throws ScratchpadError `usage` if it is a list without steps
 */
export async function readPlanText(input: string): Promise<string> {
  const [, , fenced = ''] = /^\s*(`{3,}|~{3,})(?![`~])[^\n`]*\n([\s\S]*)\n\1\s*$/.exec(input) ?? [];
  const text = (fenced === '' || /^[ \t]*(?:```|~~~)/m.test(fenced) ? input : fenced)
    .replace(/<input\b[^<>]{0,200}checkbox[^<>]{0,200}>/gi, (tag) =>
      /\bchecked\b/i.test(tag) ? '[x]' : '[ ]',
    )
    .replace(/^([ \t]*\d{0,9})\\(?=[-*+.)]\s)/gm, '$1');
  const value = parseJson(text) ?? parseTags(text) ?? parseCells(text) ?? (await parseYaml(text));

  return typeof value === 'string' ? value : (renderList(value)?.join('\n') ?? text);
}

/** Most levels to read: JSON may nest deeper than the stack. */
const DEEPEST = 4;

/** The lines of a list of steps, or of an object that holds one; `undefined` if it is something else. */
function renderList(value: unknown, depth = 0): string[] | undefined {
  if (Array.isArray(value)) {
    const lines = value.flat().map((item) => renderStep(item));
    if (lines.length === 0) throw usageError('the plan is an empty list', { expected: 'at least one step' });
    return lines.every((line) => line !== undefined) ? lines : undefined;
  }

  if (!isObject(value) || depth > DEEPEST) return undefined;

  const step = renderStep(value);
  if (step !== undefined) return [step];

  const [list, ...others] = Object.values(value).filter((member) => typeof member === 'object');
  const facts = Object.entries(value).filter(([, member]) => typeof member !== 'object');
  if (others.length > 0) return undefined;

  if (list === undefined) {
    const areNumbered = facts.every(([key]) => /\d$/.test(key));
    return areNumbered ? renderList(facts.map(([, words]) => words)) : undefined;
  }

  const lines = renderList(list, depth + 1);
  return lines && [...facts.map(([key, words]) => `${key}: ${words}`), ...lines];
}

function renderStep(item: unknown, depth = 0): string | undefined {
  if (typeof item === 'string') return parseLine(item).marker === '' ? `- ${item}` : item;
  if (!isObject(item) || depth > DEEPEST) return undefined;

  const [words, ...details] = [...WORDS, ...DETAILS].flatMap((key) => pickText(item, key));
  const parts = Object.values(item)
    .filter(Array.isArray)
    .flatMap((list) => list.map((part) => renderStep(part, depth + 1)?.replaceAll('\n', '\n  ')));
  const states = STATES.flatMap((key) => item[key] ?? []);
  const isDone = states.some((state) => state === true || readStatus(String(state)) === true);
  const box = states.length > 0 ? `[${isDone ? 'x' : ' '}] ` : '';
  const lines = [`- ${box}${words}`, ...details, ...parts.filter((part) => part !== undefined)];

  return words && lines.join('\n  ');
}

const pickText = (item: JsonObject, key: string): string[] => {
  const text = item[key];
  return typeof text === 'string' && text.trim() !== '' ? [text.trim()] : [];
};

/** Parses `<li>Fix it</li>` and `<todo status="completed">Fix it</todo>`. */
function parseTags(text: string): unknown[] | undefined {
  if (!/^\s*<\w/.test(text)) return undefined;
  const tags = text.matchAll(/<(li|todo|task|step|item)\b([^<>]*)>(.*?)(?=<\/?(?:\1|[uo]l)\b|$)/gim);
  const items = [...tags].map(([, , attributes = '', content = '']) => ({
    content,
    status: /\b(?:status|state)=["']?([\w -]+)/i.exec(attributes)?.[1],
  }));

  return items.length > 0 ? items : undefined;
}

/** Parses the lines of a spreadsheet, of which the first has a head of steps, and no cell holds a separator. */
function parseCells(text: string): unknown[] | undefined {
  const [head = '', ...lines] = text.trim().split('\n');
  const separator = ['\t', ';', ','].find((each) => head.includes(each));
  if (separator === undefined || lines.length === 0) return undefined;

  const [heads = [], ...rows] = [head, ...lines].map((line) =>
    line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')),
  );
  const column = heads.findIndex((each) => isHeadOfSteps(each) || WORDS.includes(each.toLowerCase()));
  if (column === -1 || rows.some(({ length }) => length !== heads.length)) return undefined;

  return rows.map((cells) => ({
    content: cells[column],
    done: cells.flatMap((cell, k) => (k === column ? [] : (readStatus(cell, heads[k]) ?? []))).at(0),
  }));
}

/** Parses lists of objects alone: other lists are Markdown, and so is a text with headings. */
async function parseYaml(text: string): Promise<unknown> {
  const hasSteps = new RegExp(`^\\s*-\\s+(?:id:.*\\n\\s+)?(?:${[...WORDS, ...STATES].join('|')}):\\s`, 'm');
  if (!hasSteps.test(text) || /^[ \t]*#/m.test(text)) return undefined;
  const { isNestedTooDeep, parse } = await import('../base/text/yaml.ts');
  return isNestedTooDeep(text) ? undefined : attempt((): unknown => parse(text));
}
