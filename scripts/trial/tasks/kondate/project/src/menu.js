import { readFileSync } from 'node:fs';

/** 献立を読む。料理は { date: '2026-11-24', name, price, allergens: [] } で、price は税抜き(円)。 */
export const load = (file) => JSON.parse(readFileSync(file, 'utf8'));
