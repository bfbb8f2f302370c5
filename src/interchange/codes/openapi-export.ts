/** The codes of a mock that is written as an OpenAPI document. */
import { approximated, dropped, droppedPart, type CodeFacts } from './facts.ts';

const KEEP_OWN = 'Keep the file of the format `switchyard` as the source: it has everything';
const ADD_TO_DOCUMENT = 'Describe it in the document by hand, if readers need to know';

export const OPENAPI_EXPORT_CODES = {
  'openapi-export.settings': droppedPart('OpenAPI has no place for this setting of the mock', KEEP_OWN),
  'openapi-export.disabled': dropped('The route is disabled and left out', 'Enable the route before the export'),
  'openapi-export.method': dropped('OpenAPI has no such method', ADD_TO_DOCUMENT),
  'openapi-export.path': dropped(
    'No path template of OpenAPI can be written for the path, or another route has it',
    'Write the path without patterns and wildcards',
  ),
  'openapi-export.any-method': approximated(
    'The route for any method is written for the methods that are common',
    'Make a route of each method',
  ),
  'openapi-export.wildcard': approximated(
    'The wildcard becomes a parameter, which stands for one path segment',
    'Make a route of each number of segments',
  ),
  'openapi-export.pattern': approximated(
    'The pattern of a path parameter is part of its schema: other values have no route',
    ADD_TO_DOCUMENT,
  ),
  'openapi-export.next': approximated(
    'What the route does not answer goes to the next one, which OpenAPI does not say',
    ADD_TO_DOCUMENT,
  ),
  'openapi-export.selection': approximated('OpenAPI does not say how one of several responses is chosen', KEEP_OWN),
  'openapi-export.order': approximated('OpenAPI does not say which response is sent where none is asked for', KEEP_OWN),
  'openapi-export.parameter': approximated(
    'The condition is an optional parameter with an example',
    'Make the parameter required in the document, if it is',
  ),
  'openapi-export.rule': dropped('OpenAPI has no place for this condition', ADD_TO_DOCUMENT),
  'openapi-export.latency': droppedPart('OpenAPI has no place for a latency', KEEP_OWN),
  'openapi-export.fault': droppedPart('OpenAPI has no place for a fault', KEEP_OWN),
  'openapi-export.proxy': droppedPart('OpenAPI has no place for an answer of an upstream', KEEP_OWN),
  'openapi-export.callback': approximated(
    'OpenAPI describes what may be called, and not after which response, when, how often and with which signature',
    KEEP_OWN,
  ),
  'openapi-export.websocket': dropped('OpenAPI has no WebSocket routes', KEEP_OWN),
  'openapi-export.store': approximated(
    'OpenAPI has no stores: what the store begins with is written as fixed answers',
    KEEP_OWN,
  ),
  'openapi-export.stream': approximated('OpenAPI has no streams: the events are written as one body, once', KEEP_OWN),
  'openapi-export.delivery': droppedPart('OpenAPI has no place for how a body is delivered', KEEP_OWN),
  'openapi-export.scenario': droppedPart('OpenAPI has no place for the part of a response in a scenario', KEEP_OWN),
  'openapi-export.template': approximated(
    'The template is written as it is, and not rendered',
    'Replace it by a rendered example in the document',
  ),
  'openapi-export.binary': droppedPart(
    'The body is not text: it is written as base64',
    'Serve the bytes from a file next to the document',
  ),
  'openapi-export.body': approximated('The example does not say the body exactly', KEEP_OWN),
  'openapi-export.bodiless': approximated(
    'Among the responses of one status, those without a body cannot be distinguished from the others',
    'Give the responses different statuses',
  ),
  'openapi-export.media-type': approximated(
    'The response has no media type: its body is written as bytes',
    'Add a Content-Type header to the response',
  ),
  'openapi-export.header': approximated(
    'Responses of one status share their headers, each with one value',
    'Give the responses different statuses',
  ),
  'openapi-export.label': approximated(
    'The label is changed, so that it is unique and keeps its place in the order',
    'Give each response of the route a label of its own',
  ),
} as const satisfies Record<string, CodeFacts>;
