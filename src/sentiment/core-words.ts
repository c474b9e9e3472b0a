/**
 * A small list of English words with their valence, -4 to 4, rated by the
 * authors of this project. It serves when the model file, which brings a full
 * lexicon, cannot be read.
 */
const RATED = `
4 love loved
3 excellent amazing awesome fantastic wonderful brilliant perfect perfectly outstanding superb delighted thrilled
3 incredible beautiful beautifully adore genius
2 great good happy glad thanks thank nice cool fun best better excited exciting helpful appreciate appreciated
2 enjoy enjoyed enjoying impressive impressed elegant grateful pleased sweet win yay lovely cheers bravo congrats
2 congratulations hooray neat clever smart solid success successful successfully clean haha hahaha lol lmao rofl
1 fine works working worked useful interesting correct right ok okay yes yeah hope hopefully ready improved
1 improvement easy easier safe welcome fixed solved like liked agree agreed clear fair calm relaxed please
-1 slow confusing confused unclear missing odd weird strange late unsure doubt concern concerned worry worried
-1 problem problems issue issues wait wrong hard difficult unfortunately sorry tired delay delayed boring meh
-1 doubtful lacking lost limited ignore ignored ignoring forgot forget again uncertain overdue
-2 bad broken annoying annoyed annoys fail fails failed failing failure failures worse sad upset unhappy poor
-2 disappointed disappointing mess messy messed stuck nonsense waste wasted wasting ugly buggy useless sucks suck
-2 angry mad frustrating frustrated frustration stupid dumb hate hated hates painful pain tedious lazy sloppy
-2 unacceptable incompetent careless nope damn dammit crap crappy exhausted exhausting argh ugh lie lied lying
-2 unusable unreliable impossible clueless pointless irritating irritated
-3 terrible horrible awful worst disaster disgusting garbage trash pathetic ridiculous furious idiot idiotic moron
-3 nightmare rubbish shit shitty bullshit infuriating hopeless atrocious joke wtf ffs fuck fucking fucked
`;

let table: Map<string, number> | undefined;

/** The small lexicon, built at first use. */
export function coreLexicon(): ReadonlyMap<string, number> {
  if (table !== undefined) return table;
  table = new Map();
  for (const line of RATED.split('\n')) {
    const [rating, ...words] = line.trim().split(' ');
    for (const word of words) table.set(word, Number(rating));
  }
  return table;
}
