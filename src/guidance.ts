/** For a system prompt or an AGENTS.md: what the scratchpad is and how an agent uses it. */
export const GUIDANCE = `## Session Scratchpad

This workspace has a scratchpad, \`SCRATCHPAD.md\`: working memory that survives context compaction and restarts.
Conversation details may be summarized during compaction; the scratchpad is kept in full and shown again. The human
reads and edits the same file.

| space | for | limit |
|---|---|---|
| plan | the current multi-step plan, as a short ordered list | 2,000 characters |
| notes | findings, decisions, constraints, partial state | 4,000 characters |
| refs | paths, URLs, PR links, identifiers | 50 items |

- Forming a multi-step plan: \`scratchpad plan set "1. …"\`; a finished step: \`scratchpad plan done N\`.
- A key fact (an error, a configuration value, a root cause): \`scratchpad notes append "…"\`.
- A file or link that will be needed again: \`scratchpad refs add PATH\`.
- A space that gets full: rewrite it tighter with \`scratchpad notes set\`, \`scratchpad plan set\`.
- To see it: \`scratchpad context\`. What was changed: \`scratchpad history\`; \`scratchpad undo\` takes a change back.

Not for whole files, the conversation's history, speculation or the request itself. Texts of several lines go in on
stdin: \`scratchpad notes append -\`. The block marked as generated is written by the tool; edits to it are lost.
`;
