import { load } from './books.js';
import { find } from './find.js';

const [command, ...rest] = process.argv.slice(2);
const books = load('books.json');
if (command === 'find')
  for (const book of find(books, rest.join(' ')))
    console.log(`${book.isbn}  ${book.title}  (${book.author}, ${book.year})`);
else {
  console.error('usage: shelf find WORDS');
  process.exit(1);
}
