/**
 * Prints the announcement of `switchyard serve` when it is ready. A person at a terminal gets at most eight lines, with the key of a first start and an
 * address that signs a browser in. A log or a script gets neither: a line for each file, and the ready line, which is the last.
 */
import { resolve } from 'node:path';
import { addressOf, gatewayOrigin, mockUrl, originOf, type Config } from '../app/config.ts';
import { BOOTSTRAP_HOLDER } from '../app/first-keys.ts';
import type { Service } from '../app/run-service.ts';
import { buildText, type Build } from '../base/own-build.ts';
import { CONSOLE_START_CODE_MS } from '../limits.ts';
import { STORE_FORMAT } from '../store/store-format.ts';
import { shownStore } from '../store/store-url.ts';
import { programName } from './environment.ts';
import { shellWord } from '../languages/shell-word.ts';

type Announced = Pick<
  Service,
  | 'apiPort'
  | 'mockPort'
  | 'gatewayPort'
  | 'wireMockPort'
  | 'httpsPort'
  | 'mtlsPort'
  | 'firstKey'
  | 'isFirstStart'
  | 'fileMocks'
  | 'hasConsole'
  | 'build'
>;

const LINES_MAX = 8;

/** For a stream that is not a terminal. */
export function announcement(config: Config, service: Announced): string {
  const { host, mockUrlTemplate, data, store } = config;
  const { apiPort, mockPort, gatewayPort, wireMockPort, httpsPort, fileMocks, isFirstStart, hasConsole, build } =
    service;
  const origin = originOf(config, apiPort);
  const isKeyless = isFirstStart && config.bootstrap && config.keyFile === undefined;
  const key = isKeyless ? `To create an API key: ${keysCreate(config)}\n` : '';
  const served = fileMocks.map(
    (mock) => `${servedFile(mock)}, at ${mockUrl(mockUrlTemplate, mock.mockId, mockPort)}\n`,
  );
  const request = requestOfFile(config, service);
  const example = request === undefined ? '' : `Try it:  ${request}   (edit the file, and the mock follows)\n`;
  const mocks = mockUrl(mockUrlTemplate, '<mock_id>', mockPort);
  // Behind a proxy the address of a mock does not show the mock port: scripts read it at the end of the line.
  const at = mocks.endsWith(`:${mockPort}`) ? '' : ` at ${addressOf(host)}:${mockPort}`;
  const place = store === undefined ? `data ${resolve(data)}` : `store ${shownStore(store)}`;
  const pages = `${hasConsole ? `console at ${origin}/console, ` : ''}docs at ${origin}/docs`;
  const gateway = gatewayPort === undefined ? '' : `gateway ${gatewayOrigin(config, gatewayPort)}, `;
  const wireMock = wireMockPort === undefined ? '' : `WireMock ${originOf(config, wireMockPort)}, `;
  const mtls =
    service.mtlsPort === undefined ? '' : `with client certificates ${httpsOrigin(config, service.mtlsPort)}, `;
  const https = httpsPort === undefined ? '' : `HTTPS ${httpsOrigin(config, httpsPort)}, ${mtls}`;
  return `${key}${served.join('')}${example}${readyWords(build)}: API ${origin}/v1 (${pages}), ${place}, ${gateway}${wireMock}${https}mocks ${mocks}${at}`;
}

/** @param signIn What follows the origin in an address that signs a browser in; undefined without the console. */
export function welcome(config: Config, service: Announced, signIn: string | undefined): string {
  const { apiPort, mockPort, gatewayPort, wireMockPort, httpsPort, firstKey, fileMocks, hasConsole, build } = service;
  const origin = originOf(config, apiPort);
  const before = [
    `${readyWords(build)}: API ${origin}/v1`,
    ...(signIn === undefined
      ? hasConsole
        ? [row('Console', `${origin}/console`)]
        : [row('Docs', `${origin}/docs`)]
      : [row('Console', `${origin}${signIn}`, `signs you in once, within ${CONSOLE_START_CODE_MS / 60_000} minutes`)]),
  ];
  const after = [
    ...(gatewayPort === undefined
      ? []
      : [
          row(
            'Gateway',
            gatewayOrigin(config, gatewayPort),
            `an HTTP proxy; a browser with it: ${programName()} browser`,
          ),
        ]),
    ...(wireMockPort === undefined ? [] : [row('WireMock', originOf(config, wireMockPort))]),
    ...(httpsPort === undefined
      ? []
      : [row('HTTPS', httpsOrigin(config, httpsPort), `clients must trust its CA: ${programName()} ca trust`)]),
    ...(service.mtlsPort === undefined
      ? []
      : [
          row(
            'mTLS',
            httpsOrigin(config, service.mtlsPort),
            `certificates of clients: ${programName()} ca client NAME FILE`,
          ),
        ]),
    ...(firstKey === undefined ? [] : [row('API key', firstKey, 'shown only now: the data has its digest')]),
    ...(config.keyFile === undefined ? [] : [row('API key', `in ${config.keyFile}`)]),
    row('Data', placeText(config), `another key: ${keysCreate(config)}`),
    row('Try', requestOfFile(config, service) ?? firstRequest(config, service)),
  ];
  return [...before, ...mockRows(config, mockPort, fileMocks, LINES_MAX - before.length - after.length), ...after].join(
    '\n',
  );
}

function httpsOrigin({ mockDomain }: Config, port: number): string {
  return mockUrl(`https://<mock_id>.${mockDomain}:<port>`, '<mock_id>', port);
}

function readyWords(build: Build): string {
  return `Switchyard ${buildText(build, STORE_FORMAT)} is ready`;
}

function row(label: string, text: string, note?: string): string {
  return `  ${label.padEnd(9)} ${text}${note === undefined ? '' : `   (${note})`}`;
}

/** @param rowsMax Further files are counted. */
function mockRows(
  { mockUrlTemplate }: Config,
  mockPort: number,
  fileMocks: Service['fileMocks'],
  rowsMax: number,
): string[] {
  if (fileMocks.length === 0) return [row('Mocks', mockUrl(mockUrlTemplate, '<mock_id>', mockPort))];
  const shown = fileMocks.length > rowsMax ? fileMocks.slice(0, Math.max(1, rowsMax - 1)) : fileMocks;
  const left = fileMocks.length - shown.length;
  return shown
    .map((mock) => row('Mock', mockUrl(mockUrlTemplate, mock.mockId, mockPort), servedFile(mock)))
    .concat(left === 0 ? [] : [row('', `and ${left} more`)]);
}

function servedFile({ summary, isRenamed, mockId }: Service['fileMocks'][number]): string {
  return isRenamed ? `${summary}; --mock ID=PATH sets another id than "${mockId}"` : summary;
}

function placeText({ data, store, isDataTemporary }: Config): string {
  if (store !== undefined) return shownStore(store);
  return isDataTemporary ? 'temporary' : resolve(data);
}

/** The command that creates a key for the data of this server. */
function keysCreate({ data, isDataGiven, store }: Config): string {
  const place =
    store === undefined
      ? isDataGiven
        ? ` --data ${shellWord(data)}`
        : ''
      : ` --store ${shellWord(shownStore(store))}`;
  const { ownerId, userId } = BOOTSTRAP_HOLDER;
  return `${programName()} keys create --owner ${ownerId} --user ${userId}${place}`;
}

/** @returns A request to the first mock of a file that has a route which a URL can be made for. */
function requestOfFile(config: Config, { fileMocks, mockPort }: Announced): string | undefined {
  const mock = fileMocks.find(({ path }) => path !== undefined);
  return mock && `${curl(config)} ${originOf(config, mockPort)}/__mock/${mock.mockId}${mock.path}`;
}

const HELLO = {
  id: 'hello',
  name: 'Hello',
  start: true,
  routes: [{ method: 'GET', path: '/', responses: [{ body: 'Hello!' }] }],
};

/** On a first start a request that makes a mock; later one that needs no key. */
function firstRequest(config: Config, { apiPort, firstKey }: Announced): string {
  const api = `${originOf(config, apiPort)}/v1`;
  if (firstKey === undefined) return `${curl(config)} ${api}/version`;
  return `${curl(config)} ${api}/mocks -H 'x-api-key: ${firstKey}' -H 'content-type: application/json' -d '${JSON.stringify(HELLO)}'`;
}

/** The certificate is for the name that clients use, not for the address of this machine. */
function curl({ tlsCert }: Config): string {
  return tlsCert === undefined ? 'curl' : 'curl -k';
}
