/** The codes of Postman collections. */
import { COOKIE_FOR_MOCK, FIX_HEADER, ROUTE_BY_HAND, SAVE_AS_UTF8 } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const POSTMAN_CODES = {
  'postman.collection': exact('Ids, descriptions, settings and examples of parameters have no effect'),
  'postman.request-headers': exact(
    'Headers and cookies of requests are not compared, and not stored',
    'Add a condition on the header to a response, if its answer depends on it',
  ),
  'postman.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'postman.response-credentials': exact(
    'Cookies and tokens of responses are kept: every client of the mock receives them',
    'Replace them in the mock, if they are valid anywhere',
  ),
  'postman.header': approximated('This header cannot be sent and is left out', FIX_HEADER),
  'postman.cookie-domain': approximated(
    'The cookie is sent without its Domain, which is not that of the mock',
    COOKIE_FOR_MOCK,
  ),
  'postman.charset': approximated('The body is sent as UTF-8, and its content type says so', SAVE_AS_UTF8),
  'postman.script': droppedPart(
    'Scripts and tests are not run',
    'Keep them in Postman, with the address of the mock as base URL',
  ),
  'postman.auth': droppedPart(
    'Authorisation is not required',
    'Add a response with status 401 and a condition on the `authorization` header',
  ),
  'postman.no-example': approximated(
    'The request has no saved response: its route answers with 200 and no body, or like other requests of the same path',
    'Save an example response in Postman, or set the body in the mock',
  ),
  'postman.url': dropped('No route can have the path or the method of the request', ROUTE_BY_HAND),
  'postman.host': approximated(
    'The host is left out: the mock has an address of its own',
    'Point the client at the mock; give a variable its value in the collection, so that the path in it is kept',
  ),
  'postman.variable': approximated(
    'A variable in the path without a known value becomes a parameter',
    'Give the variable a value in the collection',
  ),
  'postman.parameter': approximated(
    'A parameter takes its whole path segment',
    'Write the segment with text and parameters in the mock, such as `/:id.json`',
  ),
  'postman.status': approximated(
    'The response has no status that a mock can send: it is sent with 200',
    'Set the status of the saved response in Postman, or in the mock',
  ),
  'postman.content-type': approximated(
    'The content type is taken from the preview language, since no header gives it',
    'Add a Content-Type header to the saved response',
  ),
  'postman.body-variable': approximated(
    'The body holds a variable, which is sent as it is written',
    'Write the value in its place, or a helper of docs/templates.md with `templated`',
  ),
  'postman.by-name': approximated(
    'No condition distinguishes the request from that of an earlier response: this one is sent when `x-mock-response-name` names it',
    'Send the header, or add a condition to the response',
  ),
  'postman.by-type': approximated(
    'A later response to the same request has another media type: by `Accept`, it may be sent in the place of this one',
    'Send an `Accept` header, or remove the other response',
  ),
} as const satisfies Record<string, CodeFacts>;
