/** The codes of Postman collections. */
import { COOKIE_FOR_MOCK, FIX_HEADER, ROUTE_BY_HAND, SAVE_AS_UTF8 } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const POSTMAN_CODES = {
  'postman.collection': exact('Ids, descriptions, settings and examples of parameters have no effect'),
  'postman.request-headers': exact(
    'Request headers and cookies are neither matched nor stored',
    'If the response depends on a header, add a condition on it',
  ),
  'postman.framing-headers': exact('The server sets headers that frame or compress a message'),
  'postman.response-credentials': exact(
    'Cookies and tokens in responses are imported: every client of the mock receives them',
    'Replace them in the mock if they are valid credentials',
  ),
  'postman.header': approximated('The header cannot be sent and is dropped', FIX_HEADER),
  'postman.cookie-domain': approximated(
    'The cookie is sent without its Domain, which differs from that of the mock',
    COOKIE_FOR_MOCK,
  ),
  'postman.charset': approximated('The body is sent as UTF-8, and its content type says so', SAVE_AS_UTF8),
  'postman.script': droppedPart(
    'Scripts and tests are not run',
    'Keep them in Postman, with the URL of the mock as base URL',
  ),
  'postman.auth': droppedPart(
    'Authorization is not checked',
    'Add a response with status 401 and a condition on the `authorization` header',
  ),
  'postman.no-example': approximated(
    'The request has no saved response: its route answers 200 without a body, or like other requests of the same path',
    'Save an example response in Postman, or set the body in the mock',
  ),
  'postman.url': dropped('The path or method of the request is not supported', ROUTE_BY_HAND),
  'postman.host': approximated(
    'The host is dropped: the mock has its own address',
    'Point the client at the mock; to keep a path in a variable, set its value in the collection',
  ),
  'postman.variable': approximated(
    'A path variable without a known value becomes a parameter',
    'Give the variable a value in the collection',
  ),
  'postman.parameter': approximated(
    'A parameter replaces its whole path segment',
    'Write the segment with text and parameters in the mock, such as `/:id.json`',
  ),
  'postman.status': approximated(
    'The status of the response is not supported: the mock sends 200',
    'Set the status of the saved response in Postman, or in the mock',
  ),
  'postman.content-type': approximated(
    'No header sets the content type: it is taken from the preview language',
    'Add a Content-Type header to the saved response',
  ),
  'postman.body-variable': approximated(
    'The body contains a variable without a known value, which is sent as literal text',
    'Replace it with the value, or with a helper from docs/templates.md and `templated`',
  ),
  'postman.by-name': approximated(
    'No condition distinguishes the request from that of an earlier response: this response is sent when `x-mock-response-name` names it',
    'Send the header, or add a condition to the response',
  ),
  'postman.by-type': approximated(
    'A later response to the same request has another media type: depending on `Accept`, it may be sent instead of this one',
    'Send an `Accept` header, or remove the other response',
  ),
} as const satisfies Record<string, CodeFacts>;
