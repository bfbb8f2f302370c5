/** A recorded request as a curl command that sends it again. Pure. */
import type { RequestRecord } from '../../client/shapes.ts';
import { bytesOf, toBase64 } from '../parts/body-text.ts';
import { isText, linesWord, shellWord } from '../state/shell-word.ts';
import { targetOf } from '../parts/words.ts';

/** Set by curl itself, for the connection that it opens. */
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
 * @param base The address of the mock, without "/" at its end.
 * @returns One line. A body that no command line can hold is decoded from base64.
 */
export function curlOf(request: RequestRecord, base: string): string {
  const { method, body, bodyEncoding } = request;
  const headers = headersOf(request);
  const isTyped = bodyEncoding === undefined && isText(body);
  const words = [
    ...(isTyped
      ? []
      : ['printf %s', shellWord(bodyEncoding === undefined ? toBase64(bytesOf(body)) : body), '| base64 -d |']),
    // --globoff and --path-as-is: brackets and dots are sent as they were received.
    'curl --globoff --path-as-is',
    // A HEAD by -X would wait for a body.
    ...(method === 'HEAD' ? ['-I'] : method === 'GET' && body === '' ? [] : ['-X', shellWord(method)]),
    shellWord(`${base}${targetOf(request)}`),
    ...headers.filter(({ name }) => !OF_THE_CONNECTION.has(name)).map((line) => `-H ${shellWord(headerText(line))}`),
    ...(body === '' ? [] : isTyped ? [`--data-raw ${linesWord(body)}`] : ['--data-binary @-']),
    // curl would name a type of its own.
    ...(body !== '' && !headers.some(({ name }) => name === 'content-type') ? ["-H 'content-type:'"] : []),
  ];
  return words.join(' ');
}

/** A session is named by header, however it was named. */
function headersOf({ headers, session }: RequestRecord): RequestRecord['headers'] {
  if (session === undefined || headers.some(({ name }) => name === SESSION_HEADER)) return headers;
  return [...headers, { name: SESSION_HEADER, value: session }];
}

/** An empty value is a `;` to curl; with `:` the header is left out. */
const headerText = ({ name, value }: { readonly name: string; readonly value: string }): string =>
  value === '' ? `${name};` : `${name}: ${value}`;
