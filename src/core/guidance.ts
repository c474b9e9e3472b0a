import { formatThousands } from '../base/text/strings.ts';
import type { Config } from '../config/settings.ts';

/** For a system prompt or an AGENTS.md: explains the scratchpad and how an agent uses it. */
export const GUIDANCE = `## Session Scratchpad

This workspace has a scratchpad, \`SCRATCHPAD.md\`: working memory that survives context compaction, and that the next
session is shown. Conversation details may be summarized; the scratchpad is kept in full. The human reads and edits the
same file.

| space | for | limit |
|---|---|---|
| plan | the current multi-step plan, as a short ordered list | 2,000 characters |
| notes | findings, decisions, constraints, partial state | 4,000 characters |
| refs | paths, URLs, PR links, identifiers | 50 items |

- Forming a multi-step plan: \`scratchpad plan set "1. …"\`; a finished step: \`scratchpad plan done N\`.
- A key fact (an error, a configuration value, a root cause), as soon as it is found: \`scratchpad notes add "…"\`.
- What holds for all work here: a note that begins with \`Rule:\`. It stays on top, and \`notes clear\` keeps it.
- A file or link that will be needed again: \`scratchpad refs add PATH\`.
- A space that gets full: rewrite it tighter with \`scratchpad notes set\`, \`scratchpad plan set\`.
- To see it: \`scratchpad context\`. What was changed: \`scratchpad history\`; \`scratchpad undo\` takes a change back.

Not for whole files, the conversation's history, speculation or the request itself. Texts of several lines go in on
stdin: \`scratchpad notes add -\`. The block marked as generated is written by the tool; edits to it are lost.
`;

/**
 * Explains the scratchpad to an agent that has the tools instead of a shell; empty if the scratchpad is off.
 * @param name what the tool is called
 * @param shown a sentence on who shows the agent the scratchpad
 */
export function renderToolGuidance(
  { scratchpad, limits, mcp }: Pick<Config, 'scratchpad' | 'limits' | 'mcp'>,
  name = 'session.scratchpad',
  shown = 'A host with hooks shows the scratchpad at the start and after a compaction, then what changes.',
): string {
  if (!scratchpad.enabled) return '';

  const { plan, notes, refs } = limits;
  const notepadTools = mcp.allTools ? '(read_notepad, write_notepad, update_notepad)' : '(the notes)';

  return `## Session Scratchpad
You have a persistent scratchpad tool (${name}) that survives context compaction.
Use it to save: multi-step plans, key findings, important decisions, accumulated state.
It has three spaces: plan (${formatThousands(plan)} characters) by set_plan, notes (${formatThousands(notes)}) by set_notes and append_notes, refs (${formatThousands(refs)} items) by refs.add, refs.remove and refs.set.
Tick a step off with plan.done; show gives all three, history what was changed and undo takes a change back.
Or call it with content and mode "replace" to overwrite the notes, "append" to add to them. Budget: ~${scratchpad.maxTokens} tokens.
For multi-step or complex tasks, use the session notepad ${notepadTools} to track your plan and record findings as you work. The notepad survives context compaction: conversation details may be summarized, but the notepad is preserved in full. Update it after significant findings or completed steps.
Long contents go into named entries (scratchpad_write), outside the conversation, and are read in pieces or searched with scratchpad_read.
${shown}
`;
}
