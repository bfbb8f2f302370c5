/** Messages that servers read differently: requests behind which another one hides, and answers of the same kind. */

/** What a hidden answer says: no client may get it as an answer of its own. */
export const EVIL = 'evil-answer';

interface Form {
  readonly what: string;
  /** Every character is one byte. */
  readonly bytes: string;
}

/**
 * @param url       Whole, as a proxy is asked for it.
 * @param hiddenUrl The same of the request that hides.
 * @param lines     Those that each request needs.
 */
export function smugglingRequests(url: string, hiddenUrl: string, lines: string): readonly Form[] {
  const [, host = ''] = /^http:\/\/([^/]+)/.exec(url) ?? [];
  const hidden = `GET ${hiddenUrl} HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`;
  const head = (more: string, method = 'POST', target = url, version = 'HTTP/1.1'): string =>
    `${method} ${target} ${version}\r\nHost: ${host}\r\n${lines}${more}`;
  const length = hidden.length.toString(16);
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const forms: Record<string, string> = {
    'a length, and a coding behind it': `${head(`Content-Length: 4\r\n${chunked}`)}\r\n0\r\n\r\n${hidden}`,
    'a coding, and a length behind it': `${head(`${chunked}Content-Length: 4\r\n`)}\r\n0\r\n\r\n${hidden}`,
    'two lengths': `${head(`Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n`)}\r\n${hidden}`,
    'two lengths in one line': `${head(`Content-Length: 0, ${hidden.length}\r\n`)}\r\n${hidden}`,
    'a length with a sign': `${head('Content-Length: +0\r\n')}\r\n${hidden}`,
    'a negative length': `${head('Content-Length: -1\r\n')}\r\n${hidden}`,
    'a length in another base': `${head('Content-Length: 0x0\r\n')}\r\n${hidden}`,
    'a length with a space within': `${head('Content-Length: 0 0\r\n')}\r\n${hidden}`,
    'an empty length': `${head('Content-Length: \r\n')}\r\n${hidden}`,
    'a length that is huge': `${head('Content-Length: 18446744073709551616\r\n')}\r\n${hidden}`,
    'a space before the colon of the length': `${head(`Content-Length : ${hidden.length}\r\n`)}\r\n${hidden}`,
    'a space before the colon of the coding': `${head('Transfer-Encoding : chunked\r\n')}\r\n0\r\n\r\n${hidden}`,
    'another coding': `${head('Transfer-Encoding: xchunked\r\n')}\r\n0\r\n\r\n${hidden}`,
    'chunked, which is not the last': `${head('Transfer-Encoding: chunked, identity\r\n')}\r\n0\r\n\r\n${hidden}`,
    'a coding twice': `${head(chunked + chunked)}\r\n0\r\n\r\n${hidden}`,
    'a coding in quotes': `${head('Transfer-Encoding: "chunked"\r\n')}\r\n0\r\n\r\n${hidden}`,
    'a coding behind a vertical tab': `${head('Transfer-Encoding: \x0bchunked\r\n')}\r\n0\r\n\r\n${hidden}`,
    'a coding in a folded line': `${head('Transfer-Encoding:\r\n chunked\r\n')}\r\n0\r\n\r\n${hidden}`,
    'a coding of HTTP/1.0': `${head(chunked, 'POST', url, 'HTTP/1.0')}\r\n0\r\n\r\n${hidden}`,
    'a chunk with a sign': `${head(chunked)}\r\n+0\r\n\r\n${hidden}`,
    'a chunk in another base': `${head(chunked)}\r\n0x0\r\n\r\n${hidden}`,
    'a chunk that overflows': `${head(chunked)}\r\n10000000000000000\r\n\r\n${hidden}`,
    'a chunk whose end is missing': `${head(chunked)}\r\n1\r\nab\r\n0\r\n\r\n${hidden}`,
    'a line feed alone behind a chunk size': `${head(chunked)}\r\n2;\nxx\r\n${length}\r\n${hidden}\r\n0\r\n\r\n`,
    'a line feed alone behind the last chunk': `${head(chunked)}\r\n0\n\n${hidden}`,
    'a length in the trailers': `${head(chunked)}\r\n0\r\nContent-Length: 9\r\n\r\n${hidden}`,
    'line feeds alone': `${head('X: 1\nContent-Length: 0\n\n').replaceAll('\r\n', '\n')}${hidden}`,
    'a carriage return alone in a value': `${head(`X: 1\rContent-Length: ${hidden.length}\r\n`)}\r\n${hidden}`,
    'a zero byte in a value': `${head(`X: 1\0\r\nContent-Length: 0\r\n`)}\r\n${hidden}`,
    'a zero byte in a name': `${head(`Content-Length\0: ${hidden.length}\r\n`)}\r\n${hidden}`,
    'a line without a name': `${head(`: x\r\nContent-Length: 0\r\n`)}\r\n${hidden}`,
    'a line without a colon': `${head(`Content-Length 0\r\n`)}\r\n${hidden}`,
    'a body of GET': `${head(`Content-Length: ${hidden.length}\r\n`, 'GET')}\r\n${hidden}`,
    'a body of GET in chunks': `${head(chunked, 'GET')}\r\n${length}\r\n${hidden}\r\n0\r\n\r\n`,
    'a body of HEAD': `${head(`Content-Length: ${hidden.length}\r\n`, 'HEAD')}\r\n${hidden}`,
    'an expectation': `${head(`Expect: 100-continue\r\nContent-Length: ${hidden.length}\r\n`)}\r\n${hidden}`,
    'lines that are named as those of the connection': `${head(`Connection: content-length\r\nContent-Length: ${hidden.length}\r\n`)}\r\n${hidden}`,
    'a line end in the target': `${head('', 'GET', `${url}%0d%0aContent-Length:%20${hidden.length}`)}\r\n`,
    'two hosts': `${head('Host: b.test\r\n', 'GET')}\r\n`,
    'a tab in the target': `${head('', 'GET', `${url}\thttp://b.test/`)}\r\n`,
    'an upgrade to HTTP/2': `${head('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n', 'GET')}\r\n`,
  };
  return Object.entries(forms).map(([what, bytes]) => ({ what, bytes }));
}

const HIDDEN_ANSWER = `HTTP/1.1 200 OK\r\nContent-Length: ${EVIL.length}\r\n\r\n${EVIL}`;

/** Answers to GET, behind each of which another one hides. */
export const SMUGGLING_ANSWERS: readonly Form[] = Object.entries({
  'more than its length': `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'two lengths': `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 200\r\n\r\nok${HIDDEN_ANSWER}`,
  'a length and a coding': `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n${HIDDEN_ANSWER}`,
  'a length with a sign': `HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok${HIDDEN_ANSWER}`,
  'a negative length': `HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok${HIDDEN_ANSWER}`,
  'lengths in one line': `HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'another coding': `HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n${HIDDEN_ANSWER}`,
  'a coding before chunked': `HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n${HIDDEN_ANSWER}`,
  'a coding twice': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n${HIDDEN_ANSWER}`,
  'a space before a colon': `HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'a folded line': `HTTP/1.1 200 OK\r\nX: 1\r\n Content-Length: 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'line feeds alone': `HTTP/1.1 200 OK\nContent-Length: 2\n\nok${HIDDEN_ANSWER}`,
  'a carriage return alone': `HTTP/1.1 200 OK\r\nX: 1\rContent-Length: 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'a zero byte': `HTTP/1.1 200 OK\r\nX: 1\0\r\nContent-Length: 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'a chunk with a sign': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+2\r\nok\r\n0\r\n\r\n${HIDDEN_ANSWER}`,
  'a chunk that is longer than it says': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n0\r\n\r\n${HIDDEN_ANSWER}`,
  'a 204 with a length': `HTTP/1.1 204 No Content\r\nContent-Length: ${HIDDEN_ANSWER.length}\r\n\r\n${HIDDEN_ANSWER}`,
  'a 304 with a body': `HTTP/1.1 304 Not Modified\r\nContent-Length: ${HIDDEN_ANSWER.length}\r\n\r\n${HIDDEN_ANSWER}`,
  'a 204 in chunks': `HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n${HIDDEN_ANSWER}`,
  'an interim answer, then two': `HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'a continue that nobody asked for': `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'another protocol': `HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n${HIDDEN_ANSWER}`,
  'another version': `HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'a status of two digits': `HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'a status of four digits': `HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok${HIDDEN_ANSWER}`,
  'no head': `${EVIL}\r\n\r\n${HIDDEN_ANSWER}`,
  'a length in the trailers': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nContent-Length: 9\r\n\r\n${HIDDEN_ANSWER}`,
}).map(([what, bytes]) => ({ what, bytes }));
