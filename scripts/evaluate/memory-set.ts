import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { updateIndex } from '../../src/memory/update.ts';

/** A question to a memory, and where its answers are: `path:line`. */
export interface Question {
  memory: string;
  lang: string;
  query: string;
  answers: string[];
}

export interface Block {
  path: string;
  startLine: number;
  endLine: number;
  text: string;
}

/** Copies a memory into a workspace of its own, with an index. @returns the workspace */
export async function openMemory(folder: string, home: string, name: string): Promise<string> {
  const workspace = join(home, name);
  cpSync(join(folder, name), workspace, { recursive: true });
  mkdirSync(join(workspace, '.scratchpad'), { recursive: true });
  await updateIndex({ workspace });
  return workspace;
}

/** The rows of a file; none if it is missing. */
export function readRows<Row>(folder: string, name: string): Row[] {
  const path = join(folder, name);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}

/** The questions of a folder; an answer may also be `path` and a part of its `line`, as in the fixtures of the tests. */
export function readQuestions(folder: string): Question[] {
  const rows = readRows<Question & { path: string; line: string }>(folder, 'questions.jsonl');
  return rows.map(({ path, line, ...question }) => {
    if (path === undefined) return question;
    const lines = readFileSync(join(folder, question.memory, path), 'utf8').split('\n');
    return { ...question, answers: [`${path}:${lines.findIndex((each) => each.includes(line)) + 1}`] };
  });
}

/** Whether a block holds an answering line. */
export const isRight = ({ path, startLine, endLine }: Block, { answers }: Question): boolean =>
  answers.some((answer) => {
    const colon = answer.lastIndexOf(':');
    const line = Number(answer.slice(colon + 1));
    return answer.slice(0, colon) === path && line >= startLine && line <= endLine;
  });
