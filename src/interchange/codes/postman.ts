/** The codes of Postman collections. */
import { approximated, dropped, exact, type CodeFacts } from './facts.ts';

export const POSTMAN_CODES = {
  'postman.collection': exact('Ids, descriptions, settings and examples of parameters have no effect'),
  'postman.request-headers': exact('Headers and cookies of requests are not compared, and not stored'),
  'postman.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'postman.response-credentials': exact(
    'Cookies and tokens of responses are kept: every client of the mock receives them',
  ),
  'postman.header': approximated('This header cannot be sent and is left out'),
  'postman.cookie-domain': approximated('The cookie is sent without its Domain, which is not that of the mock'),
  'postman.charset': approximated('The body is sent as UTF-8, and its content type says so'),
  'postman.script': dropped('Scripts and tests are not run'),
  'postman.auth': dropped('Authorisation is not required'),
  'postman.no-example': approximated(
    'The request has no saved response: its route answers with 200 and no body, or like other requests of the same path',
  ),
  'postman.url': dropped('No route can have the path or the method of the request'),
  'postman.host': approximated('The host is left out, with any part of the path that its variable holds'),
  'postman.variable': approximated('A variable in the path without a known value becomes a parameter'),
  'postman.parameter': approximated('A parameter takes its whole path segment'),
  'postman.status': approximated('The response has no status that a mock can send: it is sent with 200'),
  'postman.content-type': approximated('The content type is taken from the preview language, since no header gives it'),
  'postman.body-variable': approximated('The body holds a variable, which is sent as it is written'),
  'postman.by-name': approximated(
    'No condition distinguishes the request from that of an earlier response: this one is sent when `x-mock-response-name` names it',
  ),
  'postman.by-type': approximated(
    'A later response to the same request has another media type: by `Accept`, it may be sent in the place of this one',
  ),
} as const satisfies Record<string, CodeFacts>;
