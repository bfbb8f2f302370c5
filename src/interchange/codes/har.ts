/** The codes of HTTP archives. */
import { COOKIE_FOR_MOCK, FIX_HEADER, SAVE_AS_UTF8 } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const HAR_CODES = {
  'har.recording': exact('Timings, pages, caches and other facts about the recording have no effect'),
  'har.request-headers': exact(
    'Request headers and cookies are neither matched nor stored',
    'If the response depends on a header, add a condition on it',
  ),
  'har.sample': exact('The request is too large to store as the sample of its response'),
  'har.framing-headers': exact('The server sets headers that frame or compress a message'),
  'har.response-credentials': exact(
    'Cookies and tokens in responses are imported: every client of the mock receives them',
    'Replace them in the mock if they are valid credentials',
  ),
  'har.header': approximated('The header cannot be sent and is dropped', FIX_HEADER),
  'har.cookie-domain': approximated(
    'The cookie is sent without its Domain, which differs from that of the mock',
    COOKIE_FOR_MOCK,
  ),
  'har.charset': approximated('The body is sent as UTF-8, and its content type says so', SAVE_AS_UTF8),
  'har.websocket': droppedPart(
    'Binary client messages get no reply: conditions compare text',
    'Add a response without conditions to the WebSocket route',
  ),
  'har.other-host': dropped(
    'Requests to other hosts are dropped: a mock stands for one host',
    'Import the file once more with `host` (`--host`) for each host that you need',
  ),
  'har.no-host': droppedPart(
    'The recording has no request to the chosen host',
    'Import again with a `host` that occurs in the recording, or without `host`',
  ),
  'har.request': dropped(
    'The entry has no request to a host, or its path or method is not supported',
    'Add the route by hand, unless the entry is internal to the browser',
  ),
  'har.status': dropped('The entry has no final status', 'Record again, and wait for the response before you save'),
  'har.no-body': approximated(
    'The body was not recorded: the response is empty',
    'Export the HAR with content, or set the body in the mock',
  ),
  'har.partial-body': approximated(
    'The body was recorded only in part, or not as it was sent',
    'Set the body in the mock, or record again with another tool',
  ),
  'har.cached': approximated(
    'The browser got 304 for content in its cache: the mock sends the content with 200, and 304 only to requests with its entity tag',
    'Nothing to do; to record the response itself, disable the browser cache',
  ),
  'har.not-modified': approximated(
    'Every client gets the 304 that the browser got for cached content',
    'Record again with the browser cache disabled',
  ),
  'har.repeat-headers': approximated(
    'The response differs from an earlier one to the same request in headers that are dropped',
    'If the headers matter, add a second response to the route with `selection` `sequential`',
  ),
  'har.repeat': dropped(
    'The route distinguishes requests by conditions, so a repeated request always gets its first response',
    'Use a scenario for responses that change over time',
  ),
  'har.told-apart': approximated(
    "No condition distinguishes these requests, so they may get each other's responses",
    'Add conditions to the responses of the route',
  ),
  'har.header-apart': approximated(
    'Equal requests got different responses, and differ in a header: they are answered in turn, or all by the first',
    'Import or stage again with `distinguishBy` (`--distinguish-by`) and this header, which then decides',
  ),
  'recording.partial': dropped(
    'A body of the exchange was not recorded: it is too large, incomplete, or in an unsupported encoding',
    'Record again, or add the response by hand',
  ),
  'recording.stream': approximated(
    'The response had not ended: the mock sends only its start, and keeps an event stream open afterwards',
    'Set `delivery` if a client needs the response in chunks',
  ),
  'har.event-times': approximated(
    'The events of the stream are sent at equal intervals, over the time that the recorded response took',
    'Set the `delay` of each event in the mock',
  ),
  'har.event-lines': approximated(
    'Lines of the stream that do not belong to an event are dropped',
    'Nothing to do, unless a client reads more than events: then send the text as a stream of the format `raw`',
  ),
  'har.latency': approximated(
    'The response took longer than the maximum latency of a mock',
    'Use the fault `hang` for a response that never arrives',
  ),
  'har.parameter': approximated(
    'A path segment becomes a parameter: the route also answers other values',
    'Add a condition on `urlParam`, or import with `paths` `exact`',
  ),
} as const satisfies Record<string, CodeFacts>;
