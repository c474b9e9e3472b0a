import { splitWords } from '../base/text/prose.ts';
import { REMINDS } from '../handover/words.ts';
import { type AnswerOptions, findAnswers } from '../memory/answers.ts';
import { dateOfHit } from '../memory/dates.ts';
import { listLoadedFiles, listMemoryPaths } from '../memory/places.ts';
import { extractTerms, STOPWORDS, stem, tokenize } from '../memory/terms.ts';
import type { MemoryHit } from '../memory/types.ts';
import type { Message } from '../transcript/types.ts';
import { quoteForeignText, quotePassage } from './quote.ts';
import { type BuiltInStage, type InjectionEvent, PRIORITY } from './stage.ts';

const PROMPT_CHARACTERS = 250;
/** Characters of the best hit and of the others, at most `memory.results` (5); the place says where the rest is. */
const FIRST_CHARACTERS = 110;
const OTHER_CHARACTERS = 75;
const PATH_CHARACTERS = 120;
const TASKS_TOLD = 2;
const MOST_AT_PROMPT = 1;
const INJECTED_AT: readonly InjectionEvent[] = ['start', 'clear', 'prompt'];
const BY_RANK: readonly number[] = [PRIORITY.firstMemory, PRIORITY.secondMemory, PRIORITY.thirdMemory];

/** Relevant Memories: what answers the prompt, in the file also what shares telling words with the last messages. */
export const memoryStage: BuiltInStage = {
  priority: PRIORITY.thirdMemory,
  tells: 'part',
  async run(context, limit) {
    const { workspace, messages, spaces, config, now, refreshMemory, isForeign } = context;
    if (!messages.some((message) => message.role === 'user')) return null;

    const tasks = await context.tasks();
    const alreadyShown = [...spaces.notes.split('\n'), ...spaces.plan.split('\n')].filter(
      (line) => line.trim() !== '',
    );
    const { env = process.env, host } = context;
    const include = listMemoryPaths(config.memory, workspace, env);
    // A task that was ticked off or moved to a newer list is outdated; urgent ones appear in the alerts.
    const urgent = new Set(tasks.dated.slice(0, TASKS_TOLD).map(({ place }) => place));
    const options: AnswerOptions = {
      workspace,
      include,
      now,
      isForeign,
      alreadyShown,
      notes: spaces.notes.split('\n'),
      isUnwanted: ({ path, line }) =>
        tasks.superseded.has(`${path}:${line}`) || urgent.has(`${path}:${line}`),
      embeddings: config.memory.embeddings,
      // Only a network service is aborted.
      signal: config.memory.embeddings.provider === 'off' ? undefined : limit.signal,
      background: refreshMemory,
    };

    const most = config.memory.results;
    const { hits: answers, related } = await findAnswers(messages, {
      ...options,
      limit: Math.min(MOST_AT_PROMPT, most),
      related: context.forModel ? 0 : most,
      loaded: () => (host === undefined ? [] : listLoadedFiles(host, workspace, env)),
    });

    const hits = [...answers, ...related].slice(0, most);

    if (hits.length === 0) return null;

    const quoteHit = ({ path, startLine, endLine, text }: MemoryHit, characters: number): string =>
      quotePassage(context.linesOf(path), startLine, endLine, text, characters);

    return {
      lines: hits.map((hit, rank) => {
        const path = quoteForeignText(hit.path, PATH_CHARACTERS);
        const date = dateOfHit(hit);
        const render = (characters: number, note: string | undefined): string => {
          const text = `${quoteHit(hit, characters)} (${path}:${hit.line}${note === undefined ? '' : `, ${note}`})`;
          const { newer } = hit;
          if (newer === undefined) return text;
          const place = `${quoteForeignText(newer.path, PATH_CHARACTERS)}:${newer.line}`;
          return `${quoteHit(newer, characters)} (${place}); older: ${text}`;
        };

        return {
          text: `- ${render(rank === 0 ? FIRST_CHARACTERS : OTHER_CHARACTERS, date !== undefined && path.includes(date) ? undefined : date)}`,
          priority: BY_RANK[rank] ?? PRIORITY.thirdMemory,
          why: describeReason(hit),
          // Headed so that a neighbour is not taken for the answer.
          ...(rank < answers.length &&
            isAskingMemory(hit, messages) && {
              inject: {
                key: `memory:${path}:${hit.line}`,
                text: `From memory, perhaps the answer: ${render(PROMPT_CHARACTERS, date)}`,
                at: INJECTED_AT,
              },
            }),
        };
      }),
    };
  },
};

/** A longer prompt brings work, and its questions are about that. */
const MOST_WORDS = 20;

/** Whether a prompt asks for what was, or for something that the talk before it does not have already. */
function isAskingMemory({ words = [] }: MemoryHit, messages: readonly Message[]): boolean {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const promptWords = splitWords(messages[at]?.content ?? '');
  if (promptWords.some((word) => REMINDS.has(word))) return true;
  if (promptWords.length > MOST_WORDS) return false;

  const before = new Set(
    extractTerms(
      messages
        .slice(0, at)
        .map(({ content }) => content)
        .join('\n'),
    ),
  );
  // A small word that is one of the words asked for is a name: `will`.
  const names = tokenize(words.join(' ')).filter((word) => !STOPWORDS.has(word) || words.includes(word));
  return words.length === 0 || names.some((word) => !before.has(stem(word)));
}

const describeReason = ({ score, words = [] }: MemoryHit): string =>
  `score ${score.toFixed(2)}${words.length === 0 ? '' : `, holds ${words.join(', ')}`}`;
