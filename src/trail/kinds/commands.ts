import { isCheck } from '../checks.ts';
import { ago, type Extractor, type Mark, markOf, placeOf, times } from '../extractor.ts';

/** A command that ran here, in order of last use, oldest first. */
export interface KnownCommand extends Mark {
  text: string;
  uses: number;
  last: number;
  check: boolean;
}

const MOST_COMMANDS = 120;
const LONGEST = 160;
/** Commands that only look around are not worth reporting. */
const TRIVIAL =
  /^(?:ls|pwd|cd|echo|printf|cat|head|tail|less|more|bat|nl|wc|grep|egrep|rg|ag|find|fd|sed|awk|which|type|whoami|date|sleep|true|false|export|set|source|mkdir|rm|cp|mv|touch|chmod|test|\[|for|while|if|do|done|then|fi|else|function|return|exit|kill|pkill|ps|sort|uniq|cut|tr|xargs|tee|diff|file|stat|du|df|tree|env|read|wait|jq|basename|dirname|realpath)$/;
/** Our own commands are no commands of the project; the model is told about them where it needs them. */
const isOurs = (words: readonly string[]): boolean =>
  words
    .slice(0, 4)
    .some((word, index) => /^(?:.*\/)?scratchpad(?:@\S+)?$/.test(word) && runs(words.slice(0, index)));

/** Whether words only run what follows: `npx -y`, `pnpm dlx`, nothing at all. */
const runs = (words: readonly string[]): boolean =>
  words.length === 0 ||
  (/^(?:npx|bunx|uvx|npm|pnpm|yarn|bun|deno|uv)$/.test(words[0] ?? '') &&
    words.slice(1).every((word) => /^(?:-.*|x|exec|dlx|run)$/.test(word)));

/** Code on the command line, written for one use: `python3 -c "…"`, `node -e "…"`. */
function isOneLiner(words: readonly string[]): boolean {
  const at = words.findIndex((word) => INTERPRETER.test(word));
  if (at === -1 || !runs(words.slice(0, at))) return false;
  const code = /python/.test(words[at] ?? '') ? /^-\w*c$/ : /php$/.test(words[at] ?? '') ? /^-r$/ : EVALUATES;
  // The options of a script follow its name.
  const end = words.findIndex((word, index) => index > at && !word.startsWith('-'));
  return words.slice(at + 1, end === -1 ? undefined : end + 1).some((word) => code.test(word));
}

const INTERPRETER = /^(?:.*\/)?(?:python[\d.]*|node|deno|bun|ruby|perl|php|tsx|ts-node|Rscript|lua)$/;
const EVALUATES = /^(?:-\w*[ep]|--eval|--print|eval)$/;

/** The shell's message for an unknown command. */
const NO_COMMAND = /command not found|: not found$|No such file or directory$|unknown command|unknown flag/m;

/** Commands that work here: those that ran, in their last form. */
export const commandsHere: Extractor<KnownCommand[]> = {
  kind: 'command',
  initial: () => [],
  observe(step, commands, course) {
    if (step.type !== 'done' || step.segments.length === 0) return;
    if (step.outcome === 'rejected' || step.outcome === 'interrupted' || step.exit === 127) return;
    const worked = step.outcome !== 'failed';
    for (const segment of step.segments) {
      const { text, words } = segment;
      if (
        TRIVIAL.test(words[0] ?? '') ||
        isOurs(words) ||
        isOneLiner(words) ||
        text.length > LONGEST ||
        text.includes('\n') ||
        /<<|\[redacted/.test(text)
      )
        continue;
      const check = isCheck(segment);
      // A failed check has run; any other failed command may have been wrong.
      if (!worked && (!check || NO_COMMAND.test(step.output))) continue;
      const index = commands.findIndex((command) => command.text === text);
      const known = index === -1 ? undefined : commands.splice(index, 1)[0];
      commands.push({ text, uses: (known?.uses ?? 0) + 1, last: course.calls, check, ...placeOf(step) });
    }
    commands.splice(0, Math.max(0, commands.length - MOST_COMMANDS));
  },
  facts: (commands, course) =>
    commands.toReversed().map((command) => ({
      key: command.text,
      text: command.text,
      why: `ran ${times(command.uses)}, ${ago(course.calls - command.last)}`,
      ...markOf(command),
    })),
};
