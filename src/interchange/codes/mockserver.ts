/** The codes of MockServer expectations. */
import { approximated, dropped, exact, type CodeFacts } from './facts.ts';

export const MOCKSERVER_CODES = {
  'mockserver.metadata': exact('Ids, reason phrases and addresses have no effect on what is answered'),
  'mockserver.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'mockserver.path-case': approximated('Paths are compared with their case: MockServer ignores it'),
  'mockserver.matcher': dropped(
    'A condition of the expectation cannot be expressed, and without it the expectation would answer other requests',
  ),
  'mockserver.method': dropped('No route can have this method'),
  'mockserver.forward': dropped('Requests are not passed on to another server'),
  'mockserver.script': dropped('Templates, classes and callbacks are not run'),
  'mockserver.openapi': dropped('An expectation made of an OpenAPI document is left out: import the document'),
  'mockserver.error': approximated(
    'The connection is closed, or bytes that are not HTTP are sent, and not those of the file',
  ),
  'mockserver.connection': approximated('Options of the connection have no effect'),
  'mockserver.header': approximated('This header cannot be sent and is left out'),
  'mockserver.delay': approximated('The delay is longer than a mock may wait, or of a kind that is not known'),
  'mockserver.time-to-live': approximated('The expectation answers without an end'),
  'mockserver.times': approximated('Too many requests are counted: the expectation answers all'),
} as const satisfies Record<string, CodeFacts>;
