/** A recorded request as a curl command. Pure. */
import type { RequestRecord } from '../../client/shapes.ts';
import { bytesOf, toBase64 } from '../parts/body-text.ts';
import { isText, linesWord, shellWord } from '../../languages/shell-word.ts';
import { targetOf } from '../parts/words.ts';

/** Curl sets these for its own connection. */
const OF_THE_CONNECTION = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'accept-encoding',
  'expect',
]);

const SESSION_HEADER = 'x-mock-session';

/**
 * @param base The mock's address, without a trailing "/".
 * @returns One line. A body that does not fit a command line is decoded from base64.
 */
export function curlOf(request: RequestRecord, base: string): string {
  const { method, body, bodyEncoding } = request;
  const headers = sessionHeaders(request);
  const isTyped = bodyEncoding === undefined && isText(body);
  const words = [
    ...(isTyped
      ? []
      : ['printf %s', shellWord(bodyEncoding === undefined ? toBase64(bytesOf(body)) : body), '| base64 -d |']),
    // --globoff and --path-as-is keep brackets and dots as received.
    'curl --globoff --path-as-is',
    // With -X, curl would wait for a body of HEAD.
    ...(method === 'HEAD' ? ['-I'] : method === 'GET' && body === '' ? [] : ['-X', shellWord(method)]),
    shellWord(`${base}${targetOf(request)}`),
    ...headers.filter(({ name }) => !OF_THE_CONNECTION.has(name)).map((line) => `-H ${shellWord(headerText(line))}`),
    ...(body === '' ? [] : isTyped ? [`--data-raw ${linesWord(body)}`] : ['--data-binary @-']),
    // Curl would add its own type.
    ...(body !== '' && !headers.some(({ name }) => name === 'content-type') ? ["-H 'content-type:'"] : []),
  ];
  return words.join(' ');
}

/** Names the session by header, whichever way the request did. */
function sessionHeaders({ headers, session }: RequestRecord): RequestRecord['headers'] {
  if (session === undefined || headers.some(({ name }) => name === SESSION_HEADER)) return headers;
  return [...headers, { name: SESSION_HEADER, value: session }];
}

/** Curl writes an empty value as `;`; with `:` it omits the header. */
const headerText = ({ name, value }: { readonly name: string; readonly value: string }): string =>
  value === '' ? `${name};` : `${name}: ${value}`;
