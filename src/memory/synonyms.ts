import { stem } from '../text/stem.ts';

/**
 * Synonyms, one group per line; a query for one finds the others at a discount. `=` marks short and long forms of
 * one word, `~` marks near synonyms. Limited to words with one common meaning in notes about work and life: a wrong
 * synonym costs more than a missing one.
 */
const GROUPS = `
= k8s kubernetes
= db database
= repo repository
= config configuration cfg settings
= auth authentication authn login signin
= authz authorization permission
= env environment
= prod production
= dev development
= docs documentation doc
= docker container
= js javascript
= ts typescript
= py python
= pg postgres postgresql
= ci pipeline
= vm vms
= os linux
= app application
= info information
= decide decision
= perf performance
= deps dependency dependencies
= spec specification
= admin administrator
= msg message
= err error
= fn function
= param parameter
= dir directory folder
= pw password passwd
= creds credential
= temp temperature
= lib library
= pkg package
= impl implementation
= infra infrastructure
= ui interface
= cert certificate
= proc process
= mgmt management
= max maximum
= min minimum
= img image
= pic photo picture photograph photography pics
= fam family
= kid child toddler
= edu education
= uni university college
= bday birthday
= fav favorite favourite fave
= gym workout
= vacay vacation holiday
= tv television
= phone smartphone telephone
= bike bicycle
= plane airplane flight
= comp competition contest tournament tourney
= exam test
= biz business
= ad advertisement advert
= lab laboratory
= tech technology
= app application
= veg vegetable
= veggie vegetable
= colour color
= grey gray
= dr doctor
= mins minute
= hr hour
= approx approximately
= apt apartment flat
~ bug issue defect
~ crash fail failure break
~ fix repair solve resolve
~ deploy release rollout ship
~ delete remove erase
~ add create
~ begin start
~ end finish
~ job career profession occupation
~ work job
~ colleague coworker workmate teammate
~ boss manager
~ salary pay wage
~ office workplace
~ buy purchase
~ cost price
~ car vehicle
~ house home
~ trip travel journey vacation
~ roadtrip trip
~ son child
~ daughter child
~ husband spouse partner
~ wife spouse partner
~ boyfriend partner
~ girlfriend partner
~ parent mom
~ parent dad
~ sibling sister
~ sibling brother
~ pet dog
~ pet cat
~ puppy dog pup
~ kitten cat
~ doctor physician
~ ill sick
~ illness disease
~ hurt injury injure
~ doctor hospital
~ country nation
~ city town
~ beach ocean sea
~ food meal dish
~ dinner meal
~ cook bake
~ recipe dish
~ movie film
~ book novel
~ song music
~ band concert
~ game play
~ art painting
~ artwork painting
~ instrument guitar
~ instrument piano
~ instrument violin
~ sport basketball
~ sport soccer
~ sport tennis
~ exercise workout
~ exercise yoga
~ run jog
~ hike trek
~ happy glad joy
~ sad upset
~ angry mad
~ afraid scared fear
~ worry anxious stress
~ proud pride
~ friend buddy
~ gift present
~ goal aim
~ plan intend
~ idea concept
~ problem challenge
~ hobby interest
~ inspire motivate
~ inspiration motivation
~ encourage support
~ volunteer charity
~ meet met
~ marry wedding marriage
~ church faith religion religious
~ school class
~ teacher teach
~ study learn
~ student class
~ talk chat
~ tour visit
~ store shop
~ clothes clothing outfit
~ award prize medal trophy
~ win won victory
~ rain weather
~ snow weather
~ morning breakfast
~ big large huge
~ little small tiny
~ quick fast rapid
~ expensive pricey
~ key secret
~ server host
~ machine computer
~ laptop computer
~ computer pc
~ meeting call
~ meeting standup
~ deadline due
~ owner responsible
~ customer client
~ vendor supplier
~ email mail
~ decide choose
~ prefer preference like
~ allergic allergy
~ born birthday
~ live address
`;

/** Relative weight of a synonym. */
const SAME = 0.7;
const NEAR = 0.35;

/**
 * Synonymous stems of a stem, and the weight of their mentions (0 to 1).
 *
 * The groups are searched as text, and only words that begin like the stem are stemmed: stemming all is too
 * expensive for a cold query.
 */
export function synonymsOf(term: string): Map<string, number> {
  const out = new Map<string, number>();
  const head = ` ${term.slice(0, 3)}`;
  for (let at = GROUPS.indexOf(head); at >= 0; at = GROUPS.indexOf(head, at + 1)) {
    const end = GROUPS.indexOf('\n', at);
    const [first = ''] = GROUPS.slice(at + 1, end).split(' ', 1);
    if (stem(first) !== term) continue;
    const start = GROUPS.lastIndexOf('\n', at) + 1;
    const share = GROUPS.charAt(start) === '=' ? SAME : NEAR;
    for (const word of GROUPS.slice(start + 2, end).split(' ')) {
      const other = stem(word);
      if (other !== term) out.set(other, Math.max(out.get(other) ?? 0, share));
    }
  }
  return out;
}
