/** The codes of mountebank imposters. */
import { approximated, dropped, exact, type CodeFacts } from './facts.ts';

export const MOUNTEBANK_CODES = {
  'mountebank.imposter': exact('Ports, certificates, recorded requests and links have no effect on what is answered'),
  'mountebank.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'mountebank.name-case': approximated(
    'Paths, and names of parameters and members, are compared with their case: mountebank ignores it here',
  ),
  'mountebank.headers': approximated('Headers are compared one by one: requests with further ones are answered, too'),
  'mountebank.connection': approximated('The connection ends, but not with the bytes that mountebank sends'),
  'mountebank.protocol': dropped('Imposters of other protocols than HTTP are left out'),
  'mountebank.predicate': dropped(
    'A predicate of the stub cannot be expressed, and without it the stub would answer other requests',
  ),
  'mountebank.proxy': dropped('Requests are not passed on to another server'),
  'mountebank.script': dropped('Scripts and commands are not run'),
  'mountebank.behavior': dropped('Without this behavior the response would be another'),
  'mountebank.fault': dropped('There is no such fault'),
  'mountebank.wait': approximated(
    'A wait that a script decides, or that is longer than a mock may wait, is left out or cut',
  ),
  'mountebank.header': approximated('This header cannot be sent and is left out'),
  'mountebank.cors': approximated('Preflights are answered like other requests'),
  'mountebank.sequence': approximated('Too many responses take turns: the first answers always'),
} as const satisfies Record<string, CodeFacts>;
