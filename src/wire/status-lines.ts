/**
 * Status lines of the replies that the servers make themselves, by RFC 9110.
 *
 * `node:http` has older reason phrases for some of them (413, 422), so its table serves only what a mock's author
 * chooses (serving/matching/compile/answer-head.ts), where any status is possible.
 */
const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  201: '201 Created',
  302: '302 Found',
  304: '304 Not Modified',
  308: '308 Permanent Redirect',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  412: '412 Precondition Failed',
  413: '413 Content Too Large',
  415: '415 Unsupported Media Type',
  421: '421 Misdirected Request',
  422: '422 Unprocessable Content',
  426: '426 Upgrade Required',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  502: '502 Bad Gateway',
  503: '503 Service Unavailable',
  504: '504 Gateway Timeout',
  507: '507 Insufficient Storage',
  508: '508 Loop Detected',
};

export function statusLine(status: number): string {
  return STATUS_LINES[status] ?? `${status} `;
}
