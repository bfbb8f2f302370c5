/** The codes of WireMock stubs. */
import { approximated, dropped, exact, type CodeFacts } from './facts.ts';

export const WIREMOCK_CODES = {
  'wiremock.metadata': exact('Ids, names, metadata and reason phrases have no effect on what is answered'),
  'wiremock.framing-headers': exact('Headers that frame or compress a message are made by the server'),
  'wiremock.templates': exact('What a template draws, and the time, are new with each request'),
  'wiremock.webhook': approximated('The request to another server after the answer is not sent'),
  'wiremock.matcher': dropped(
    'A condition of the stub cannot be expressed, and without it the stub would answer other requests',
  ),
  'wiremock.url-pattern': approximated('The pattern of the URL is split into one of the path and one of the query'),
  'wiremock.method': dropped('No route can have this method'),
  'wiremock.proxy': dropped('Requests are not passed on to another server'),
  'wiremock.transformer': dropped('Transformers other than response-template are not run'),
  'wiremock.template': approximated('A part of the template is not understood and is sent as it is written'),
  'wiremock.template-value': approximated('A part of the template prints otherwise in WireMock'),
  'wiremock.file': dropped(
    'The file of the body is not among the files of the import, or its name is made from the request',
  ),
  'wiremock.fault': dropped('There is no such fault'),
  'wiremock.connection': approximated('The connection ends, but not with the bytes that WireMock sends'),
  'wiremock.header': approximated('This header cannot be sent and is left out'),
  'wiremock.delay': approximated('The delay is longer than a mock may wait, or of a kind that is not known'),
  'wiremock.state': dropped('The mock has no more scenarios or states'),
} as const satisfies Record<string, CodeFacts>;
