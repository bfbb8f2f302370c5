/** The codes of WireMock stubs. */
import { approximated, dropped, exact, type CodeFacts } from './facts.ts';

export const WIREMOCK_CODES = {
  'wiremock.metadata': exact('Ids, names, metadata and reason phrases have no effect on what is answered'),
  'wiremock.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'wiremock.templates': approximated('Values that a template makes up differ'),
  'wiremock.webhook': dropped('Requests to other servers after an answer are not sent'),
  'wiremock.matcher': dropped(
    'A condition of the stub cannot be expressed, and without it the stub would answer other requests',
  ),
  'wiremock.url-pattern': approximated('The pattern of the URL is split into one of the path and one of the query'),
  'wiremock.method': dropped('No route can have this method'),
  'wiremock.proxy': dropped('Requests are not passed on to another server'),
  'wiremock.transformer': dropped('Transformers other than response-template are not run'),
  'wiremock.template': approximated('A part of the template is not understood and is sent as it is written'),
  'wiremock.file': dropped('The file of the body is not among the files of the import'),
  'wiremock.fault': dropped('There is no such fault'),
  'wiremock.header': approximated('This header cannot be sent and is left out'),
  'wiremock.delay': approximated('The delay is longer than a mock may wait, or of a kind that is not known'),
  'wiremock.state': dropped('The mock has no more scenarios or states'),
} as const satisfies Record<string, CodeFacts>;
