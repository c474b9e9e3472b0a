/**
 * Secrets that are known by their shape or by what stands around them, as data: `scan.ts` compiles a row on
 * first use, when its hint occurs. Every quantifier is bounded, as in `prefixes.ts`.
 */

const uuid = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}';

/** How the found text must look to count. `basic`: base64 of `name:secret`. */
export type Check = 'any' | 'mixed' | 'basic';

/**
 * `[kind, hints, pattern, check]`. The text is searched in lower case. One of the hints, set apart by `|`, must
 * occur before the pattern is compiled; `…` in a hint stands for anything between. The secret is the first group
 * if there is one, and the match ends with it.
 */
export type ShapeRule = readonly [kind: string, hints: string, pattern: string, check: Check];

const STORES =
  'postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|kafka|nats|mqtts?|' +
  'smtps?|ftps?|sftp|ldaps?|imaps?|pop3s?|ssh|rtsp|socks5h?|neo4j|bolt|couchbases?|cassandra|influxdb|elasticsearch|cloudinary|vnc|rdp|smb';
const HEADER_SCHEMES =
  'basic|bearer|token|digest|apikey|api-key|bot|negotiate|ntlm|hawk|ssws|oauth|splunk|geniekey|snyk|key|aws4-hmac-sha256';

export const SHAPES: readonly ShapeRule[] = [
  ['Fly token', 'flyv1', 'flyv1 f[mo]\\d_[a-z0-9+/=,_-]{30,2000}', 'any'],
  ['web token', 'eyj', '(?<![\\w-])eyj[\\w-]{8,4096}(?:\\.[\\w-]{4,8192}){1,4}', 'any'],
  [
    'authorization',
    'authorization',
    `authorization["'\\]]{0,2}\\s{0,4}[:=,]\\s{0,4}["'\`]{0,1}(?:${HEADER_SCHEMES})[ \\t]{1,4}([^\\r\\n"'\`]{4,4096})`,
    'mixed',
  ],
  ['authorization', 'bearer', '(?<![a-z])bearer[ \\t]{1,4}["\']?([a-z0-9._~+/=-]{8,4096})', 'mixed'],
  ['authorization', 'basic', '(?<![a-z])basic[ \\t]{1,4}["\']?([a-z0-9+/_-]{8,1024}={0,2})', 'basic'],
  [
    'cookie',
    'cookie…=',
    '(?:set-)?cookie["\'\\]]{0,2}\\s{0,3}[:=,]\\s{0,3}["\']?([^\\s=;,"\']{1,64}=[^\\r\\n"]{2,4096})',
    'any',
  ],
  ['cookie', '--cookie…=', '--cookie[ =]["\']?([^\\s=;"\']{1,64}=[^\\r\\n"\']{2,4096})', 'any'],
  [
    'password in a URL',
    '://…:…@',
    '(?<=[a-z0-9]):\\/\\/[^\\s\\/:"\'<>]{0,128}:([^\\s\\/"\'<>]{1,256})(?=@[\\w[.-])',
    'any',
  ],
  [
    'password in a URL',
    '://…:…@',
    `(?<=(?:${STORES})(?:\\+\\w{1,16})?):\\/\\/[^\\s\\/:"'<>]{0,128}:([^\\s"'<>]{1,256})(?=@[\\w[.(-])`,
    'any',
  ],
  ['token in a URL', '://…@', '(?<=[a-z0-9]):\\/\\/([\\w-]{16,256})(?=(?::x-oauth-basic|:)?@)', 'mixed'],
  [
    'signed URL',
    '?…=|&…=|;…=',
    '[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|access_token|refresh_token|id_token|auth_token|token|api_?key|client_secret|secret|password|passwd|pwd|pass|otp|hmac|jwt)=([^\\s&#?"\'<>)\\]]{4,4096})',
    'any',
  ],
  [
    'token in a URL',
    '?…=|&…=',
    '[?&](?:key|code|auth|session|sid|state|st|t|k|hash|invite|ticket|appid|subscription-key)=([^\\s&#?"\'<>)\\]]{16,4096})',
    'mixed',
  ],
  [
    'Slack webhook',
    'slack.com/',
    'hooks\\.slack\\.com\\/(?:services|workflows|triggers)\\/[\\w/-]{20,200}',
    'any',
  ],
  [
    'Discord webhook',
    '/webhooks/',
    'discord(?:app)?\\.com\\/api\\/(?:v\\d{1,2}\\/)?webhooks\\/\\d{5,25}\\/[\\w-]{20,120}',
    'any',
  ],
  ['Teams webhook', 'webhookb2', 'webhook\\.office\\.com\\/webhookb2\\/([\\w@/-]{20,300})', 'any'],
  ['Zapier webhook', 'hooks.zapier', 'hooks\\.zapier\\.com\\/hooks\\/catch\\/([\\w/]{8,60})', 'any'],
  ['IFTTT key', '/with/key/', '\\/with\\/key\\/([\\w-]{16,80})', 'any'],
  ['health check key', 'hc-ping', `hc-ping\\.com\\/(${uuid})`, 'any'],
  ['Telegram token', ':aa', '(?<!\\d)\\d{8,10}:aa[\\w-]{32,36}', 'any'],
  ['Discord token', '.….', '(?<![\\w.-])[mno][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}(?![\\w.-])', 'mixed'],
  ['Mailchimp key', '-us', '(?<![a-z0-9])[a-f0-9]{32}-us\\d{1,2}(?!\\w)', 'any'],
  ['Terraform token', '.atlasv1.', '(?<![a-z0-9])[a-z0-9]{14}\\.atlasv1\\.[\\w-]{50,80}', 'any'],
  [
    'Asana token',
    '0/…:|1/…:|2/…:',
    '(?<=(?<![\\w/.])[012])\\/\\d{16}(?:\\/\\d{16})?:[a-f0-9]{32}(?!\\w)',
    'any',
  ],
  ['Firebase key', ':apa91b', 'aaaa[\\w-]{7}:apa91b[\\w-]{100,200}', 'any'],
  ['Azure secret', 'q~', '(?<![\\w~.-])[\\w~.-]{3}\\dq~[\\w~.-]{31,34}(?![\\w~-])', 'any'],
  [
    '1Password secret key',
    'a3-',
    '(?<!\\w)a3-[a-z0-9]{6}-(?:[a-z0-9]{11}|[a-z0-9]{6}-[a-z0-9]{5})-[a-z0-9]{5}-[a-z0-9]{5}-[a-z0-9]{5}(?!\\w)',
    'any',
  ],
  [
    'AWS secret key',
    'akia|asia',
    '(?:akia|asia)[a-z2-7]{16}[^]{1,80}?(?<![a-z0-9/+=])([a-z0-9/+]{40})(?![a-z0-9/+=])',
    'mixed',
  ],
  [
    'password hash',
    '$…$',
    '\\$(?:2[abxy]|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\\d{1,3})?|[1567y]|apr1|p|h)\\$[\\w./+=,$-]{20,256}',
    'any',
  ],
  ['password', 'login…password', 'login\\s{1,8}\\S{1,64}\\s{1,8}password\\s{1,8}(\\S{1,128})', 'any'],
  [
    'password',
    'curl…-u…:',
    '(?<=\\bcurl\\b[^\\n]{0,300}\\s(?:-u|--user|--proxy-user))[ =]{0,2}["\']?[^\\s:"\']{1,64}:([^\\s"\']{1,128})',
    'any',
  ],
  [
    'password',
    'wget…-password',
    '(?<=\\bwget\\b[^\\n]{0,300}\\s--(?:http|ftp|proxy)-password)[ =]{1,2}["\']?([^\\s"\']{1,128})',
    'any',
  ],
  [
    'password',
    'mysql…-p|mariadb…-p|mongo…-p|sshpass…-p|login…-p|smbclient…-p|plink…-p|zip…-p|7z…-p',
    '(?<=\\b(?:mysql|mysqldump|mysqladmin|mariadb|mongosh?|mongodump|sshpass|docker login|podman login|smbclient|plink|unzip|zip|7z)\\b[^\\n]{0,120}\\s)-p[ =]?["\']?([^\\s"\'-][^\\s"\']{2,128})',
    'any',
  ],
  [
    'password',
    'redis-cli…-a',
    '(?<=\\bredis-cli\\b[^\\n]{0,120}\\s)-a[ =]?["\']?([^\\s"\'-][^\\s"\']{2,128})',
    'any',
  ],
  [
    'password',
    ':…:…:…:',
    '(?<=[\\w.*-]):(?:\\d{4,5}|\\*):[\\w*-]{1,63}:[\\w*.-]{1,63}:([^\\s:]{4,128})(?![^\\s"\'])',
    'any',
  ],
  [
    'password',
    'login:|login=|logon:|logon=',
    '(?:login|logon)[:=][ ]?["\'`]?[\\w.@+-]{2,64}["\'`]?[ ]?[/:|][ ]?["\'`]?([^\\s"\'`]{5,128})',
    'mixed',
  ],
  [
    'password',
    ' in with | in as ',
    '(?:log|sign)(?:ged|ging|ed|ing)? in (?:with|as) ["\'`]?[\\w.@+-]{2,64}["\'`]?[ ]?[/:|][ ]?["\'`]?([^\\s"\'`]{5,128})',
    'mixed',
  ],
  ['wifi password', 'wifi:…p:', 'wifi:[^\\n]{0,100}?p:((?:\\\\.|[^;\\n\\\\]){4,128})', 'any'],
  ['private key', '"kty"', '"(?:d|p|q|dp|dq|qi|k)"\\s{0,3}:\\s{0,3}"([\\w-]{20,2048})', 'any'],
  [
    'private key',
    'private-lines',
    'private-lines: \\d{1,3}\\r?\\n((?:[a-z0-9+/=]{4,80}\\r?\\n?){1,200})',
    'any',
  ],
  [
    'recovery codes',
    'recovery code|backup code|emergency code|scratch code',
    '(?:recovery|backup|emergency|scratch) codes?[^\\n]{0,24}[:\\n]\\s{0,8}((?:[-*\\d.) ]{0,6}[a-z0-9]{4,8}-[a-z0-9]{4,8}[\\s,;]{0,4}){1,20})',
    'any',
  ],
  [
    'seed phrase',
    'seed|mnemonic|phrase|words',
    '(?:seed|recovery|mnemonic|secret)(?: recovery)?(?:[ _-]?phrase|[ _-]?words)?["\']?\\s{0,3}(?:is|:|=)\\s{0,6}["\']?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})',
    'any',
  ],
];
