/**
 * A word that every remark on the answers has (the strict table of `phrases.ts`; a test holds one
 * against the other). Nine messages in ten have none: then the table, which takes
 * milliseconds to compile, is not made.
 */
const HINT =
  /\b(?:answer|answering|gist|apologetic|apologi[sz]ing|before|blunt|brief|briefer|brilliant|casual|cautious|chase|chatty|cheerful|chirpy|clear|cold|complimenting|concise|condescending|curt|cute|detailed|direct|effusive|emojis?|enthusiastic|essays?|excellent|explain|explaining|fantastic|flattering|flattery|flippant|formal|friendlier|fuller|good|great|harsh|hedging|helpful|jokes|jokey|joking|kinder|lectures?|lengthy|less|lighten|long|longer|love|monologues?|nice|nicer|niceties|novels?|patroni[sz]ing|perfect|playful|pleasantries|point|polite|praising|preambles?|professional|puns|question|rambling|repeat|repeating|rephras(?:e|ing)|restat(?:e|ing)|right|rude|answers|replies|responses|messages|explanations|summaries|reports|serious|short|shorter|small|fluff|spare|stiff|straight|straightforward|succinct|sugar|sugarcoat|sugarcoating|summari[sz]ing|sycophancy|telling|terse|thanking|thesis|tight|tl|tldr|too|verbose|waffling|walls?|warmer|wordy|writing|saying)\b/i;

/** Whether a text may hold a remark on the answers. */
export function mayBeFeedback(text: string): boolean {
  return HINT.test(text);
}
