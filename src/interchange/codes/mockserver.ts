/** The codes of MockServer expectations. */
import { FIX_HEADER, EDIT_PROXY_HEADERS, NO_FORWARDING, NO_SCRIPTS, ROUTE_BY_HAND, SHORTEN_DELAY } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const MOCKSERVER_CODES = {
  'mockserver.metadata': exact('Ids, reason phrases and addresses have no effect on what is answered'),
  'mockserver.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'mockserver.path-case': approximated(
    'Paths are compared with their case: MockServer ignores it',
    'Let clients send the case of the expectation, or add a route for each spelling',
  ),
  'mockserver.matcher': dropped(
    'Left out: this expectation has a condition Switchyard cannot express, and would match too much without it',
    'Write the condition another way: XPath as `regex` on the raw body, look-around as two conditions, one with `not`',
  ),
  'mockserver.method': dropped('No route can have this method', ROUTE_BY_HAND),
  'mockserver.websocket': droppedPart(
    'Replies to frames that are not text, and filters of subscriptions, are left out',
    'Add a response with conditions on `message` to the WebSocket route',
  ),
  'mockserver.forward': dropped(
    'Left out: what is sent on, or where, has no place in a `proxy`, or depends on the request',
    NO_FORWARDING,
  ),
  'mockserver.proxy-headers': approximated(
    'Headers that are added to what is sent on, or to its answer, are not those of the expectation',
    EDIT_PROXY_HEADERS,
  ),
  'mockserver.script': dropped('Templates, classes and callbacks are not run', NO_SCRIPTS),
  'mockserver.openapi': dropped(
    'An expectation made of an OpenAPI document is left out',
    'Import the OpenAPI document itself',
  ),
  'mockserver.error': approximated(
    'The connection is closed, or bytes that are not HTTP are sent, and not those of the file',
    'Nothing to do, unless a client depends on the very bytes',
  ),
  'mockserver.connection': approximated(
    'Options of the connection have no effect',
    'Use a fault, such as `empty` or `truncated`, for a connection that ends',
  ),
  'mockserver.header': approximated('This header cannot be sent and is left out', FIX_HEADER),
  'mockserver.delay': approximated(
    'The delay is longer than a mock may wait, or of a kind that is not known',
    SHORTEN_DELAY,
  ),
  'mockserver.time-to-live': approximated(
    'The expectation answers without an end',
    'Remove the route, or end the session, when the test no longer needs it',
  ),
  'mockserver.times': approximated(
    'Too many requests are counted: the expectation answers all',
    'Split the expectations into several mocks, or count with fewer scenarios',
  ),
} as const satisfies Record<string, CodeFacts>;
