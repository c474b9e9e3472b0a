/** The owned spaces, in the order in which the file shows them. */
export const SPACE_NAMES = ['plan', 'notes', 'refs'] as const;
export type SpaceName = (typeof SPACE_NAMES)[number];
/** `beside`: the lines on other open plans; `state`: the state block. Both are generated. */
export type RegionName = SpaceName | 'beside' | 'state';

export const SPACE_TITLES: Record<SpaceName, string> = { plan: 'Plan', notes: 'Notes', refs: 'Refs' };

/** Remarks that tell a person that these are not for them to edit. */
const REMARKS: Readonly<Partial<Record<RegionName, string>>> = {
  beside: ' — other open plans, generated',
  state: ' — generated, edits here are overwritten',
};

export interface Marker {
  region: RegionName;
  kind: 'open' | 'close';
}

/** A line that would be a marker without the backslashes before the name: our escape, or its next level. */
const ESCAPABLE = /^([ \t]*<!--\s*)(\\*)(?=\/?scratchpad:(?:plan|notes|refs|beside|state)\b[^>]*-->[ \t]*$)/;

const MARKER = /^[ \t]*<!--\s*(\/?)scratchpad:(plan|notes|refs|beside|state)\b([^>]*)-->[ \t]*$/;

/** The marker on a line (given without its line ending), if any. Only generated regions may carry a remark. */
export function parseMarker(line: string): Marker | undefined {
  if (!line.includes('scratchpad:')) return undefined;

  const [, slash, region, remark = ''] = MARKER.exec(line) ?? [];
  const kind = slash === '/' ? 'close' : 'open';
  const mayRemark = kind === 'open' && REMARKS[region as RegionName] !== undefined;

  if (region === undefined || (remark.trim() !== '' && !mayRemark)) return undefined;

  return { region: region as RegionName, kind };
}

export const openMarker = (region: RegionName): string =>
  `<!-- scratchpad:${region}${REMARKS[region] ?? ''} -->`;

export const closeMarker = (region: RegionName): string => `<!-- /scratchpad:${region} -->`;

/** Escapes lines that look like markers, reversibly: content can never forge structure. */
export const escapeMarkers = (content: string): string =>
  mapMarkerLines(content, (line) => line.replace(ESCAPABLE, '$1\\$2'));

export const unescapeMarkers = (content: string): string =>
  mapMarkerLines(content, (line) =>
    line.replace(ESCAPABLE, (_, head: string, slashes: string) => head + slashes.slice(1)),
  );

function mapMarkerLines(content: string, map: (line: string) => string): string {
  if (!content.includes('scratchpad:')) return content;
  return content.split('\n').map(map).join('\n');
}
