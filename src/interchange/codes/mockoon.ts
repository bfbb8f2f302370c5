/** The codes of Mockoon environments. */
import { approximated, dropped, exact, type CodeFacts } from './facts.ts';

export const MOCKOON_CODES = {
  'mockoon.environment': exact(
    'Ports, host names, certificates, ids and documentation have no effect on what is answered',
  ),
  'mockoon.unused': exact('Members that the kind of body or the mode of the route leaves without effect'),
  'mockoon.templates': approximated(
    'Values of requests go into the template without HTML escapes, null as nothing, and the first of several',
  ),
  'mockoon.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'mockoon.item': dropped('The export holds something that is not an environment'),
  'mockoon.proxy': dropped('Requests without a route are not passed on to another server'),
  'mockoon.callback': approximated('The callback is not sent'),
  'mockoon.route-type': dropped('Routes of data buckets (CRUD) and of WebSockets are left out'),
  'mockoon.method': dropped('No route can have this method'),
  'mockoon.path': dropped('No route can have this path'),
  'mockoon.path-case': approximated('Paths are compared with their case: Mockoon ignores it'),
  'mockoon.path-form': approximated('Mockoon 9 does not answer this path: it is read as earlier versions did'),
  'mockoon.unplaced': dropped('No folder names the route: it answers nothing'),
  'mockoon.fragment': approximated(
    'What follows "#" or "?" in the path becomes a condition on a header, the query or the form: Mockoon waits for it in the path, where no client sends it',
  ),
  'mockoon.header': approximated('This header cannot be sent and is left out'),
  'mockoon.label': approximated('The label is cut'),
  'mockoon.latency': approximated('The latency is longer than a mock may wait'),
  'mockoon.rule': dropped(
    'A rule of the response cannot be expressed, and without it the response would answer other requests',
  ),
  'mockoon.rule-left-out': approximated(
    'A rule cannot be expressed and is left out: the response answers fewer requests',
  ),
  'mockoon.rule-value': approximated('A rule compares otherwise in Mockoon'),
  'mockoon.request-number': approximated('The number of a request also counts those that the route lets fall through'),
  'mockoon.template': approximated('A part of the template is not understood and is sent as it is written'),
  'mockoon.template-value': approximated('A part of the template prints otherwise in Mockoon'),
  'mockoon.file': dropped('The file of the body is not among the files of the import: the response is left out'),
  'mockoon.bucket': dropped('The data bucket of the body is not in the environment'),
  'mockoon.bucket-template': approximated('What Mockoon makes once at its start is made anew for each request'),
  'mockoon.file-path': dropped('The path of the file is made from the request: the response is left out'),
} as const satisfies Record<string, CodeFacts>;
