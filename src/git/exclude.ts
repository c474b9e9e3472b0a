import { relative, sep } from 'node:path';

/** The line of an exclude file for one path; `undefined` for one outside the work tree. */
export function excludeLine(top: string, path: string): string | undefined {
  const parts = relative(top, path).split(sep);
  return parts[0] === '..' ? undefined : `/${parts.map(escapeGlob).join('/')}`;
}

function escapeGlob(part: string): string {
  return part.replace(/[\\*?[\] !#]/g, '\\$&');
}
