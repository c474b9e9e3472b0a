import type { Message } from './types.ts';

/** Longest text of a tool message in a window, in UTF-16 units: its head and tail are kept. */
const TOOL_TEXT_LIMIT = 32_768;

/**
 * Chooses the window: `limit` messages of people and agent, and as many tool messages. Between two sentences
 * of the person a working agent writes dozens of remarks and hundreds of tool results, so "the last 20
 * messages" would often contain nothing from the person. Half of the places are therefore reserved for the
 * person; then come the answers that they reacted to (the last message before each of theirs, and the
 * newest), then the newest of the rest. In a simple dialogue these are the last `limit` messages.
 * @param messages oldest first
 * @returns oldest first; the same array if everything fits
 */
export function chooseWindow(messages: Message[], limit: number): Message[] {
  if (limit === Number.POSITIVE_INFINITY) return messages;
  const chosen = new Set<Message>();
  const spoken = messages.filter((message) => message.role !== 'tool').reverse();
  if (spoken.length > limit) {
    const take = (candidates: Message[], places: number): void => {
      for (const message of candidates) {
        if (chosen.size >= places) return;
        chosen.add(message);
      }
    };
    const humans = spoken.filter((message) => message.role === 'user').slice(0, Math.ceil(limit / 2));
    take(humans, limit);
    const since = spoken.slice(0, spoken.findLastIndex((message) => chosen.has(message)) + 1);
    const isAnswer = (message: Message, index: number): boolean =>
      message.role !== 'user' && since[index - 1]?.role !== message.role;
    take(since.filter(isAnswer), limit);
    take(spoken, limit);
  } else {
    for (const message of spoken) chosen.add(message);
  }
  const oldest = messages.findIndex((message) => chosen.has(message));
  let tools = limit;
  for (let index = messages.length - 1; index > oldest && tools > 0; index--) {
    const message = messages[index];
    if (message?.role === 'tool') {
      chosen.add(message);
      tools--;
    }
  }
  return messages.filter((message) => chosen.has(message)).map(clipTool);
}

function clipTool(message: Message): Message {
  const { content } = message;
  if (message.role !== 'tool' || content.length <= TOOL_TEXT_LIMIT) return message;
  const half = TOOL_TEXT_LIMIT / 2;
  const left = content.length - TOOL_TEXT_LIMIT;
  const clipped = `${content.slice(0, half)}\n[${left} characters left out]\n${content.slice(-half)}`;
  return { ...message, content: clipped };
}
