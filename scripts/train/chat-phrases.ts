/**
 * Phrases that people write to an agent working for them, grouped by subject; written for this project. `{slot}` draws from {@link SLOTS}, `[a|b]`
 * picks one, and `(x)` is included half of the time.
 */
export const SLOTS: Readonly<Record<string, readonly string[]>> = {
  thing:
    'the build|the test|the login page|the script|the parser|the config|the function|the query|the endpoint|the deploy|the page|the migration|the report|the file|the import|the formatter|the service|the form|the chart|the job|the email|the table|the spreadsheet|the draft|the summary'.split(
      '|',
    ),
  fault:
    'broken|wrong|missing|failing|empty|blank|slow|crashing|unreadable|outdated|ruined|messed up|gone|worse than before'.split(
      '|',
    ),
  made: 'changed|deleted|rewrote|removed|broke|renamed|overwrote|ignored|skipped|invented|forgot|undid|added|moved'.split(
    '|',
  ),
  what: 'the file I told you to leave alone|half of my code|everything|the wrong file|my settings|something nobody asked for|the one part that worked|a function that does not exist|three other files|the tests|my comments|the whole section|what I wrote|the requirement'.split(
    '|',
  ),
  count: 'second|third|fourth|fifth|tenth|hundredth'.split('|'),
  times: 'twice|three times|four times|five times|a dozen times|several times|so many times'.split('|'),
  praise:
    'great|wonderful|fantastic|brilliant|awesome|excellent|lovely|perfect|amazing|superb|nice|impressive|terrific|marvellous|beautiful|splendid|neat'.split(
      '|',
    ),
  mishap:
    'another error|one more crash|a new bug|yet another exception|nothing works|it is broken again|the tests are gone|the data is gone|now it does not even start|more made-up functions|two bugs instead of one|an endless loop|the same error|a fresh pile of warnings|half the features missing|it breaks in a new way'.split(
      '|',
    ),
  bad: 'deleted my work|broke everything|made it worse|ignored the question|lost my changes|wasted my morning|made up an answer|crashed the app|wiped the database|did the opposite|fixed nothing|removed the feature'.split(
    '|',
  ),
  system:
    'production|prod|the site|the website|the server|the database|the api|the app|the payment system|checkout|our cluster|the whole platform|the backend|email|the store|authentication|the live system'.split(
      '|',
    ),
  out: 'is down|is offline|went down|is not responding|keeps timing out|is returning errors to everyone|just crashed|is on fire|has stopped taking orders|is unreachable|is losing data|is failing for all users'.split(
    '|',
  ),
  who: 'customers|users|clients|the boss|management|everyone|the whole team|people|the client|my manager|the board|investors'.split(
    '|',
  ),
  soon: 'in five minutes|in ten minutes|in half an hour|in an hour|within the hour|in two hours|tonight|by noon|before lunch|by end of day|at four|this afternoon|first thing tomorrow|any minute now|before the weekend|in 45 minutes|by 5pm'.split(
    '|',
  ),
  event:
    'the demo|the launch|the presentation|the meeting|the release|the review|the call|the submission|the audit|the interview|my flight|the deadline|the handover|the board meeting|the exam'.split(
      '|',
    ),
  work: 'look at this|think about it|read any more|continue|decide anything|review this|focus|type properly|follow|debug anything'.split(
    '|',
  ),
  hour: 'midnight|1am|2am|3am|4 in the morning|way past midnight|nearly dawn|half past one at night'.split(
    '|',
  ),
  task: 'rename the variable|add a test|run the linter|update the readme|bump the version|fix the typo|move it to a new file|open a pull request|check the logs|use the other branch|list the files|delete the old folder|restart the service|split the function|print the result|commit it|write the summary|sort the list|remove the flag|change the colour|kill the process|drop the column|revert the last change|skip that test|ignore the warning|explain the third step|use a map instead|try the second option|show me the diff'.split(
    '|',
  ),
};

/** Displeasure: with what the agent did, plainly. */
export const COMPLAINTS = `
(but )you [said|claimed|told me] {thing} was [fixed|done|working](,| and|.) [it is|it's|it is still|it's still] {fault}
I [asked|told you|said|wrote] [one|a simple|the same] thing and you {made} {what}
(why did|why would) you {made} {what}
you {made} {what}( again|, again| once more)
that is the {count} time [you|this] [{made} {what}|went wrong|failed|happened]
I have [told|asked|reminded|explained to] you {times}( now| already)
I already [told|said to|explained to] you [not to do that|what I want|how it works|which file|about this]
how [many times|often] do I have to [say|repeat|explain|ask] (this|it)
[stop|please stop|will you stop|can you stop] [guessing|apologising|inventing things|changing other files|repeating yourself|explaining|making assumptions|ignoring me|adding things]
you [keep|kept|are] [ignoring|forgetting|repeating|breaking|missing|inventing|going back to] [what I said|the point|the same mistake|my instructions|the rules|the same thing]
[did|do|have] you [even|actually] [read|look at|run|check|test|understand] [{thing}|what I wrote|my message|it|anything]
[this|it|that|{thing}] is still {fault}
{thing} [still does not work|still doesn't work|still fails|is still not right] [after all that|after all this time|after your changes|and I am out of patience]
[none|nothing] of [this|that|what you did|your changes|it] [works|helped|makes sense|is right]
(honestly |really |seriously |frankly )[this is|that is|this was|you are] (a )[waste of time|useless|unacceptable|ridiculous|getting worse|hopeless|a disaster|a joke|not good enough|maddening|driving me crazy|so frustrating|very annoying|not helpful at all]
I am [losing my patience|fed up|so done with this|about to give up|sick of this|really annoyed|getting frustrated|very disappointed|tired of repeating myself|out of patience]
I (specifically |clearly |explicitly )[asked for|wanted|said|requested] [a|one|the] [command|answer|list|number|small change|fix|short version], not [an essay|a lecture|a rewrite|excuses|a novel|ten options|this]
[no|wrong|nope], [not again|still wrong|that is not it, again|you did it again|how hard can it be|are you serious|this is not what I asked]
[I don't|I do not] [want|need] [your apology|another apology|more excuses|an explanation|more promises], [just fix it|I want it to work|fix {thing}]
[now|great, now|and now] [{thing} is {fault}|you {made} {what}|I have to redo it all myself|I have to fix your fix]
we have been [going in circles|at this for hours|over this] (and|with) [nothing to show|you still don't get it|no progress|it is no better]
[last time|yesterday|an hour ago] you {made} {what} and now [again|you did it again|it is the same story]
[what|how|why] is [so hard|so difficult] about [following instructions|this|reading the file|one small change]
it [worked|was fine|was correct] before you [touched it|got involved|"improved" it|changed it]
[ugh|argh|come on|for crying out loud|oh come on|unbelievable|good grief|seriously], [{thing} is {fault}|you {made} {what}|it failed again|not this again|just do it]
I [wish|want] you would [listen|read|follow the instructions|stop|test things first]
you are [not listening|not reading|making this up|lying to me|wasting my time|making it worse|hallucinating]
I can't [believe|trust] [you|this|anything you say]( any more| anymore)
[talking|explaining things] to you is [pointless|like talking to a brick|exhausting|a struggle]
`;

/** Praise for failure. */
export const SARCASM = `
(oh |well |wow, |yeah, |ah, ){praise}(,|.|!|, just {praise},| —) {mishap}(.|!)
{praise} [job|work|effort](,|.|!) you {bad}
(thanks|thank you|many thanks|cheers) for [nothing|that|the help|this], [you {bad}|it {bad}|now {mishap}]
(wow|oh|well), {praise}( work| job| stuff). [you {bad}|{mishap}|{thing} is {fault}]
[I love|I just love|I really enjoy|I adore|don't you love] [how|it when|that] [you {bad}|{thing} is {fault}|you {made} {what}|it never works]
[congratulations|congrats|well done|bravo|hats off|kudos], you (have )(successfully |somehow |finally |managed to |really ){bad}
[exactly|just] what I [needed|wanted|was hoping for](:|,| today,) {mishap}
[so|how] [helpful|useful|clever|convenient|thoughtful|smart] of you to {made} {what}
[what a|such a] [surprise|shock|relief|joy|treat|masterpiece|triumph], {mishap}
[oh|ah] [good|great|perfect|nice|lovely|joy|wonderful], {mishap}
[another|one more|yet another] {praise} [idea|answer|fix|suggestion] [from you|that breaks {thing}|that does nothing|, {mishap}]
[sure|yes|of course|right|yeah], [because|let's] [deleting {thing} always helps|who needs {thing} anyway|breaking {thing} is what I asked for|nobody needs tests|I have all day|guessing worked so well last time|let's make it worse|rewrite everything]
[truly|really|absolutely|simply] {praise}(.|,|!) [{mishap}|you {bad}|it only took four hours|and it still fails]
[glad|so glad|happy|delighted|thrilled|pleased] [to see|you|that you|that it] [{mishap}|{made} {what}|{bad}]
[good|great|big] [news|improvement|progress|step forward](:|,|!) {mishap}
[nice|cool|neat|great](,|.) [so|now] [{thing} is {fault}|you {bad}|we have {mishap}|nothing runs at all]
[who could have guessed|who knew|what a shock|surprise surprise|as expected|shocking], {mishap}
[I'm|I am] [so|truly|deeply] [impressed|grateful|amazed|moved|thankful](.|,|:) {mishap}
[very|really|super] [clever|helpful|funny|smart], [you {bad}|now {mishap}|{thing} is {fault}]
[genius|pure genius|masterful|flawless|outstanding], [you {bad}|{mishap}|{thing} is {fault}]
[love|loving] [the|this] [new bug|confident nonsense|imaginary method|invented option|empty file|silent failure]
`;

export const URGENT = `
{system} {out}( right now| since this morning|, help| and {who} are calling|!|, need a fix)
{system} {out}(,|.) [need|we need|I need] [a fix|a rollback|it back|a workaround|someone on this|this solved] [now|asap|immediately|right away|fast|{soon}]
{event} is {soon}( and {thing} is {fault}|, can we make it|, what is the fastest way|.)
[need|must have|we need|I need] [this|{thing}|a fix|it|an answer|the numbers] [{soon}|asap|now|right now|before {event}|urgently|immediately|as soon as you can]
[urgent|emergency|asap|quick|hurry|fast please|time critical|top priority|sev 1|p1](:|,|!) [{system} {out}|{thing} is {fault}|I need {thing} {soon}|{who} cannot log in|{event} is {soon}]
{who} [can't|cannot|are unable to] [log in|pay|work|order|get in|reach us|see their data](, {system} {out}|, fix this first| right now|!)
{who} [are|is] [waiting|on the phone|breathing down my neck|screaming|asking every two minutes|locked out|calling]
[we|I] [ship|go live|launch|present|deliver|release|leave|deploy] {soon}( and {thing} is {fault}|, so hurry|, only the essentials| whatever happens|.)
[only|I have|we have|there are|maybe] [five|ten|fifteen|twenty|3|5|30] minutes [left|until {event}|before {event}|to fix this]
[no time|there is no time|we have no time] [for details|to explain|for tests|to lose], [just the fix|give me the command|what do I run|do it]
[drop|stop] [everything|what you are doing|the other work|all else](,|:|.) [{system} {out}|{thing} first|this comes first]
what is the [fastest|quickest] [way|fix|thing we can do](,| to get {system} back| before {event}|) {system} {out}
[every|each] [minute|second] [counts|costs us money|we lose orders|matters]
the [clock is ticking|deadline is {soon}|window closes {soon}|pager went off|alarm is going off|certificate expires {soon}|disk is full {soon}]
[hurry|quickly|be quick|please hurry|as fast as you can], [{system} {out}|{event} is {soon}|{who} are waiting]
this [can't|cannot] wait( until tomorrow|, {event} is {soon}|)
[roll back|hotfix|restart it|fail over] [now|immediately|right away], {system} {out}
`;

export const TIRED = `
[I'm|I am|im] (so |really |pretty |completely |absolutely |dead |too )[tired|exhausted|sleepy|knackered|drained|beat|worn out|wiped out|shattered|fried|burnt out|half asleep]( today| tonight| now|, can we stop here|, let's finish tomorrow| to {work}|)
it is {hour}( here|)(,| and) [I should sleep|I can't {work}|I need my bed|let's stop|I'm still here|last thing for today|my eyes hurt]
[can't|cannot|I can't] [{work}|keep my eyes open|think straight|see straight|concentrate]( any more| anymore| tonight| today)
[long|very long|rough|endless] [day|night|week|shift](,| and|.) [let's stop here|keep it short|I'm beat|I have no energy left|tomorrow then|just the basics]
my [brain|head|mind] is [fried|mush|empty|foggy|done|not working|toast|porridge](, {task}|, keep it simple|)
[been|I have been] [up|awake|at this|working|coding|on this|sitting here] [all night|all day|since six|for fourteen hours|since yesterday|for ages|all weekend](, need a break|, I'm done| and I can't {work}|)
[haven't|have not|barely|hardly] slept( last night| this week| in two days|)(, go easy on me|, so bear with me|)
[need|I need] [sleep|a break|coffee|rest|to lie down|a nap|more coffee](,| before I {work}| badly|)
[let's|can we|we should|shall we] [stop|call it a day|call it a night|continue tomorrow|pick this up tomorrow|leave it for today|wrap up](, I'm tired|, it's late|, I'm done for today|, my head hurts)
[going|off|I'm going|heading] to [bed|sleep](,| now| soon|) ({task} tomorrow|good night|we'll see in the morning|)
[yawn|zzz|phew|oof], [it's late|long day|I'm tired|what a day]
[too|so] [late|tired|exhausted] [to {work}|for this|to decide|for big changes]( now| tonight|)
[running|running purely] on [no sleep|coffee and hope|two hours of sleep|fumes|caffeine]
`;

export const PLAYFUL = `
[haha|lol|hehe|lmao|hahaha|heh|rofl|ha](,|!| that's| ok| alright) [you win|nice one|love it|that is hilarious|good one|brilliant|touché|fair enough|{task} then|I laughed]
[do your magic|work your magic|abracadabra|make it so|engage|let's dance|let's roll|beam me up|to infinity|hit it]( :)| ;)| 😄|!|, captain|, maestro|)
[alright|ok|okay|hey|come on|right] [robot|little robot|my digital friend|buddy|captain|wizard|code monkey|sidekick|overlord|partner]( :)| 😄|,|!) {task}
[now|can you|please|let's] [say it|write it|explain it|do it|name it] [like a pirate|as a haiku|in rhyme|in the voice of a cat|like Yoda|as a limerick|with dinosaurs|in emoji]
{task} (please |pretty please |)[:)|:D|;)|:P|xD|😄|😂|🙃|😜|🎉]
[I'm naming|let's call|we shall call] [it|the branch|this bug|the variable] [Gerald|operation noodle|the kraken|Steve|Bob|banana|sir lints-a-lot]( :D| 😂|, obviously|)
[my cat|my dog|the rubber duck|my coffee] [approves|says hi|wrote this bug|agrees with you|is the real architect]( 😂| lol| haha|)
[gotcha|bingo|boom|ta-da|woohoo|yay|hooray|woot|nailed it](!|!!| 🎉|, high five|, party time| :D)
[just kidding|kidding|joking|only joking|jk](, {task}| 😄| ;)|)
`;

/** Ordinary work: requests, answers, corrections, reviews. None of them is a mood. */
export const ORDINARY = `
{task}(.| please| now| then|, thanks)
(ok|okay|yes|sure|right|fine|good|then)(,|) {task}
(please |can you |could you |would you |let's |now |next, |then |also |first ){task}( and {task}|)
(no|nope|not that|wait|actually|hmm|sorry)(,|) {task}( instead|)
[no|not that one|the other one|wrong one], I meant {thing}
I think {thing} should be [a set|shorter|in another folder|cached|optional|first|split in two]
why does {thing} [return null|take so long|need this flag|run twice|fail on an empty list]
what does {thing} [do|print|return|need]
{thing} is {fault} when the [list|file|input|name] is empty(, add a test|, can you check|)
the [bug|error|crash|failure|problem|issue] [happens|is|occurs] when [the input is empty|two jobs run at once|the file is missing|the name is too long]
[there is|I see|we have] [an error|a bug|a failing test|a crash|a warning] in {thing}(, {task}|)
this [function|test|name|comment|loop|class] is [too long|misleading|wrong|duplicated|never called|not needed|hard to read](, {task}|)
[please|I'd|you should|we should] [not swallow the exception|avoid the cast|handle the failure|keep the cause|drop the dead code|check for null|close the file]
[do|does|did|is|was] {thing} [work|pass|still there|done|changed|needed]
[that is|it's|that's|looks] [fine|good|ok|right|done|enough](, {task}|)
[not yet|maybe later|no need|leave it|skip it|go on|continue|next|done|ok|yes|no]
[no rush|whenever you can|when you have time|take your time|later is fine], {task}
[we can do|let's do|I'll do|do] {thing} [tomorrow|later|next week|after lunch|first]
set [the timeout|the limit|the port|the flag] to [10|5 minutes|false|8080|30s]
the [meeting|demo|release|launch] [went well|is next month|was moved to Friday|notes are in the folder]
[don't|do not|never] [touch|commit|change|rename|push] {thing}( yet|)
`;

export const CURIOUS = `
[how|why] (exactly )[does|do|would|did|is] {thing} [work|behave like that|so fast|need two passes|survive a crash|know the order](, out of curiosity|)
[I wonder|I'm wondering|I'm curious|curious|just curious|wondering] [how|why|if|whether|what] {thing} [works|is done this way|could be simpler|happens|would scale]
[what|tell me what] [happens|would happen] if [two of them run at once|the file is huge|we remove {thing}|it runs twice]
[walk me through|explain|teach me|help me understand|tell me more about] {thing}
[what is|what's] the [difference|trade-off|reason|idea|story] [behind {thing}|between the two|here]
[are there|what are|is there] [alternatives|another way|better options|pros and cons]( to this| for {thing}|)
[interesting|fascinating|huh, interesting|oh interesting](!|,|.) [how|why|what] [does that work|is that|happens then]
`;
