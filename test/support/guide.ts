/**
 * A guide of `docs/`, or the README of an example, run as printed: its `sh` blocks in one shell, in one folder, against free ports.
 *
 * A block without a language that follows commands is what they print; `...` in it stands for any text. A server of a
 * guide (`sh start`) runs beside what follows; plain `npm start` is the server that the test has started already.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { freePort } from './free-port.ts';
import { Running } from './process.ts';
import { CLI, temporaryDirectory } from './server.ts';

const DOCS = resolve(import.meta.dirname, '../../docs');
const END = '@@@ end of block';

export interface Place {
  readonly key: string;
  readonly port: number;
  readonly mockPort: number;
}

export interface GuideRun {
  readonly stderr: string;
  readonly status: number | string;
  /** Of each block of commands that says what it prints. */
  readonly blocks: readonly { readonly commands: string; readonly printed: string; readonly expected: RegExp }[];
}

/**
 * @param name Relative to `docs`, without its extension.
 * @param server Stands for `npm start`; absent where the guide starts its own.
 * @param replaced Texts of the guide that are other ones here, such as the address of a database.
 * @param cwd Where it is run; an empty folder by default.
 */
export async function runGuide(
  name: string,
  server: Place | undefined,
  replaced: Readonly<Record<string, string>> = {},
  cwd = temporaryDirectory(),
): Promise<GuideRun> {
  const blocks = blocksOf(readFileSync(resolve(DOCS, `${name}.md`), 'utf8'));
  let place = server ?? { key: '', port: 0, mockPort: 0 };
  const texts: Record<string, string> = { '/var/lib/switchyard': 'data', ...replaced };
  const script = ['set -euo pipefail', `export SWITCHYARD_SERVER=http://127.0.0.1:${place.port}`];
  for (const { kind, text } of blocks) {
    let commands = withTexts(text, texts);
    if (kind === 'start' && (server === undefined || commands.trim() !== 'npm start')) {
      place = { key: '$KEY', port: await freePort(), mockPort: await freePort() };
      const [, host, internalPort] = /--internal-listen (\S+):(\d+)/.exec(commands) ?? [];
      if (host !== undefined) {
        texts[`${host}:${internalPort}`] = `127.0.0.1:${await freePort()}`;
        texts[`${host}:8080`] = `127.0.0.1:${place.port}`;
        texts[`${host}:8081`] = `127.0.0.1:${place.mockPort}`;
        commands = withTexts(commands, texts);
      }
      commands = beside(commands, place, texts['8082']);
    }
    if (kind !== 'start' || place !== server) script.push(here(commands, place));
    script.push(`echo '${END}'`);
  }
  const { stdout, stderr, status } = await new Running('bash', ['-c', script.join('\n')], { cwd }).ended;
  const printed = stdout.split(`${END}\n`);
  return {
    stderr: withoutProgress(stderr),
    status,
    blocks: blocks.flatMap(({ text, expected }, index) =>
      expected === undefined ? [] : [{ commands: text, printed: printed[index] ?? '', expected: asPattern(expected) }],
    ),
  };
}

interface Block {
  readonly kind: 'commands' | 'start';
  readonly text: string;
  readonly expected: string | undefined;
}

function blocksOf(guide: string): Block[] {
  const fences = [...guide.matchAll(/^```([a-z ]*)\n(.*?)^```$/gms)].map(([, info = '', text = '']) => ({
    info,
    text,
  }));
  return fences.flatMap(({ info, text }, index) => {
    if (info !== 'sh' && info !== 'sh start') return [];
    const next = fences[index + 1];
    return [{ kind: info === 'sh' ? 'commands' : 'start', text, expected: next?.info === '' ? next.text : undefined }];
  });
}

function withTexts(text: string, texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts).reduce((part, [from, to]) => part.replaceAll(from, to), text);
}

/** A server that runs until the shell ends; `$KEY` is a key of it from then on. In a group of its own: npx passes no signal on. */
function beside(commands: string, { port, mockPort }: Place, gatewayPort: string | undefined): string {
  const gateway = gatewayPort === undefined ? '' : ` --gateway-port ${gatewayPort}`;
  const command = commands.trim().replace(/^npm start(?: --)?/m, 'node dist/cli.js serve');
  return `: > server.log
set -m
${command} --port ${port} --mock-port ${mockPort}${gateway} > server.log 2>&1 &
set +m
SERVERS="\${SERVERS-} -$!"
trap 'kill -- $SERVERS && wait \${SERVERS//-/}' EXIT
until grep -q 'ready: API' server.log; do kill -0 $!; sleep 0.05; done
CREATE=$(sed -n 's/^To create an API key: //p' server.log)
# Pages that need no key may run a package that is not installed.
[ -z "$CREATE" ] || KEY=$(eval "$CREATE --role admin" 2> /dev/null || true)
export SWITCHYARD_SERVER=http://127.0.0.1:${port}
`;
}

function here(commands: string, { key, port, mockPort }: Place): string {
  return commands
    .replaceAll(/=sy_\.\.\.(?: +#.*)?$/gm, `=${key}`)
    .replaceAll('node dist/cli.js', `node ${CLI}`)
    .replaceAll(':8080', `:${port}`)
    .replaceAll(':8081', `:${mockPort}`);
}

function asPattern(expected: string): RegExp {
  const parts = expected.trim().split('...');
  return new RegExp(`^${parts.map((part) => escape(part)).join('[^]*?')}$`);
}

const escape = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Lines of progress come when a command takes long. */
export function withoutProgress(stderr: string): string {
  return stderr.replaceAll(/^(?:importing|copied|digested) .*\n/gm, '');
}
