/**
 * The catalogue of what an import or an export cannot carry over: what is lost in behaviour, not which field was unknown. docs/interchange.md
 * lists it, and a test compares both.
 */
export const LEVELS = ['exact', 'approximated', 'dropped'] as const;
export type Level = (typeof LEVELS)[number];

interface CodeFacts {
  readonly level: Level;
  /** A sentence without its full stop; details follow after a colon. */
  readonly text: string;
}

const dropped = (text: string): CodeFacts => ({ level: 'dropped', text });
const approximated = (text: string): CodeFacts => ({ level: 'approximated', text });
/** For classes of members that have no effect on what a mock answers. */
const exact = (text: string): CodeFacts => ({ level: 'exact', text });

const CATALOGUE = {
  'import.unknown': dropped('This member is not known to the reader and has no effect'),
  'import.number': approximated('The number is not represented exactly'),
  'import.refused': dropped('A mock cannot hold this'),
  'import.limit': dropped('A limit of mocks is reached'),
  'import.other-file': exact('No reference leads to this file of the bundle: it has no effect'),
  'import.sequence': approximated('Another response of the sequence is left out, so that this one may come earlier'),

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
  'openapi.unknown': approximated('This member is not known to the reader and has no effect'),
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

  'har.recording': exact('Timings, pages, caches and what else describes the recording have no effect'),
  'har.request-headers': exact('Headers and cookies of requests are not compared, and not stored'),
  'har.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'har.response-credentials': exact('Cookies and tokens of responses are kept: every client of the mock receives them'),
  'har.header': approximated('This header cannot be sent and is left out'),
  'har.cookie-domain': approximated('The cookie is sent without its Domain, which is not that of the mock'),
  'har.charset': approximated('The body is sent as UTF-8, and its content type says so'),
  'har.other-host': dropped('Requests to other hosts are left out: a mock stands for one'),
  'har.no-host': dropped('No request to the host that becomes the mock is recorded'),
  'har.request': dropped('The entry has no request to a host, or no route can have its path or method'),
  'har.status': dropped('The entry has no final status'),
  'har.no-body': approximated('The body was not recorded: the response has none'),
  'har.partial-body': approximated('The body was recorded in part, or not as it was sent'),
  'har.not-modified': approximated('The reply to a browser that has the content already is the reply to all'),
  'har.repeat-headers': approximated(
    'The reply differs from an earlier one to the same request in headers that are left out',
  ),
  'har.repeat': dropped(
    'Another request of the route must be told apart, so that a repeated one always has its first reply',
  ),
  'har.told-apart': approximated(
    'Requests that differ are not told apart by rules, and their replies are not always their own',
  ),
  'har.latency': approximated('The reply took longer than a mock may wait'),
  'har.parameter': approximated('A path segment becomes a parameter: other values are answered, too'),

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
    'Nothing that rules test tells the request from that of an earlier response: this one is sent when `x-mock-response-name` picks it',
  ),
  'postman.by-type': approximated(
    'A later response to the same request has another media type: by `Accept`, it may be sent in the place of this one',
  ),

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
    'Of the responses of one status, those without a body are not told from the others',
  ),
  'openapi-export.media-type': approximated('The response has no media type: its body is written as bytes'),
  'openapi-export.header': approximated('Responses of one status share their headers, each with one value'),
  'openapi-export.label': approximated('The label is changed, so that it is unique and keeps its place in the order'),

  'rules.bookkeeping': exact('Dates, users and marks of the editor have no effect'),
  'rules.refused': dropped('The record is refused, as by POST'),
  'rules.limit': dropped('A limit of the owner is reached'),
  'rules.skipped': dropped('The owner has a record of this id, which is left as it is'),
  'rules.inactive': approximated('The record is active in the file, and imported as inactive'),
  'rules.new-id': approximated('The owner has no record of this id: it is stored under a new one'),
  'rules.repeated-id': approximated('An earlier record of the file has this id: it is stored under a new one'),
  'rules.pattern': approximated('A pattern cannot be matched in linear time, and has no effect'),
  'rules.ungrouped': approximated('The group of the rule is not imported: the rule is in none'),

  'requestly.script': dropped('Rules that run scripts in pages are not known'),
  'requestly.record': dropped('This is neither a rule nor a group'),
  'requestly.cookies': approximated('Cookies are not sent along to the new address'),
} as const satisfies Record<string, CodeFacts>;

export type Code = keyof typeof CATALOGUE;

export const CODES: Readonly<Record<Code, CodeFacts>> = CATALOGUE;
