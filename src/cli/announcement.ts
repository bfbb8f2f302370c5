/** What `switchyard serve` prints when it is ready: plain lines for a person and for scripts that wait for them. */
import { resolve } from 'node:path';
import { addressOf, mockUrl, originOf, type Config } from '../app/config.ts';
import { shownStore } from '../store/store-url.ts';
import type { Service } from '../app/start-service.ts';

/** @returns The line that it is ready, which is the last; before it the mocks of files, and on a first start the key and what to do with it. */
export function announcement(
  { host, mockUrlTemplate, data, store, tlsCert }: Config,
  {
    apiPort,
    mockPort,
    gatewayPort,
    wireMockPort,
    firstKey,
    fileMocks,
    hasConsole,
  }: Pick<Service, 'apiPort' | 'mockPort' | 'gatewayPort' | 'wireMockPort' | 'firstKey' | 'fileMocks' | 'hasConsole'>,
): string {
  const address = addressOf(host);
  const origin = originOf({ host, tlsCert }, apiPort);
  const api = `${origin}/v1`;
  const page = hasConsole ? `Paste it into the console, in a browser:\n\n  ${origin}/console\n\n` : '';
  // Someone who serves files came for mocks.
  const rule =
    fileMocks.length > 0
      ? ''
      : `${hasConsole ? 'Or create' : 'Create'} a rule with it:

  curl -X POST ${api}/rules -H 'x-api-key: ${firstKey}' -H 'content-type: application/json' \\
    -d '{"name":"To staging","ruleType":"Redirect","pairs":[{"source":{"key":"Url","operator":"Wildcard_Matches","value":"https://api.example.com/*"},"destinationType":"url","destination":"https://staging.example.com/$1"}]}'

`;
  const first =
    firstKey === undefined
      ? ''
      : `First start: created the owner "local" and its API key, which is shown only now:

  ${firstKey}

${page}${rule}`;
  const mocks = mockUrl(mockUrlTemplate, '<mock_id>', mockPort);
  // Behind a proxy the address of a mock does not show the mock port: scripts read it at the end of the line.
  const at = mocks.endsWith(`:${mockPort}`) ? '' : ` at ${address}:${mockPort}`;
  const served = fileMocks.map(
    ({ mockId, summary, isRenamed }) =>
      `${summary}, at ${mockUrl(mockUrlTemplate, mockId, mockPort)}\n${isRenamed ? renamed(mockId) : ''}`,
  );
  const asked = fileMocks.find(({ path }) => path !== undefined);
  const example =
    asked === undefined
      ? ''
      : `Try it:  curl ${originOf({ host, tlsCert }, mockPort)}/__mock/${asked.mockId}${asked.path}   (edit the file, and the mock follows)\n`;
  const place = store === undefined ? `data ${resolve(data)}` : `store ${shownStore(store)}`;
  const pages = `${hasConsole ? `console at ${origin}/console, ` : ''}docs at ${origin}/docs`;
  const gateway = gatewayPort === undefined ? '' : `gateway ${originOf({ host, tlsCert: undefined }, gatewayPort)}, `;
  const wireMock = wireMockPort === undefined ? '' : `WireMock ${originOf({ host, tlsCert }, wireMockPort)}, `;
  return `${first}${served.join('')}${example}Switchyard is ready: API ${api} (${pages}), ${place}, ${gateway}${wireMock}mocks ${mocks}${at}`;
}

function renamed(mockId: string): string {
  return `Its id "${mockId}" is the file's name without the characters that an id cannot have; --mock ID=PATH sets another\n`;
}
