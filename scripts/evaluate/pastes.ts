import { readFileSync } from 'node:fs';

/** A neutral message with the output of a program pasted into it. */
export interface PastedCase {
  text: string;
  /** Which paste. */
  paste: number;
}

/** Every request with every paste, in two of the ways in which people paste: below, above, fenced or run together. */
export function pastedCases(): PastedCase[] {
  const file = new URL('../../test/fixtures/sentiment/pastes.jsonl', import.meta.url);
  const rows = readFileSync(file, 'utf8').trim().split('\n');
  const all = rows.map((row) => JSON.parse(row) as { ask?: string; paste?: string });
  const asks = all.flatMap(({ ask }) => ask ?? []);
  const pastes = all.flatMap(({ paste }) => paste ?? []);
  return asks.flatMap((ask, a) =>
    pastes.flatMap((paste, p) => {
      const texts = [
        `${ask}\n\n${paste}`,
        `${ask}\n${paste}`,
        `${paste}\n\n${ask}`,
        `${ask}\n\`\`\`\n${paste}\n\`\`\`\nthanks`,
      ];
      return [0, 1].map((more) => ({ text: texts[(a + p + more) % 4] ?? ask, paste: p }));
    }),
  );
}
