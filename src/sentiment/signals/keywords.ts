import { type Cue, cueText, matchCues, silent } from '../cues.ts';
import type { SignalExtractor } from '../types.ts';

const URGENT: readonly Cue[] = [
  [
    /\b(?:urgent(?:ly)?|asap|a\.s\.a\.p|emergency|sev ?-?[01]|p0|right (?:now|away)|immediately|at once|time[- ]critical|stat!)(?![\w-])/i,
    0.65,
  ],
  [
    /\b(?:prod(?:uction)?|site|website|server|service|everything|payments?|checkout|api|database|db|login|cluster|app|system)(?: (?:is|are|just|went|has gone|have gone))+ (?:\w+ )?(?:down|offline|dead|on fire|unreachable|broken for)/i,
    0.8,
  ],
  [
    /\b(?:outage|customers? (?:are|is|can't|cannot|complain)|users? (?:are )?(?:can't|cannot|unable|locked out|complaining)|losing (?:money|data|customers|orders)|data loss|on fire|on-call|incident|paged)\b/i,
    0.5,
  ],
  [
    /\b(?:hurry|quick(?:ly)?[,!]|be quick|no time|running out of time|before it's too late|every (?:minute|second)|clock is ticking)/i,
    0.6,
  ],
  [
    /\b(?:deadline|due|demo|launch|release|meeting|presentation|interview|exam|flight|standup|board|ship(?:s|ping)?|go(?:es|ing)? live)\b[^.!?\n]{0,24}\b(?:in (?:\d+|an?|five|ten|two|half|one|\w+teen|twenty|thirty) ?(?:min|minutes?|hours?|h|m|hrs?|an)\b|in an hour|tonight|today|soon|tomorrow (?:morning|at)|this (?:morning|afternoon|evening))/i,
    0.6,
  ],
  [
    /\b(?:within|in) (?:the next )?(?:\d+|five|ten|fifteen|twenty|thirty|a few|half an?) ?(?:min|mins|minutes?|hours?|hour)\b/i,
    0.3,
  ],
  [
    /\b(?:need|want|have to|must|fix|send|deploy|finish|done|ship) [^.!?\n]{0,30}\b(?:now|today|tonight|asap|immediately|before (?:the|my|\d)|by (?:\d|noon|eod|end of|tonight|tomorrow))\b/i,
    0.4,
  ],
  [
    /\b(?:eod|cob|time[- ]?sensitive|blocking (?:everyone|the|us|release)|blocked until|can't wait|cannot wait)\b/i,
    0.45,
  ],
  [/\bnow+!+|\bhelp!+|\bquick!+|[🚨🔥]/iu, 0.5],
];

const PLAYFUL: readonly Cue[] = [
  [/\b(?:(?:ha){2,}h?|l(?:o|ol)l+|lmf?ao+|rofl|hehe+|teehee|lulz|jk|just kidding|kidding)\b/i, 0.55],
  [/(?:^|\s)(?:[:;=8xX][-'o^]?[)DPp]+|xD+|\^_?\^|:3|<3)(?=\s|[.,!?]|$)/, 0.45],
  [/[😀😁😂🤣😃😄😅😆😉😊😋😜😝😛🤪🎉🥳😎🙃🤠😹😸👻🦄🍕🚀✨💃🕺🤖]/u, 0.5],
  [
    /\b(?:joke|joking|funny|hilarious|silly|goofy|shenanigans|banter|pun|puns|wink|woohoo|woot|yay+|yolo|party|magic|sorcery|wizard|witchcraft|beast mode)\b/i,
    0.35,
  ],
  [
    /\b(?:my (?:robot|digital|silicon) (?:friend|overlord|buddy|pal)|good (?:bot|robot)|buddy|mate|partner in crime|overlords?|captain|sensei|maestro)\b/i,
    0.35,
  ],
  [
    /\b(?:pretty please|with a cherry|do your (?:magic|thing)|work your magic|for fun|just for kicks|let's get weird|pirate|haiku|limerick|as a poem)\b/i,
    0.4,
  ],
];

const CURIOUS: readonly Cue[] = [
  [/\b(?:curious|wondering|wonder (?:if|why|how|what|whether)|intrigued|fascinat\w+|interesting)\b/i, 0.55],
  [
    /\b(?:how (?:does|do|is|come|would|can|did|are|exactly)|why (?:does|is|do|are|did|would|not)|what (?:if|happens|would|does|is the (?:difference|reason|point|idea)|makes|causes|else))\b/i,
    0.4,
  ],
  [
    /\b(?:explain|walk me through|tell me (?:more|about)|teach me|help me understand|learn(?:ing)? (?:about|how|more)|deep dive|dig into|explore|under the hood|trade-?offs?|pros and cons|alternatives?)\b/i,
    0.45,
  ],
  [
    /\b(?:is it possible|could (?:we|you|it) also|what about|have you (?:considered|heard|seen)|any idea|i'd (?:like|love) to (?:know|learn|understand))\b/i,
    0.3,
  ],
];

const TIRED: readonly Cue[] = [
  [
    /\b(?:tired|exhaust(?:ed|ing)|sleepy|drained|worn out|burn(?:ed|t) out|burnout|knackered|wiped out|beat|dead on my feet|no energy|fried|half asleep)\b(?! of)/i,
    0.6,
  ],
  [
    /\b(?:long (?:day|night|week)|all[- ]nighter|been (?:at (?:this|it)|up|awake|here|working) (?:all|since|for)|haven't slept|no sleep|need (?:sleep|a break|coffee|rest)|can't (?:think|focus|concentrate|see straight)|brain (?:is )?(?:fried|dead|mush|fog)|my (?:head|eyes) (?:hurt|hurts|is|are))\b/i,
    0.6,
  ],
  [
    /\b(?:call it a (?:night|day)|go(?:ing)? to bed|off to bed|go(?:nna| to) (?:sleep|crash)|bedtime|it's (?:late|\d ?am)|so late|late here|\d(?::\d\d)? ?am\b|middle of the night|yawn|zzz+)\b/i,
    0.45,
  ],
  [/[😴🥱😪😩😫]/u, 0.5],
];

const ENGAGED: readonly Cue[] = [
  [
    /\b(?:let's (?:do|go|try|build|make|start|see|keep|also|add|get)|next(?:,| up| step)|i (?:want|would like|'d like|'d love) to (?:build|try|make|add|see|go)|can we (?:also|try|add)|what's next|keep going|continue)\b/i,
    0.35,
  ],
  [
    /\b(?:excited|exciting|can't wait|love (?:this|it|that|the)|looks? (?:great|good|amazing|awesome)|great (?:idea|point|work|job)|good (?:idea|point|catch|call|thinking)|exactly|this is (?:great|awesome|amazing|perfect|brilliant)|nice(?:ly done| work| one)|well done|impressive)\b/i,
    0.5,
  ],
  [
    /\b(?:i think|my (?:idea|thought|plan)|maybe we (?:could|should)|another (?:idea|option|thing)|also,|on the other hand|because)\b/i,
    0.2,
  ],
];

const PLEASED: readonly Cue[] = [
  [
    /\b(?:thanks?|thank you|thx|ty|cheers|much appreciated|appreciate (?:it|that|you|the)|grateful)\b(?! for (?:nothing|breaking|deleting|wasting|ignoring))/i,
    0.5,
  ],
  [
    /\b(?:it|that|this|everything|all)(?:'s| is)? (?:works?|worked|working|fixed|solved|passes|green|perfect|great|brilliant)(?: now| again|!|\.|$)/i,
    0.45,
  ],
  [
    /\b(?:perfect|awesome|brilliant|excellent|amazing|wonderful|fantastic|love it|beautiful|nailed it|you rock|lifesaver|life saver|legend|exactly what i (?:wanted|needed|asked))\b/i,
    0.5,
  ],
  [
    /\b(?:no (?:worries|problem|rush|hurry)|take your time|sounds good|looks good|lgtm|good (?:job|work)|all good)\b/i,
    0.4,
  ],
  [/[👍❤🙏💯👏😍🥰]/u, 0.4],
];

function keywords(name: string, cues: readonly Cue[], moves: SignalExtractor['moves']): SignalExtractor {
  return {
    name,
    moves,
    extract(messages) {
      const last = messages.at(-1);
      if (last === undefined || last.prose === '') return silent(name);
      return matchCues(name, cues, cueText(last.prose), 0.8);
    },
  };
}

/** Phrases of each mood. */
export const keywordSignals: readonly SignalExtractor[] = [
  keywords('urgent words', URGENT, { urgency: 0.95, arousal: 0.4, playfulness: -0.4 }),
  keywords('playful words', PLAYFUL, { playfulness: 0.8, valence: 0.3, frustration: -0.3 }),
  keywords('curious words', CURIOUS, { curiosity: 0.75, engagement: 0.25 }),
  keywords('tired words', TIRED, { fatigue: 0.9, arousal: -0.3, valence: -0.15 }),
  keywords('engaged words', ENGAGED, { engagement: 0.7, valence: 0.2 }),
  keywords('pleased words', PLEASED, { valence: 0.55, frustration: -0.6, engagement: 0.25 }),
];
