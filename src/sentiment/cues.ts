import { compilePattern } from '../base/text/strings.ts';

/**
 * Ways of speaking that show how a person takes the agent's work, as patterns over the person's own words in
 * lower case. Each is a kind of sentence, not a list of examples; its weight was learnt
 * (`scripts/train/reader.ts`). Every pattern is linear: gaps are bounded.
 */

/** A named kind of sentence; the name appears in the reasons. */
export interface Cue {
  name: string;
  /** All matches; `null` if there is none. */
  find(text: string): string[] | null;
}

function compileCues(table: Readonly<Record<string, RegExp>>): readonly Cue[] {
  return Object.entries(table).map(([name, pattern]) => ({
    name,
    find: (text) => text.match(compilePattern(pattern)),
  }));
}

const HARSH_WORDS =
  /\b(?:awful|terrible|horrible|sucks?|crap\w*|janky|shit\w*|bullshit|stupid|dumb|ridiculous|useless|mess|messy|messed|broke|ruined|destroy\w*|damage\w*|worse|worst|annoy\w+|frustrat\w+|infuriat\w+|irritat\w+|nonsense|non ?sensical|pointless|ugly|garbage(?! coll)|rubbish|trash|wast(?:e|ed|ing)|shocking|insane|absurd|lazy|sloppy|careless|disappoint\w*|screwed|off the rails|unacceptable|unusable|incompetent|pathetic|hopeless|hate|hated|mad|angry|tired of|sick of|fed up|hallucinat\w*)\b/g;
export const SWEARING =
  /\b(?:wtf|w\.t\.f|ffs|omfg|jesus|christ|damn\w*|dammit|goddamn|f+u+c*k+\w*|frick\w*|frik\w*|frea?king?|bloody|hell|a+r+g+h+|grr+|for (?:god|fuck|christ|pete)'?s? sakes?)\b/g;

export const WORD_CUES = compileCues({
  'asks why the agent did it':
    /\b(?:why|how come) (?:\w+ )?(?:are|aren'?t|did|didn'?t|do|don'?t|were|weren'?t|have|haven'?t|would|wouldn'?t|can|can'?t) (?:you|u)\b/g,
  'says what the agent did not do':
    /\b(?:you|u) (?:\w+ )?(?:(?:did|do|does|is|are|was|were|have|has|had|wo|would|ca|could|should|ai)n'?t|not|never|failed|forgot|ignored?|ignoring|missed|skipped)\b/g,
  'asks whether the agent did':
    /\b(?:did|do|are|have) (?:you|u) (?:even|actually|really|forget|just|not|follow|read|test|check|understand|sure|kidding|serious)\b|\bdidn'?t you\b/g,
  'says what was told before':
    /\bi(?:'ve| have| had| did| do| was| keep| kept| am|'m)? ?(?:already |just |literally |clearly |specifically |explicitly |also |again |only ){0,2}(?:told|tell you|telling|said|say|saying|asked|asking|stated|mentioned|wanted|meant|explained|explicitly|specified|requested|remind\w*|instructed)\b/g,
  'asks what happened':
    /\bwhat(?:'?s| is| just| the)?\.? (?:happened|happening|going on)\b|\bwhere did (?:it|they|the|all|my)\b|\bwhat (?:did|have) you\b/g,
  'asks to try again':
    /\btry (?:it |this |that )?again\b|\b(?:run|start|do|check|look) (?:\w+ ){0,3}again\b/g,
  again: /\bagain\b|\bonce more\b|\byet another\b/g,
  'nothing has changed':
    /\b(?:no|any|zero) (?:\w+ )?(?:difference|change|effect|luck|influence|progress|improvement)\b|\bnothing (?:\w+ )?(?:happen\w*|chang\w*|work\w*|at all|shows?|is)\b|\b(?:didn'?t|doesn'?t|did not|does not|not) (?:change|do|fix|help|solve|make) (?:a|any)\w*\b|\b(?:same|identical) (?:\w+ )?(?:error|problem|issue|result|bug|thing|mistake|message|behaviou?r|output)\w*|\bstill the same\b/g,
  emphasis: /\b(?:at all|absolutely|literally|totally|completely|clearly|obviously|whatsoever)\b|\b100%/g,
  'harsh words': HARSH_WORDS,
  'says that it is wrong': /\b(?:wrong\w*|incorrect\w*|broken|bad|lost|mistake\w*)\b/g,
  swearing: SWEARING,
  sighs: /\b(?:u+g+h+|sigh|come on|seriously|oh boy)\b/g,
  'asks for more care':
    /\b(?:careful(?:ly)?|harder|deeply|thoroughly|properly|step back|pay attention|think (?:again|harder|hard|more|deep\w*)|read (?:it|my|what|again)|figure (?:this|it) out)\b/g,
  'has it undone':
    /\b(?:revert\w*|undo|roll(?:ed)? ?back|put (?:\w+ )?(?:it|that|everything|them) back|start(?: all)? over|aborted|give up|switch back|go back)\b/g,
  'a ban': /(?:^|[.!?,;:] |\band |\bplease |\bjust |\bso )(?:don'?t|do not|never)\b/g,
  'blames themselves':
    /\b(?:i|we)(?:'ve| have)? (?:just |accidentally |also )?(?:messed|broke|forgot|screwed|missed)\b|\bmy (?:bad|mistake|fault|own)\b|\bsorry\b|\bi was wrong\b/g,
  praise:
    /\b(?:thanks?|thank you|thx|great|nice|nicely|awesome|perfect|excellent|amazing|cool|lovely|good job|well done|looks good|works (?:now|well|great|perfectly|fine)|it worked|working now)\b/g,
  'a plain request':
    /\b(?:can|could|would) (?:you|we|u)\b|\blet'?s\b|\bi'?d like\b|\bi would like\b|\bi want\b/g,
  we: /\b(?:we|our|us)\b/g,
  you: /\b(?:you|your|u|ur)\b/g,
  'speaks of instructions': /\b(?:instruction\w*|directive|rules?|follow\w*|told|as i|like i)\b/g,
  'not good':
    /\bnot (?:\w+ )?(?:happy|satisfied|good|right|correct|ok|acceptable|impressed|helpful|what|true|the case)\b|\bunhappy\b|\bdon'?t like\b/g,
  'a question': /\?/g,
  'exclamation marks': /!/g,
});

/** In the end of the agent's previous message. */
export const REPLY_CUES = compileCues({
  'the agent apologised':
    /\b(?:sorry|apolog\w+|you'?re (?:absolutely |completely )?right|my mistake|i see the (?:issue|problem)|i understand|good (?:point|catch))\b/g,
});

/**
 * Moods that are recognized only by explicit words: there were too few examples to learn from (of 1,596
 * messages two urgent, none playful), and "right now" is not enough.
 */
export const MOOD_CUES = {
  urgency: compileCues({
    'says that it is urgent':
      /(?:\b(?:is|it'?s|very|really|so|kinda|super) urgent\b|\burgent(?=[!:,.]|$))|\b(?:urgently|asap|as soon as possible|emergency|hurry|time critical|sev ?[01]|p0|right away|no time (?:for|to)|running out of time|every (?:minute|second) counts)\b/g,
    'something is down':
      /(?<!\b(?:when|if|once|while|whenever|case) (?:the |our |my )?)\b(?:prod|production|site|website|server|service|everything|payments?|checkout|api|database|db|login|cluster|app|system)(?: is| are| has| went| just| gone){1,3} (?:\w+ )?(?:down|offline|dead|unreachable|on fire)\b|\boutage\b|\blosing (?:money|data|customers|orders)\b|\b(?:customers|users) (?:can'?t|cannot|are locked|are complaining)\b/g,
    'a deadline':
      /\b(?:deadline|due|demo|launch|release|meeting|presentation|interview|standup|ships?|goes live)\b.{0,24}\b(?:in (?:\d+|an?|half an?|one|two|five|ten|twenty|thirty) ?(?:min\w*|hours?|h|m)|tonight|today|this (?:morning|afternoon|evening)|tomorrow morning)\b|\bbefore (?:the|my) (?:demo|meeting|standup|launch|deadline|call)\b/g,
  }),
  playfulness: compileCues({
    laughter: /\b(?:(?:ba)?ha(?:ha)+h?|lo+l+|lmf?ao|rofl|hehe\w*|teehee|xd)\b|[😂🤣😆😹]/gu,
    'a wink or a smile': /(?:^|\s)[:;]-?[)pd](?=\s|$)|[😉😜😝😛🤪😎😁😄😅🤖🥳💃🕺]/gu,
    joking:
      /\b(?:just kidding|kidding|joking|for fun|let'?s get weird|(?:work|do) your magic|pretty please|good (?:bot|robot)|my (?:robot|silicon) (?:friend|overlord|buddy)|talk like a pirate|as a (?:haiku|limerick|poem))\b/g,
  }),
  fatigue: compileCues({
    'says that they are tired':
      /\b(?:(?:i'?m|so|too|really|very|getting|a bit) (?:tired|exhausted|sleepy|drained|knackered|fried|worn out|burn(?:ed|t) out)(?! of)|exhausting|burnout|no energy|half asleep|dead on my feet|long (?:day|night|week)(?: here| today| already|[.!,]|$)|all nighter|haven'?t slept|no sleep (?:last night|tonight|since|for \w+ (?:days|nights))|i (?:really )?need (?:sleep|a break|some rest)|can'?t (?:think|focus|concentrate|see straight)|brain (?:is )?(?:fried|dead|mush|fog))\b|[😴🥱😪]/gu,
    'wants to stop for today':
      /\b(?:call(?:ing)? it a (?:night|day)|going to (?:bed|sleep)|off to bed|bedtime|it'?s (?:so |very |too )?late|late here|[1-5] ?am\b.{0,12}\b(?:here|already|now)|stop (?:here )?for (?:today|tonight)|(?:finish|continue|pick (?:this|it) up) (?:this )?tomorrow)\b/g,
  }),
} as const;

/**
 * How an exchange is going, after the signs of satisfaction of Y.-C. Lin et al. (SPUR, ACL 2024) and the
 * interaction parameters of A. Schmitt and S. Ultes (Speech Communication, 2015). They affect valence only:
 * declining an offer is not anger.
 */
export const EXCHANGE_CUES = {
  refuses:
    /^(?:no|nope|nah|not|sorry)\b(?! (?:problem|worries|rush|need|hurry|doubt|bad))|\b(?:haven'?t|hasn'?t|didn'?t|don'?t|doesn'?t|isn'?t|wasn'?t|aren'?t|won'?t|wouldn'?t|can'?t|cannot|never|neither|not)\b(?! (?:worry|mind|wait|only|bad))/,
  'asks for another':
    /\b(?:(?:something|anything|someone|somewhere|what|who|where|which|how about) (?:else|other|another)|(?:any|some|the) others?\b|another|different (?:one|option|way|place|time)|more (?:options|choices|ideas|suggestions)|other (?:options|choices|ideas|suggestions|ones?)|anything (?:else|more)|not (?:interested|really|for me|quite)|instead|never ?mind|changed my mind|forget (?:that|it|about)|rather|too (?:expensive|far|late|early|long|short|slow|much))\b/,
  accepts:
    /^(?:yes|yeah|yep|yup|sure|ok|okay|alright|right|great|cool|good|nice|perfect|excellent|awesome|wonderful|fine|sounds|looks)\b(?!,? (?:but|nothing|another|so|now))|^(?:that|that's|it's|this)(?: is| works| sounds| looks| would)* (?:good|great|fine|perfect|all|right|correct)\b|\bi'?ll (?:take|have|check|try|watch|go with)\b/,
} as const;

/** An agent that could not do what it was asked to do. */
export const REPLY_FAILED =
  /\b(?:unable|couldn'?t|could not|cannot|can'?t|failed|unavailable|unsuccessful|not able|didn'?t (?:work|find|understand)|no (?:results|matches|luck)|not (?:found|available|possible)|went wrong|(?:an?|no) (?:error|problem|issue)|don'?t understand|repeat|rephrase|clarify|not sure what)\b/;
/** An offer that ends the matter: answering "no" declines nothing. */
export const REPLY_CLOSES =
  /\b(?:anything|something|what) else\b|\b(?:help|assist) you\b|\bneed (?:any )?(?:more|further)\b|\bfurther (?:help|assistance)\b/;
/** A call that the person stopped, as marked in histories stored as text. */
export const STOPPED = /(?:\bcancell?ed|\binterrupted(?: by user)?|\baborted)[\W_]*$/;

/** Words that people capitalize to raise their voice; other capitals are constants and acronyms. */
export const SHOUTED: ReadonlySet<string> = new Set(
  'NEVER NOT ALWAYS DON DONT ONLY WITHOUT STOP WHY EVERY ALL STILL NOTHING MUST PLEASE AGAIN NO DO SHOULD ANY ARE THE YOU KEEP WHERE WHAT HOW IS THIS WANT BUT MATTER'.split(
    ' ',
  ),
);

/** A curse in a message with one of these words and without a reproach is joy: "fuck yeah it works". */
export const JOY = [
  /\b(?:yes+|yeah|yay|woo+t?|finally(?=!)|hot damn|good stuff|neat|sweet|nailed|beautiful|amazing|awesome|brilliant|perfect(?:ly)?|excellent|genius|legend)\b/,
  /\b(?:love|nice|great|thanks?|thank you|well done|good job|fast|quick(?:ly)?|easy|lol|lmao|haha\w*)\b/,
  /\b(?:it|that|this|everything|now) (?:finally |just |all )?(?:works?|worked|compiles|passes|runs)\b|\bgreen\b|\bship it\b/,
];
export const REPROACH = [
  /n't\b|\b(?:not|never|no(?! way)|nothing|none|still|again|another|why|stop|instead|useless|but)\b/,
  /\b(?:broke\w*|breaking|wrong|fail\w*|delet\w*|remov\w*|lost|ignor\w*|ruin\w*|hallucinat\w*|worse|waste\w*)\b/,
];

/** Verbs that begin a request for work: what it calls broken or ugly is material, not the agent's answer. */
const WORK =
  `add adjust allow avoid bring build change check clean combine convert copy create delete deploy describe
do document don't drop explain extract find fix generate give go handle hide ignore implement import improve include
install investigate keep leave let let's list look make merge migrate move never optimize organize prepare print put read
refactor remove rename replace report restore return rewrite run set show simplify skip sort split start switch test
translate treat try turn update upgrade use write`
    .split(/\s+/)
    .join('|');
const LEAD_IN = '(?:and|but|then|so|now|next|also|please|just|ok|okay|instead),? ';
/** A request for work, or what must be. */
export const ASKS_FOR_WORK = new RegExp(
  `(?:^|[.!?;:,] )(?:${LEAD_IN}){0,2}(?:${WORK})\\b|\\b(?:must|needs? to|has to|please)\\b`,
);
/** No complaint of the person: what is granted ("even though they're ugly"), and what others say or feel. */
export const GRANTED =
  /\b(?:(?:even though|although|even if)\b(?! (?:i|you|we|u)\b)|(?:users?|customers?|clients?|people|they) (?:\w+ )?(?:complain|hate|say|find|think)\b)[^.,;:!?]{0,60}/g;

/** What was wrong is right now: more than an "ok". */
export const SETTLED =
  /^(?:yes|yep|yup|perfect|great|good|nice|excellent)\b|\b(?:it'?s|that'?s|this is|looks) (?:now )?(?:right|fine|good|correct)\b/;

export const OWN_FAULT = /\bmy (?:bad|mistake|fault)\b|\bi was wrong\b|\bsorry for\b|\bthat was it\b/;

/** Praise that is none: the harm is named in the same breath, without a "but". */
export const MOCK_PRAISE =
  /^(?:oh,? |wow,? |well,? )?(?:great|wonderful|fantastic|brilliant|nice|lovely|amazing|thanks|congrat\w*|bravo)\b/;
export const HARM = [
  /^\w+,? (?:another|yet another)\b|\bhallucinat|\b(?:breaking|deleting|ignoring|losing|ruining)\b|\bnothing (?:\w+ )?at all\b|^thanks for nothing\b/,
  /\byou (?:just |have |also |managed to )?(?:deleted?|broke|break|removed?|ignored?|lost|lose|wiped?|ruin(?:ed)?|invented)\b/,
  /\b(?:made|introduced|created|added) (?:\w+ )?(?:new|more|worse)\b|\bnow nothing\b|^\w+\. again\b/,
];
