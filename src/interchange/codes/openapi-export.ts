/** The codes of a mock that is written as an OpenAPI document. */
import { approximated, dropped, droppedPart, type CodeFacts } from './facts.ts';

const KEEP_OWN = 'Keep an export in the format `switchyard` as the source: it is complete';
const ADD_TO_DOCUMENT = 'Describe it in the document by hand, if readers need it';

export const OPENAPI_EXPORT_CODES = {
  'openapi-export.settings': droppedPart('OpenAPI has no place for this setting of the mock', KEEP_OWN),
  'openapi-export.disabled': dropped('The route is disabled and is not exported', 'Enable the route before the export'),
  'openapi-export.method': dropped('OpenAPI does not support the method', ADD_TO_DOCUMENT),
  'openapi-export.path': dropped(
    'The path cannot be written as an OpenAPI path template, or another route has the same one',
    'Write the path without patterns and wildcards',
  ),
  'openapi-export.any-method': approximated(
    'The route for any method is exported for the common methods',
    'Add a route for each method',
  ),
  'openapi-export.wildcard': approximated(
    'The wildcard becomes a parameter for one path segment',
    'Add a route for each number of segments',
  ),
  'openapi-export.pattern': approximated(
    'The pattern of a path parameter becomes part of its schema: other values have no route',
    ADD_TO_DOCUMENT,
  ),
  'openapi-export.next': approximated(
    'Requests that the route does not answer fall through to the next one, which OpenAPI cannot express',
    ADD_TO_DOCUMENT,
  ),
  'openapi-export.selection': approximated('OpenAPI cannot express how a response is chosen', KEEP_OWN),
  'openapi-export.order': approximated('OpenAPI cannot express which response is the default', KEEP_OWN),
  'openapi-export.parameter': approximated(
    'The condition becomes an optional parameter with an example',
    'Make the parameter required in the document, if it is',
  ),
  'openapi-export.rule': dropped('OpenAPI has no place for this condition', ADD_TO_DOCUMENT),
  'openapi-export.latency': droppedPart('OpenAPI has no place for a latency', KEEP_OWN),
  'openapi-export.fault': droppedPart('OpenAPI has no place for a fault', KEEP_OWN),
  'openapi-export.proxy': droppedPart('OpenAPI has no place for an answer of an upstream', KEEP_OWN),
  'openapi-export.callback': approximated(
    'OpenAPI describes the callback, but not its response, time, repetitions and signature',
    KEEP_OWN,
  ),
  'openapi-export.websocket': dropped('OpenAPI has no WebSocket routes', KEEP_OWN),
  'openapi-export.store': approximated(
    'OpenAPI has no stores: the initial value of the store becomes fixed responses',
    KEEP_OWN,
  ),
  'openapi-export.stream': approximated('OpenAPI has no streams: the events become one body', KEEP_OWN),
  'openapi-export.delivery': droppedPart('OpenAPI has no place for the delivery of a body', KEEP_OWN),
  'openapi-export.scenario': droppedPart('OpenAPI has no place for a scenario step', KEEP_OWN),
  'openapi-export.template': approximated(
    'The template is exported without rendering it',
    'Replace it with a rendered example in the document',
  ),
  'openapi-export.binary': droppedPart(
    'The body is not text: it is exported as base64',
    'Provide the bytes in a file next to the document',
  ),
  'openapi-export.body': approximated('The example does not represent the body exactly', KEEP_OWN),
  'openapi-export.bodiless': approximated(
    'Among the responses of one status, those without a body cannot be distinguished from the others',
    'Give the responses different statuses',
  ),
  'openapi-export.media-type': approximated(
    'The response has no media type: its body is exported as bytes',
    'Add a Content-Type header to the response',
  ),
  'openapi-export.header': approximated(
    'Responses of one status share their headers, each with one value',
    'Give the responses different statuses',
  ),
  'openapi-export.label': approximated(
    'The label is changed, so that it is unique and keeps its place in the order',
    'Give each response of the route a unique label',
  ),
} as const satisfies Record<string, CodeFacts>;
