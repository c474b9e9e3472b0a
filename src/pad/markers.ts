/** The owned spaces, in the order in which the file shows them. */
export const SPACE_NAMES = ['plan', 'notes', 'refs'] as const;
export type SpaceName = (typeof SPACE_NAMES)[number];
export type RegionName = SpaceName | 'state';

export const SPACE_TITLES: Record<SpaceName, string> = { plan: 'Plan', notes: 'Notes', refs: 'Refs' };

export interface Marker {
  region: RegionName;
  kind: 'open' | 'close';
}

const MARKER = /^[ \t]*<!--\s*(\/?)scratchpad:(plan|notes|refs|state)\b([^>]*)-->[ \t]*$/;
/** A line that reads as a marker but for backslashes before the name: our escape, or its next level. */
const ESCAPABLE = /^([ \t]*<!--\s*)(\\*)(?=\/?scratchpad:(?:plan|notes|refs|state)\b[^>]*-->[ \t]*$)/;

/** What marker a line (without its line end) is, if any. Only the state marker may carry a remark. */
export function markerOf(line: string): Marker | undefined {
  if (!line.includes('scratchpad:')) return undefined;
  const match = MARKER.exec(line);
  if (!match) return undefined;
  const region = match[2] as RegionName;
  const kind = match[1] === '/' ? 'close' : 'open';
  const remark = (match[3] ?? '').trim();
  if (remark !== '' && !(region === 'state' && kind === 'open')) return undefined;
  return { region, kind };
}

export function openMarker(region: RegionName): string {
  return region === 'state'
    ? '<!-- scratchpad:state — generated, edits here are overwritten -->'
    : `<!-- scratchpad:${region} -->`;
}

export function closeMarker(region: RegionName): string {
  return `<!-- /scratchpad:${region} -->`;
}

/** Makes lines that would read as markers inert, reversibly: content can never forge structure. */
export function escapeMarkers(content: string): string {
  return mapMarkerLines(content, (line) => line.replace(ESCAPABLE, '$1\\$2'));
}

/** The reverse of `escapeMarkers`. */
export function unescapeMarkers(content: string): string {
  return mapMarkerLines(content, (line) =>
    line.replace(ESCAPABLE, (_, head: string, slashes: string) => head + slashes.slice(1)),
  );
}

function mapMarkerLines(content: string, map: (line: string) => string): string {
  if (!content.includes('scratchpad:')) return content;
  return content.split('\n').map(map).join('\n');
}
