/**
 * Tag names with which hosts and prompt formats mark the speaker. A tag with one of them is always defused.
 */
const SPEAKERS = wordSet(
  'system assistant human developer reminder instructions thinking invoke function_calls',
);
/**
 * Names that are also used as placeholders (`ssh <user>@host`): defused only as a closing tag, or alone on a
 * line.
 */
const EVERYDAY = 'user tool function command context parameter channel skill think transcript result output';
const EVERYDAY_WORDS = wordSet(EVERYDAY);
/** Hyphenated names that hosts use; any other is a custom element. */
const HYPHENATED = new RegExp(
  `^(?:${[
    'system-[a-z-]+',
    '(?:[a-z]+-){1,3}(?:reminder|hook)',
    'hook-[a-z-]+',
    'user-(?:prompt|query|message|instruction|input)[a-z-]*',
    'command-(?:name|message|args|contents)',
    'local-command-[a-z]+',
    'bash-(?:input|stdout|stderr)',
    '(?:tool|function)-(?:use|call|result|response|output|error)[a-z-]*',
    '(?:assistant|human|developer|agent|teammate|session|task|relevant)-(?:message|turn|response|notification|memor(?:y|ies)|start|end)',
    'new-diagnostics|persisted-output|permissions instructions|scratchpad[a-z:-]*|antml:[a-z_-]+',
  ].join('|')})$`,
);
/** HTML names have no underscore, so a name with one is defused if it contains one of these words. */
const SNAKE_WORDS = wordSet(
  'system assistant human user developer reminder hook command prompt tool function instruction instructions antml ' +
    'bash thinking reasoning notification diagnostics environment context persisted scratchpad agent subagent ' +
    'permissions sandbox ide turn transcript mode skill skills memory memories invoke claude codex gemini',
);
/** `<session_id>` is a place to fill in. */
const PLACEHOLDER = /_(?:id|name|path|file|dir|url|type|key|number|version)$/;

/**
 * A tag: whether it closes, its name, and whether the tag ends there. Names are checked by functions: a
 * pattern of all of them takes longer to compile than Node takes to start.
 */
const TAG =
  /<(?=(\s{0,3}\/\s{0,3})?(permissions instructions|[a-z][a-z_:-]{0,159})(?:(>)|[\s/][^>]{0,300}>))/gi;
const ALONE = new RegExp(
  `(?<=^[ \\t]{0,20})<(?=(?:${EVERYDAY.replaceAll(' ', '|')})>[ \\t]{0,20}\\r?$)`,
  'gim',
);
/** A capitalized name right after a word is a type argument: `Promise<System>`. */
const TYPE_ARGUMENT = /^[\w$]<[A-Z][a-z]+[>\s]/;

/** Makes the opening and closing tags of hosts in a text harmless: `<system-reminder>`, `</hook_context>`. */
export function defuseTags(text: string): string {
  return text
    .replace(TAG, (sign, slash: string | undefined, name: string, whole: string | undefined, at: number) => {
      const isTheirs = isHostTag(name.toLowerCase(), slash !== undefined, whole !== undefined);
      return isTheirs && !TYPE_ARGUMENT.test(text.slice(at - 1, at + 20)) ? '&lt;' : sign;
    })
    .replace(ALONE, '&lt;');
}

function isHostTag(name: string, closes: boolean, whole: boolean): boolean {
  if (SPEAKERS.has(name) || HYPHENATED.test(name)) return true;
  if (closes) return EVERYDAY_WORDS.has(name) || isSnake(name);
  return isSnake(name) && !(whole && PLACEHOLDER.test(name));
}

function isSnake(name: string): boolean {
  const words = name.split('_');
  return words.length > 1 && words.some((word) => SNAKE_WORDS.has(word)) && /^[a-z]+(?:_[a-z]+)+$/.test(name);
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
