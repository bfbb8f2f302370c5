/** The codes of Mockoon environments. */
import { ADD_CALLBACK, ADD_FILE, FIX_HEADER, NO_FORWARDING, ROUTE_BY_HAND, SHORTEN_DELAY } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const MOCKOON_CODES = {
  'mockoon.environment': exact(
    'Ports, host names, certificates, ids and documentation have no effect on what is answered',
  ),
  'mockoon.unused': exact('Members that the kind of body or the mode of the route leaves without effect'),
  'mockoon.templates': approximated(
    'Values of requests go into the template without HTML escapes, null as nothing, and the first of several',
    'Check templates that print values with `&`, `<` or quotes, null, or several values of one name',
  ),
  'mockoon.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'mockoon.item': droppedPart(
    'The export holds something that is not an environment',
    'Export the environment alone, and import that',
  ),
  'mockoon.proxy': droppedPart(
    'The address of the server that answers requests without a route cannot be that of an upstream',
    NO_FORWARDING,
  ),
  'mockoon.proxy-headers': approximated(
    'Headers that are added to what is sent on, or to its answer, are other ones',
    'Set `requestHeaders` and `responseHeaders` of `proxy` in the settings',
  ),
  'mockoon.proxy-redirect': approximated(
    'Redirects of the other server to a place of its own lead to the mock: Mockoon passes them on as they are',
    'Set `rewrite` of `proxy` to false, where clients are to leave the mock; cookies then keep their `Domain`',
  ),
  'mockoon.proxy-latency': approximated(
    'What is sent on has no latency: Mockoon delays it as all else',
    'Add a route for `ANY` and `/*` at the end, with a response that has a `proxy`',
  ),
  'mockoon.callback': droppedPart('The callback cannot be one of a mock, and is not sent', ADD_CALLBACK),
  'mockoon.route-type': dropped(
    'CRUD routes whose path or key no route of the kind `crud` can have are left out',
    'Keep Mockoon for these, or write routes with a `store` in their responses',
  ),
  'mockoon.method': dropped('No route can have this method', ROUTE_BY_HAND),
  'mockoon.path': dropped('No route can have this path', ROUTE_BY_HAND),
  'mockoon.path-case': approximated(
    'Paths are compared with their case: Mockoon ignores it',
    'Let clients send the case of the route, or add a route for each spelling',
  ),
  'mockoon.path-form': approximated(
    'Mockoon 9 does not answer this path: it is read as earlier versions did',
    'Write the path as Mockoon 9 has it, if the route was meant to answer',
  ),
  'mockoon.unplaced': dropped(
    'No folder names the route: it answers nothing',
    'Put the route into a folder in Mockoon, if it was meant to answer',
  ),
  'mockoon.fragment': approximated(
    'What follows "#" or "?" in the path becomes a condition on a header, the query or the form: Mockoon waits for it in the path, where no client sends it',
    'Check the condition of the route',
  ),
  'mockoon.header': approximated('This header cannot be sent and is left out', FIX_HEADER),
  'mockoon.label': approximated('The label is cut', 'Shorten the label to 1,000 characters'),
  'mockoon.latency': approximated('The latency is longer than a mock may wait, and is cut', SHORTEN_DELAY),
  'mockoon.rule': dropped(
    'Left out: this response has a condition Switchyard cannot express, and would match too much without it',
    'Write the condition another way: without look-around, for example by two conditions, one of them with `invert`',
  ),
  'mockoon.rule-left-out': approximated(
    'This response has a condition Switchyard cannot express: it is left out, and the response matches fewer requests',
    'Write the condition another way: without look-around, for example by two conditions, one of them with `invert`',
  ),
  'mockoon.request-number': approximated(
    'The number of a request also counts those that the route lets fall through',
    'Use a scenario to count, or a condition on the request',
  ),
  'mockoon.template': approximated(
    'A part of the template is not understood and is sent as it is written',
    'Replace the tag by a helper of docs/templates.md',
  ),
  'mockoon.file': droppedPart('The file of the body is not among the files of the import', ADD_FILE),
  'mockoon.bucket': droppedPart(
    'The data bucket of the body is not in the environment',
    'Add the data bucket in Mockoon, or write the body into the response',
  ),
  'mockoon.store': approximated(
    'The data bucket cannot be a store as it is, and is empty at first',
    'Shorten it, or give each item an id of its own',
  ),
  'mockoon.crud': dropped(
    'Left out: of a CRUD route one response has the data bucket, and others answer by rules of their own',
    'Write the response as a route of its own, with a `store`',
  ),
  'mockoon.crud-habits': approximated(
    'CRUD routes answer by the dialect `rest`: counts, patterns in filters, sorting, what DELETE answers, and edge cases of POST and PUT differ',
    'Check the list in docs/guide-moving.md against what clients send and read',
  ),
  'mockoon.bucket-template': approximated(
    'What Mockoon makes once at its start is made anew for each request',
    'Set a `seed` for values that repeat, or write fixed values into the bucket',
  ),
  'mockoon.file-path': droppedPart(
    'The path of the file is made from the request',
    'Make a response of each file, with a condition on what names it',
  ),
  'mockoon.rule-value': approximated(
    'A rule compares otherwise in Mockoon',
    'Check the condition against values of other kinds, such as numbers, null and lists',
  ),
  'mockoon.template-value': approximated(
    'A part of the template prints otherwise in Mockoon',
    'Compare what is sent with what Mockoon sends, and change the template where it matters',
  ),
} as const satisfies Record<string, CodeFacts>;
