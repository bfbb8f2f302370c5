/** The codes of WireMock stubs. */
import {
  ADD_CALLBACK,
  ADD_FILE,
  FIX_HEADER,
  EDIT_PROXY_HEADERS,
  NO_FORWARDING,
  NO_SCRIPTS,
  OTHER_FAULT,
  ROUTE_BY_HAND,
  SHORTEN_DELAY,
} from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const WIREMOCK_CODES = {
  'wiremock.metadata': exact('Ids, names, metadata and reason phrases have no effect on what is answered'),
  'wiremock.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'wiremock.templates': exact('What a template draws, and the time, are new with each request'),
  'wiremock.webhook': droppedPart('The webhook cannot be a callback, and is not sent', ADD_CALLBACK),
  'wiremock.stored-state': droppedPart(
    'What the state extension keeps of requests is not kept',
    'Use a store of the mock: a route of the kind `crud`, or `storeSet` and `store` in templates',
  ),
  'wiremock.webhook-method': approximated(
    'The request decides the method of the webhook, which is POST here',
    'Make a callback of each method, with a condition in `when`',
  ),
  'wiremock.matcher': dropped(
    'Left out: this stub has a condition Switchyard cannot express, and would match too much without it',
    'Write the condition another way: XPath as `regex` on the raw body, look-around as two conditions, one with `invert`',
  ),
  'wiremock.graphql': approximated(
    'The order of fields and arguments of a GraphQL query counts, which the matcher ignores, and empty variables count as absent',
    'Write the query as the client sends it, or match by `operation` and `field`',
  ),
  'wiremock.url-pattern': approximated(
    'The pattern of the URL is split into one of the path and one of the query',
    'Use `urlPathPattern` with `queryParameters`',
  ),
  'wiremock.message': droppedPart(
    'What is sent to other sockets than those of the stub, or is not written in it, is left out',
    'Send it with `to: all` of a reply, or `POST /v1/mocks/:id/ws/send`',
  ),
  'wiremock.message-trigger': dropped(
    'Messages that a request sets off are left out',
    'Send them with `POST /v1/mocks/:id/ws/send`',
  ),
  'wiremock.method': dropped('No route can have this method', ROUTE_BY_HAND),
  'wiremock.proxy': dropped('Left out: the address of the other server cannot be that of an upstream', NO_FORWARDING),
  'wiremock.proxy-headers': approximated(
    'Headers that are added to what is sent on, or to its answer, are not those of the stub',
    EDIT_PROXY_HEADERS,
  ),
  'wiremock.proxy-delivery': droppedPart(
    'The answer of the other server is passed on as it comes, not in parts',
    'Use a latency, or a response with a body of its own',
  ),
  'wiremock.transformer': droppedPart('Transformers other than response-template are not run', NO_SCRIPTS),
  'wiremock.template': approximated(
    'A part of the template is not understood and is sent as it is written',
    'Replace the tag by a helper of docs/templates.md',
  ),
  'wiremock.template-value': approximated(
    'A part of the template prints otherwise in WireMock',
    'Compare what is sent with what WireMock sends, and change the template where it matters',
  ),
  'wiremock.file': droppedPart(
    'The file of the body is not among the files of the import, or its name is made from the request',
    ADD_FILE,
  ),
  'wiremock.base64': dropped(
    'The body is not base64, which WireMock refuses, too',
    'Write the bytes as base64, or a text as `body`',
  ),
  'wiremock.fault': dropped('There is no such fault', OTHER_FAULT),
  'wiremock.connection': approximated(
    'The connection ends, but not with the bytes that WireMock sends',
    'Test for a connection that ends, not for the bytes',
  ),
  'wiremock.header': approximated('This header cannot be sent and is left out', FIX_HEADER),
  'wiremock.delay': approximated(
    'The delay is longer than a mock may wait, or of a kind that is not known',
    SHORTEN_DELAY,
  ),
  'wiremock.state': dropped(
    'The mock has no more scenarios or states',
    'Split the stubs into several mocks, or use fewer states',
  ),
} as const satisfies Record<string, CodeFacts>;
