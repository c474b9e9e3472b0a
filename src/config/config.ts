import type { CommandSpec } from './command.ts';
import type { TABLE } from './settings.ts';

/** The kinds of settings, and what each is in `Config`. */
interface Kinds {
  text: string;
  /** A text that is shown to a model unchanged. */
  label: string;
  /** An IANA name. */
  zone: string;
  /** Milliseconds; `30m` in a file. */
  duration: number;
  /** Above 0. */
  count: number;
  /** From 0 on; mostly 0 turns something off. */
  turns: number;
  percent: number;
  choice: string;
  switch: boolean;
  list: string[];
  command: CommandSpec;
}

export type SettingValue = string | number | boolean | readonly string[] | CommandSpec | undefined;

/** What the table says about a setting. */
export interface Row {
  kind: keyof Kinds;
  /** As a person would write it. */
  default?: string | number | boolean | readonly string[];
  about: string;
  /** For a choice: its values. For a list: the values that its items may have. */
  options?: readonly string[];
  /** The path in `Config` that lists all values of an `<id>` setting. */
  into?: string;
  /** Names that an `<id>` may not have, because built-in settings use them. */
  taken?: readonly string[];
  /**
   * `true`: only the user's own config may set it, because a cloned workspace must not decide where text is
   * sent or which environment variable goes with it. `'outside'`: a workspace may set it to paths inside the
   * workspace only, so that it cannot have the user's other files shown to an agent.
   */
  own?: boolean | 'outside';
}

/** A row with its key; one that ends in `<id>` covers any name in that place. */
export interface Setting extends Row {
  key: string;
}

type Value<Of extends Row> = Of extends { into: string }
  ? readonly CommandSpec[]
  : Of extends { kind: 'choice'; options: readonly (infer Option)[] }
    ? Option
    : Of extends { default: unknown }
      ? Kinds[Of['kind']]
      : Kinds[Of['kind']] | undefined;

/** `limits.notes` and its value as `{ limits: { notes: value } }`. */
type Nested<Path, Leaf> = Path extends `${infer Group}.${infer Rest}`
  ? { [Name in Group]: Nested<Rest, Leaf> }
  : { [Name in Path & string]: Leaf };

type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never;

type Table = typeof TABLE;

/** The configuration in force, with defaults filled in: `config.limits.notes`. Durations are in milliseconds. */
export type Config = All<
  {
    [Key in keyof Table]: Nested<Table[Key] extends { into: infer Path } ? Path : Key, Value<Table[Key]>>;
  }[keyof Table]
>;
