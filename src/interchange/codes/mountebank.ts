/** The codes of mountebank imposters. */
import { EDIT_PROXY_HEADERS, FIX_HEADER, NO_FORWARDING, NO_SCRIPTS } from './common.ts';
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const MOUNTEBANK_CODES = {
  'mountebank.imposter': exact('Ports, certificates, recorded requests and links have no effect on responses'),
  'mountebank.framing-headers': exact('The server sets headers that frame or compress a message'),
  'mountebank.name-case': approximated(
    'Paths and names of parameters and members are case-sensitive: mountebank ignores case here',
    'Make clients use the case of the stub, or add a route for each spelling',
  ),
  'mountebank.protocol': dropped(
    'Imposters with protocols other than HTTP are dropped',
    'Keep mountebank for this imposter: mocks speak only HTTP',
  ),
  'mountebank.headers': approximated(
    'Headers are compared one by one: requests with additional headers also match',
    'Add a condition for each header that must be absent',
  ),
  'mountebank.connection': approximated(
    'The connection ends, but without the bytes that mountebank sends',
    'Test for the end of the connection, not for the bytes',
  ),
  'mountebank.predicate': dropped(
    'Dropped: this stub has a predicate that Switchyard does not support, and would match too much without it',
    'Rewrite the predicate: XPath as `matches` on the body, look-around as two predicates, one in `not`',
  ),
  'mountebank.proxy': dropped('Dropped: the proxy target is not a valid upstream URL', NO_FORWARDING),
  'mountebank.proxied': approximated(
    'The upstream body is not changed: mountebank reformats JSON, and decodes bytes as UTF-8',
    'Nothing to do, unless a client depends on white space',
  ),
  'mountebank.recording': approximated(
    'Each request is proxied and recorded: mountebank turns the responses into stubs, and with `proxyOnce` repeats the first of each kind',
    'Stage routes from the recording, or import the recording of mountebank from `mb save --removeProxies`',
  ),
  'mountebank.proxy-headers': approximated(
    'Headers added to proxied requests differ from those of the stub',
    EDIT_PROXY_HEADERS,
  ),
  'mountebank.proxy-option': droppedPart(
    'The connection to the upstream uses the options of this server',
    'Use `--egress-ca` or `--egress-insecure`; for a client certificate, put a proxy with that certificate in front of the upstream',
  ),
  'mountebank.script': dropped('Scripts and commands are not run', NO_SCRIPTS),
  'mountebank.behavior': dropped(
    'Dropped: without this behavior the response would differ',
    'Write the body as a template (docs/templates.md), which can read the request',
  ),
  'mountebank.base64': exact('Characters that are not base64 are skipped, as by mountebank'),
  'mountebank.fault': exact('The fault is unknown to mountebank and has no effect: the default response answers'),
  'mountebank.wait': approximated(
    'A wait from a script is dropped, and one above the maximum of a mock is reduced to it',
    'Use a latency with `min` and `max`, of at most 10 minutes',
  ),
  'mountebank.header': approximated('The header cannot be sent and is dropped', FIX_HEADER),
  'mountebank.client-certificates': approximated(
    'Clients need no certificate',
    'Start with `--mtls-port` and `--mtls-ca`, and set `clientCert` in the settings of the mock',
  ),
  'mountebank.cors': approximated(
    'Preflights are answered like other requests',
    'Set `cors` in the settings of the mock',
  ),
  'mountebank.sequence': approximated(
    'Too many responses in turn: the first one always answers',
    'Split the imposter into several mocks, or use fewer responses',
  ),
} as const satisfies Record<string, CodeFacts>;
