import { stem as porter2 } from 'porter2';
import { wordList } from './strings.ts';

export { porter2 };

/**
 * The stem of one lower-case word: Porter2 ("English", https://snowballstem.org/algorithms/english/stemmer.html) of its
 * base form, so that `went` and `going` share a stem. Words with anything but the letters a to z are returned as they are.
 */
export function stem(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? porter2(baseOf(word) ?? word) : word;
}

/**
 * Irregular English forms, each after its base. Ambiguous forms (`saw`, `lay`) are included if the verb is the more
 * common reading in notes and chat.
 */
const FORMS = `arise arose arisen; awake awoke awoken; bear bore borne; beat beaten; become became;
  begin began begun; bend bent; bite bit bitten; bleed bled; blow blew blown; break broke broken;
  breed bred; bring brought; build built; burn burnt; buy bought; catch caught; child children;
  choose chose chosen; cling clung; come came; creep crept; criterion criteria; deal dealt;
  dig dug; dive dove; do did done; draw drew drawn; dream dreamt; drink drank drunk;
  drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought;
  find found; flee fled; fly flew flown flies; foot feet; forbid forbade forbidden;
  forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten;
  give gave given; go went gone; goose geese; grow grew grown; half halves; hang hung; hear heard;
  hide hid hidden; hold held; keep kept; kneel knelt; knife knives; know knew known; lead led;
  leaf leaves; lean leant; leap leapt; learn learnt; leave left; lend lent; life lives;
  light lit; lose lost; make made; man men; mean meant; meet met; mouse mice; pay paid;
  person people persons; phenomenon phenomena; prove proven; ride rode ridden; ring rang rung;
  rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; sew sewn;
  shake shook shaken; shelf shelves; shine shone; shoot shot; show shown; shrink shrank shrunk;
  sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken;
  speed sped; spell spelt; spend spent; spill spilt; spin spun; stand stood; steal stole stolen;
  stick stuck; sting stung; strike struck; string strung; swear swore sworn; sweep swept;
  swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told;
  think thought; throw threw thrown; tooth teeth; understand understood; wake woke woken;
  wear wore worn; weave wove woven; weep wept; wife wives; win won; wind wound; wolf wolves;
  woman women; write wrote written; mom mum mother mothers moms mums; dad father fathers dads`;

let built: ReadonlyMap<string, string> | undefined;

/** The base form of an irregular form; undefined for any other word. */
function baseOf(word: string): string | undefined {
  built ??= new Map(
    FORMS.split(';').flatMap((group) => {
      const [base = '', ...forms] = wordList(group);
      return forms.map((form) => [form, base] as const);
    }),
  );
  return built.get(word);
}
