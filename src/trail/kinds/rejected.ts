import { type KnownCall, UNKNOWN_TOOL } from '../calls.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';

export interface Refusal extends Mark {
  id: string;
  what: string;
  words?: string;
  turn: number;
}

/** Turns after which a refusal is no longer reported. */
const TURNS = 2;
const MOST = 20;
const SHELL = /^(?:shell|bash|exec|exec_command|local_shell|run_shell_command)$/i;

/** Calls that the person refused, with their comment. */
export const turnedDown: Extractor<Refusal[]> = {
  kind: 'rejected',
  initial: () => [],
  observe(step, refusals, course) {
    if (step.type === 'done' && step.outcome === 'rejected') {
      // Refusals before the part of the session that was read are unknown.
      if (step.call.tool === UNKNOWN_TOOL) return;
      refusals.push({ id: step.call.id, what: callInShort(step.call), turn: course.turn, ...placeOf(step) });
      refusals.splice(0, Math.max(0, refusals.length - MOST));
    } else if (step.type === 'done' && step.outcome === 'ok') {
      // The same call was allowed later.
      const what = callInShort(step.call);
      const kept = refusals.filter((refusal) => refusal.what !== what);
      refusals.splice(0, refusals.length, ...kept);
    } else if (step.type === 'said' && step.voice === 'rejection') {
      const refusal = refusals.find(({ id }) => id === step.call?.id);
      if (refusal === undefined) return;
      refusal.words = keep(step.text, 120);
      refusal.turn = course.turn;
    }
  },
  facts: (refusals, course) =>
    refusals.toReversed().map((refusal) => ({
      key: refusal.id,
      text: refusal.words === undefined ? refusal.what : `${refusal.what}: “${refusal.words}”`,
      why: 'the person refused the call',
      open: course.turn - refusal.turn < TURNS,
      ...markOf(refusal),
    })),
};

/** A call in a few words: the tool with the file or the command. */
export function callInShort(call: KnownCall): string {
  if (call.plan !== undefined) return 'the plan';
  if (call.questions !== undefined) return 'the questions';
  if (call.command === undefined) {
    const [file] = call.files;
    // Codex edits through its shell.
    const tool = file === undefined || file.how === 'read' || !SHELL.test(call.tool) ? call.tool : 'edit of';
    return keep([tool, file?.path].filter(Boolean).join(' '), 120);
  }
  const first = call.command.split('\n').find((line) => /\w/.test(line)) ?? call.command;
  const command = keep(first.trim(), 90);
  return `${call.tool} \`${command}\``;
}
