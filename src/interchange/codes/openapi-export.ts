/** The codes of a mock that is written as an OpenAPI document. */
import { approximated, dropped, type CodeFacts } from './facts.ts';

export const OPENAPI_EXPORT_CODES = {
  'openapi-export.settings': dropped('OpenAPI has no place for this setting of the mock'),
  'openapi-export.disabled': dropped('The route is disabled and left out'),
  'openapi-export.method': dropped('OpenAPI has no such method'),
  'openapi-export.path': dropped('No path template of OpenAPI can be written for the path, or another route has it'),
  'openapi-export.any-method': approximated('The route for any method is written for the methods that are common'),
  'openapi-export.wildcard': approximated('The wildcard becomes a parameter, which stands for one path segment'),
  'openapi-export.pattern': approximated(
    'The pattern of a path parameter is part of its schema: other values have no route',
  ),
  'openapi-export.next': approximated(
    'What the route does not answer goes to the next one, which OpenAPI does not say',
  ),
  'openapi-export.selection': approximated('OpenAPI does not say how one of several responses is chosen'),
  'openapi-export.order': approximated('OpenAPI does not say which response is sent where none is asked for'),
  'openapi-export.parameter': approximated('The condition is an optional parameter with an example'),
  'openapi-export.rule': dropped('OpenAPI has no place for this condition'),
  'openapi-export.latency': dropped('OpenAPI has no place for a latency'),
  'openapi-export.fault': dropped('OpenAPI has no place for a fault'),
  'openapi-export.delivery': dropped('OpenAPI has no place for how a body is delivered'),
  'openapi-export.scenario': dropped('OpenAPI has no place for the part of a response in a scenario'),
  'openapi-export.template': approximated('The template is written as it is, and not rendered'),
  'openapi-export.binary': dropped('The body is not text: it is written as base64'),
  'openapi-export.body': approximated('The example does not say the body exactly'),
  'openapi-export.bodiless': approximated(
    'Among the responses of one status, those without a body cannot be distinguished from the others',
  ),
  'openapi-export.media-type': approximated('The response has no media type: its body is written as bytes'),
  'openapi-export.header': approximated('Responses of one status share their headers, each with one value'),
  'openapi-export.label': approximated('The label is changed, so that it is unique and keeps its place in the order'),
} as const satisfies Record<string, CodeFacts>;
