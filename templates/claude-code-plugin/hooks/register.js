import { describeSession, tell } from './ask.js';
import { refreshPane, servePane } from './pane.js';
import { prune } from './prune.js';

/** Where prompts of a person come from; others are timers, notifications and agents. */
const PERSON = new Set(['composer', 'sdk', 'bridge']);
/** Text that could not be added after a compaction: the next prompt carries it. */
const pending = [];

/**
 * Answers prompts and compactions inside Claude Code, and shows the pad in a pane. What fails here leaves the host to itself
 * and to the hooks.
 */
export const register = (on) => {
  on('classic.SessionStart', async ($, e, next) => {
    await describeSession($, e);
    return next(e);
  });
  on('session.end', (_, e, next) => {
    describeSession.last = undefined;
    return next(e);
  });
  on('prompt.submit', async ($, e, next) => {
    let told = e;
    let answers = false;
    try {
      const speaker = PERSON.has(e.origin.kind) ? undefined : 'machine';
      const { context, failed } = await tell($, 'prompt', { prompt: e.text, speaker });
      refreshPane($);
      const ours = [...pending.splice(0), context].filter(Boolean);
      if (ours.length > 0) told = { ...e, context: [...(e.context ?? []), ...ours] };
      answers = !failed;
    } finally {
      // What was told goes on to the model, whatever comes of the mark.
      await markAnswering($, answers).catch(() => undefined);
    }
    return next(told);
  });
  on('session.compact', async ($, e, next) => {
    // A subagent's conversation is its own; a summary that is made ahead counts when it is used.
    if (e.agentId !== undefined || e.trigger === 'precompute') return next(e);
    const { hold, summaryRequest, prunes } = await tell($, 'before-compaction', { trigger: e.trigger });
    if (hold) return { skip: hold };
    const wantsModel = prunes && e.instructions?.trim() === 'model';
    const pruned = prunes && !wantsModel ? await prune($, e).catch(() => undefined) : undefined;
    if (pruned !== undefined) {
      await report($, e.trigger, pruned);
      return { messages: pruned };
    }

    const instructions = [wantsModel ? '' : e.instructions, summaryRequest].filter(Boolean).join('\n\n');
    const done = await next(instructions ? { ...e, instructions } : e);
    if (done.messages === undefined) return done;
    // A row that is added now is lost when the session is resumed: where nobody waits for it, the next prompt tells.
    if (e.trigger === 'manual') await tell($, 'after-compaction', {});
    else await report($, e.trigger, done.messages);
    return done;
  });
  servePane(on);
};

/** Unknown to a mod that was loaded anew: the host still has the mark of the one before. */
let isAnswering;

/** Tells our hook of the same prompt, which the host runs next, whether anything is left to answer. */
async function markAnswering($, answers) {
  if (answers === isAnswering) return;
  const { CLAUDE_PID } = await $.process.hookEnv();
  // Programs that the agent starts have it, too, and may be another Claude Code.
  await $.env.set('SCRATCHPAD_ANSWERED', answers ? `by ${CLAUDE_PID}` : '');
  isAnswering = answers;
}

/** Reports the new conversation, and tells the model what it lacks. */
async function report($, trigger, messages) {
  const summary = messages.map(({ text }) => text).join('\n\n');
  const { context } = await tell($, 'after-compaction', { summary });
  refreshPane($);
  if (!context) return;
  // The next request carries such a row, and the person does not see it.
  const message = { type: 'user', content: [{ type: 'text', text: context }] };
  const append = () => $.session.append({ message }).catch(() => ({ deny: 'failed' }));
  if (trigger === 'manual' || (await append()).deny) pending.push(context);
}
