/** The codes of mountebank imposters. */
import { EDIT_PROXY_HEADERS, FIX_HEADER, NO_FORWARDING, NO_SCRIPTS } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const MOUNTEBANK_CODES = {
  'mountebank.imposter': exact('Ports, certificates, recorded requests and links have no effect on what is answered'),
  'mountebank.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'mountebank.name-case': approximated(
    'Paths, and names of parameters and members, are compared with their case: mountebank ignores it here',
    'Let clients send the case of the stub, or add a route for each spelling',
  ),
  'mountebank.protocol': dropped(
    'Imposters of other protocols than HTTP are left out',
    'Keep mountebank for this imposter: mocks speak HTTP alone',
  ),
  'mountebank.headers': approximated(
    'Headers are compared one by one: requests with further ones are answered, too',
    'Add a condition that is absent for each header that must not come',
  ),
  'mountebank.connection': approximated(
    'The connection ends, but not with the bytes that mountebank sends',
    'Test for a connection that ends, not for the bytes',
  ),
  'mountebank.predicate': dropped(
    'Left out: this stub has a predicate Switchyard cannot express, and would match too much without it',
    'Write the predicate another way: XPath as `matches` on the body, look-around as two predicates, one in `not`',
  ),
  'mountebank.proxy': dropped('Left out: the address of the other server cannot be that of an upstream', NO_FORWARDING),
  'mountebank.proxied': approximated(
    'The body of the other server is passed on as it is: mountebank formats JSON anew, and reads bytes as UTF-8',
    'Nothing to do, unless a client depends on the white space',
  ),
  'mountebank.recording': approximated(
    'Each request is sent on, and recorded: mountebank makes stubs of the answers, and with `proxyOnce` repeats the first of each kind',
    'Make routes of the recording (docs/mocks.md), or import what mountebank has recorded, written by `mb save --removeProxies`',
  ),
  'mountebank.proxy-headers': approximated(
    'Headers that are added to what is sent on are not those of the stub',
    EDIT_PROXY_HEADERS,
  ),
  'mountebank.proxy-option': droppedPart(
    'The connection to the other server has the options of this server',
    'Use `--egress-ca` or `--egress-insecure`; for a client certificate, put a proxy that has it in front of the upstream',
  ),
  'mountebank.script': dropped('Scripts and commands are not run', NO_SCRIPTS),
  'mountebank.behavior': dropped(
    'Left out: without this behavior the response would be another',
    'Write the body as a template (docs/templates.md), which reads the request itself',
  ),
  'mountebank.base64': exact('Bytes that are not base64 are read as mountebank does, which skips other characters'),
  'mountebank.fault': exact('A fault that mountebank does not know has no effect: the default response answers'),
  'mountebank.wait': approximated(
    'A wait that a script decides, or that is longer than a mock may wait, is left out or cut',
    'Use a latency with `min` and `max`, of at most 10 minutes',
  ),
  'mountebank.header': approximated('This header cannot be sent and is left out', FIX_HEADER),
  'mountebank.cors': approximated(
    'Preflights are answered like other requests',
    'Set `cors` in the settings of the mock',
  ),
  'mountebank.sequence': approximated(
    'Too many responses take turns: the first answers always',
    'Split the imposter into several mocks, or use fewer responses',
  ),
} as const satisfies Record<string, CodeFacts>;
