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
  /** Whether it reads HTTPS, by certificates of its CA. */
  readonly hasCa: boolean;
  /** Where the API is: "http://127.0.0.1:8080". */
  readonly api: string;
}

const CA_FILE = 'gateway-ca.pem';
const KEY = '$SWITCHYARD_API_KEY';

/** The environment supplies the key, as on the command line. */
export function clientLines({ server, user, hasCa, api }: GatewayClient): readonly ClientLines[] {
  const { protocol, host } = new URL(server);
  const proxy = `"${protocol}//${user}:${KEY}@${host}"`;
  const variables = `HTTP_PROXY=${proxy} HTTPS_PROXY=${proxy}`;
  const trusts = (names: readonly string[]): string =>
    hasCa ? names.map((name) => ` ${name}=${CA_FILE}`).join('') : '';
  const session = user === 'key' ? '' : ` --session ${user}`;
  return [
    {
      client: 'Chrome, Chromium and Edge',
      text: `switchyard browser https://example.com --server ${shellWord(api)}${session}`,
      note: 'Opens a window with a profile of its own, which trusts the gateway and asks for no password. In a clone: node dist/cli.js browser.',
    },
    {
      client: 'curl',
      text: `curl -x ${shellWord(server)} -U "${user}:${KEY}"${hasCa ? ` --cacert ${CA_FILE}` : ''} https://api.example.com/`,
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
  ];
}
