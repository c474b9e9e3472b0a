import { attempt, failure } from '../../base/errors.ts';
import { isUnwritten, type Target } from './change.ts';
import { getValue, makeSettingsTarget, parseSettings, removeEmpty, setValue } from './json-parts.ts';
import { renderShellLine } from './program.ts';

const ENTRY = ['plugins', 'entries', 'scratchpad'];
const GRANTS = [
  [...ENTRY, 'enabled'],
  [...ENTRY, 'hooks', 'allowConversationAccess'],
];
const ACCESS = JSON.stringify({ enabled: true, hooks: { allowConversationAccess: true } });

export function makeOpenClawEntry(path: string): Target {
  const json = makeSettingsTarget(path, [
    {
      add: (text) =>
        GRANTS.filter((place) => getValue(parseSettings(text, path), place) !== true).reduce(
          (now, place) => setValue(now, place, true, path),
          text,
        ),
      remove: (text, _, before) =>
        getValue(parseSettings(text, path), ENTRY) === undefined
          ? text
          : removeEmpty(setValue(text, ENTRY, undefined), ENTRY.slice(0, -1), path, before),
    },
  ]);
  /** Edits JSON with comments. Only OpenClaw can edit JSON5; a search for our entry tells whether it has to. */
  const editUnlessJson5 = (text: string, isWanted: boolean, next: string, edit: () => string | undefined) => {
    if (attempt(() => parseSettings(isUnwritten(text) ? '{}' : text, path)) !== undefined) return edit();
    if (/\bscratchpad["']?\s*:/.test(text) === isWanted) return text;
    throw failure('only OpenClaw can edit its JSON5: nothing was changed', {
      where: path,
      expected: 'JSON, with or without comments',
      next: `${next}; then run the command again`,
    });
  };
  const set = ['openclaw', 'config', 'set', ENTRY.join('.'), ACCESS, '--strict-json', '--merge'];
  return {
    path,
    about: 'plugin      what the model is told before each prompt, and access to the conversation',
    add: (text = '') => editUnlessJson5(text, true, renderShellLine(set), () => json.add(text)) ?? text,
    remove: (text, before) =>
      editUnlessJson5(text, false, `remove by hand: ${ENTRY.join('.')}`, () => json.remove(text, before)),
  };
}
