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
const quote = '["\']?';
const word = '([^\\s"\'`;|&]{3,128})';

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

export const SHAPES: readonly ShapeRule[] = [
  ...OPTIONS.map(
    ([programs, options]): ShapeRule => [
      'password',
      `\\b(?:${programs})${rest(200)}${options}${quote}${word}`,
      'option',
    ],
  ),
  [
    'password',
    `\\bcurl${rest(300)}(?:-u|--user|--proxy-user)[ =]{0,2}${quote}[^\\s:"']{1,64}:${word}`,
    'option',
  ],
  ['password', `\\b(?:https?|xh)${rest(120)}(?:-a|--auth)[ =]{1,2}${quote}[^\\s:"']{1,64}:${word}`, 'option'],
  [
    'password',
    `\\b(?:smbclient|smbget|rpcclient|mount\\.cifs|crackmapexec)${rest(200)}(?:-u|--user)[ =]{0,2}${quote}[^\\s%"']{1,64}%${word}`,
    'option',
  ],
  // Text piped into a program that asks for a password.
  [
    'password',
    `\\b(?:echo|printf)[ ]{1,3}(?:-\\w{1,2}[ ]|'%s(?:\\\\n)?'[ ])?${quote}(?:[\\w.-]{1,64}:)?([^\\s"'|]{3,128})(?=["']?[ ]{0,3}\\|[ ]{0,3}(?:sudo[ ]-\\w{0,3}s\\b|[^\\n|]{0,120}(?:--password-stdin|--with-token|--stdin\\b|--passphrase-fd|chpasswd|kinit|cryptsetup)))`,
    'option',
  ],
  ['password', `\\bchpasswd[^\\n]{0,20}<<<[ ]?${quote}[\\w.-]{1,64}:${word}`, 'option'],
  [
    'password',
    `(?:password|passphrase)[^\\n]{0,40}\\bsend[ ](?:--[ ])?["']?([^\\s"'\\\\\\n]{3,128})(?=\\\\[rn])`,
    'option',
  ],
  [
    'password',
    `\\b(?:identified[ ](?:with[ ]\\w{1,40}[ ])?by|(?:with|encrypted)[ ]password|password)[ ]{1,2}["']([^"'\\s]{3,128})(?=["'])`,
    'option',
  ],
  [
    'password',
    `(?:\\.login|\\bauth|basic_?auth|credentials?|authenticate|sign_?in|\\.connect)[ ]?[=(:][ ]?\\(?[ ]?["'][^"'\\n]{1,64}["'],[ ]?["']([^"'\\n]{4,128})(?=["'])`,
    'mixed',
  ],
  [
    'password',
    '(?<=[\\w.*-]):(?:\\d{4,5}|\\*):[\\w*-]{1,63}:[\\w*.-]{1,63}:([^\\s:]{4,128})(?![^\\s"\'])',
    'any',
  ],
  ['password', `(?<![\\w-])pass[ ]?[:=][ ]?["']([^"'\\s]{3,128})(?=["'])`, 'mixed'],
  ['password', `["']pass["'][ ]?[:=][ ]?["']([^"'\\n]{3,128})(?=["'])`, 'option'],
  [
    'password',
    `\\b(?:user|username|login)[ ]${quote}[\\w.@+-]{2,64}["']?[,;]?[ ](?:and[ ])?pass[ ]${quote}${word}`,
    'mixed',
  ],
  [
    'session cookie',
    '\\b(?:phpsessid|jsessionid|asp\\.net_sessionid|connect\\.sid|laravel_session|ci_session|_[a-z]{2,30}_session)["\']?[=:]["\' ]{0,2}([\\w%.:+/-]{16,512})',
    'mixed',
  ],
  ['Fly token', 'flyv1 f[mo]\\d_[a-z0-9+/=,_-]{30,2000}', 'any'],
  ['web token', '(?<![\\w-])eyj[\\w-]{8,4096}(?:\\.[\\w-]{4,8192}){1,4}', 'any'],
  [
    'authorization',
    `authorization["'\\]]{0,2}\\s{0,4}[:=,]\\s{0,4}["'\`]{0,1}(?:${HEADER_SCHEMES})[ \\t]{1,4}([^\\r\\n"'\`]{4,4096})`,
    'mixed',
  ],
  ['authorization', '(?<![a-z])bearer[ \\t]{1,4}["\']?([a-z0-9._~+/=-]{8,4096})', 'mixed'],
  ['authorization', '(?<![a-z])basic[ \\t]{1,4}["\']?([a-z0-9+/_-]{8,1024}={0,2})', 'basic'],
  [
    'cookie',
    '(?:set-)?cookie["\'\\]]{0,2}\\s{0,3}[:=,]\\s{0,3}["\']?([^\\s=;,"\']{1,64}=[^\\r\\n"]{2,4096})',
    'any',
  ],
  ['cookie', '--cookie[ =]["\']?([^\\s=;"\']{1,64}=[^\\r\\n"\']{2,4096})', 'any'],
  [
    'password in a URL',
    '(?<=[a-z0-9]):\\/\\/[^\\s\\/:"\'<>]{0,128}:([^\\s\\/"\'<>]{1,256})(?=@[\\w[.-])',
    'any',
  ],
  [
    'password in a URL',
    `(?:${STORES})(?:\\+\\w{1,16})?:\\/\\/[^\\s\\/:"'<>]{0,128}:([^\\s"'<>]{1,256})(?=@[\\w[.(-])`,
    'any',
  ],
  ['token in a URL', '(?<=[a-z0-9]):\\/\\/([\\w-]{16,256})(?=(?::x-oauth-basic|:)?@)', 'mixed'],
  [
    'signed URL',
    '[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|access_token|refresh_token|id_token|auth_token|token|api_?key|client_secret|secret|password|passwd|pwd|pass|otp|hmac|jwt)=([^\\s&#?"\'<>)\\]]{4,4096})',
    'any',
  ],
  [
    'token in a URL',
    '[?&](?:key|code|auth|session|sid|state|st|t|k|hash|invite|ticket|appid|subscription-key)=([^\\s&#?"\'<>)\\]]{16,4096})',
    'mixed',
  ],
  ['Slack webhook', 'hooks\\.slack\\.com\\/(?:services|workflows|triggers)\\/[\\w/-]{20,200}', 'any'],
  [
    'Discord webhook',
    'discord(?:app)?\\.com\\/api\\/(?:v\\d{1,2}\\/)?webhooks\\/\\d{5,25}\\/[\\w-]{20,120}',
    'any',
  ],
  ['Teams webhook', '(?:webhook|outlook)\\.office\\.com\\/webhook(?:b2)?\\/([\\w@/-]{20,300})', 'any'],
  ['Zapier webhook', 'hooks\\.zapier\\.com\\/hooks\\/catch\\/([\\w/]{8,60})', 'any'],
  ['IFTTT key', '\\/with\\/key\\/([\\w-]{16,80})', 'any'],
  ['health check key', `hc-ping\\.com\\/(${uuid})`, 'any'],
  ['Telegram token', '(?<!\\d)\\d{8,16}:a[\\w-]{34}(?![\\w-])', 'any'],
  ['Facebook token', '(?<!\\d)\\d{15,16}[|%][\\w-]{27,40}(?![\\w-])', 'mixed'],
  ['MaxMind key', '(?<![a-z0-9])[a-z0-9]{6}_[a-z0-9]{29}_mmk(?!\\w)', 'any'],
  ['Discord token', '(?<![\\w.-])[mno][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}(?![\\w.-])', 'mixed'],
  ['Mailchimp key', '(?<![a-z0-9])[a-f0-9]{32}-us\\d{1,2}(?!\\w)', 'any'],
  ['Terraform token', '(?<![a-z0-9])[a-z0-9]{14}\\.atlasv1\\.[\\w=-]{50,80}', 'any'],
  ['Asana token', '(?<=(?<![\\w/.])[012])\\/\\d{16}(?:\\/\\d{16})?:[a-f0-9]{32}(?!\\w)', 'any'],
  ['Firebase key', 'aaaa[\\w-]{7}:apa91b[\\w-]{100,200}', 'any'],
  ['Azure secret', '(?<![\\w~.-])[\\w~.-]{3}\\dq~[\\w~.-]{31,34}(?![\\w~-])', 'any'],
  [
    '1Password secret key',
    '(?<!\\w)a3-[a-z0-9]{6}-(?:[a-z0-9]{11}|[a-z0-9]{6}-[a-z0-9]{5})-[a-z0-9]{5}-[a-z0-9]{5}-[a-z0-9]{5}(?!\\w)',
    'any',
  ],
  [
    'AWS secret key',
    '(?:akia|asia)[a-z2-7]{16}[^]{1,80}?(?<![a-z0-9/+=])([a-z0-9/+]{40})(?![a-z0-9/+=])',
    'mixed',
  ],
  [
    'password hash',
    '\\$(?:2[abxy]|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\\d{1,3})?|[1567y]|apr1|p|h)\\$[\\w./+=,$-]{20,256}',
    'any',
  ],
  ['password', 'login\\s{1,8}\\S{1,64}\\s{1,8}password\\s{1,8}(\\S{1,128})', 'any'],
  [
    'password',
    '(?:login|logon)[:=][ ]?["\'`]?[\\w.@+-]{2,64}["\'`]?[ ]?[/:|][ ]?["\'`]?([^\\s"\'`]{5,128})',
    'mixed',
  ],
  [
    'password',
    '(?:log|sign)(?:ged|ging|ed|ing)? in (?:with|as) ["\'`]?[\\w.@+-]{2,64}["\'`]?[ ]?[/:|][ ]?["\'`]?([^\\s"\'`]{5,128})',
    'mixed',
  ],
  ['wifi password', 'wifi:[^\\n]{0,100}?p:((?:\\\\.|[^;\\n\\\\]){4,128})', 'any'],
  ['private key', '"(?:d|p|q|dp|dq|qi|k)"\\s{0,3}:\\s{0,3}"([\\w-]{20,2048})', 'any'],
  ['private key', 'private-lines: \\d{1,3}\\r?\\n((?:[a-z0-9+/=]{4,80}\\r?\\n?){1,200})', 'any'],
  [
    'recovery codes',
    '(?:recovery|backup|emergency|scratch) codes?[^\\n]{0,24}[:\\n]\\s{0,8}((?:[-*\\d.) ]{0,6}[a-z0-9]{4,8}-[a-z0-9]{4,8}[\\s,;]{0,4}){1,20})',
    'any',
  ],
  [
    'seed phrase',
    '(?:seed|recovery|mnemonic|secret)(?: recovery)?(?:[ _-]?phrase|[ _-]?words)?["\']?\\s{0,3}(?:is|:|=)\\s{0,6}["\']?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})',
    'any',
  ],
];
