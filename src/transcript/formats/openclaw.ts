import type { Format } from '../format.ts';
import { openClawHome } from './openclaw-home.ts';
import { piFormat } from './pi.ts';

/** OpenClaw: sessions in a database, or in files of pi's format, whose records are recognized as pi's. */
export const openClawFormat: Format = {
  ...piFormat,
  name: 'openclaw',
  title: 'OpenClaw database (SQLite)',
  recognises: () => false,
  home: openClawHome,
};
