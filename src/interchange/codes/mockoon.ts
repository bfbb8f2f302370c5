/** The codes of Mockoon environments. */
import { ADD_CALLBACK, ADD_FILE, FIX_HEADER, NO_FORWARDING, ROUTE_BY_HAND, SHORTEN_DELAY } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const MOCKOON_CODES = {
  'mockoon.environment': exact('Ports, host names, certificates, ids and documentation have no effect on responses'),
  'mockoon.unused': exact('Members have no effect with this kind of body or this route mode'),
  'mockoon.templates': approximated(
    'Tags print some values differently: text without HTML escapes, lists and objects as JSON, nothing for what is not a number',
    'Check these tags with values that have `&`, `<` or quotes, with lists, objects and null, and with text in place of numbers',
  ),
  'mockoon.body-type': approximated(
    'A body is read as JSON whatever its type: Mockoon reads members only of what declares to be JSON, a form or XML',
    'Make clients declare the type of what they send',
  ),
  'mockoon.framing-headers': exact('The server sets headers that frame or compress a message'),
  'mockoon.item': droppedPart(
    'The export contains an entry that is not an environment',
    'Export only the environment, and import that',
  ),
  'mockoon.proxy': droppedPart('The proxy target is not a valid upstream URL', NO_FORWARDING),
  'mockoon.proxy-headers': approximated(
    'Headers added to proxied requests or their responses differ',
    'Set `requestHeaders` and `responseHeaders` in `proxy` of the settings',
  ),
  'mockoon.proxy-redirect': approximated(
    'Redirects of the upstream to itself lead to the mock: Mockoon does not rewrite them',
    'Set `rewrite` of `proxy` to false if clients should leave the mock; cookies then keep their `Domain`',
  ),
  'mockoon.proxy-latency': approximated(
    'Proxied requests have no latency: Mockoon delays them like all others',
    'Add a route for `ANY` and `/*` at the end, with a response that has a `proxy`',
  ),
  'mockoon.callback': droppedPart('The callback is not supported and is not sent', ADD_CALLBACK),
  'mockoon.route-type': dropped(
    'CRUD routes are dropped when their path or key is not valid for the kind `crud`',
    'Keep Mockoon for these, or write routes with a `store` in their responses',
  ),
  'mockoon.method': dropped('The method is not supported', ROUTE_BY_HAND),
  'mockoon.path': dropped('The path is not supported', ROUTE_BY_HAND),
  'mockoon.path-case': approximated(
    'Paths are case-sensitive: Mockoon ignores case',
    'Make clients use the case of the route, or add a route for each spelling',
  ),
  'mockoon.path-form': approximated(
    'Mockoon 9 does not match this path: it is imported as earlier versions matched it',
    'If the route should answer, write the path in the form of Mockoon 9',
  ),
  'mockoon.unplaced': dropped(
    'No folder contains the route, so it never answers',
    'If the route should answer, put it into a folder in Mockoon',
  ),
  'mockoon.fragment': approximated(
    'The part of the path after "#" or "?" becomes a condition on a header, the query or the form: Mockoon expects it in the path, where no client sends it',
    'Check the condition of the route',
  ),
  'mockoon.header': approximated('The header cannot be sent and is dropped', FIX_HEADER),
  'mockoon.label': approximated('The label is truncated', 'Shorten the label to 1,000 characters'),
  'mockoon.latency': approximated('The latency exceeds the maximum of a mock, and is reduced to it', SHORTEN_DELAY),
  'mockoon.rule': dropped(
    'Dropped: this response has a condition that Switchyard does not support, and would match too much without it',
    'Rewrite the condition without look-around, for example as two conditions, one of them with `invert`',
  ),
  'mockoon.rule-left-out': approximated(
    'This response has a condition that Switchyard does not support: the condition is dropped, and the response matches fewer requests',
    'Rewrite the condition without look-around, for example as two conditions, one of them with `invert`',
  ),
  'mockoon.request-number': approximated(
    'The request number also counts requests that fall through to another route',
    'Use a scenario to count, or a condition on the request',
  ),
  'mockoon.template': approximated(
    'A part of the template is not supported and is sent as literal text',
    'Replace the tag with a helper from docs/templates.md',
  ),
  'mockoon.file': droppedPart('The body file is not among the imported files', ADD_FILE),
  'mockoon.bucket': droppedPart(
    'The environment lacks the data bucket of the body',
    'Add the data bucket in Mockoon, or write the body into the response',
  ),
  'mockoon.store': approximated(
    'The data bucket is not valid as a store, which is empty at first',
    'Shorten it, or give each item a unique id',
  ),
  'mockoon.crud': dropped(
    'Dropped: this CRUD route has further responses with rules, besides the one with the data bucket',
    'Add the response as a separate route, with a `store`',
  ),
  'mockoon.crud-ids': approximated(
    'A new item gets the next number or a UUID: Mockoon renders the template that the bucket has for ids',
    'Send the id with each new item, or write fixed ids into the bucket',
  ),
  'mockoon.bucket-template': approximated(
    'The data bucket reads the request and is rendered for each one: Mockoon keeps what the first one made of it',
    'Write fixed values into the bucket, or the template into the body',
  ),
  'mockoon.file-path': droppedPart(
    'The request decides the path of the file',
    'Add a response for each file, with a condition on the value that selects it',
  ),
  'mockoon.rule-value': approximated(
    'A rule compares differently in Mockoon',
    'Check the condition with values of other types, such as numbers, null and lists',
  ),
  'mockoon.template-value': approximated(
    'A part of the template renders differently in Mockoon',
    'Compare the output with that of Mockoon, and change the template where it matters',
  ),
} as const satisfies Record<string, CodeFacts>;
