/** The codes of HTTP archives. */
import { approximated, dropped, exact, type CodeFacts } from './facts.ts';

export const HAR_CODES = {
  'har.recording': exact('Timings, pages, caches and what else describes the recording have no effect'),
  'har.request-headers': exact('Headers and cookies of requests are not compared, and not stored'),
  'har.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'har.response-credentials': exact('Cookies and tokens of responses are kept: every client of the mock receives them'),
  'har.header': approximated('This header cannot be sent and is left out'),
  'har.cookie-domain': approximated('The cookie is sent without its Domain, which is not that of the mock'),
  'har.charset': approximated('The body is sent as UTF-8, and its content type says so'),
  'har.other-host': dropped('Requests to other hosts are left out: a mock stands for one'),
  'har.no-host': dropped('No request to the host that becomes the mock is recorded'),
  'har.request': dropped('The entry has no request to a host, or no route can have its path or method'),
  'har.status': dropped('The entry has no final status'),
  'har.no-body': approximated('The body was not recorded: the response has none'),
  'har.partial-body': approximated('The body was recorded in part, or not as it was sent'),
  'har.not-modified': approximated('The reply to a browser that has the content already is the reply to all'),
  'har.repeat-headers': approximated(
    'The reply differs from an earlier one to the same request in headers that are left out',
  ),
  'har.repeat': dropped(
    'Another request of the route must be distinguished, so that a repeated one always gets its first reply',
  ),
  'har.told-apart': approximated(
    'Requests that differ could not be distinguished by conditions, so their replies are not always their own',
  ),
  'har.latency': approximated('The reply took longer than a mock may wait'),
  'har.parameter': approximated('A path segment becomes a parameter: other values are answered, too'),
} as const satisfies Record<string, CodeFacts>;
