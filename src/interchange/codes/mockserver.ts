/** The codes of MockServer expectations. */
import { FIX_HEADER, EDIT_PROXY_HEADERS, NO_FORWARDING, NO_SCRIPTS, ROUTE_BY_HAND, SHORTEN_DELAY } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const MOCKSERVER_CODES = {
  'mockserver.metadata': exact('Ids, reason phrases and addresses have no effect on responses'),
  'mockserver.framing-headers': exact('The server sets headers that frame or compress a message'),
  'mockserver.path-case': approximated(
    'Paths are case-sensitive: MockServer ignores case',
    'Make clients use the case of the expectation, or add a route for each spelling',
  ),
  'mockserver.matcher': dropped(
    'Dropped: this expectation has a condition that Switchyard does not support, and would match too much without it',
    'Rewrite the condition: XPath as `regex` on the raw body, look-around as two conditions, one with `not`',
  ),
  'mockserver.method': dropped('The method is not supported', ROUTE_BY_HAND),
  'mockserver.websocket': droppedPart(
    'Replies to non-text frames, and subscription filters, are dropped',
    'Add a response with conditions on `message` to the WebSocket route',
  ),
  'mockserver.forward': dropped(
    'Dropped: a `proxy` does not support this forwarded request or target, or the target depends on the request',
    NO_FORWARDING,
  ),
  'mockserver.proxy-headers': approximated(
    'Headers added to proxied requests or their responses differ from those of the expectation',
    EDIT_PROXY_HEADERS,
  ),
  'mockserver.script': dropped('Templates, classes and callbacks are not run', NO_SCRIPTS),
  'mockserver.openapi': dropped(
    'Expectations from an OpenAPI document are dropped',
    'Import the OpenAPI document itself',
  ),
  'mockserver.error': approximated(
    'The connection is closed or sends bytes that are not HTTP, but not the bytes of the file',
    'Nothing to do, unless a client depends on the exact bytes',
  ),
  'mockserver.connection': approximated(
    'Connection options have no effect',
    'Use a fault, such as `empty` or `truncated`, to close the connection',
  ),
  'mockserver.header': approximated('The header cannot be sent and is dropped', FIX_HEADER),
  'mockserver.delay': approximated('The delay exceeds the maximum of a mock, or is of an unknown kind', SHORTEN_DELAY),
  'mockserver.time-to-live': approximated(
    'The expectation never expires',
    'Remove the route, or end the session, when the test no longer needs it',
  ),
  'mockserver.times': approximated(
    'The request limit cannot be counted: the expectation answers all requests',
    'Split the expectations into several mocks, or use fewer scenarios',
  ),
} as const satisfies Record<string, CodeFacts>;
