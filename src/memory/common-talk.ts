// Made by scripts/train/common-talk.ts, which names the sources.

/**
 * Stems that are common in conversations with a coding agent or in general, by how much information they carry:
 * those in the first list none, those in each further list a quarter more. A word in none of the lists carries full
 * information.
 */
export const COMMON_TALK: readonly string[] = [
  `
0 1 2 3 4 abl account actual ad add ai analyz api app appear appli ask auto backend bad base believ better
big block box boy bring build button c call card care case cell chang check cli click code color column com
come command commit complet config consol content context continu convers core cover creat current cursor
custom d dad data day descript design detail dev develop didn differ direct directori display doc document
doesn don e edit end engin ensur env environ error exampl except exist expect fail featur feel file find fine
first fix folder follow format friend frontend fuck full function game generat girl git github god good great
guy handl happen hear hello help home html https idea imag implement import includ info integr isn issu item
js json kid kill kind know last leav life line list listen littl live ll load local locat log long look love
m main man manag markdown master match md mdc mean meet merg messag method minut miss model modifi modul mom
money move mr n name need new next nice night number ok okay old open option output page part person place
plan play pleas point posit possibl problem process product profil program progress project prompt proper
provid push py python re read recent refer rememb remov repo requir result return review right row rule run s
save search see select self seri servic session set show sir sorri sourc spec src start status stay step stop
success sure t tabl tag take talk task team tell test text thank think time titl todo top tri ts two type uh
ui understand updat url user ux valid valu version visit wait want web week win window woman work workflow
yeah year yes
`,
  `
01 02 10 11 12 13 17 25 5 6 64 8 access action addit agent ahead ain aka allow appdata applic approach
architectur arg attach automat avail babi background backup bar basic batch beauti best bite bootstrap border
bottom branch break brother browser bug busi buy car caus certain changelog charact chat child clean clear
close codebas col combin compar compon comprehens configur confirm connect consid contain control correct
couldn count cours coverag damn databas dead deal debug default defin delet demo depend deploy die diff
doctor door dr drink duplic easi eat empti equal exact excel excus expert explain eye f face failur famili
fight figur filter final fire five focus font forget front fulli futur goal googl gpt graph group guess hand
happi hard harder haven head header helper hide high histori hit hold honey hope host hour hous http huh hurt
icon ident identifi improv increas index individu inform initi inner input insid instal interest interfac
iter job key ladi languag late later latest level lib librari lie like limit link login loop lose manual mark
marri matter mcp menu mind mode morn mrs multipl net news node npm offic oper organ overal owner packag pass
path pattern pay persist phase phone pick player post pr pre pretti previous prior probabl proceed public
qualiti question readi readm real recommend refresh relat releas replac report request research reset resolv
respons restor revert roam room root rout say scan school scrape screen script scroll season second section
send sens separ server setup share shit shoot sign simpl sit site skip sleep solut son sound space speak
specif specifi spin stand stat state statement storag store structur stuff style suggest summari supabas
suppos system tab target templat termin tho thread three today tomorrow tonight trace traceback track true
tsx turn txt typescript undo upload use uv variabl vercel view viewer visibl walk wanna warn wasn watch
websit wife wish wonder word workspac world worri wouldn write wrong www yml
`,
  `
001 04 09 100 16 19 2025 23 28 30 36 50 67 7 9 achiev across act activ adapt address adjust affect afraid ah
air aliv alright analysi anonym answer anymor anyway area aren argument arm aspect ass assign assum async
attempt auth author autom avoid await b ball baselin bash beat becom bed begin belong bet bill bin bitch
black blood blow bodi book briefli burn bye ca calcul callback captain captur cat catch chain chanc checklist
circl citi class cleanup client coffe collect comment common compani condit conflict confus consist const
convert cool coordin cop copi corner countri coupl crazi css cut daddi danc dashboard date daughter dear
death decid describ devic dinner dir disappear discuss dog domain download dream dress drive drop durat
effect element em enabl enhanc entir err evalu event everytim examin exe execut exit explan explicit export
express extend extens extra extract fact fall far fetch finish fit fli fo food foot form forward four
framework frank free fun funni g gap general gentlemen georg gitignor give glad global grow guid guidelin gun
hair half hang hash hate heart homepag hook hot hub human hurri husband ignor increment indic init inlin
instruct intro io jack jesus john keep kiss knowledg l label laugh layout lead learn letter light lint logic
logo lord luck lucki ma maintain michael million mock modern modif moment month movi multi murder music mvp
necessari network non nope normal notic null o object occur ongo optim order org origin os otherwis outlin
outsid p paper parallel paramet parent pars parti password past perfect perform pictur piec pip playwright
plugin polic power prefer present presid prevent print priorit prioriti pro promis properti propos prototyp
publish pull python3 queri quick reason record red ref refactor refin registr relev reli remain renam render
repeat resourc respect rest ride ring robust role safe scare scope secret secur selector sell serious sever
sex shape sheet shouldn shut sick side signup similar sing singl sister six size smooth softwar sole sort
special specstori spend spinner stack stage steal stick stori street string stupid summar super support
surpris sweet switch sync teach temp ten term th third thorough throw token tool total touch town train
trigger troubl trust truth um unabl util v1 var various venv verifi vertic visual vs w wake war water wear
webpack welcom white whoa wide wow wrap y ya young
`,
  `
005 03 127 14 15 20 21 22 2304 252 27 29 3000 31 34 35 37 3d 3s 41 43 55 77 80 abil absolut accept accid
accur admit advanc afternoon afterward age agre al align amaz america american angel anim anywher apart
apolog appreci appropri armi arrang arrest arriv arrow art asshol associ attack attent attribut audit authent
aw awar axi bag bank bastard bear beer beg behavior behaviour ben benefit besid billi bird birthday blame
blank blue board boat bob bobbi bomb boolean born boss bother boyfriend brain breath buck buddi bullshit
bunch bus calm camera capit carri cash categori charg charli chicken chief choic choos christ christma church
cite cloth club clue coder cold collabor colleg colonel comfort compat compil complex comput concern
congratul constant contact contextu contract conveni cook correspond cost court credit cri crime criterion
cross cursorrul cute danger danni dark darl david db decim decis declar deep deeper def definit depart deserv
destroy detect determin dict dig dist distribut dollar doubl doubt draw drug dude due earli earth easili ed
editor eight elsewher encod endpoint english enjoy enter entri escap esp establish even evid evil excit exec
expand experi explor fair fals fast fat fault favor fear feed feedback fella fellow fi field filenam fill
film finger fish flag flask flexibl float floor flow flower folk fool forc foreach forev forgiv frame freak
freez french gift girlfriend glass goddamn gold goodby govern grab gradient green ground guard ha harri hasn
hat heaven height henri highlight hmm hole holi honest honor horizont hors hospit hotel hover hundr hungri
ice idiot il imagin immedi incorpor incorrect insert insight instanc intellig interact intern introduc
invalid investig invit invok involv j jail javascript jimmi joe joey johnni join joke journey jq jsdom judg
jump kick killer king knock land law lawyer lay leg legaci licens lieuten liter ln localhost lock longer low
ls lunch machin mad madam major mama map mari marriag max medic member memori mention mess middl migrat mike
mile mistak mobil mommi monitor motherfuck mouth nan nation natur navig near newer nose note nto obvious
offer onclick onl ooh ought owe pack pain paint palett panel param park partner patient paul peac peter
pipelin plain plane platform pleasur poor pop popup potenti practic prepar preset press prison privat
processor produc professor protect proud prove ps purpos put pypi quiet quit r race radio rain rais random
rang ray reach react realiz receiv recoveri reduc referenc referenceerror reflect relationship relax remind
remot repositori requ restart reus revis rich richard rid rise road roadmap robert rock roll round runtim sad
sake sam sampl scene scream screw sdk seat semant serial serv seven ship shoe shop short signific simpli
simplifi situat skill slow small smart smell smile smoke snippet solv somehow somewher song soul span split
spot stabl standard star station straight strang strategi stream strike strip strong stub student studi
studio submit suck sudden suit summer sun surfac swear syntax tape tast tear temporari terribl tha thousand
thru ticket tie timeout tire tom toml tooltip tough travel treat tree trend trick trip truck truli tupl tv
typeerror uncaught uncl unifi uniqu unit unknown unstag upset upstair usual victim voic wall wast weapon wed
weird weren whitespac width wil wind wit wors worth x yaml yep yesterday yo york ️
`,
];
