/** The codes of OpenAPI documents. */
import { ADD_CALLBACK, COOKIE_FOR_MOCK, FIX_HEADER, ROUTE_BY_HAND, SAVE_AS_UTF8 } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

const ADD_REFERENCE = 'Import the folder with all files of the document, or fix the reference';
const ADD_EXAMPLE = 'Add an example to the document, or import with `faker` for values that vary';
const ADD_WEBHOOK = 'Add it to `callbacks` of a response, or send it from the test';
const VALIDATE = 'Import with `validate`: such requests then get 400 or 401';

export const OPENAPI_CODES = {
  'openapi.description': exact('Titles, descriptions, tags, ids and extensions have no effect'),
  'openapi.request': exact('Request parameters, bodies and credentials are described, but not matched'),
  'openapi.schema': exact('Schemas provide bodies without an example; they do not validate requests'),
  'openapi.unused': exact('No response depends on this part of the document'),
  'openapi.keyword': approximated(
    'A schema keyword is unknown, or has an invalid value, and is ignored',
    'Fix the schema: an OpenAPI linter names the keyword',
  ),
  'openapi.required': approximated(
    'Requests without a required parameter or body get the same responses as others',
    VALIDATE,
  ),
  'openapi.security': approximated(
    'Credentials are not required: requests without them get the same responses',
    VALIDATE,
  ),
  'openapi.link': exact('Links between operations have no effect on responses'),
  'openapi.callback': droppedPart('The callback is not supported and is not sent', ADD_CALLBACK),
  'openapi.webhook': droppedPart(
    'The document does not say which response triggers a webhook: it is not sent',
    ADD_WEBHOOK,
  ),
  'openapi.server': droppedPart(
    'Servers with a different base path than the first are dropped: a mock has one base path',
    'List the server that you need first, or import once per server',
  ),
  'openapi.media-type': droppedPart(
    'A media type range next to concrete types is dropped',
    'Name each media type in the document',
  ),
  'openapi.unknown': approximated('Unknown field, ignored', 'Check the spelling, or rename the field to `x-…`'),
  'openapi.version': approximated(
    'OpenAPI 3.2 is read as 3.1: its additions have no effect',
    'If a response depends on them, add them to the mock by hand',
  ),
  'openapi.base-path': approximated(
    'The base path is inferred from the URL of the server, and may be wrong',
    'Write the complete URL of the server, such as https://api.example.com/v1',
  ),
  'openapi.path': dropped('The path is not supported', ROUTE_BY_HAND),
  'openapi.parameter': approximated(
    'Several parameters without text between them become one parameter, which also accepts other values',
    'Put text between the parameters, or add a condition on `urlParam`',
  ),
  'openapi.fragment': approximated(
    'The part after the path is dropped: it is not a condition on requests',
    'Add a condition to the responses of the route',
  ),
  'openapi.by-name': approximated(
    'Another operation matches the same requests: the responses of this one are imported, but not chosen',
    'Choose them with `Prefer: example=…`, or add conditions',
  ),
  'openapi.same-path': dropped(
    'Another operation matches the requests of this one',
    'Give the operations different paths, or use conditions in one route',
  ),
  'openapi.reference': dropped('The target of the reference is not among the imported files', ADD_REFERENCE),
  'openapi.part': approximated(
    'The target of the reference is not among the imported files, and its part is dropped',
    ADD_REFERENCE,
  ),
  'openapi.no-response': approximated(
    'No response is declared or usable: the route answers 200 without a body',
    'Declare a response in the document, or set one in the mock',
  ),
  'openapi.status': dropped('The status is not supported', 'Use a status from 200 to 599'),
  'openapi.status-range': approximated(
    'A range of statuses becomes its first status',
    'Declare the status that you need, or set it in the mock',
  ),
  'openapi.default-status': approximated(
    'The default response becomes 500, or 200 if the operation declares no success',
    'Declare the status that you need, or set it in the mock',
  ),
  'openapi.sampled': approximated('There is no example: the body is generated from the schema', ADD_EXAMPLE),
  'openapi.faked': approximated(
    'There is no example: the body is a template with random values that fit the schema',
    'Add an example to the document for a fixed body; set a `seed` for repeatable values',
  ),
  'openapi.incomplete': approximated(
    'There is no example, and the body generated from the schema does not fully fit it',
    'Add an example to the document',
  ),
  'openapi.no-example': approximated(
    'There is no example and no schema: the response has no body',
    'Add an example to the document, or set the body in the mock',
  ),
  'openapi.example': approximated(
    'The value of the example is not among the imported files, and the example is dropped',
    'Write the value of the example into the document',
  ),
  'openapi.events': approximated(
    'The document has no timing for events: the example events are sent at once, each one once',
    'Set `delay`, `repeat` or `end` of the stream in the mock',
  ),
  'openapi.written': approximated(
    'The document gives the value of the body, not its exact text',
    'Nothing to do, unless a client depends on white space: then write the example as a string',
  ),
  'openapi.bodiless': approximated('Responses with this status have no body', 'Remove the content from the document'),
  'openapi.media-range': approximated(
    'A media type range becomes one media type',
    'Name the media type in the document',
  ),
  'openapi.sampled-header': approximated(
    'There is no example of these headers: their values are generated from the schema',
    ADD_EXAMPLE,
  ),
  'openapi.misfit': approximated(
    'The example does not fit its schema, and is sent as it is written',
    'Fix the example or the schema in the document',
  ),
  'openapi.no-paths': approximated(
    'The document has no paths: the mock answers nothing',
    'Import the document that has the paths, or add routes',
  ),
  'openapi.header': approximated(
    'Declared headers without a usable schema or example are dropped',
    `${FIX_HEADER}; in the document, add an example`,
  ),
  'openapi.cookie-domain': approximated(
    'The cookie is sent without its Domain, which differs from that of the mock',
    COOKIE_FOR_MOCK,
  ),
  'openapi.charset': approximated('The body is sent as UTF-8, and its content type says so', SAVE_AS_UTF8),
  'openapi.store': exact('The operation reads or changes a store, which starts with the examples'),
  'openapi.no-store': approximated(
    'No group of operations creates, changes or deletes items of a list: there is no store',
    'Use routes of the kind `crud`',
  ),
  'openapi.store-shape': approximated(
    'The operation is not bound to the store: its response has no place for the items, or its request no id',
    'Set `store` of the response in the mock',
  ),
  'openapi.store-id': approximated(
    'No example shows the id of an item: the store adds the member `id`',
    'Add an example with the id to the document, or set `idMember` of the store',
  ),
  'openapi.store-parent': approximated(
    'The examples do not relate items to the path parameter: all of its values share the same items',
    'Add the member to the examples, or set `within` of the response’s `store`',
  ),
  'openapi.store-seed': approximated(
    'The store starts without these examples, or is not created',
    'Set `value` of the store in the settings of the mock',
  ),
  'openapi.validation': approximated(
    'The document does not declare the response to an incomplete request',
    'Declare the responses 400 and 401 in the document',
  ),
} as const satisfies Record<string, CodeFacts>;
