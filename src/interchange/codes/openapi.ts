/** The codes of OpenAPI documents. */
import { approximated, dropped, exact, type CodeFacts } from './facts.ts';

export const OPENAPI_CODES = {
  'openapi.description': exact('Titles, descriptions, tags, ids and extensions have no effect'),
  'openapi.request': exact('Parameters, bodies and credentials of requests are described, and not compared'),
  'openapi.schema': exact('Schemas make bodies where there is no example; they refuse nothing'),
  'openapi.unused': exact('No reply depends on this part of the document'),
  'openapi.keyword': approximated('A keyword that schemas do not have, or not with such a value, has no effect'),
  'openapi.required': approximated('Requests without a required parameter or body are answered like others'),
  'openapi.security': approximated('Credentials are not required: requests without them are answered like others'),
  'openapi.link': dropped('Links between operations are left out'),
  'openapi.callback': dropped('Callbacks are not sent'),
  'openapi.webhook': dropped('Webhooks are not sent'),
  'openapi.server': dropped('Servers other than the first are left out: a mock has the paths of one'),
  'openapi.media-type': dropped('A range of media types stands beside others, and is left out'),
  'openapi.unknown': approximated('Unknown field, ignored'),
  'openapi.version': approximated('OpenAPI 3.2 is read as 3.1: what is new in it has no effect'),
  'openapi.base-path': approximated('The base path is inferred from the URL of the server, and may be another'),
  'openapi.path': dropped('No route can have this path'),
  'openapi.parameter': approximated(
    'A path segment with several parameters and no text between them: they become one parameter, and other values are answered, too',
  ),
  'openapi.fragment': approximated('What follows the path is left out: it states no condition on requests'),
  'openapi.by-name': approximated(
    'Another operation takes the same requests: the responses of this one are kept, and not chosen',
  ),
  'openapi.same-path': dropped('Another operation takes the requests of this one'),
  'openapi.reference': dropped('What the reference names is not in the files of the import'),
  'openapi.part': approximated('What the reference names is not in the files of the import, and its part is left out'),
  'openapi.no-response': approximated('No response is left or declared: the route answers with 200 and no body'),
  'openapi.status': dropped('No response can have this status'),
  'openapi.status-range': approximated('A range of statuses becomes its first status'),
  'openapi.default-status': approximated(
    'The response to all other statuses is 500, or 200 where no success is declared',
  ),
  'openapi.sampled': approximated('There is no example: the body is made from the schema'),
  'openapi.incomplete': approximated('There is no example, and the body made from the schema does not wholly fit it'),
  'openapi.no-example': approximated('There is no example and no schema: the response has no body'),
  'openapi.example': approximated('The example has no value in the files of the import, and is left out'),
  'openapi.written': approximated(
    'The document gives the value of the body, not its text, which may be formatted differently',
  ),
  'openapi.bodiless': approximated('Replies of this status have no body'),
  'openapi.media-range': approximated('A range of media types becomes one type'),
  'openapi.header': approximated(
    'Declared headers without an example, or with a value that cannot be sent, are left out',
  ),
  'openapi.cookie-domain': approximated('The cookie is sent without its Domain, which is not that of the mock'),
  'openapi.charset': approximated('The body is sent as UTF-8, and its content type says so'),
  'openapi.validation': approximated('The reply to a request that lacks what is required is not in the document'),
} as const satisfies Record<string, CodeFacts>;
