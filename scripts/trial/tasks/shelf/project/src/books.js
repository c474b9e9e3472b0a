import { readFileSync, writeFileSync } from 'node:fs';

/** Books are { isbn, title, author, year, lent }. */
export const load = (file) => JSON.parse(readFileSync(file, 'utf8'));

export const save = (file, books) => writeFileSync(file, `${JSON.stringify(books, null, 1)}\n`);
