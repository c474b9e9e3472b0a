import { closeMarker, openMarker, SPACE_NAMES, SPACE_TITLES } from './markers.ts';

/** Version of the file format, in the front matter of every pad (`docs/format.md`). */
export const FORMAT_VERSION = 1;

/** A new pad with its three empty spaces. */
export function newPad(session: string): string {
  const spaces = SPACE_NAMES.flatMap((name) => [
    '',
    `## ${SPACE_TITLES[name]}`,
    openMarker(name),
    closeMarker(name),
  ]);
  return [
    '---',
    `scratchpad: ${FORMAT_VERSION}`,
    `session: ${yamlString(session)}`,
    'revision: 0',
    '---',
    '',
    '# SCRATCHPAD.md — Working Memory',
    ...spaces,
    '',
  ].join('\n');
}

/** A session id as a YAML scalar: plain if that is safe, quoted otherwise. */
function yamlString(text: string): string {
  return /^[A-Za-z][\w.-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
