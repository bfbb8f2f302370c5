/** The codes of every import. */
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const IMPORT_CODES = {
  'import.unknown': approximated(
    'Unknown field, ignored',
    'Check the spelling, or remove the field; if the tool documents it, responses may differ',
  ),
  'import.number': approximated(
    'The number cannot be represented exactly',
    'Write it as a string if a client needs every digit',
  ),
  'import.id': approximated(
    'The id has an unsupported form: a new one is generated',
    'If overlays or tests use the id, change it to 1 to 64 characters of a-z and 0-9',
  ),
  'import.refused': dropped(
    'A mock does not support this',
    'Fix the problem in the message, and import again; split a pattern with look-around into two conditions, one with `invert`',
  ),
  'import.limit': dropped(
    'A limit of the mock is reached',
    'Split the file into several mocks, or ask the operator for a higher limit',
  ),
  'import.references': droppedPart(
    'The file has too many references: the rest is not resolved',
    'Split the document, or resolve its references before the import',
  ),
  'import.other-file': exact('File that the import skips', 'If this is the entry file, set it as `entry`'),
  'import.own-url': approximated(
    'The response has URLs of the recorded host: a client that follows them leaves the mock',
    'Import with `rewriteUrls` (`--rewrite-urls`), which puts the address of the mock there',
  ),
  'import.json-template': exact('The template escapes values so that its body stays JSON, as requested'),
  'import.proxied': exact(
    'Proxied requests carry `via` and `x-forwarded-…`, their responses `x-switchyard-proxied`; an upstream without a public address requires `--egress-allow`',
  ),
  'import.callback': exact(
    'Callbacks are sent once, with `x-switchyard-depth`; a target without a public address requires `--egress-allow`',
  ),
  'import.callback-target': approximated(
    'The request decides the host of the callback, which is sent only to hosts that the server allows',
    'Start the server with `--callback-allow` for these hosts',
  ),
  'import.sequence': approximated(
    'Another response of the sequence is dropped, so this one may come earlier',
    'Add the missing response to the route, in its place in the sequence',
  ),
} as const satisfies Record<string, CodeFacts>;
