/**
 * Secrets recognized by their shape or by the text around them, as data. Every quantifier is bounded, as in
 * `providers.ts`.
 */

const uuid = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}';

/**
 * A check of the matched text. `basic`: base64 of `name:secret`; `option`: the value of a command-line
 * option.
 */
export type Check = 'any' | 'mixed' | 'basic' | 'option';

/**
 * `[kind, pattern, check]`. Matched against the text in lower case. The secret is the first group, if there
 * is one, and ends with the match.
 */
export type ShapeRule = readonly [kind: string, pattern: string, check: Check];

const STORES =
  'postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|kafka|nats|mqtts?|' +
  'smtps?|ftps?|sftp|ldaps?|imaps?|pop3s?|ssh|rtsp|socks5h?|neo4j|bolt|couchbases?|cassandra|influxdb|elasticsearch|cloudinary|vnc|rdp|smb';
const HEADER_SCHEMES =
  'basic|bearer|token|digest|apikey|api-key|bot|negotiate|ntlm|hawk|ssws|oauth|splunk|geniekey|snyk|key|aws4-hmac-sha256';
/** Between the name of a program and its option. */
const rest = (most: number): string => `\\b[^\\n|;]{0,${most}}?[ \\t]`;
const tick = '`';
const quote = '["\']?';
const word = '([^\\s"\'`;|&]{3,128})';

/** What a second factor is called, and the number that it shows. */
const second = 'authenticator|2fa|mfa|two[- ]factor|t?otp|one[- ]time|sms|text message';
const digits =
  '(?<![\\w.,:/#-])(\\d{3}[ -]?\\d{3,5}|\\d{4})(?![\\w%]|[.,:/-]\\d| (?:lines|ms|bytes|tests|files|times|users)\\b)';

/** `[programs, options that a password follows]`: `mysql -pSECRET`, `sshpass -p SECRET`. */
const OPTIONS: readonly (readonly [programs: string, options: string])[] = [
  ['mysql|mysqldump|mysqladmin|mysqlimport|mariadb(?:-\\w{1,10})?|7za?|rar|unrar', '-p'],
  [
    'mongo(?:sh|dump|restore|export|import)?|sshpass|smbclient|plink|pscp|zip|unzip|influx|sqlcmd|bcp|pg_basebackup',
    '-p[ =]?',
  ],
  [
    '(?:docker|podman|nerdctl|oc|az|buildah|skopeo|helm registry|heroku|cf|ibmcloud|crane auth)[ ]{1,2}login',
    '(?:-p|--password)[ =]',
  ],
  ['redis-cli', '(?:-a|--pass)[ =]'],
  ['ldap\\w{1,10}', '-w[ =]?'],
  ['gpg2?|borg|restic|age', '--passphrase[ =]'],
  ['openssl', '(?:-k[ ]|-pass(?:in|out)?[ ]pass:)'],
  ['x?freerdp|rdesktop|mstsc', '(?:/p:|-p[ ]?)'],
  ['net[ ]use', '/user:\\S{1,64}[ ]'],
  ['htpasswd', '-\\w{0,3}b\\w{0,3}[ ]\\S{1,80}[ ]\\S{1,64}[ ]'],
  ['wget|aria2c|lftp|svn|hg|subversion', '--(?:http-|ftp-|proxy-)?passw(?:or)?d[ =]'],
];

/** `kind  check  pattern`; a command with a password in its options comes first. */
const TABLE = String.raw`
password  option  \bcurl${rest(300)}(?:-u|--user|--proxy-user)[ =]{0,2}${quote}[^\s:"']{1,64}:${word}
password  option  \b(?:https?|xh)${rest(120)}(?:-a|--auth)[ =]{1,2}${quote}[^\s:"']{1,64}:${word}
password  option  \b(?:smbclient|smbget|rpcclient|mount\.cifs|crackmapexec)${rest(200)}(?:-u|--user)[ =]{0,2}${quote}[^\s%"']{1,64}%${word}
password  option  \b(?:echo|printf)[ ]{1,3}(?:-\w{1,2}[ ]|'%s(?:\\n)?'[ ])?${quote}(?:[\w.-]{1,64}:)?([^\s"'|]{3,128})(?=["']?[ ]{0,3}\|[ ]{0,3}(?:sudo[ ]-\w{0,3}s\b|[^\n|]{0,120}(?:--password-stdin|--with-token|--stdin\b|--passphrase-fd|chpasswd|kinit|cryptsetup)))
password  option  \bchpasswd[^\n]{0,20}<<<[ ]?${quote}[\w.-]{1,64}:${word}
password  option  (?:password|passphrase)[^\n]{0,40}\bsend[ ](?:--[ ])?["']?([^\s"'\\\n]{3,128})(?=\\[rn])
password  option  \b(?:identified[ ](?:with[ ]\w{1,40}[ ])?by|(?:with|encrypted)[ ]password|password)[ ]{1,2}["']([^"'\s]{3,128})(?=["'])
password  mixed  (?:\.login|\bauth|basic_?auth|credentials?|authenticate|sign_?in|\.connect)[ ]?[=(:][ ]?\(?[ ]?["'][^"'\n]{1,64}["'],[ ]?["']([^"'\n]{4,128})(?=["'])
password  any  (?<=[\w.*-]):(?:\d{4,5}|\*):[\w*-]{1,63}:[\w*.-]{1,63}:([^\s:]{4,128})(?![^\s"'])
password  mixed  (?<![\w-])pass[ ]?[:=][ ]?["']([^"'\s]{3,128})(?=["'])
password  option  ["']pass["'][ ]?[:=][ ]?["']([^"'\n]{3,128})(?=["'])
password  mixed  \b(?:user|username|login)[ ]${quote}[\w.@+-]{2,64}["']?[,;]?[ ](?:and[ ])?pass[ ]${quote}${word}
password  option  \b(?:user|username|login)[ ]?[:=][ ]?${quote}[\w.@+-]{2,64}["']?[,;]?[ ](?:and[ ])?pass[ ]?[:=][ ]?${quote}${word}
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
web token  any  (?<![\w-])eyj[\w-]{8,4096}(?:\.[\w-]{4,8192}){1,4}
authorization  mixed  authorization["'\]]{0,2}\s{0,4}[:=,]\s{0,4}["'${tick}]{0,1}(?:${HEADER_SCHEMES})[ \t]{1,4}([^\r\n"'${tick}]{4,4096})
authorization  mixed  (?<![a-z])bearer[ \t]{1,4}["']?([a-z0-9._~+/=-]{8,4096})
authorization  basic  (?<![a-z])basic[ \t]{1,4}["']?([a-z0-9+/_-]{8,1024}={0,2})
cookie  any  (?:set-)?cookie["'\]]{0,2}\s{0,3}[:=,]\s{0,3}["']?([^\s=;,"']{1,64}=[^\r\n"]{2,4096})
cookie  any  --cookie[ =]["']?([^\s=;"']{1,64}=[^\r\n"']{2,4096})
password in a URL  any  (?<=[a-z0-9]):\/\/[^\s\/:"'<>]{0,128}:([^\s\/"'<>]{1,256})(?=@[\w[.-])
password in a URL  any  (?:${STORES})(?:\+\w{1,16})?:\/\/[^\s\/:"'<>]{0,128}:([^\s"'<>]{1,256})(?=@[\w[.(-])
token in a URL  mixed  (?<=[a-z0-9]):\/\/([\w-]{16,256})(?=(?::x-oauth-basic|:)?@)
signed URL  any  [?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|access_token|refresh_token|id_token|auth_token|token|api_?key|client_secret|secret|password|passwd|pwd|pass|otp|hmac|jwt)=([^\s&#?"'<>)\]]{4,4096})
token in a URL  mixed  [?&](?:key|code|auth|session|sid|state|st|t|k|hash|invite|ticket|appid|subscription-key)=([^\s&#?"'<>)\]]{16,4096})
Slack webhook  any  hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/-]{20,200}
Discord webhook  any  discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{5,25}\/[\w-]{20,120}
Teams webhook  any  (?:webhook|outlook)\.office\.com\/webhook(?:b2)?\/([\w@/-]{20,300})
Zapier webhook  any  hooks\.zapier\.com\/hooks\/catch\/([\w/]{8,60})
IFTTT key  any  \/with\/key\/([\w-]{16,80})
health check key  any  hc-ping\.com\/(${uuid})
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

export const SHAPES: readonly ShapeRule[] = [
  ...OPTIONS.map(
    ([programs, options]): ShapeRule => [
      'password',
      `\\b(?:${programs})${rest(200)}${options}${quote}${word}`,
      'option',
    ],
  ),
  ...TABLE.trim()
    .split('\n')
    .map((row): ShapeRule => {
      const [, kind = '', check = '', pattern = ''] = /^(.+?) {2}(\w+) {2}(.+)$/.exec(row) ?? [];
      return [kind, pattern, check as Check];
    }),
];
