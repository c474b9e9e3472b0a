/** Books whose title or author contains the words. */
export const find = (books, words) =>
  books.filter((book) => book.title.includes(words) || book.author.includes(words));
