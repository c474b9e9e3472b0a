const DAY =
  '(?:tomorrow|later|soon|then|tonight|next week|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|morgen|später|montag|mañana)';
/** Says nothing by itself; not an answer to put off either. */
const FILLER = new RegExp(
  `^(?:ok(?:ay)?|hm+|oh|ah|so|well|alright|all right|fine|good|great|cool|nice|perfect|thanks?|thank you|thx|sorry|please|for now|now|not now|not today|first|danke|gut|merci|gracias|${DAY}|(?:ok|thanks?|danke) (?:then|so far|for today|everyone|all|dann))$`,
  'iu',
);
const MUST =
  "(?:let me|lemme|i'?ll|i will|i(?:'ve)? (?:need|have|got) to|i must|need to|have to|gotta|we need to)";
const GOING =
  'back|go|going|run|leave|leaving|off|away|out|heading|signing off|done|stop(?:ping)? here|stop(?:ping)?|call it a day';
const WHERE = `(?:now|home|to bed|to sleep|out|off|for (?:today|now|the day)|in (?:an?|\\d+) .{1,20}|at \\d.{0,10}|${DAY})`;
const LEAVING = [
  `(?:good ?)?bye(?: bye)?|good ?night|night|cya|cheers|ttyl|see (?:you|ya)(?: ${DAY})?|talk (?:to you )?${DAY}|until ${DAY}|have a (?:good|nice|great) \\w+`,
  // An answer that is still to come.
  `${MUST} (?:first )?(?:think|sleep|ponder|reflect|ask|check with|talk to)\\b.{0,50}`,
  `(?:i'?ll|i will|we'?ll|let'?s) (?:get back|come back|decide|answer|tell you|let you know|continue|go on|see|talk)\\b.{0,40}`,
  `(?:let'?s )?(?:leave|park|postpone|keep) (?:it|this|that)(?: (?:for|until|till|to))? ${DAY}`,
  // Going away.
  `(?:${MUST}|i'?m|i am) (?:be )?(?:brb|${GOING})(?: ${WHERE})?|(?:back|going|leaving|off|away|heading|done) ${WHERE}|brb|afk|signing off|done for (?:today|now|the day)`,
  '(?:lunch|coffee)(?: ?break)?|meeting',
  'gute nacht|n8|tschüss?|tschüß|ciao|bis (?:morgen|später|dann|bald|gleich|montag)|feierabend|(?:guten|schönen) (?:abend|tag|feierabend)|mittag(?:spause)?|pause|(?:ich )?muss (?:los|weg|jetzt los|nachdenken|überlegen)|(?:ich )?(?:überleg\\w*|denk\\w* (?:drüber|darüber)|schlaf\\w* (?:drüber|darüber)).{0,30}|lass mich (?:über|nach)\\w+.{0,30}',
  'buenas noches|hasta (?:mañana|luego|pronto)|adi[oó]s|d[eé]jame pensar.{0,30}|lo pienso.{0,20}|bonne (?:nuit|soirée)|à (?:demain|plus|plus tard|bientôt)|au revoir|laisse-moi réfléchir.{0,20}',
];
const POSTPONES = new RegExp(`^(?:${LEAVING.join('|')})$`, 'iu');
const LONGEST = 120;

/** Whether a message only says goodbye or that the answer comes later: "let me think about it, bye". */
export function isPostponing(message: string): boolean {
  if (message.length > LONGEST) return false;
  const clauses = message
    .replace(/[’‘]/g, "'")
    .split(/[.,;:!?…()\n–—]+|\s-\s|\s+(?:and|but|und|aber|y|pero|et|mais)\s+/iu)
    .map((clause) =>
      clause
        .replace(/\p{Extended_Pictographic}|\uFE0F/gu, '')
        .replace(/^(?:(?:ok(?:ay)?|so|well|then|sorry)\s+)+/i, '')
        .trim(),
    )
    .filter((clause) => clause !== '');
  return (
    clauses.some((clause) => POSTPONES.test(clause)) &&
    clauses.every((clause) => POSTPONES.test(clause) || FILLER.test(clause))
  );
}
