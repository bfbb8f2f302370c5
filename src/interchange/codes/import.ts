/** The codes of every import. */
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const IMPORT_CODES = {
  'import.unknown': approximated(
    'Unknown field, ignored',
    'Check the spelling, or remove the field; if the tool documents it, the answer may depend on it',
  ),
  'import.number': approximated(
    'The number is not represented exactly',
    'Write it as a text, if a client needs every digit',
  ),
  'import.id': approximated(
    'The id has another form than ids have: a new one is drawn',
    'Use 1 to 64 characters of a-z and 0-9, where overlays or tests name the route or response',
  ),
  'import.refused': dropped(
    'A mock cannot hold this',
    'Change what the message names, and import again; a pattern with look-around becomes two conditions, one with `invert`',
  ),
  'import.limit': dropped(
    'A limit of mocks is reached',
    'Split the file into several mocks, or ask the operator for a higher limit',
  ),
  'import.references': droppedPart(
    'The file has too many references: further ones are not followed',
    'Split the document, or resolve its references before the import',
  ),
  'import.other-file': exact(
    'No reference leads to this file of the bundle: it has no effect',
    'Name it as `entry`, if the import was to begin with it',
  ),
  'import.json-template': exact('As asked, the template keeps its body JSON, whatever a request sends'),
  'import.proxied': exact(
    'Sent on with `via` and `x-forwarded-…`, answered with `x-switchyard-proxied`; an upstream that has no public address needs the option `--egress-allow`',
  ),
  'import.callback': exact(
    'Sent with `x-switchyard-depth`, once; a target that has no public address needs the option `--egress-allow`',
  ),
  'import.callback-target': approximated(
    'The request decides where the callback goes, which is sent only where the server allows the host',
    'Start the server with `--callback-allow` and the hosts that may be called',
  ),
  'import.sequence': approximated(
    'Another response of the sequence is left out, so that this one may come earlier',
    'Add the missing response to the route, at its place in the sequence',
  ),
} as const satisfies Record<string, CodeFacts>;
