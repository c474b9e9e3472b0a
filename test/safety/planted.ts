/**
 * Secrets to plant: every kind in the spelling its provider uses, everyday ways to write a password or a key,
 * and disguises. Nothing here is a secret: a `|` splits what a scanner would take for one, and the random part
 * is made when the test runs.
 */

/** A repeatable source of numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALPHABETS = new Map([
  ['A', LOWER + UPPER + DIGITS],
  ['L', LOWER + DIGITS],
  ['U', UPPER + DIGITS],
  ['H', `${DIGITS}abcdef`],
  ['W', `${LOWER + UPPER + DIGITS}_-`],
  ['D', DIGITS],
  ['B', `${LOWER + UPPER + DIGITS}+/`],
  ['X', `${UPPER}234567`],
  ['P', `${LOWER + UPPER + DIGITS}!@#$%^*_+=?.~-`],
]);

/** `{A36}` becomes 36 characters of alphabet A, `{uuid}` a UUID; `|` disappears. */
export function fill(template: string, random: () => number): string {
  return template
    .replaceAll('|', '')
    .replaceAll('{uuid}', '{H8}-{H4}-{H4}-{H4}-{H12}')
    .replace(/\{([A-Z])(\d+)\}/g, (_, name: string, count: string) => {
      const alphabet = ALPHABETS.get(name) ?? LOWER;
      let text = '';
      while (text.length < Number(count)) text += alphabet[Math.floor(random() * alphabet.length)] ?? '';
      // A random string of this length practically always has both; make it always.
      return Number(count) >= 6 && name !== 'D' && name !== 'X'
        ? `${name === 'U' ? 'A' : 'a'}7${text.slice(2)}`
        : text;
    });
}

/** Tokens that stand alone: `[kind, template]`. */
export const ALONE: readonly (readonly [string, string])[] = [
  ['Anthropic', 'sk-|ant-api03-{W93}AA'],
  ['Anthropic admin', 'sk-|ant-admin01-{W93}AA'],
  ['Anthropic OAuth', 'sk-|ant-oat01-{W80}'],
  ['OpenAI project', 'sk-|proj-{W74}T3BlbkFJ{W74}'],
  ['OpenAI legacy', 'sk-|{A20}T3BlbkFJ{A20}'],
  ['OpenAI service account', 'sk-|svcacct-{W74}T3BlbkFJ{W74}'],
  ['OpenAI admin', 'sk-|admin-{W58}T3BlbkFJ{W58}'],
  ['OpenRouter', 'sk-|or-v1-{H64}'],
  ['DeepSeek', 'sk-|{H32}'],
  ['Langfuse', 'sk-|lf-{uuid}'],
  ['ElevenLabs', 'sk|_{H48}'],
  ['Gemini', 'AI|za{W35}'],
  ['Google OAuth access', 'ya|29.{W60}'],
  ['Google OAuth secret', 'GOC|SPX-{W28}'],
  ['Google refresh', '1/|/0{W60}'],
  ['Hugging Face', 'h|f_{A34}'],
  ['Replicate', 'r|8_{A37}'],
  ['Groq', 'gs|k_{A52}'],
  ['xAI', 'x|ai-{A80}'],
  ['Perplexity', 'pp|lx-{A48}'],
  ['Fireworks', 'f|w_{A24}'],
  ['NVIDIA', 'nv|api-{W64}'],
  ['LangSmith', 'lsv|2_pt_{H32}_{H10}'],
  ['Pinecone', 'pc|sk_{A40}_{A20}'],
  ['Tavily', 'tv|ly-{A32}'],
  ['Firecrawl', 'f|c-{H32}'],
  ['Jina', 'ji|na_{A64}'],
  ['AWS Bedrock', 'AB|SK{B132}'],
  ['GitHub classic', 'gh|p_{A36}'],
  ['GitHub OAuth', 'gh|o_{A36}'],
  ['GitHub user', 'gh|u_{A36}'],
  ['GitHub server', 'gh|s_{A36}'],
  ['GitHub refresh', 'gh|r_{A76}'],
  ['GitHub fine-grained', 'github|_pat_{A22}_{A59}'],
  ['GitLab personal', 'gl|pat-{W20}'],
  ['GitLab deploy', 'gl|dt-{W20}'],
  ['GitLab runner', 'gl|rt-{W20}'],
  ['GitLab trigger', 'gl|ptt-{H40}'],
  ['GitLab CI', 'gl|cbt-64_{W20}'],
  ['GitLab runner registration', 'GR|1348941{W20}'],
  ['Bitbucket', 'AT|BB{A32}'],
  ['Atlassian', 'ATAT|T3xFfGF0{W160}={H8}'],
  ['npm', 'np|m_{A36}'],
  ['PyPI', 'py|pi-AgEIcHlwaS5vcmc{W150}'],
  ['RubyGems', 'ruby|gems_{H48}'],
  ['crates.io', 'ci|o{A32}'],
  ['NuGet', 'oy|2{L43}'],
  ['Clojars', 'CLO|JARS_{L60}'],
  ['Artifactory', 'AK|Cp{A69}'],
  ['Docker Hub', 'dckr|_pat_{W27}'],
  ['CircleCI', 'CCI|PAT_{A22}_{H40}'],
  ['Buildkite', 'bk|ua_{H40}'],
  ['SonarQube', 'sq|p_{H40}'],
  ['Sourcegraph', 'sg|p_{H16}_{H40}'],
  ['Postman', 'PM|AK-{H24}-{H34}'],
  ['Octopus', 'AP|I-{U26}'],
  ['AWS key id', 'AK|IA{X16}'],
  ['AWS temporary key id', 'AS|IA{X16}'],
  ['AWS session token', 'IQoJb3Jp|Z2lu{B300}=='],
  ['Alibaba', 'LT|AI{A20}'],
  ['Tencent', 'AK|ID{A32}'],
  ['Yandex', 'AQ|VN{W36}'],
  ['DigitalOcean', 'dop|_v1_{H64}'],
  ['DigitalOcean OAuth', 'doo|_v1_{H64}'],
  ['Heroku', 'HR|KU-{W60}'],
  ['Netlify', 'nf|p_{A36}'],
  ['Fly', 'Fly|V1 fm2_{B120}'],
  ['Render', 'rn|d_{A28}'],
  ['Supabase', 'sb|p_{H40}'],
  ['Supabase secret', 'sb_|secret_{W31}'],
  ['PlanetScale', 'psc|ale_tkn_{W43}'],
  ['PlanetScale password', 'psc|ale_pw_{W43}'],
  ['Neon', 'na|pi_{L64}'],
  ['Databricks', 'da|pi{H32}'],
  ['Tailscale', 'ts|key-auth-{A17}-{A32}'],
  ['Vault', 'hv|s.{W90}'],
  ['Vault batch', 'hv|b.{W130}'],
  ['Terraform Cloud', '{A14}.atlas|v1.{W64}'],
  ['Pulumi', 'pu|l-{H40}'],
  ['Doppler', 'dp|.pt.{A43}'],
  ['Age', 'AGE-SEC|RET-KEY-1{U58}'],
  ['Prefect', 'pn|u_{A36}'],
  ['OpenShift', 'sha|256~{W43}'],
  ['Grafana service account', 'gl|sa_{A32}_{H8}'],
  ['Grafana cloud', 'gl|c_{B60}'],
  ['Grafana legacy', 'ey|JrIjoi{A80}'],
  ['Sentry org', 'sn|trys_eyJpYXQiO{B80}_{B43}'],
  ['Sentry user', 'sn|tryu_{H64}'],
  ['New Relic', 'NR|AK-{U27}'],
  ['Honeycomb', 'hc|aik_{L58}'],
  ['Dynatrace', 'dt|0c01.{U24}.{U64}'],
  ['PostHog', 'ph|x_{A43}'],
  ['LaunchDarkly', 'sd|k-{uuid}'],
  ['Slack bot', 'xo|xb-{D12}-{D13}-{A24}'],
  ['Slack user', 'xo|xp-{D12}-{D12}-{D13}-{H32}'],
  ['Slack app', 'xa|pp-1-A{U10}-{D13}-{H64}'],
  ['Slack config', 'xo|xe.xoxp-1-{A160}'],
  ['Slack webhook', 'https://hooks.sl|ack.com/services/T{U10}/B{U10}/{A24}'],
  ['Discord bot', 'MT|{A24}.G{A5}.{W38}'],
  ['Discord webhook', 'https://discord.c|om/api/webhooks/{D18}/{W68}'],
  ['Teams webhook', 'https://acme.web|hook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{H32}/{uuid}'],
  ['Telegram bot', '{D9}:|AA{W33}'],
  ['SendGrid', 'S|G.{W22}.{W43}'],
  ['Mailgun', 'ke|y-{H32}'],
  ['Mailchimp', '{H32}-|us12'],
  ['Brevo', 'xk|eysib-{H64}-{A16}'],
  ['Resend', 're|_{A8}_{A24}'],
  ['Twilio key', 'S|K{H32}'],
  ['Stripe live', 'sk|_live_{A24}'],
  ['Stripe test', 'sk|_test_{A99}'],
  ['Stripe restricted', 'rk|_live_{A24}'],
  ['Stripe webhook', 'wh|sec_{A32}'],
  ['Shopify', 'shp|at_{H32}'],
  ['Shopify shared secret', 'shp|ss_{H32}'],
  ['Square', 'sq0|csp-{W43}'],
  ['Square access', 'EA|AA{W60}'],
  ['Facebook', 'EA|ACEdEose0cBA{A120}'],
  ['PayPal Braintree', 'access|_token$production$|{L16}$|{H32}'],
  ['Plaid', 'access-|sandbox-{uuid}'],
  ['Razorpay', 'rz|p_live_{A14}'],
  ['Flutterwave', 'FLW|SECK-{H32}-X'],
  ['EasyPost', 'EZ|AK{A54}'],
  ['Shippo', 'ship|po_live_{H40}'],
  ['Duffel', 'duf|fel_live_{W43}'],
  ['Twitter bearer', 'AAAAAAAAAAAA|AAAAAAAAAA{A60}%3D{A40}'],
  ['Notion', 'sec|ret_{A43}'],
  ['Notion new', 'nt|n_{A46}'],
  ['Linear', 'lin|_api_{A40}'],
  ['Airtable', 'pa|t{A14}.{H64}'],
  ['HubSpot', 'pat|-na1-{uuid}'],
  ['Figma', 'fi|gd_{W40}'],
  ['Dropbox', 's|l.{W130}'],
  ['Typeform', 'tf|p_{A44}_{A14}'],
  ['Contentful', 'CF|PAT-{W43}'],
  ['Mapbox', 'sk|.eyJ{W80}.{W22}'],
  ['Asana', '1/12|{D14}:{H32}'],
  ['Firebase messaging', 'AAAA{W7}|:APA91b{W134}'],
  ['Azure client secret', '{A3}8|Q~{W34}'],
  ['1Password service account', 'ops|_eyJ{W250}'],
  ['1Password secret key', 'A|3-{U6}-{U11}-{U5}-{U5}-{U5}'],
  ['JWT', 'ey|JhbGciOiJIUzI1NiJ9.eyJzdWIiOiI{A40}.{W43}'],
  ['JWT in a header', 'Authorization: Bearer ey|JhbGciOiJSUzI1NiJ9.eyJ{A60}.{W86}'],
  ['bcrypt', '$2b|$12$|{A53}'],
  ['argon2', '$argon2id|$v=19$m=65536,t=3,p=4$|{B22}$|{B43}'],
  ['shadow', '$6|$|{A16}$|{A86}'],
  ['RSA key in base64', 'LS0tLS1CRUdJTiB|SU0EgUFJJVkFURSBLRVk{B400}=='],
  ['PKCS 8 body', 'MIIEvQIBADANBgkq|hkiG9w0BAQEFAASC{B600}'],
  ['OpenSSH body', 'b3BlbnNzaC1r|ZXktdjEAAAAA{B300}'],
  ['EC body', 'MHcC|AQEE{B110}'],
  ['Nostr', 'ns|ec1{L58}'],
  ['Extended private key', 'xp|rv{A107}'],
];

/** Everyday ways to write one: `[kind, template, secret]`; `§` in the template is where the secret stands. */
export const TOLD: readonly (readonly [string, string, string])[] = [
  ['assignment', 'password = §', '{P14}'],
  ['no blanks', 'password=§', '{A12}'],
  ['capitals', 'PASSWORD: §', '{A12}'],
  ['plain word', 'Password: §', 'swordfish'],
  ['sentence', 'the password is §', '{A10}'],
  ['sentence, plain word', 'The password is §.', 'swordfish'],
  ['sentence with distance', 'the wifi password at the loft is §', '{A10}'],
  ['sentence backwards', '§ is the admin password', '{A10}'],
  ['changed', 'password changed to §', '{A10}'],
  ['bracketed', 'password (staging): §', '{A10}'],
  ['passphrase', 'passphrase: §', 'lantern orbit gravel teapot'],
  ['passphrase in quotes', 'passphrase: "§"', 'the lantern is on the table'],
  ['JSON', '{"user":"sam","password":"§"}', '{P16}'],
  ['JSON number', '{"password": §}', '8675309'],
  ['JSON in a string', '"{\\"password\\":\\"§\\"}"', '{A16}'],
  ['JSON camel case', '{"dbPassword": "§", "port": 5432}', '{A16}'],
  ['YAML', 'db:\n  password: §\n  port: 5432', '{A16}'],
  ['YAML quoted', "password: '§'", '{P16}'],
  ['YAML block', 'password: |\n  §', '{A16}'],
  ['YAML next line', 'password:\n    §', '{A16}'],
  ['Kubernetes secret', 'kind: Secret\ndata:\n  password: §', '{B24}=='],
  ['Kubernetes env', '- name: DB_PASSWORD\n  value: "§"', '{A16}'],
  ['TOML', 'password = "§"', '{P16}'],
  ['INI', 'db.password=§', '{A16}'],
  ['Java properties', 'spring.datasource.password=§', '{A16}'],
  ['shell', 'export DB_PASSWORD=§', '{A16}'],
  ['shell, quoted', "export DB_PASSWORD='§'", '{P16}'],
  ['dotenv', 'POSTGRES_PASSWORD=§', '{A16}'],
  ['PowerShell', '$env:DB_PASSWORD = "§"', '{A16}'],
  ['fish', 'set -x API_TOKEN §', '{A24}'],
  ['csh', 'setenv API_TOKEN §', '{A24}'],
  ['Dockerfile', 'ENV API_TOKEN §', '{A24}'],
  ['Windows', 'set DB_PASSWORD=§', '{A16}'],
  ['inline env', 'PGPASSWORD=§ psql -h db', '{A16}'],
  ['long option', 'tool --password § --user sam', '{A16}'],
  ['long option with =', 'tool --password=§', '{A16}'],
  ['token option', 'gh auth login --token §', '{A32}'],
  ['API key option', 'tool --api-key §', '{A32}'],
  ['curl user', 'curl -u sam:§ https://example.com', '{A16}'],
  ['curl header', 'curl -H "X-Api-Key: §" https://example.com', '{A32}'],
  ['curl bearer', "curl -H 'Authorization: Bearer §' https://example.com", '{A40}'],
  ['basic auth', 'Authorization: Basic §', 'c2FtOmh1bnRlcjItaHVudGVyMg=='],
  ['token scheme', 'Authorization: token §', '{H40}'],
  ['own header', 'X-Auth-Token: §', '{A32}'],
  ['mysql', 'mysql -u root -p§ shop', '{A16}'],
  ['sshpass', "sshpass -p '§' ssh host", '{A16}'],
  ['docker login', 'docker login -u sam -p § registry.example', '{A16}'],
  ['redis-cli', 'redis-cli -h cache -a § ping', '{A16}'],
  ['Python', 'connect(user="sam", password="§")', '{A16}'],
  ['Python dict', "{'user': 'sam', 'passwd': '§'}", '{A16}'],
  ['PHP', "'password' => '§',", '{A16}'],
  ['Ruby', 'password: "§",', '{A16}'],
  ['Go', 'Password: "§",', '{A16}'],
  ['Go assignment', 'dbPassword := "§"', '{A16}'],
  ['JavaScript', "const apiKey = '§';", '{A32}'],
  ['C#', 'public const string ApiKey = "§";', '{A32}'],
  ['Terraform', 'master_password = "§"', '{A16}'],
  ['setter', 'user.setPassword("§")', '{A16}'],
  ['builder', '.withApiKey("§")', '{A32}'],
  ['pair', 'headers.set("X-Api-Key", "§")', '{A32}'],
  ['index', 'config["password"] = "§"', '{A16}'],
  ['XML element', '<password>§</password>', '{A16}'],
  ['XML attribute', '<db user="sam" password="§"/>', '{A16}'],
  ['XML app setting', '<add key="ApiKey" value="§"/>', '{A32}'],
  ['HTML form', '<input name="password" value="§">', '{A16}'],
  ['Maven', '<server><password>§</password></server>', '{A16}'],
  ['netrc', 'machine api.example.com login sam password §', '{A16}'],
  ['pgpass', 'db.example.com:5432:shop:sam:§', '{A16}'],
  ['npmrc', '//registry.example/:_authToken=§', '{uuid}'],
  ['npmrc legacy', '_auth=§', '{B24}='],
  ['pip index', 'https://sam:§@pypi.example/simple', '{A16}'],
  ['git remote', 'https://§@git.example/sam/repo.git', '{A32}'],
  ['git remote with oauth', 'https://oauth2:§@git.example/sam/repo.git', '{A20}'],
  ['Postgres', 'postgres://sam:§@db:5432/shop', '{A16}'],
  ['Postgres, odd characters', 'postgresql://sam:§@db:5432/shop', 'p@ss/w:rd#{A6}'],
  ['MySQL', 'mysql://root:§@127.0.0.1/shop', '{A16}'],
  ['MongoDB', 'mongodb+srv://sam:§@cluster0.example.net/x', '{A16}'],
  ['Redis', 'redis://:§@cache:6379/0', '{A16}'],
  ['AMQP', 'amqp://guest:§@mq//', '{A16}'],
  ['SMTP', 'smtps://sam%40example.com:§@mail:465', '{A16}'],
  ['SQLAlchemy', 'postgresql+psycopg2://sam:§@db/x', '{A16}'],
  ['JDBC', 'jdbc:sqlserver://db;user=sam;password=§;encrypt=true', '{A16}'],
  ['ADO', 'Server=db;User Id=sam;Password=§;', '{A16}'],
  ['ODBC', 'DRIVER={x};UID=sam;PWD=§', '{A16}'],
  ['Azure storage', 'DefaultEndpointsProtocol=https;AccountName=x;AccountKey=§;', '{B86}=='],
  ['Azure SAS', 'https://x.blob.core.windows.net/c/b?sv=2024-11-04&se=2026-02-06&sig=§', '{A40}%3D'],
  ['Azure service bus', 'Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=§', '{B43}='],
  ['AWS secret', 'aws_secret_access_key = §', '{B40}'],
  ['AWS pair', 'AK|IAIOSFODNN7EXAMPLQ §', '{A40}'],
  ['AWS signed URL', 'https://x.s3.amazonaws.com/a?X-Amz-Expires=300&X-Amz-Signature=§', '{H64}'],
  ['GCP signed URL', 'https://storage.googleapis.com/x?X-Goog-Signature=§', '{H128}'],
  ['query key', 'https://api.example.com/v1?key=§&q=reef', '{A32}'],
  ['query token', 'https://example.com/?token=§', '{A20}'],
  ['query password', 'https://example.com/?user=sam&password=§', '{A10}'],
  ['fragment', 'https://example.com/cb#access_token=§&expires_in=3600', '{A40}'],
  ['encoded query', 'next=%2Flogin%3Fpassword%3D§', '{A12}'],
  ['form body', 'grant_type=password&username=sam&password=§', '{A12}'],
  ['cookie', 'Cookie: theme=dark; session=§', '{A32}'],
  ['set-cookie', 'Set-Cookie: sid=§; Path=/; HttpOnly', '{A32}'],
  ['session cookie', 'PHPSESSID=§', '{L26}'],
  ['Java session cookie', 'JSESSIONID=§', '{U32}'],
  ['Express session', 'connect.sid=s%3A§', '{A32}.{A43}'],
  ['CSRF', 'csrf_token: §', '{A32}'],
  ['client secret', '"client_secret": "§"', '{W32}'],
  ['client secret, plain word', 'CLIENT_SECRET=§', 'swordfish'],
  ['webhook secret', 'webhook secret: §', '{A32}'],
  ['JWT secret', 'JWT_SECRET=§', '{A32}'],
  ['signing key', 'SIGNING_KEY=§', '{H64}'],
  ['encryption key', 'encryption key: §', '{B43}='],
  ['secret key base', 'SECRET_KEY_BASE=§', '{H128}'],
  ['Django', "SECRET_KEY = 'django-insecure-§'", '{P40}'],
  ['master key', 'RAILS_MASTER_KEY=§', '{H32}'],
  ['Heroku', 'HEROKU_API_KEY=§', '{uuid}'],
  ['Datadog', 'DD_API_KEY=§', '{H32}'],
  ['Twilio', 'TWILIO_AUTH_TOKEN=§', '{H32}'],
  ['Algolia', 'algolia admin key: §', '{H32}'],
  ['Cloudflare', 'CLOUDFLARE_API_TOKEN=§', '{W40}'],
  ['Snyk', 'SNYK_TOKEN=§', '{uuid}'],
  ['Codecov', 'CODECOV_TOKEN="§"', '{uuid}'],
  ['Vault root', 'Initial Root Token: §', 's.{A24}'],
  ['Vault unseal', 'Unseal Key 1: §', '{B43}='],
  ['WireGuard', 'PrivateKey = §', '{B43}='],
  ['kubeconfig', 'users:\n- user:\n    token: §', '{A64}'],
  ['kubeconfig key', '    client-key-data: §', '{B200}=='],
  ['Docker config', '"auths": {"x": {"auth": "§"}}', '{B32}=='],
  ['Sentry DSN', 'https://§@o123.ingest.sentry.io/456', '{H32}'],
  ['chat', 'use this api key: §', '{A32}'],
  ['chat, no colon', 'my api key § please do not share', '{A32}'],
  ['chat, for', 'the API key for the weather thing is §', '{A24}'],
  ['chat, token', 'here is the token §', '{A32}'],
  ['chat, login', 'login: sam / §', '{A10}'],
  ['chat, sign in', 'you can sign in with sam@example.com / §', '{A10}'],
  ['chat, credentials', 'creds are admin:§', '{A10}'],
  ['chat, pw', 'pw: §', '{A8}'],
  ['chat, pwd', 'pwd is §', '{A8}'],
  ['table', '| password | § |', '{A12}'],
  ['list', '- **Password:** §', '{A12}'],
  ['code span', 'Password: `§`', '{P12}'],
  ['German', 'Passwort: §', '{A10}'],
  ['German sentence', 'das Passwort ist §', '{A10}'],
  ['French', 'mot de passe : §', '{A10}'],
  ['Spanish', 'contraseña: §', '{A10}'],
  ['Portuguese', 'senha: §', '{A10}'],
  ['Dutch', 'wachtwoord: §', '{A10}'],
  ['Swedish', 'lösenord: §', '{A10}'],
  ['Polish', 'hasło: §', '{A10}'],
  ['Russian', 'пароль: §', '{A10}'],
  ['Chinese', '密码：§', '{A10}'],
  ['Japanese', 'パスワード: §', '{A10}'],
  ['Korean', '비밀번호: §', '{A10}'],
  ['PIN', 'PIN: §', '4921'],
  ['PIN in a sentence', 'the pin is §', '492177'],
  ['one-time code', 'your verification code is §', '482913'],
  ['CVV', 'CVV: §', '913'],
  ['wifi QR', 'WIFI:T:WPA;S:loft;P:§;;', '{A12}'],
  ['otpauth', 'otpauth://totp/x?secret=§&issuer=x', '{X32}'],
  ['recovery codes', 'recovery codes: §', '{L5}-{L5}'],
  [
    'seed phrase',
    'seed phrase: §',
    'army van defense carry jealous true garbage claim echo media make crunch',
  ],
  ['JWK', '{"kty":"EC","crv":"P-256","d":"§"}', '{W43}'],
  ['card', 'card §', '4111 1111 1111 1111'],
  ['card without blanks', 'pay with §', '5555555555554444'],
  ['American Express', 'amex §', '3782 822463 10005'],
  ['IBAN', 'pay to §', 'DE89 3704 0044 0532 0130 00'],
  ['IBAN, British', 'iban: §', 'GB82WEST12345698765432'],
  ['PEM', '§', '-----BE|GIN RSA PRIVATE KEY-----\n{B64}\n{B64}\n{B40}==\n-----END RSA PRIVATE KEY-----'],
  [
    'PEM in JSON',
    '{"private_key": "§"}',
    '-----BE|GIN PRIVATE KEY-----\\n{B64}\\n{B64}\\n-----END PRIVATE KEY-----\\n',
  ],
  ['PEM without end', '§', '-----BE|GIN OPENSSH PRIVATE KEY-----\n{B64}\n{B64}'],
  ['PGP', '§', '-----BE|GIN PGP PRIVATE KEY BLOCK-----\n\n{B64}\n{B64}\n-----END PGP PRIVATE KEY BLOCK-----'],
  ['PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n§', '{B48}'],
];

/** Ways to write the same text so that a naive search misses it. */
export const DISGUISES: readonly (readonly [string, (secret: string) => string])[] = [
  ['zero-width space', (secret) => spread(secret, '\u200b')],
  ['zero-width joiner', (secret) => spread(secret, '\u200d')],
  ['soft hyphen', (secret) => spread(secret, '\u00ad')],
  ['word joiner', (secret) => spread(secret, '\u2060')],
  ['bidi controls', (secret) => spread(secret, '\u202c')],
  ['variation selector', (secret) => spread(secret, '\ufe0f')],
  ['bold in the middle', (secret) => spread(secret, '**')],
  ['code spans', (secret) => spread(secret, '`')],
  ['colour', (secret) => spread(secret, '\u001b[31m')],
  ['break hints', (secret) => spread(secret, '<wbr>')],
  ['HTML bold', (secret) => spread(secret, '</b><b>')],
  ['string concatenation', (secret) => spread(secret, '" + "')],
  ['broken over two lines', (secret) => wrap(secret, '\n')],
  ['broken and indented', (secret) => wrap(secret, '\n    ')],
  ['broken in a quote', (secret) => wrap(secret, '\n> ')],
  ['broken with a backslash', (secret) => wrap(secret, '\\\n')],
  ['backslashes', (secret) => secret.replace(/([_.~-])/g, '\\$1')],
  ['percent', (secret) => [...secret].map(percent).join('')],
  ['percent twice', (secret) => [...secret].map((char) => percent(char).replace('%', '%25')).join('')],
  ['percent for signs', (secret) => secret.replace(/[^A-Za-z0-9\n]/g, percent)],
  ['HTML entities', (secret) => [...secret].map((char) => `&#x${hex(char)};`).join('')],
  ['HTML decimal entities', (secret) => [...secret].map((char) => `&#${char.charCodeAt(0)};`).join('')],
  ['unicode escapes', (secret) => [...secret].map((char) => `\\u00${hex(char)}`).join('')],
  [
    'full width',
    (secret) => secret.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  ],
];

/** Inserts `what` twice, at a third and at two thirds. */
function spread(secret: string, what: string): string {
  const third = Math.max(1, Math.floor(secret.length / 3));
  return secret.slice(0, third) + what + secret.slice(third, 2 * third) + what + secret.slice(2 * third);
}

/** Breaks a long token where a narrow terminal would; anything else stays in one piece. */
function wrap(secret: string, lineEnd: string): string {
  if (secret.length < 30 || /\s/.test(secret)) return secret;
  const at = Math.floor(secret.length * 0.6);
  return secret.slice(0, at) + lineEnd + secret.slice(at);
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(2, '0');
}

function percent(char: string): string {
  return `%${hex(char).toUpperCase()}`;
}

/**
 * What is left of a secret in a text: the longest piece of it that can still be read there once disguises are
 * off, in characters. Pieces shorter than a third of the secret (six characters at least) do not count.
 */
export function survivor(secret: string, output: string): string | null {
  const bare = (text: string): string =>
    text
      .replace(
        /\u001b\[[0-9;]*m|<\/?(?:b|wbr)>|" \+ "|\ufe0f|[\u00ad\u200b-\u200f\u202a-\u202e\u2060*`\\]/g,
        '',
      )
      .replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
      .replace(/&#x([0-9a-f]{2});|u00([0-9a-f]{2})/gi, (_, a: string, b: string) =>
        String.fromCharCode(Number.parseInt(a ?? b, 16)),
      )
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      .replace(/[\uff01-\uff5e]/g, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfee0))
      .replace(/[*`\\\s]/g, '');
  const needle = bare(secret);
  const hay = bare(output);
  const size = Math.min(needle.length, Math.max(6, Math.ceil(needle.length / 3)));
  for (let at = 0; at + size <= needle.length; at++) {
    const piece = needle.slice(at, at + size);
    if (hay.includes(piece) && !/^-*(?:BEGIN|END)?[A-Z]*-*$/.test(piece)) return piece;
  }
  return null;
}
