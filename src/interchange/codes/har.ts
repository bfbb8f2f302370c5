/** The codes of HTTP archives. */
import { COOKIE_FOR_MOCK, FIX_HEADER, SAVE_AS_UTF8 } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const HAR_CODES = {
  'har.recording': exact('Timings, pages, caches and what else describes the recording have no effect'),
  'har.request-headers': exact(
    'Headers and cookies of requests are not compared, and not stored',
    'Add a condition on the header to a response, if its answer depends on it',
  ),
  'har.sample': exact('The request is too large to be kept as the sample of its response'),
  'har.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'har.response-credentials': exact(
    'Cookies and tokens of responses are kept: every client of the mock receives them',
    'Replace them in the mock, if they are valid anywhere',
  ),
  'har.header': approximated('This header cannot be sent and is left out', FIX_HEADER),
  'har.cookie-domain': approximated(
    'The cookie is sent without its Domain, which is not that of the mock',
    COOKIE_FOR_MOCK,
  ),
  'har.charset': approximated('The body is sent as UTF-8, and its content type says so', SAVE_AS_UTF8),
  'har.websocket': droppedPart(
    'Binary messages of the client have no reply: conditions compare texts',
    'Add a response without conditions to the WebSocket route',
  ),
  'har.other-host': dropped(
    'Requests to other hosts are left out: a mock stands for one',
    'Import the file again with `host` (`--host`) for each host that you need',
  ),
  'har.no-host': droppedPart(
    'No request to the host that becomes the mock is recorded',
    'Import again with a `host` that the recording has, or without one',
  ),
  'har.request': dropped(
    'The entry has no request to a host, or no route can have its path or method',
    'Add the route by hand, if the entry is not one of the browser itself',
  ),
  'har.status': dropped('The entry has no final status', 'Record again, and wait for the reply before you save'),
  'har.no-body': approximated(
    'The body was not recorded: the response has none',
    'Save the HAR with content, or set the body in the mock',
  ),
  'har.partial-body': approximated(
    'The body was recorded in part, or not as it was sent',
    'Set the body in the mock, or record again with another tool',
  ),
  'har.not-modified': approximated(
    'The reply to a browser that has the content already is the reply to all',
    'Record again with the cache of the browser switched off',
  ),
  'har.repeat-headers': approximated(
    'The reply differs from an earlier one to the same request in headers that are left out',
    'Add a second response to the route, with `selection` `sequential`, if the headers matter',
  ),
  'har.repeat': dropped(
    'Another request of the route must be distinguished, so that a repeated one always gets its first reply',
    'Use a scenario for replies that change over time',
  ),
  'har.told-apart': approximated(
    'Requests that differ could not be distinguished by conditions, so their replies are not always their own',
    'Add conditions to the responses of the route',
  ),
  'recording.partial': dropped(
    'A body of the exchange was not recorded: it is too large, was cut, or is in a coding that cannot be read',
    'Record again, or add the response by hand',
  ),
  'recording.stream': approximated(
    'The answer had not ended: its beginning is all that is sent; a stream of events stays open behind it',
    'Set `delivery`, if a client needs the answer to come in pieces',
  ),
  'har.event-times': approximated(
    'The events of the stream come at even distances, over the time in which the answer was received',
    'Set the `delay` of each event in the mock',
  ),
  'har.event-lines': approximated(
    'Lines of the stream that are not part of an event are left out',
    'Nothing to do, unless a client reads more than events: then send the text as a stream of the format `raw`',
  ),
  'har.latency': approximated(
    'The reply took longer than a mock may wait',
    'Use the fault `hang` for a reply that never comes',
  ),
  'har.parameter': approximated(
    'A path segment becomes a parameter: other values are answered, too',
    'Add a condition on the `urlParam`, or import with `paths` `exact`',
  ),
} as const satisfies Record<string, CodeFacts>;
