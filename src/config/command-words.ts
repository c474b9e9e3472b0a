/** Programs that never run code from their working directory, whatever their arguments. */
const READERS = new Set(
  'cal cat curl cut date df echo false free gcalcli grep head jq khal ls printf sleep tail true uptime wc who'.split(
    ' ',
  ),
);

/** Interpreters, each with those of its options that take no value and load no code. */
const INTERPRETERS: readonly [RegExp, RegExp][] = [
  [/^(?:ba|da|k|z)?sh$/, /^-[eux]+$/],
  [/^node$/, /^--(?:no-warnings|no-deprecation|enable-source-maps|experimental-strip-types)$/],
  [/^python[\d.]*$/, /^-[BEIOSbqsu]+$/],
  [/^perl[\d.]*$/, /^-[Ttw]+$/],
  [/^ruby[\d.]*$/, /^-w$/],
];

/** Git subcommands that run nothing but what git's own settings name. */
export const GIT_READS = /^(?:branch|describe|diff|log|ls-files|rev-list|rev-parse|shortlog|show|status)$/;

/** Data files that change every day and that programs only read. */
export const RECORD = /\.(?:csv|ics|jsonl|log|md|tsv)$/i;

export const DATA = /\.(?:md|txt|jsonl?|csv|tsv|ya?ml|toml|ics|log|xml|html)$/i;

/** What precedes the name of a file that is run, whatever its extension. */
const RUN =
  /(?:(?:^|[\s;&|(])(?:source|\.|(?:ba|da|k|z)?sh|exec|eval|node|perl|python[\d.]*|ruby)(?:\s+-\w+)*|\b(?:from|import|load|require)\W{0,2})\s*["']?$/;
const NAME = /[\w@~.+%-]*(?:\/[\w@~.+%-]+)*\/?/g;
export const PYTHON = /\.pyw?$/;

/**
 * The index of the script among an interpreter's arguments; `undefined` if its options make that uncertain.
 */
export function interpreterOf(program: string, args: readonly string[]): number | undefined {
  const options = INTERPRETERS.find(([name]) => name.test(program))?.[1];
  if (options === undefined) return undefined;
  let at = 0;
  while (options.test(args[at] ?? '')) at += 1;
  return at;
}

/** The words of a text that may be file names. */
export function namesIn(text: string): { name: string; isRun: boolean }[] {
  const found = new Map<string, boolean>();
  for (const { 0: name, index } of text.matchAll(NAME)) {
    if (name === '' || name.length > 200) continue;
    const isRun = RUN.test(text.slice(Math.max(0, index - 40), index));
    found.set(name, isRun || found.get(name) === true);
  }
  return [...found].map(([name, isRun]) => ({ name, isRun }));
}

export function isReader(command: string): boolean {
  return READERS.has(command.replace(/^\/(?:usr\/)?bin\//, ''));
}
