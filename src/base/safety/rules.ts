/**
 * Tokens with a known prefix, as data: `[kind, prefixes, what follows them]`. Case matters. Every quantifier
 * is bounded, so a row takes constant time per position. Those that follow a prefix of their own share the rows of their
 * alphabet; a prefix that is a word, or short, needs the exact form. Most tokens of a provider that is missing here are
 * still found by their form (`known.ts`).
 */

const an = '[A-Za-z0-9]';
const word = '[A-Za-z0-9_-]';
const dotted = '[A-Za-z0-9_.=-]';
const hex = '[a-f0-9]';
const b64 = '[A-Za-z0-9+/]';
const uuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`;
/** The body of a base64 key: lines, or one long line with a literal `\n`. */
const keyBody = `[A-Za-z0-9+/=]{40,16000}(?:(?:\\r?\\n|\\\\r|\\\\n){1,2}[ \\t]{0,8}[A-Za-z0-9+/=]{4,80}){0,200}`;

export const PROVIDERS: readonly (readonly [kind: string, prefixes: string, rest: string])[] = [
  ['Anthropic key', 'sk-ant-', `${word}{16,300}`],
  ['OpenAI key', 'sk-proj- sk-svcacct- sk-admin-', `${word}{16,300}`],
  ['Google key', 'AIza AQ.Ab8 GOCSPX- 1//0', `${word}{20,200}`],
  ['Google token', 'ya29.', `${dotted}{20,2048}`],
  ['Hugging Face token', 'hf_ api_org_', `${an}{30,60}`],
  ['GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_', '[A-Za-z0-9_]{20,255}'],
  [
    'GitLab token',
    'glpat- gldt- glcbt- glft- glimt- glsoat- glffct- glwt- glrt- glrtr- glptt- glagent- gloas- GR1348941',
    '[A-Za-z0-9_.-]{16,300}',
  ],
  ['Atlassian token', 'ATATT3 ATCTT3', '[A-Za-z0-9_=-]{40,400}'],
  ['npm token', 'npm_', `${an}{30,60}`],
  ['Docker token', 'dckr_pat_ dckr_oat_', `${word}{20,60}`],
  ['AWS key id', 'A3T', '[A-Z0-9][A-Z2-7]{16}(?![A-Za-z0-9])'],
  ['AWS key id', 'AKIA ASIA ABIA ACCA', `[A-Z2-7]{16}(?!${an})`],
  ['AWS session token', 'FwoGZXIvYXdz IQoJb3JpZ2lu', `${b64}{60,2000}={0,2}`],
  ['Slack token', 'xox', '[abeoprs](?:\\.xox[bp])?-(?:\\d-)?[A-Za-z0-9-]{10,250}'],
  ['Slack token', 'xapp-', '[A-Za-z0-9-]{15,250}'],
  ['Stripe key', 'sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ sk_org_', `${an}{16,250}`],
  [
    'API key',
    'sk- sk-or- sk-lf- sk-litellm- nvapi- lsv2_ pcsk_ tvly- pypi- CCIPAT_ CCIPRJ_ PMAK- HRKU- sb_secret_ mdb_sa_sk_ ' +
      'tskey- hvs. hvb. hvr. unkey_ sha256~ glsa_ NRAK- NRII- NRRA- xkeysib- xsmtpsib- shippo_ FLWSECK figd_ figo_ figor_ figu_ ' +
      'CFPAT- cal_live_ PMAT- tgp_v1_ cfut_ cfat_ cfk_ xau_ zpka_ rzp_live_ rzp_test_ shpat_ shpca_ shppa_ shpss_ shpua_ ' +
      'shprt_ sgp_ sgd_ slk_ sgs_ sams_ CCDB1_ castai_v1_ pdl_live_ pdl_sdbx_ EAACEdEose0cBA IGQV polar_pat_ ' +
      'polar_oat_ polar_at_u_ signkey-prod- signkey-test- AQVN y0_ y1_ y2_ y3_ ATBB AGE-SECRET-KEY-1 ' +
      'access-sandbox- access-development- access-production-',
    `${word}{13,500}={0,2}`,
  ],
  [
    'API key',
    'r8_ gsk_ xai- pplx- csk- CLOJARS_ AKCp cmVmdGtu rnd_ nfp_ nfc_ nfo_ nfu_ nfb_ napi_ pnu_ ddp_ vtwn_ hcaik_ ' +
      'phx_ rdme_ lin_api_ lin_oauth_ ntn_ xprv nsec1 vck_ vcp_ vca_ vcr_ vci_ tr_dev_ tr_prod_ tr_stg_ tr_pat_',
    `${an}{20,200}`,
  ],
  [
    'API key',
    'e2b_ rubygems_ bkua_ sqp_ squ_ sqa_ dop_v1_ doo_v1_ dor_v1_ sbp_ dapi pul- dtn_ ls__ mlsn. s-s4t2ud- s-s4t2af- sk_',
    `${hex}{32,128}(?:-\\d)?`,
  ],
  [
    'API key',
    'pscale_tkn_ pscale_oauth_ pscale_pw_ dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dt0c01. dt0s01. ' +
      'snyk_uat. snyk_sat. tfp_ sk.eyJ tk.eyJ pk.eyJ v1.local. v2.local. v3.local. v4.local.',
    `${dotted}{28,4000}`,
  ],
  [
    'API key',
    'ABSK fm2_ fm1a_ fm1r_ fo1_ glc_ eyJrIjoi sntrys_ sntryu_ sntrya_ whsec_ ops_eyJ dnkey- duffel_test_ duffel_live_ fio-u-',
    '[A-Za-z0-9+/=_-]{20,2000}',
  ],
  ['API key', 'sdk- api- amzn.mws.', uuid],
  ['API key', 'sess- live_ test_', `(?:${an}{40}|${hex}{35}|${an}{30})(?!${an})`],
  ['API key', 'fw_', `${an}{20,60}`],
  ['API key', 'fc- key-', `${hex}{32}`],
  ['API key', 'jina_', `${word}{40,90}`],
  ['API key', 'pa-', `${word}{40,50}`],
  ['API key', 'key_', `${hex}{60,70}`],
  ['API key', 'BSA', `${word}{27,30}`],
  ['API key', 'cio ico- AKID', `${an}{32}(?!${an})`],
  ['API key', 'oy2', `[a-z0-9]{43}(?!${an})`],
  ['API key', 'API-', '[A-Z0-9]{26,32}(?![A-Z0-9])'],
  ['API key', 'LTAI', `${an}{12,26}(?!${an})`],
  ['API key', 'v1.0-', `${hex}{24}-${hex}{100,160}`],
  ['API key', 'tk-us-', `${word}{48}`],
  ['API key', 'dt0', '[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{60,70}'],
  ['API key', 'mfa.', `${word}{80,90}`],
  ['API key', 'SG.', '[A-Za-z0-9_=-]{8,40}[.][A-Za-z0-9_=.-]{20,60}'],
  ['API key', 're_', `${an}{6,12}_${an}{18,30}`],
  ['API key', 'SK AC', `[A-Fa-f0-9]{32}(?!${an})`],
  ['API key', 'pk_', '\\d{4,12}_[A-Z0-9]{32}(?![A-Z0-9])'],
  ['API key', 'sq0', `[a-z]{3}-${word}{20,50}`],
  ['API key', 'EAAA', `${word}{40,70}`],
  ['API key', 'EAA', `${an}{60,300}`],
  ['API key', 'access_token$', '(?:production|sandbox)[$][a-z0-9]{16}[$][a-z0-9]{32}'],
  ['API key', 'EZ', `[AT]K${an}{50,60}`],
  ['API key', 'AAAAAAAAAAAAAAAAAAAAA', '[A-Za-z0-9%=_-]{30,160}'],
  ['API key', 'secret_ p8e-', `${an}{32,50}(?!${an})`],
  ['API key', 'secret-live- secret-test-', '[A-Za-z0-9_=-]{30,50}'],
  ['API key', 'pat', `${an}{14}\\.${hex}{64}`],
  ['API key', 'pat-', `(?:na|eu|ap)\\d-${uuid}`],
  ['API key', 'pat. sat.', `${word}{22}\\.${an}{24}\\.${an}{20}`],
  ['API key', 'sl.', `${word}{60,400}`],
  ['API key', 't1.', `${word}{20,400}={0,2}\\.${word}{86}={0,2}`],
  ['API key', 'YC', `${word}{38}(?!${word})`],
  ['API key', '4b1d', `${an}{38}(?!${an})`],
  [
    'API key',
    'sc_ ext_ scauth_ authress_',
    `${an}{5,30}\\.${an}{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}`,
  ],
  [
    'private key',
    'LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk LS0tLS1CRUdJTiBQUklWQVRFIEtFWS LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS ' +
      'LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBLRVk LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ ' +
      'LS0tLS1CRUdJTiBEU0EgUFJJVkFURSBLRVk LS0tLS1CRUdJTiBQR1AgUFJJVkFURSBLRVkg b3BlbnNzaC1rZXktdjE ' +
      'MIIEpAIBAAKCAQEA MIIEowIBAAKCAQEA MIIJKAIBAAKCAgEA MIIJKQIBAAKCAgEA MIIEvQIBADANBgkqhkiG9w0BAQEFAASC ' +
      'MIIEvgIBADANBgkqhkiG9w0BAQEFAASC MIIJQgIBADANBgkqhkiG9w0BAQEFAASC MIIJQwIBADANBgkqhkiG9w0BAQEFAASC MHcCAQEE ' +
      'MIGHAgEAMBMGByqGSM49 MC4CAQAwBQYDK2VwBCIEI',
    keyBody,
  ],
];

const STORES =
  'postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|kafka|nats|mqtts?|' +
  'smtps?|ftps?|sftp|ldaps?|imaps?|pop3s?|ssh|rtsp|socks5h?|neo4j|bolt|couchbases?|cassandra|influxdb|elasticsearch|cloudinary|vnc|rdp|smb';
const HEADER_SCHEMES =
  'basic|bearer|token|digest|apikey|api-key|bot|negotiate|ntlm|hawk|ssws|oauth|splunk|geniekey|snyk|key|aws4-hmac-sha256';
/** Between the name of a program and its option. */
const option = '\\b[^\\n|;]{0,300}?[ \\t]';
const tick = '`';
const quote = '["\']?';
const argument = '([^\\s"\'`;|&]{3,128})';

/** What a second factor is called, and the number that it shows. */
const second = 'authenticator|2fa|mfa|two[- ]factor|t?otp|one[- ]time|sms|text message';
const digits =
  '(?<![\\w.,:/#-])(\\d{3}[ -]?\\d{3,5}|\\d{4})(?![\\w%]|[.,:/-]\\d| (?:lines|ms|bytes|tests|files|times|users)\\b)';

/**
 * Secrets recognized by their shape or by the text around them: `kind  check  pattern`, matched against the text in lower
 * case. The secret is the first group, if there is one, and ends with the match. Every quantifier is bounded, as in the
 * table above.
 */
export const SHAPES = String.raw`
password  option  \b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb(?:-\w{1,10})?|7za?|rar|unrar)${option}-p${quote}${argument}
password  option  \b(?:mongo(?:sh|dump|restore|export|import)?|sshpass|smbclient|plink|pscp|zip|unzip|influx|sqlcmd|bcp|pg_basebackup)${option}-p[ =]?${quote}${argument}
password  option  \b(?:(?:docker|podman|nerdctl|oc|az|buildah|skopeo|helm registry|heroku|cf|ibmcloud|crane auth)[ ]{1,2}login)${option}(?:-p|--password)[ =]${quote}${argument}
password  option  \b(?:redis-cli)${option}(?:-a|--pass)[ =]${quote}${argument}
password  option  \b(?:ldap\w{1,10})${option}-w[ =]?${quote}${argument}
password  option  \b(?:gpg2?|borg|restic|age)${option}--passphrase[ =]${quote}${argument}
password  option  \b(?:openssl)${option}(?:-k[ ]|-pass(?:in|out)?[ ]pass:)${quote}${argument}
password  option  \b(?:x?freerdp|rdesktop|mstsc)${option}(?:/p:|-p[ ]?)${quote}${argument}
password  option  \b(?:net[ ]use)${option}/user:\S{1,64}[ ]${quote}${argument}
password  option  \b(?:htpasswd)${option}-\w{0,3}b\w{0,3}[ ]\S{1,80}[ ]\S{1,64}[ ]${quote}${argument}
password  option  \b(?:wget|aria2c|lftp|svn|hg|subversion)${option}--(?:http-|ftp-|proxy-)?passw(?:or)?d[ =]${quote}${argument}
password  option  \bcurl${option}(?:-u|--user|--proxy-user)[ =]{0,2}${quote}[^\s:"']{1,64}:${argument}
password  option  \b(?:https?|xh)${option}(?:-a|--auth)[ =]{1,2}${quote}[^\s:"']{1,64}:${argument}
password  option  \b(?:smbclient|smbget|rpcclient|mount\.cifs|crackmapexec)${option}(?:-u|--user)[ =]{0,2}${quote}[^\s%"']{1,64}%${argument}
password  option  \b(?:echo|printf)[ ]{1,3}(?:-\w{1,2}[ ]|'%s(?:\\n)?'[ ])?${quote}(?:[\w.-]{1,64}:)?([^\s"'|]{3,128})(?=["']?[ ]{0,3}\|[ ]{0,3}(?:sudo[ ]-\w{0,3}s\b|[^\n|]{0,120}(?:--password-stdin|--with-token|--stdin\b|--passphrase-fd|chpasswd|kinit|cryptsetup)))
password  option  \bchpasswd[^\n]{0,20}<<<[ ]?${quote}[\w.-]{1,64}:${argument}
password  option  (?:assword|assphrase)[^\n]{0,40}\bsend[ ](?:--[ ])?["']?([^\s"'\\\n]{3,128})(?=\\{1,2}[rn])
password  option  \bssh-keygen${option}-[np][ ]?${quote}${argument}
password  option  \bvariable[ ]"[\w-]{0,60}(?:password|passwd|pwd|secret|token|api_?key|access_?key|private_?key)"[ ]?\{[^}]{0,300}?\bdefault[ ]{0,20}=[ ]{0,4}"([^"\n]{4,512})(?=")
password  option  \b(?:identified[ ](?:with[ ]\w{1,40}[ ])?by|(?:with|encrypted)[ ]password|password)[ ]{1,2}["']([^"'\s]{3,128})(?=["'])
password  mixed  (?:\.login|\bauth|basic_?auth|credentials?|authenticate|sign_?in|\.connect)[ ]?[=(:][ ]?\(?[ ]?["'][^"'\n]{1,64}["'],[ ]?["']([^"'\n]{4,128})(?=["'])
password  any  (?<=[\w.*-]):(?:\d{4,5}|\*):[\w*-]{1,63}:[\w*.-]{1,63}:([^\s:]{4,128})(?![^\s"'])
password  mixed  (?<![\w-])pass[ ]?[:=][ ]?["']([^"'\s]{3,128})(?=["'])
password  chosen  (?<![\w-])pass[ ]?[:=][ ]?([^\s"'${tick};,|&]{8,128})
password  option  ["']pass["'][ ]?[:=][ ]?["']([^"'\n]{3,128})(?=["'])
password  mixed  \b(?:user|username|login)[ ]${quote}[\w.@+-]{2,64}["']?[,;]?[ ](?:and[ ])?pass[ ]${quote}${argument}
password  option  \b(?:user|username|login)[ ]?[:=][ ]?${quote}[\w.@+-]{2,64}["']?[,;]?[ ](?:and[ ])?pass[ ]?[:=][ ]?${quote}${argument}
password  option  \bnet[ ]use[^\n|;]{1,200}?[ ]([^\s"'\/\\]{3,128})(?=[ ]{1,3}\/user:)
password  option  \bconvertto-securestring[ ]{1,2}(?:-string[ ])?["']([^"'\n$]{3,128})(?=["'])
password  mixed  (?:log|sign)(?:ged|ging|ed|ing)? in (?:with|as) ["'${tick}]?[\w.@+-]{2,64}["'${tick}]? (?:with|using) ["'${tick}]?(?!oauth|sso|ssh|saml|[2m]fa)([^\s"'${tick}]{8,128})
API key  mixed  \bset (?:the )?["'${tick}]?[\w -]{0,32}(?:key|token|secret|password)["'${tick}]? to ["'${tick}]?([^\s"'${tick}]{8,512})
private key  any  _pk["']?[ ]?[:=][ ]?["']?((?:0x)?[a-f0-9]{64})(?![a-f0-9])
token in a URL  mixed  \/(?:password[-_]?reset|reset[-_]?password|reset|magic[-_]?link|(?:verify|confirm)[-_]?email|invite|activate)\/([\w-]{16,256})(?![\w-])
code  any  \bcodes?\b[^\n\d]{0,40}\b(?:${second})\b[^\n\d]{0,30}?${digits}
code  any  \b(?:${second})\b[^\n\d]{0,40}?(?:\bcodes?\b|\bsa(?:ys|id)\b|\bshows?\b|\bgave\b|\bsent\b|:)[^\n\d]{0,20}?${digits}
code  any  (?<![\w.,:\/#-])(?:[a-z]-)?(\d{3}[ -]?\d{3,5})(?= is (?:the|my|your|our|a) [^\n]{0,30}\b(?:${second}|verification|login|sign-?in)\b)
code  any  \b(?:use|enter|type)[ ](?:the[ ])?code:?[ ]{1,2}(\d{4,8})(?=[ ]to[ ](?:sign|log|verify|confirm|continue))
code  any  \bpin(?:[ -]code)?[ ](?:of|for|to)[ ][^\n\d.;]{1,40}?(?:[ ]is[ ]|:[ ]?)(\d{4,8})(?![\d%]|[.,:]\d|[ ]?(?:mm|cm|ms|v)\b)
session cookie  mixed  \b(?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|laravel_session|ci_session|_[a-z]{2,30}_session)["']?[=:]["' ]{0,2}([\w%.:+/-]{16,512})
Fly token  any  flyv1 f[mo]\d_[a-z0-9+/=,_-]{30,2000}
web token  any  (?<![\w-])eyj[\w-]{8,4096}(?:\.{1,2}[\w-]{4,8192}){1,4}
API key  random  \b[a-z][\w-]{1,20}[ ](?:config[ ]add-)?auth(?:token|[ ]token)?[ ](?:--?[\w-]{1,20}[ =])?([\w.-]{20,256})(?![\w.-])
private key  any  \b0x(?<!(?:tx|transaction|hash|block|digest|topic|root|sha\d{0,3}|commit)[^\n]{0,24}0x)([a-f0-9]{64})(?![a-f0-9])
wallet key  random  (?<![a-z0-9])([5kl9c][1-9a-z]{50,51})(?![a-z0-9])
authorization  mixed  authorization["'\]]{0,2}\s{0,4}[:=,]\s{0,4}["'${tick}]{0,1}(?:${HEADER_SCHEMES})[ \t]{1,4}([^\r\n"'${tick}]{4,4096})
authorization  mixed  (?<![a-z])bearer[ \t]{1,4}["']?([a-z0-9._~+/=-]{8,4096})
authorization  basic  (?<![a-z])basic[ \t]{1,4}["']?([a-z0-9+/_-]{8,1024}={0,2})
cookie  any  (?:set-)?cookie["'\]]{0,2}\s{0,3}[:=,]\s{0,3}["']?([^\s=;,"']{1,64}=[^\r\n"]{2,4096})
cookie  any  --cookie[ =]["']?([^\s=;"']{1,64}=[^\r\n"']{2,4096})
password in a URL  given  (?<=[a-z0-9]):\/\/[^\s\/:"'<>]{0,128}:([^\s\/"'<>]{1,256})(?=@[\w[.-])
password in a URL  given  (?:${STORES})(?:\+\w{1,16})?:\/\/[^\s\/:"'<>]{0,128}:([^\s"'<>]{1,256})(?=@[\w[.(-])
token in a URL  mixed  (?<=[a-z0-9]):\/\/([\w-]{16,256})(?=(?::x-oauth-basic|:)?@)
signed URL  any  [?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|access_token|refresh_token|id_token|auth_token|token|api_?key|client_secret|secret|password|passwd|pwd|pass|otp|hmac|jwt)=([^\s&#?"'<>)\]]{4,4096})
token in a URL  mixed  [?&](?:key|code|auth|session|sid|state|st|t|k|hash|invite|ticket|appid|subscription-key)=([^\s&#?"'<>)\]]{16,4096})
webhook  any  (?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks)\/[\w/-]{20,200}
webhook  any  (?:(?:webhook|outlook)\.office\.com\/webhook(?:b2)?|hooks\.zapier\.com\/hooks\/catch|\/with\/key|hc-ping\.com)\/([\w@/-]{8,300})
Telegram token  any  (?<!\d)\d{8,16}:a[\w-]{34}(?![\w-])
Facebook token  mixed  (?<!\d)\d{15,16}[|%][\w-]{27,40}(?![\w-])
MaxMind key  any  (?<![a-z0-9])[a-z0-9]{6}_[a-z0-9]{29}_mmk(?!\w)
Discord token  mixed  (?<![\w.-])[mno][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])
Mailchimp key  any  (?<![a-z0-9])[a-f0-9]{32}-us\d{1,2}(?!\w)
Terraform token  any  (?<![a-z0-9])[a-z0-9]{14}\.atlasv1\.[\w=-]{50,80}
Asana token  any  (?<=(?<![\w/.])[012])\/\d{16}(?:\/\d{16})?:[a-f0-9]{32}(?!\w)
Firebase key  any  aaaa[\w-]{7}:apa91b[\w-]{100,200}
Azure secret  any  (?<![\w~.-])[\w~.-]{3}\dq~[\w~.-]{31,34}(?![\w~-])
1Password secret key  any  (?<!\w)a3-[a-z0-9]{6}-(?:[a-z0-9]{11}|[a-z0-9]{6}-[a-z0-9]{5})-[a-z0-9]{5}-[a-z0-9]{5}-[a-z0-9]{5}(?!\w)
AWS secret key  mixed  (?:akia|asia)[a-z2-7]{16}[^]{1,80}?(?<![a-z0-9/+=])([a-z0-9/+]{40})(?![a-z0-9/+=])
password hash  any  \$(?:2[abxy]|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d{1,3})?|[1567y]|apr1|p|h)\$[\w./+=,$-]{20,256}
password  any  login\s{1,8}\S{1,64}\s{1,8}password\s{1,8}(\S{1,128})
password  mixed  (?:login|logon)[:=][ ]?["'${tick}]?[\w.@+-]{2,64}["'${tick}]?[ ]?[/:|][ ]?["'${tick}]?([^\s"'${tick}]{5,128})
password  mixed  (?:log|sign)(?:ged|ging|ed|ing)? in (?:with|as) ["'${tick}]?[\w.@+-]{2,64}["'${tick}]?[ ]?[/:|][ ]?["'${tick}]?([^\s"'${tick}]{5,128})
wifi password  any  wifi:[^\n]{0,100}?p:((?:\\.|[^;\n\\]){4,128})
private key  any  "(?:d|p|q|dp|dq|qi|k)"\s{0,3}:\s{0,3}"([\w-]{20,2048})
private key  any  private-lines: \d{1,3}\r?\n((?:[a-z0-9+/=]{4,80}\r?\n?){1,200})
recovery codes  any  (?:recovery|backup|emergency|scratch) codes?[^\n]{0,24}[:\n]\s{0,8}((?:[-*\d.) ]{0,6}[a-z0-9]{4,8}-[a-z0-9]{4,8}[\s,;]{0,4}){1,20})
seed phrase  any  (?:seed|recovery|mnemonic|secret)(?: recovery)?(?:[ _-]?phrase|[ _-]?words)?["']?\s{0,3}(?:is|:|=)\s{0,6}["']?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})
`;
