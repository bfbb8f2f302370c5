/** The codes of OpenAPI documents. */
import { ADD_CALLBACK, COOKIE_FOR_MOCK, FIX_HEADER, ROUTE_BY_HAND, SAVE_AS_UTF8 } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

const ADD_REFERENCE = 'Import the folder with all files of the document, or mend the reference';
const ADD_EXAMPLE = 'Add an example to the document, or import with `faker` for values that vary';
const ADD_WEBHOOK = 'Add it to `callbacks` of the response that it follows, or send it from the test';
const VALIDATE = 'Import with `validate`: such requests are then answered 400 or 401';

export const OPENAPI_CODES = {
  'openapi.description': exact('Titles, descriptions, tags, ids and extensions have no effect'),
  'openapi.request': exact('Parameters, bodies and credentials of requests are described, and not compared'),
  'openapi.schema': exact('Schemas make bodies where there is no example; they refuse nothing'),
  'openapi.unused': exact('No reply depends on this part of the document'),
  'openapi.keyword': approximated(
    'A keyword that schemas do not have, or not with such a value, has no effect',
    'Mend the schema: a linter for OpenAPI names the keyword',
  ),
  'openapi.required': approximated('Requests without a required parameter or body are answered like others', VALIDATE),
  'openapi.security': approximated(
    'Credentials are not required: requests without them are answered like others',
    VALIDATE,
  ),
  'openapi.link': exact('Links between operations have no effect on what is answered'),
  'openapi.callback': droppedPart('The callback cannot be one of a mock, and is not sent', ADD_CALLBACK),
  'openapi.webhook': droppedPart('The document does not say what a webhook follows: it is not sent', ADD_WEBHOOK),
  'openapi.server': droppedPart(
    'Servers with another base path than the first are left out: a mock has the paths of one',
    'Put the server that you need first, or import once for each',
  ),
  'openapi.media-type': droppedPart(
    'A range of media types stands beside others, and is left out',
    'Name each media type in the document',
  ),
  'openapi.unknown': approximated('Unknown field, ignored', 'Check the spelling, or call the field `x-…`'),
  'openapi.version': approximated(
    'OpenAPI 3.2 is read as 3.1: what is new in it has no effect',
    'Add what is new to the mock by hand, if a reply depends on it',
  ),
  'openapi.base-path': approximated(
    'The base path is inferred from the URL of the server, and may be another',
    'Write the whole URL of the server, such as https://api.example.com/v1',
  ),
  'openapi.path': dropped('No route can have this path', ROUTE_BY_HAND),
  'openapi.parameter': approximated(
    'A path segment with several parameters and no text between them: they become one parameter, and other values are answered, too',
    'Put text between the parameters, or add a condition on the `urlParam`',
  ),
  'openapi.fragment': approximated(
    'What follows the path is left out: it states no condition on requests',
    'Add a condition to the responses of the route',
  ),
  'openapi.by-name': approximated(
    'Another operation takes the same requests: the responses of this one are kept, and not chosen',
    'Choose them by `Prefer: example=…`, or add conditions',
  ),
  'openapi.same-path': dropped(
    'Another operation takes the requests of this one',
    'Give the two operations different paths, or conditions in one route',
  ),
  'openapi.reference': dropped('What the reference names is not in the files of the import', ADD_REFERENCE),
  'openapi.part': approximated(
    'What the reference names is not in the files of the import, and its part is left out',
    ADD_REFERENCE,
  ),
  'openapi.no-response': approximated(
    'No response is left or declared: the route answers with 200 and no body',
    'Declare a response in the document, or set one in the mock',
  ),
  'openapi.status': dropped('No response can have this status', 'Use a status from 200 to 599'),
  'openapi.status-range': approximated(
    'A range of statuses becomes its first status',
    'Declare the status that you need, or set it in the mock',
  ),
  'openapi.default-status': approximated(
    'The response to all other statuses is 500, or 200 where no success is declared',
    'Declare the status that you need, or set it in the mock',
  ),
  'openapi.sampled': approximated('There is no example: the body is made from the schema', ADD_EXAMPLE),
  'openapi.faked': approximated(
    'There is no example: the body is a template with made-up values, which fit the schema',
    'Add an example to the document for a fixed body; set a `seed` for values that repeat',
  ),
  'openapi.incomplete': approximated(
    'There is no example, and the body made from the schema does not wholly fit it',
    'Add an example to the document',
  ),
  'openapi.no-example': approximated(
    'There is no example and no schema: the response has no body',
    'Add an example to the document, or set the body in the mock',
  ),
  'openapi.example': approximated(
    'The example has no value in the files of the import, and is left out',
    'Write the value of the example into the document',
  ),
  'openapi.events': approximated(
    'The document does not say when events come: those that it shows are sent at once, each one time',
    'Set `delay`, `repeat` or `end` of the stream in the mock',
  ),
  'openapi.written': approximated(
    'The document gives the value of the body, not its text, which may be formatted differently',
    'Nothing to do, unless a client depends on the white space: then write the example as a text',
  ),
  'openapi.bodiless': approximated('Replies of this status have no body', 'Remove the content from the document'),
  'openapi.media-range': approximated('A range of media types becomes one type', 'Name the media type in the document'),
  'openapi.header': approximated(
    'Declared headers without an example, or with a value that cannot be sent, are left out',
    `${FIX_HEADER}; in the document, add an example`,
  ),
  'openapi.cookie-domain': approximated(
    'The cookie is sent without its Domain, which is not that of the mock',
    COOKIE_FOR_MOCK,
  ),
  'openapi.charset': approximated('The body is sent as UTF-8, and its content type says so', SAVE_AS_UTF8),
  'openapi.store': exact('The operation reads or changes a store, which begins with the examples'),
  'openapi.no-store': approximated(
    'No operations make a list whose items can be created, changed or deleted: nothing is kept',
    'Use routes of the kind `crud`',
  ),
  'openapi.store-shape': approximated(
    'The operation is not bound to the store: its reply has no place for the items, or its request no id',
    'Set `store` of the response in the mock',
  ),
  'openapi.store-id': approximated(
    'No example shows the id of an item: the store adds the member `id`',
    'Add an example with the id to the document, or set `idMember` of the store',
  ),
  'openapi.store-parent': approximated(
    'Items do not show which path parameter they belong to: all of its values have the same items',
    'Add the member to the examples, or set `within` of the response’s `store`',
  ),
  'openapi.store-seed': approximated(
    'The store begins without these examples, or is not made',
    'Set `value` of the store in the settings of the mock',
  ),
  'openapi.validation': approximated(
    'The reply to a request that lacks what is required is not in the document',
    'Declare the responses 400 and 401 in the document',
  ),
} as const satisfies Record<string, CodeFacts>;
