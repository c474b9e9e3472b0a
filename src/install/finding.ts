/** One result of `doctor`. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  about: string;
  found: string;
  next?: string;
}

export const ok = (about: string, found: string): Finding => ({ level: 'ok', about, found });
export const warn = (about: string, found: string, next?: string): Finding => of('warn', about, found, next);
export const fail = (about: string, found: string, next?: string): Finding => of('fail', about, found, next);

function of(level: Finding['level'], about: string, found: string, next?: string): Finding {
  return { level, about, found, ...(next === undefined ? {} : { next }) };
}
