/**
 * Words that indicate a secret next to them, as data. `value.ts` judges the value next to them:
 * - `password`: whatever is assigned to it is secret, even ordinary words
 * - `key`: a compound that always means a credential; what is assigned to it is secret unless it reads as
 *   prose
 * - `token`: a single word with everyday meanings; what is assigned to it must look like a credential
 * - `random`: a name with everyday meanings (`datadogKey`, `cacheKey`); what is assigned to it must be
 *   unmistakable
 * - `code`: a short number
 */
export type WordClass = 'password' | 'key' | 'token' | 'random' | 'code';

/** What a key, a secret or a token is of: `api key`, `client secret`, `access token`. */
const OWNERS =
  'api app application subscription secret access account shared storage master root encryption decryption signing ' +
  'session service role deploy license licence integration routing write admin auth unseal host hmac aes crypto cipher ' +
  'instrumentation publish server consumer developer sdk rest webhook partner ingest ingestion client private priv ssh ' +
  'tls jwt oauth cookie refresh bearer bot security registry csrf xsrf reset sas';

/**
 * `[class, kind, words]`, the words separated by commas. A blank in a word matches nothing, a blank, `_`, `-`
 * or `.`; `<` before a word means that it must not follow other letters, `_` that it must be the last part of
 * a compound name. Case does not matter.
 */
export const WORDS: readonly (readonly [group: WordClass, kind: string, words: string])[] = [
  [
    'password',
    'password',
    'password, passwd, passphrase, pass phrase, <passcode, <pwd, <passw, <psw, <pw, passwort, ' +
      'kennwort, losung, mot de passe, <mdp, contraseña, contrasena, clave de acceso, <senha, ' +
      'palavra passe, parola d, wachtwoord, lösenord, lösenordet, passord, passordet, adgangskode, ' +
      'adgangskoden, kodeord, kodeordet, salasana, <hasło, <haslo, <heslo, jelszó, <lozinka, <geslo, ' +
      '<parola, <parolă, <şifre, <sifre, пароль, пароля, парола, лозинка, κωδικός, סיסמה, סיסמא, ' +
      'كلمة المرور, كلمة السر, گذرواژه, पासवर्ड, পাসওয়ার্ড, kata sandi, mật khẩu, รหัสผ่าน, 密码, 密碼, ' +
      '口令, パスワード, 暗証番号, 비밀번호, 암호, _pass, sshpass, dbpass, userpass, storepass, keypass, <psk, <unlock code, <auth pass',
  ],
  [
    'key',
    'key',
    'apikey, api pass, secret access key, key base, client key data, access id secret, secret value, ' +
      'personal access token, <pat, <wif, magic link, connection string, ' +
      OWNERS.split(' ')
        .flatMap((owner) => ['key', 'secret', 'token'].map((what) => `${owner} ${what}`))
        .join(', '),
  ],
  ['token', 'secret', 'secret, secrets, <creds, credential, credentials'],
  [
    'token',
    'token',
    'token, <jwt, <sas, <authorization, <auth, <bearer, <salt, <pepper, authcookie, ' + 'session cookie',
  ],
  ['random', 'key', '_key, <key, _hmac, _sig'],
  [
    'code',
    'code',
    '<pin, <pin code, <otp, <otp code, <totp, <cvv, <cvc, one time code, one time password, ' +
      'verification code, security code, confirmation code, login code, sign in code, ' +
      'authentication code, auth code, 2fa code, mfa code, sms code, door code, gate code, ' +
      'alarm code, access code, <ssn, social security number',
  ],
];

/** Suffixes that make a name harmless, such as `token_limit`. In lower case. */
export const HARMLESS_SUFFIX =
  /redact|scan|detect|lint|count|limit|budget|length|len\b|size|max|min|name|file|path|dir|ref|type|field|policy|expir|ttl|hint|reset|url|uri|endpoint|age\b|list|usage|used|window|provider|manager|store|input|form|label|placeholder|prompt|attempt|changed|updated|created|valid|required|strength|rotat|iz|based|less|per|total|cost|rate|budget|version|status|scope|issuer|audience|algorithm|kind|mode|enabled|column|hash_?algo|\.(?:ts|js|mjs|py|md|go|rs|txt|ya?ml|json|toml|sh|rb|java|php|css|html)\b|\.(?:trim|slice|split|match|test|value|substring|replace|includes|startswith|tostring|map|filter|next|get)\b/;

/** Complete names of harmless things, whatever their last word: `cacheKey`, `publicKey`, `nextPageToken`. */
export const HARMLESS_NAME =
  /(?:^|[ _.-])(?:public|pub|primary|foreign|cache|partition|sort|object|row|index|lookup|dedup\w{0,10}|idempotency|translation|i18n|message|react|query|mutation|group|hash|shortcut|arrow|hot|page|next|prev\w{0,5}|continuation|cursor|cancel\w{0,6}|cancellation|design|theme|colou?r|css|syntax|special|eos|bos|pad|unk|stop|input|output|total|max|min|num|prompt|completion|reasoning|cached?|creation|candidates?|press|any|turn|skeleton|natural|composite|unique|join|grouping|range|event|item|node|dict|json|yaml|meta|metadata|label|sticky)[ _.-]?(?:keys?|tokens?)$/;

/** Function words: `password: in the safe`. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the my our your his her their its this that these those it they we you i he she me us them in on at of to for from ' +
    'with by via per as and or but if then than so no not none never only also is was are be been has have had do does did ' +
    'can may must should will would could where when who what how why which both all any each every still just already now'
  ).split(' '),
);

/** What is said about a password instead of the password itself; types and values in code. */
export const STATES: ReadonlySet<string> = new Set(
  (
    'see ask use uses using needs need set get gets got same lives live here there wrong right required optional missing ' +
    'incorrect correct invalid valid expired empty blank unknown hidden safe unsafe weak strong secret secure public private ' +
    'known fine ok okay good bad old new gone lost done todo tbd pending manager policy prompt field reset change changes ' +
    'rotate rotation update login users user please enter type joint either neither later today tomorrow yesterday again ' +
    'always string number boolean object bool str int integer bytes text varchar char null nil undefined true false yes ' +
    'auth oauth basic bearer digest kerberos ldap sso saml shared plain plaintext cleartext default defaults auto unset ' +
    'incoming outgoing unchanged falsch richtig vergessen abgelaufen faux oublié correcte expiré incorrecta incorrecto ' +
    'errada errado esquecida onjuist vergeten fel błędne неверный забыт 1password'
  ).split(' '),
);
