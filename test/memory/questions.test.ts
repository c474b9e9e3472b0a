import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAnswers } from '../../src/memory/answers.ts';
import type { MemoryHit } from '../../src/memory/types.ts';
import { workspaceOf, write } from './workspace.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const EXAMPLE = join(import.meta.dirname, '../../workspace-example');
const NOW = Date.UTC(2026, 10, 23, 12);

interface Question {
  memory: string;
  query: string;
  /** The file of the answer, and a part of its line. */
  path: string;
  line: string;
}

interface Row {
  memory: string;
  file?: string;
  lines?: string[];
  prompt?: string;
  wanted?: string[];
}

function rowsOf<Each>(path: string): Each[] {
  const lines = readFileSync(join(FIXTURES, path), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Each);
}

async function said(workspace: string, content: string): Promise<MemoryHit[]> {
  const messages = [{ id: '1', role: 'user' as const, content, session: 's' }];
  return (await findAnswers(messages, { workspace, now: NOW })).hits;
}

/** Questions whose first line is not the right one. */
async function missed(
  questions: readonly Question[],
  folderOf: (memory: string) => string,
): Promise<string[]> {
  const workspaces = new Map<string, string>();
  const out: string[] = [];
  for (const { memory, query, path, line } of questions) {
    const workspace = workspaces.get(memory) ?? workspaceOf({});
    if (!workspaces.has(memory)) cpSync(folderOf(memory), workspace, { recursive: true });
    workspaces.set(memory, workspace);
    const places = readFileSync(join(workspace, path), 'utf8').split('\n');
    const at = places.findIndex((each) => each.includes(line)) + 1;
    expect(at, `${path}: ${line}`).toBeGreaterThan(0);
    const [first] = await said(workspace, query);
    if (first?.path !== path || at < first.startLine || at > first.endLine) out.push(query);
  }
  return out;
}

describe('direct questions', () => {
  it('bring the right line first for eight of ten', async () => {
    const questions = rowsOf<Question>('questions/questions.jsonl');
    const wrong = await missed(questions, (memory) => join(FIXTURES, 'questions', memory));
    expect(questions).toHaveLength(60);
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(12);
  });

  it('to the example too', async () => {
    const questions = rowsOf<Question>('questions/example.jsonl');
    const wrong = await missed(questions, () => EXAMPLE);
    expect(questions).toHaveLength(10);
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(2);
  });
});

it('prompts that ask nothing of the memory bring no line', async () => {
  const rows = rowsOf<Row>('memory/prompts.jsonl');
  const noise: string[] = [];
  for (const name of new Set(rows.map(({ memory }) => memory))) {
    const workspace = workspaceOf({});
    const own = rows.filter(({ memory }) => memory === name);
    for (const { file, lines = [] } of own) if (file) write(workspace, file, lines.join('\n'));
    for (const { prompt, wanted } of own) {
      if (prompt === undefined || wanted !== undefined) continue;
      if ((await said(workspace, prompt)).length > 0) noise.push(`${name}: ${prompt}`);
    }
  }
  expect(noise).toEqual([]);
});
