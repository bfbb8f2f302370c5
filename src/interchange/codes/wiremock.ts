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
  'wiremock.metadata': exact('Ids, names, metadata and reason phrases have no effect on responses'),
  'wiremock.framing-headers': exact('The server sets headers that frame or compress a message'),
  'wiremock.templates': exact('Random values and times in templates are new for each request'),
  'wiremock.untemplated': exact(
    'Bodies hold template tags and name no transformer: they are sent as they are',
    'If WireMock runs with `--global-response-templating`, import with `globalTemplates`',
  ),
  'wiremock.webhook': droppedPart('The webhook is not supported as a callback and is not sent', ADD_CALLBACK),
  'wiremock.stored-state': droppedPart(
    'State of the state extension is not kept',
    'Use a store of the mock: a route of the kind `crud`, or `storeSet` and `store` in templates',
  ),
  'wiremock.webhook-method': approximated(
    'The request decides the method of the webhook, which becomes POST',
    'Add a callback for each method, with a condition in `when`',
  ),
  'wiremock.matcher': dropped(
    'Dropped: this stub has a condition that Switchyard does not support, and would match too much without it',
    'Rewrite the condition: XPath as `regex` on the raw body, look-around as two conditions, one with `invert`',
  ),
  'wiremock.graphql': approximated(
    'The order of fields and arguments of a GraphQL query matters, which the matcher ignores; empty variables count as absent',
    'Write the query as the client sends it, or match by `operation` and `field`',
  ),
  'wiremock.url-pattern': approximated(
    'The URL pattern is split into one for the path and one for the query',
    'Use `urlPathPattern` with `queryParameters`',
  ),
  'wiremock.message': droppedPart(
    'Messages to sockets of other stubs, or without literal content, are dropped',
    'Send it with `to: all` of a reply, or `POST /v1/mocks/:id/ws/send`',
  ),
  'wiremock.message-trigger': dropped(
    'Messages triggered by a request are dropped',
    'Send them with `POST /v1/mocks/:id/ws/send`',
  ),
  'wiremock.method': dropped('The method is not supported', ROUTE_BY_HAND),
  'wiremock.proxy': dropped('Dropped: the proxy target is not a valid upstream URL', NO_FORWARDING),
  'wiremock.proxy-headers': approximated(
    'Headers added to proxied requests or their responses differ from those of the stub',
    EDIT_PROXY_HEADERS,
  ),
  'wiremock.proxy-delivery': droppedPart(
    'The upstream response is streamed as it arrives, not in chunks',
    'Use a latency, or a response with its own body',
  ),
  'wiremock.transformer': droppedPart('Transformers other than response-template are not run', NO_SCRIPTS),
  'wiremock.template': approximated(
    'A part of the template is not supported and is sent as literal text',
    'Replace the tag with a helper from docs/templates.md',
  ),
  'wiremock.template-value': approximated(
    'A part of the template renders differently in WireMock',
    'Compare the output with that of WireMock, and change the template where it matters',
  ),
  'wiremock.file': droppedPart(
    'The body file is not among the imported files, or the request decides its name',
    ADD_FILE,
  ),
  'wiremock.base64': dropped(
    'The body is not base64, which WireMock also refuses',
    'Write the bytes as base64, or text as `body`',
  ),
  'wiremock.fault': dropped('The fault is not supported', OTHER_FAULT),
  'wiremock.connection': approximated(
    'The connection ends, but without the bytes that WireMock sends',
    'Test for the end of the connection, not for the bytes',
  ),
  'wiremock.header': approximated('The header cannot be sent and is dropped', FIX_HEADER),
  'wiremock.delay': approximated('The delay exceeds the maximum of a mock, or is of an unknown kind', SHORTEN_DELAY),
  'wiremock.state': dropped(
    'The mock has too many scenarios or states',
    'Split the stubs into several mocks, or use fewer states',
  ),
} as const satisfies Record<string, CodeFacts>;
