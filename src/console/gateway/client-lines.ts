/** Lines to copy for the clients of the gateway. Pure. */
import { shellWord } from '../../languages/shell-word.ts';

interface ClientLines {
  readonly client: string;
  readonly text: string;
  readonly note: string;
}

interface GatewayClient {
  /** The address of the gateway: "http://127.0.0.1:8082". */
  readonly server: string;
  /** "key", or the id of a session. */
  readonly user: string;
  /** The hash of the CA's public key; undefined without a CA. */
  readonly spki: string | undefined;
}

const CA_FILE = 'gateway-ca.pem';
const KEY = '$SWITCHYARD_API_KEY';

/** The environment supplies the key, as on the command line. */
export function clientLines({ server, user, spki }: GatewayClient): readonly ClientLines[] {
  const { protocol, host } = new URL(server);
  const proxy = `"${protocol}//${user}:${KEY}@${host}"`;
  const variables = `HTTP_PROXY=${proxy} HTTPS_PROXY=${proxy}`;
  const trusts = (names: readonly string[]): string =>
    spki === undefined ? '' : names.map((name) => ` ${name}=${CA_FILE}`).join('');
  return [
    {
      client: 'curl',
      text: `curl -x ${shellWord(server)} -U "${user}:${KEY}"${spki === undefined ? '' : ` --cacert ${CA_FILE}`} https://api.example.com/`,
      note: '',
    },
    {
      client: 'Node.js',
      text: `${variables} NODE_USE_ENV_PROXY=1${trusts(['NODE_EXTRA_CA_CERTS'])} node app.js`,
      note: 'Needs Node.js 22.21 or 24.5. Earlier versions need EnvHttpProxyAgent from undici.',
    },
    {
      client: 'Python',
      text: `${variables}${trusts(['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE'])} python app.py`,
      note: 'For urllib, requests and httpx.',
    },
    {
      client: 'Playwright',
      text: [
        'const browser = await chromium.launch({',
        `  proxy: { server: '${server}', username: '${user}', password: process.env.SWITCHYARD_API_KEY },`,
        '});',
        'const context = await browser.newContext({ ignoreHTTPSErrors: true });',
      ].join('\n'),
      note: 'Each context can have its own proxy.',
    },
    {
      client: 'Chromium',
      text: [
        'chromium --user-data-dir=/tmp/gateway-profile',
        `--proxy-server=${server} --proxy-bypass-list='<-loopback>'`,
        ...(spki === undefined ? [] : [`--ignore-certificate-errors-spki-list=${spki}`]),
      ].join(' '),
      note: `It prompts for a user (${user}) and a password (the key). The profile is separate, for tests.`,
    },
  ];
}
