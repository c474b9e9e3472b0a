/** Notes that somebody has the book. */
export const lend = (book, who, day) => ({ ...book, lent: { who, day } });
