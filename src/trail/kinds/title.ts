import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';

export interface Title extends Mark {
  text: string;
}

/** A longer one is the person's first message and no title. */
const MOST = 80;

/** What the session is called, by the host and by the person. */
export const sessionTitle: Extractor<{ host?: Title; person?: Title }> = {
  kind: 'title',
  initial: () => ({}),
  observe(step, state) {
    if (step.type === 'title') state[step.by] = { text: keep(step.text, MOST), ...placeOf(step) };
  },
  facts({ host, person }, _, { recap }) {
    // A name that a person types is short, and often only a handle.
    const [title, name] = host === undefined ? [person] : [host, person];
    if (title === undefined) return [];
    return [
      {
        key: 'title',
        text: `“${title.text}”${name === undefined ? '' : ` (named “${name.text}”)`}`,
        why: host === undefined ? 'the name that the person gave it' : 'the title that the host gave it',
        // A recap says more of the same.
        open: recap.recap === undefined,
        ...markOf(title),
      },
    ];
  },
};
