import type { Call, Result } from '../event.ts';
export interface TaskItem { id?: string; text: string; status: 'open' | 'active' | 'done' | 'dropped' }
export interface EnvironmentFailure { program: string; why: string; said: string }
export interface CallFacts {
  tool: string; command?: string; edits: { path: string; how: 'edit' | 'remove' }[];
  tasks?: TaskItem[]; task?: Partial<TaskItem>; listedTasks?: TaskItem[]; plan?: string; planFile?: string;
  questions?: { question: string; options: string[] }[];
  check?: { command: string; outcome: 'passed' | 'failed'; totals?: string; failing: string[] };
  commits?: { sha: string; subject: string; branch?: string; amends?: true }[];
  pushed?: true; pullRequest?: { name: string; did: string }; switchedTo?: string;
  refused?: { by: 'person' | 'rules' }; failed?: EnvironmentFailure; worked?: { program: string };
}
export function callFacts(call: Call | undefined, result: Result | undefined, _where: { root: string; cwd: string | undefined }): CallFacts {
  const facts: CallFacts = { tool: result?.tool ?? call?.tool ?? 'tool', edits: [] };
  if (result?.outcome === 'rejected') facts.refused = { by: 'person' };
  return facts;
}
